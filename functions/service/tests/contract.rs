//! Tests of the HTTP contract. Every response is also checked against the
//! OpenAPI document.

use std::{
    collections::HashSet,
    fs::File,
    num::NonZeroUsize,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use http::Method;
use saltern_pool::{PoolSettings, QueueLimits};
use saltern_service::{
    Arrival, Blocklist, Caller, Code, Identity, Ids, Incoming, OPENAPI, Problem, Scope, Service, blocklist,
    metrics::DroppedLines,
};
use serde_json::{Value, json};

use crate::support::*;

/// Answers `POST /verify` with this body, which must be right.
async fn verification(service: &Service, body: &Value) -> Value {
    post("/verify", body).send(service).await.ok()
}

/// The answer to a password that needs no rehash.
fn settled(matches: bool, policy: Option<&str>) -> Value {
    json!({"match": matches, "needs_rehash": false, "rehash_reason": null, "policy": policy})
}

// ----- The table of requests

#[tokio::test]
async fn hash_makes_a_string_under_the_current_or_the_named_policy() {
    let service = service();
    let current = post("/hash", &json!({"password": "p"})).send(&service).await.ok();
    assert_eq!(current["policy"], CURRENT);
    let forms = [
        (BCRYPT, "$2b$05$"),
        (SCRYPT, "$scrypt$ln=4,r=1,p=1$"),
        (CURRENT, "$argon2id$v=19$m=64,t=1,p=1$"),
        (AFTER_CURRENT, "$pbkdf2-sha256$i=10,l=32$"),
    ];
    for (policy, prefix) in forms {
        let hash = made(&service, "p", policy).await;
        assert!(hash.starts_with(prefix), "{hash}");
    }
}

#[tokio::test]
async fn verify_reports_match_mismatch_and_policy() {
    let service = service();
    for policy in [BCRYPT, SCRYPT, CURRENT, AFTER_CURRENT] {
        let hash = made(&service, "right", policy).await;
        let right = verification(&service, &json!({"password": "right", "hash": hash})).await;
        assert_eq!((&right["match"], &right["policy"]), (&json!(true), &json!(policy)));
        let wrong = verification(&service, &json!({"password": "wrong", "hash": hash})).await;
        assert_eq!(wrong, settled(false, Some(policy)));
    }
}

#[tokio::test]
async fn policies_and_health_report_the_policies_in_force() {
    let service = service();
    let policies = get("/policies").send(&service).await.ok();
    assert_eq!((&policies["current"], &policies["decoy"]), (&json!(CURRENT), &json!(CURRENT)));
    let ids: Vec<_> = policies["policies"].as_array().unwrap().iter().map(|p| p["id"].clone()).collect();
    assert_eq!(ids, [BCRYPT_VERIFY_ONLY, BCRYPT, SCRYPT, CURRENT, AFTER_CURRENT]);
    assert_eq!(
        policies["policies"][0],
        json!({"id": BCRYPT_VERIFY_ONLY, "algorithm": "bcrypt", "status": "verify-only", "cost": 4})
    );
    assert_eq!(policies["ceilings"]["bcrypt_cost"], 15);
    let health = get("/health").send(&service).await.ok();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(health, json!({"status": "ok", "version": version, "policies": policies["digest"]}));
}

#[tokio::test]
async fn the_openapi_document_is_always_served_and_metrics_only_if_enabled() {
    let service = service();
    assert_eq!(
        get("/openapi.json").send(&service).await.ok(),
        serde_json::from_str::<Value>(OPENAPI).unwrap()
    );
    get("/metrics").send(&service).await.problem(404, "not_found");

    let service = service.with_metrics(&DroppedLines::default());
    let hash = made(&service, "p", BCRYPT).await;
    let verify = json!({"password": "p", "hash": hash, "rehash": true, "op": "verify"});
    post("/batch", &json!({"operations": [verify, {"op": "frob"}]})).send(&service).await.ok();
    let _refused = refuse(&service, Problem::new(Code::Unauthorized));
    let metrics = get("/metrics").send(&service).await;
    assert!(metrics.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let text = String::from_utf8(metrics.answer.response.body().to_vec()).unwrap();
    for line in [
        r#"saltern_requests_total{operation="hash",outcome="hashed"} 1"#,
        r#"saltern_requests_total{operation="batch",outcome="answered"} 1"#,
        r#"saltern_requests_total{operation="none",outcome="refused"} 1"#,
        r#"saltern_operations_total{operation="verify",algorithm="bcrypt",policy="bcrypt-5",outcome="match"} 1"#,
        r#"saltern_operations_total{operation="none",algorithm="none",policy="none",outcome="refused"} 1"#,
        r#"saltern_refusals_total{code="unauthorized"} 1"#,
        r#"saltern_refusals_total{code="invalid_request"} 1"#,
        r#"saltern_rehashes_needed_total{policy="bcrypt-5",reason="older_policy"} 1"#,
        r#"saltern_rehashes_done_total{policy="bcrypt-5"} 1"#,
        r#"saltern_hash_seconds_count{algorithm="bcrypt",policy="bcrypt-5"} 2"#,
        "saltern_queue_seconds_count 3",
        "saltern_lanes_in_use_count 3",
        "saltern_batch_operations_sum 2.0",
        r#"saltern_answer_seconds_count{operation="batch"} 1"#,
    ] {
        assert!(text.lines().any(|l| l == line), "no `{line}` in:\n{text}");
    }
}

// ----- Passwords and hashes

#[tokio::test]
async fn passwords_are_their_bytes_up_to_1024() {
    let service = service();
    let passwords =
        ["", "p", "emoji 🧂", "\u{e9}", "e\u{301}", "in\0side", &"a".repeat(1024), &"é".repeat(512)];
    for password in passwords {
        let hash = made(&service, password, CURRENT).await;
        for other in passwords {
            let verified = verification(&service, &json!({"password": other, "hash": hash})).await;
            // Passwords are never normalised: é as one character and as two are two passwords.
            assert_eq!(verified["match"], other == password);
        }
    }
    for password in ["a".repeat(1025), "é".repeat(513)] {
        let hash = post("/hash", &json!({"password": password})).send(&service).await;
        assert_eq!(hash.problem(422, "password_too_long")["field"], "password");
        let verify = post("/verify", &json!({"password": password, "hash": null})).send(&service).await;
        assert_eq!(verify.problem(422, "password_too_long")["field"], "password");
    }
}

#[tokio::test]
async fn bcrypt_hashes_at_most_72_bytes_without_nul_and_verifies_more() {
    let service = service_with(&document_with_current(BCRYPT), &one_worker());
    let ask = |password: &str| post("/hash", &json!({"password": password, "policy": BCRYPT}));
    for bytes in [71, 72] {
        ask(&"a".repeat(bytes)).send(&service).await.ok();
    }
    assert_eq!(
        ask(&"a".repeat(73)).send(&service).await.problem(422, "password_too_long")["field"],
        "password"
    );
    assert_eq!(ask("in\0side").send(&service).await.problem(422, "password_has_nul")["field"], "password");

    // bcrypt ignores bytes after the 72nd and after a NUL. A rehash must not cover them.
    let old = service_with(&document(), &one_worker());
    let full = made(&old, &"a".repeat(72), BCRYPT).await;
    let short = made(&old, "in", BCRYPT).await;
    for (password, hash) in [("a".repeat(100), &full), ("in\0side".to_owned(), &short)] {
        let ask = post("/verify", &json!({"password": password, "hash": hash, "rehash": true}));
        let verified = ask.send(&old).await.ok();
        assert_eq!(verified, settled(true, Some(BCRYPT)));
    }
}

#[tokio::test]
async fn new_salts_differ() {
    let service = service();
    let mut hashes = HashSet::new();
    for _ in 0..20 {
        hashes.insert(made(&service, "p", CURRENT).await);
    }
    assert_eq!(hashes.len(), 20);
}

// ----- Verify

#[tokio::test]
async fn a_verification_without_a_hash_computes_the_decoy_and_does_not_match() {
    let service = service();
    for body in [json!({"password": "p", "hash": null}), json!({"password": "p"})] {
        let response = post("/verify", &body).send(&service).await;
        let step = &response.answer.outcome.steps[0];
        assert_eq!((step.algorithm, step.is_decoy), (Some("argon2id"), true));
        assert!(response.header("server-timing").is_some(), "no work was done");
        assert_eq!(response.ok(), settled(false, None));
    }
}

#[tokio::test]
async fn a_hash_that_should_be_replaced_is_replaced_on_request() {
    let service = service();
    let old = made(&service, "p", BCRYPT).await;
    let reason = json!("older_policy");

    let without = verification(&service, &json!({"password": "p", "hash": old})).await;
    assert_eq!((&without["needs_rehash"], &without["rehash_reason"]), (&json!(true), &reason));
    assert!(without.get("rehashed").is_none());
    let declined = verification(&service, &json!({"password": "p", "hash": old, "rehash": false})).await;
    assert_eq!(declined, without);

    let response =
        post("/verify", &json!({"password": "p", "hash": old, "rehash": true})).send(&service).await;
    assert_eq!(response.answer.outcome.steps[0].rehashed.as_ref().unwrap().policy.as_deref(), Some(CURRENT));
    let replaced = response.ok();
    assert_eq!((&replaced["match"], &replaced["rehash_reason"]), (&json!(true), &reason));
    assert_eq!(replaced["rehashed"]["policy"], CURRENT);
    let new = &replaced["rehashed"]["hash"];
    let again = json!({"password": "p", "hash": new, "rehash": true});
    assert_eq!(verification(&service, &again).await, settled(true, Some(CURRENT)));

    let wrong = verification(&service, &json!({"password": "q", "hash": old, "rehash": true})).await;
    assert!(wrong.get("rehashed").is_none());

    let off = self::service().with_upgrades("off".parse().unwrap());
    let kept = verification(&off, &json!({"password": "p", "hash": old, "rehash": true})).await;
    assert_eq!(kept, without);

    let after = made(&service, "p", AFTER_CURRENT).await;
    let kept = verification(&service, &json!({"password": "p", "hash": after, "rehash": true})).await;
    assert_eq!((&kept["needs_rehash"], kept.get("rehashed")), (&json!(false), None));
}

#[tokio::test]
async fn a_weak_scheme_is_refused_unless_accepted_and_then_replaced() {
    let body = json!({"password": "saltern", "hash": SHA_OF_SALTERN, "rehash": true});
    let refused = post("/verify", &body).send(&service()).await;
    let problem = refused.problem(422, "unsupported_hash");
    assert_eq!(problem["field"], "hash");
    assert!(problem["detail"].as_str().unwrap().contains("--accept-weak"), "{problem}");
    let batch =
        post("/batch", &json!({"operations": [{"op": "verify", "password": "p", "hash": SHA_OF_SALTERN}]}));
    let refused = &batch.send(&service()).await.ok()["results"][0];
    assert_eq!(
        (&refused["status"], &refused["problem"]["field"]),
        (&json!(422), &json!("operations[0].hash"))
    );

    let accepting = service_accepting("ldap-sha".parse().unwrap(), &document(), &one_worker());
    let verified = verification(&accepting, &body).await;
    let rehashed = &verified["rehashed"];
    assert_eq!(verified["rehash_reason"], "weak_scheme");
    assert_eq!(
        (&verified["match"], &verified["policy"], &rehashed["policy"]),
        (&json!(true), &Value::Null, &json!(CURRENT))
    );
    let again = json!({"password": "saltern", "hash": rehashed["hash"]});
    assert_eq!(verification(&accepting, &again).await["policy"], CURRENT);
    let other = SHA_OF_SALTERN.replace("{SHA}", "{MD5}");
    post("/verify", &json!({"password": "saltern", "hash": other}))
        .send(&accepting)
        .await
        .problem(422, "invalid_hash");
}

#[tokio::test]
async fn a_match_is_answered_even_if_its_rehash_fails() {
    let nul_after_match = "in\0side";
    let service = service_with(&document_with_current(BCRYPT), &one_worker());
    // This policy is verify-only, so another service makes its hash.
    let mut earlier = document();
    earlier["policies"][0]["status"] = json!("active");
    let earlier = service_with(&earlier, &one_worker());
    let old = made(&earlier, "p", BCRYPT_VERIFY_ONLY).await;

    let body = json!({"password": "p", "hash": old, "rehash": true});
    assert_eq!(verification(&service, &body).await["rehashed"]["policy"], BCRYPT);

    // scrypt reads the whole password. The current policy, bcrypt, cannot hash it.
    let mut order = document_with_current(BCRYPT);
    order["policies"].as_array_mut().unwrap().swap(1, 2);
    let order = service_with(&order, &one_worker());
    let whole = made(&order, nul_after_match, SCRYPT).await;
    let body = json!({"password": nul_after_match, "hash": whole, "rehash": true});
    let answered = verification(&order, &body).await;
    let without =
        json!({"match": true, "needs_rehash": true, "rehash_reason": "older_policy", "policy": SCRYPT});
    assert_eq!(answered, without);
}

#[tokio::test]
async fn under_load_a_match_is_answered_without_its_rehash() {
    // The batch gives the one worker a second of work or more. With one lane most of it still waits
    // when the verification ends. Each hash is short, so that a slow machine takes several of them.
    let settings = PoolSettings { bcrypt_lanes: Some(NonZeroUsize::MIN), ..one_worker() };
    let mut document = document();
    document["policies"][1]["cost"] = json!(8);
    let service = service_with(&document, &settings);
    let old = made(&service, "p", BCRYPT).await;
    let verify = json!({"password": "p", "hash": old, "rehash": true});
    assert!(verification(&service, &verify).await.get("rehashed").is_some());
    let load = json!({"operations": vec![json!({"op": "hash", "password": "p", "policy": BCRYPT}); 64]});
    let (verified, _loaded) = tokio::join!(
        post("/verify", &verify).header("saltern-deadline-ms", "60000").send(&service),
        post("/batch", &load).header("saltern-deadline-ms", "60000").send(&service),
    );
    let verified = verified.ok();
    assert_eq!((&verified["match"], &verified["needs_rehash"]), (&json!(true), &json!(true)));
    assert!(verified.get("rehashed").is_none());
}

#[tokio::test]
async fn a_batch_of_logins_gets_all_its_rehashes() {
    let service = service();
    let old = made(&service, "p", BCRYPT).await;
    let verify = json!({"op": "verify", "password": "p", "hash": old, "rehash": true});
    let response = post("/batch", &json!({"operations": vec![verify; 16]})).send(&service).await.ok();
    for result in response["results"].as_array().unwrap() {
        assert_eq!(result["body"]["rehashed"]["policy"], CURRENT);
    }
}

// ----- Requests and answers: shape

#[tokio::test]
async fn a_problem_names_the_place_of_an_error_and_quotes_no_input() {
    type Row = (&'static str, &'static [u8], u64, u64, &'static str);
    let service = service();
    // Path, body, line, column, field, with invalid JSON first.
    let invalid_json: &[Row] = &[
        ("/hash", b"", 1, 1, ""),
        ("/hash", b"{\"password\": \"MARK\"", 1, 19, ""),
        ("/hash", b"{\"password\": \"MARK\"} MARK", 1, 21, ""),
        ("/hash", b"{\"password\": \"MARK\",}", 1, 21, ""),
        ("/hash", b"{\"password\": \"MARK\\ud800\"}", 1, 25, ""),
        ("/hash", b"{\"password\": \"MARK\\udc00\"}", 1, 24, ""),
        ("/hash", b"\n{\"password\": \"MARK\xff\"}", 2, 19, ""),
        ("/hash", b"{\"password\": \"MARK\xed\xa0\x80\"}", 1, 19, ""),
        ("/hash", b"{\"password\": \"a\nMARK\"}", 2, 1, ""),
        ("/batch", b"{\"operations\": [{\"op\": \"MARK\\ud800\"}]}", 1, 35, ""),
        ("/batch", b"{\"operations\": [{\"MARK\\ud800\": 1}]}", 1, 29, ""),
        ("/batch", b"{\"operations\": [{\"op\": \"hash\", \"password\": }]}", 1, 44, ""),
    ];
    let invalid_request: &[Row] = &[
        ("/hash", b"[]", 1, 1, ""),
        ("/hash", b"\"MARK\"", 1, 1, ""),
        ("/hash", b" {}", 1, 2, "password"),
        ("/hash", b"{\"password\": 5}", 1, 14, "password"),
        ("/hash", b"{\"password\": null}", 1, 14, "password"),
        ("/hash", b"{\"password\": [\"MARK\"]}", 1, 14, "password"),
        ("/hash", b"{\"password\": \"MARK\",\n\"password\": \"MARK\"}", 2, 13, "password"),
        ("/hash", b"{\"password\": \"MARK\", \"pass\\u0077ord\": \"\"}", 1, 39, "password"),
        ("/hash", b"{\"password\": \"MARK\", \"MARK\": 1}", 1, 30, ""),
        ("/hash", b"{\"password\": \"MARK\", \"hash\": null}", 1, 30, ""),
        ("/hash", b"{\"password\": \"MARK\", \"op\": \"hash\"}", 1, 28, ""),
        ("/hash", b"{\"password\": \"MARK\", \"policy\": null}", 1, 32, "policy"),
        ("/hash", b"{\"password\": \"MARK\", \"policy\": 7}", 1, 32, "policy"),
        ("/verify", b"{\"password\": \"MARK\", \"hash\": 7}", 1, 30, "hash"),
        ("/verify", b"{\"hash\": null}", 1, 1, "password"),
        ("/verify", b"{\"password\": \"MARK\", \"rehash\": \"MARK\"}", 1, 32, "rehash"),
        ("/verify", b"{\"password\": \"MARK\", \"rehash\": null}", 1, 32, "rehash"),
        ("/verify", b"{\"password\": \"MARK\", \"policy\": \"MARK\"}", 1, 32, ""),
        ("/batch", b"[]", 1, 1, "operations"),
        ("/batch", b" [{\"op\": \"hash\", \"password\": \"MARK\"}]", 1, 2, "operations"),
        ("/batch", b"\"MARK\"", 1, 1, "operations"),
        ("/batch", b"{}", 1, 1, "operations"),
        ("/batch", b"{\"operations\": []}", 1, 16, "operations"),
        ("/batch", b"{\"operations\": {}}", 1, 16, "operations"),
        ("/batch", b"{\"operations\": [{}], \"MARK\": 1}", 1, 30, ""),
        ("/batch", b"{\"operations\": [{}], \"operations\": [{}]}", 1, 36, "operations"),
    ];
    let of_json = invalid_json.iter().map(|row| (row, "invalid_json", 2));
    let of_members = invalid_request.iter().map(|row| (row, "invalid_request", 0));
    // `serde_json` reports an error in an escape at one of the bytes of the escape.
    for (&(path, body, line, column, field), code, most_off) in of_json.chain(of_members) {
        let shown = String::from_utf8_lossy(body);
        let response = post_bytes(path, body).send(&service).await;
        let problem = response.problem(400, code);
        assert!(!problem.to_string().contains("MARK"), "{problem}");
        let named = problem["field"].as_str().unwrap_or_default();
        assert_eq!((&problem["line"], named), (&json!(line), field), "{shown}");
        let off = problem["column"].as_u64().unwrap().abs_diff(column);
        assert!(off <= most_off, "{shown}: {problem}");
    }
}

#[tokio::test]
async fn deep_nesting_and_huge_numbers_are_refused() {
    let service = service();
    let deep = "[".repeat(16 * 1024);
    post_bytes("/hash", deep).send(&service).await.problem(400, "invalid_json");
    let closed = format!("{{\"password\": {}{}}}", "[".repeat(8000), "]".repeat(8000));
    post_bytes("/hash", closed).send(&service).await.problem(400, "invalid_json");
    post_bytes("/hash", "{\"password\": 1e999}").send(&service).await.problem(400, "invalid_json");
}

#[tokio::test]
async fn the_openapi_schemas_and_the_code_agree_on_requests() {
    let service = service();
    let openapi: Value = serde_json::from_str(OPENAPI).unwrap();
    let bodies = [
        ("/hash", json!({"password": ""})),
        ("/hash", json!({"password": "p", "policy": BCRYPT})),
        ("/hash", json!({"password": "p", "policy": null})),
        ("/hash", json!({"password": 1})),
        ("/hash", json!({"policy": BCRYPT})),
        ("/hash", json!({"password": "p", "hash": "h"})),
        ("/hash", json!([])),
        ("/verify", json!({"password": ""})),
        ("/verify", json!({"password": "p", "hash": null, "rehash": true})),
        ("/verify", json!({"password": "p", "hash": 1})),
        ("/verify", json!({"password": "p", "rehash": "true"})),
        ("/verify", json!({"password": "p", "rehash": null})),
        ("/verify", json!({"password": "p", "policy": BCRYPT})),
        ("/verify", json!({"hash": null})),
        ("/batch", json!({"operations": [{"op": "hash", "password": "p"}]})),
        ("/batch", json!({"operations": [null, 1, {"op": 7}]})),
        ("/batch", json!({"operations": []})),
        ("/batch", json!({"operations": vec![json!({}); 64]})),
        ("/batch", json!({"operations": vec![json!({}); 65]})),
        ("/batch", json!({"operations": {}})),
        ("/batch", json!({"operations": [{}], "more": 1})),
        ("/batch", json!({})),
    ];
    for (path, body) in bodies {
        let schema = &openapi["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let accepted = post(path, &body).send(&service).await.status() == 200;
        assert_eq!(is_valid(&openapi, schema, &body), accepted, "{path} {body}");
    }
    // The document describes the operations of a batch too.
    for (name, op) in [("HashOperation", "hash"), ("VerifyOperation", "verify")] {
        let schema = &openapi["components"]["schemas"][name];
        for (operation, good) in [
            (json!({"op": op, "password": "p"}), true),
            (json!({"op": "frob", "password": "p"}), false),
            (json!({"op": op}), false),
            (json!({"op": op, "password": "p", "x": 1}), false),
            (json!({"op": op, "password": "p", "id": "login-7"}), true),
            (json!({"op": op, "password": "p", "id": "login 7"}), false),
            (json!({"op": op, "password": "p", "id": null}), false),
        ] {
            let response = post("/batch", &json!({"operations": [operation]})).send(&service).await.ok();
            assert_eq!(response["results"][0]["status"] == 200, good, "{operation}");
            assert_eq!(is_valid(&openapi, schema, &operation), good, "{operation}");
        }
    }
}

#[tokio::test]
async fn an_error_in_one_operation_of_a_batch_fails_only_that_operation() {
    let service = service();
    let hash = made(&service, "p", BCRYPT).await;
    // The operation, and the status, the code and the member of its problem.
    let operations = [
        (json!({"op": "hash", "password": "p"}), 200, "", ""),
        (json!({"op": "verify", "password": "p", "hash": hash, "rehash": true}), 200, "", ""),
        (json!({"op": "verify", "password": "q", "hash": hash}), 200, "", ""),
        (json!({"op": "verify", "password": "q"}), 200, "", ""),
        (json!(null), 400, "invalid_request", ""),
        (json!({}), 400, "invalid_request", ".op"),
        (json!({"op": "MARK"}), 400, "invalid_request", ".op"),
        (json!({"op": 5}), 400, "invalid_request", ".op"),
        (json!({"op": "hash"}), 400, "invalid_request", ".password"),
        (json!({"op": "hash", "password": 5}), 400, "invalid_request", ".password"),
        (json!({"op": "hash", "password": "p", "MARK": 5}), 400, "invalid_request", ""),
        (json!({"op": "hash", "password": "p", "hash": "MARK"}), 400, "invalid_request", ""),
        (json!({"op": "verify", "password": "p", "rehash": 1}), 400, "invalid_request", ".rehash"),
        (json!({"op": "hash", "password": "a".repeat(1025)}), 422, "password_too_long", ".password"),
        (json!({"op": "hash", "password": "\0", "policy": BCRYPT}), 422, "password_has_nul", ".password"),
        (json!({"op": "hash", "password": "p", "policy": "MARK"}), 422, "unknown_policy", ".policy"),
        (json!({"op": "verify", "password": "p", "hash": "MARK"}), 422, "unsupported_hash", ".hash"),
        (json!({"op": "verify", "password": "p", "hash": "$2b$MARK"}), 422, "invalid_hash", ".hash"),
        (json!({"op": "hash", "password": "p"}), 200, "", ""),
    ];
    let asked: Vec<_> = operations.iter().map(|(operation, ..)| operation).collect();
    let response = post("/batch", &json!({"operations": asked})).send(&service).await;
    assert_eq!(response.answer.outcome.steps.len(), operations.len());
    let body = response.ok();
    assert!(!body.to_string().contains("MARK"));
    let results = body["results"].as_array().unwrap();
    assert_eq!(results.len(), operations.len());
    for (i, (result, (operation, status, code, member))) in results.iter().zip(&operations).enumerate() {
        assert_eq!(result["status"], *status, "{operation}: {result}");
        if *status != 200 {
            assert_problem(&result["problem"], *status, code);
            assert_eq!(result["problem"]["field"], format!("operations[{i}]{member}"));
        }
    }
    let body = |i: usize| &results[i]["body"];
    assert_eq!(
        (&body(0)["policy"], &body(1)["match"], &body(2)["match"]),
        (&json!(CURRENT), &json!(true), &json!(false))
    );
    assert_eq!((&body(1)["rehashed"]["policy"], &body(3)["policy"]), (&json!(CURRENT), &json!(null)));
    // `json!` cannot write a key twice.
    let twice = br#"{"operations": [{"op": "hash", "op": "hash", "password": "p"}, {"op": "hash", "password": "p"}]}"#;
    let body = post_bytes("/batch", *twice).send(&service).await.ok();
    assert_eq!(
        (&body["results"][0]["problem"]["field"], &body["results"][1]["status"]),
        (&json!("operations[0].op"), &json!(200))
    );
}

#[tokio::test]
async fn a_defect_in_a_batch_has_its_place_in_the_whole_body() {
    let body = b"{\"operations\": [{},\n{\"op\": 5}, {\"op\":\n6, \"id\": 7}]}";
    let body = post_bytes("/batch", *body).send(&service()).await.ok();
    for (i, (line, column)) in [(1, 17), (2, 8), (3, 10)].into_iter().enumerate() {
        let problem = &body["results"][i]["problem"];
        assert_eq!((&problem["line"], &problem["column"]), (&json!(line), &json!(column)), "{problem}");
    }
}

#[tokio::test]
async fn a_result_has_the_id_of_its_operation() {
    let service = service();
    let longest = "a".repeat(64);
    let operations = [
        (json!({"op": "hash", "id": "A-z_0.9", "password": "p"}), 200, Some("A-z_0.9")),
        (json!({"op": "verify", "id": longest, "password": "p"}), 200, Some(&*longest)),
        (json!({"op": "verify", "id": "same", "password": "p"}), 200, Some("same")),
        (json!({"op": "verify", "id": "same", "password": "p", "hash": "x"}), 422, Some("same")),
        (json!({"op": "frob", "id": "of-no-operation"}), 400, Some("of-no-operation")),
        (json!({"op": "hash", "id": "of-a-defect"}), 400, Some("of-a-defect")),
        (json!({"op": "hash", "password": "p"}), 200, None),
        (json!({"op": "hash", "id": "", "password": "p"}), 400, None),
        (json!({"op": "hash", "id": "a".repeat(65), "password": "p"}), 400, None),
        (json!({"op": "hash", "id": "MARK\n", "password": "p"}), 400, None),
        (json!({"op": "hash", "id": 7, "password": "p"}), 400, None),
        (json!({"op": "hash", "id": null, "password": "p"}), 400, None),
    ];
    let asked: Vec<_> = operations.iter().map(|(operation, ..)| operation).collect();
    let body = post("/batch", &json!({"operations": asked})).send(&service).await.ok();
    assert!(!body.to_string().contains("MARK"));
    for (i, (operation, status, id)) in operations.iter().enumerate() {
        let result = &body["results"][i];
        assert_eq!((result["status"].as_u64(), result["id"].as_str()), (Some(*status), *id), "{operation}");
        if *status == 400 && id.is_none() {
            assert_eq!(result["problem"]["field"], format!("operations[{i}].id"));
        }
    }
    // With two ids it is not known which one the caller expects.
    let twice = br#"{"operations": [{"op": "hash", "id": "a", "id": "a", "password": "p"}]}"#;
    let body = post_bytes("/batch", *twice).send(&service).await.ok();
    assert_eq!(body["results"][0]["problem"]["field"], "operations[0].id");
    assert_eq!(body["results"][0].get("id"), None);
    // Outside a batch the header `x-request-id` names a request.
    post("/hash", &json!({"password": "p", "id": "a"})).send(&service).await.problem(400, "invalid_request");
}

// ----- Requests and answers: deadlines and load

#[tokio::test]
async fn the_deadline_header_is_a_number_from_1_to_60000() {
    let service = service();
    let ask = || post("/hash", &json!({"password": "p"}));
    for good in ["100", "9999", "60000"] {
        ask().header("saltern-deadline-ms", good).send(&service).await.ok();
    }
    let bad = [
        "",
        "0",
        "00",
        "01",
        "+1",
        "-1",
        "1.0",
        "1e3",
        "60001",
        "99999999999999999999",
        "1,2",
        "1 2",
        "x",
        "\u{661}",
    ];
    for bad in bad {
        for path in ["/hash", "/verify", "/batch"] {
            // The header is checked before the body.
            let response = post_bytes(path, "{").header("saltern-deadline-ms", bad).send(&service).await;
            assert_eq!(response.problem(400, "invalid_request")["field"], "Saltern-Deadline-Ms", "{bad}");
        }
    }
    let twice = ask().header("saltern-deadline-ms", "100").header("saltern-deadline-ms", "100");
    twice.send(&service).await.problem(400, "invalid_request");
}

#[tokio::test]
async fn the_deadline_counts_from_arrival() {
    let service = service();
    let long_ago = || ago(11);
    let hash = json!({"password": "p"});
    for ask in [
        post("/hash", &hash).arrived(long_ago()),
        post("/verify", &hash).arrived(long_ago()),
        post("/hash", &hash).arrived(ago(2)).header("saltern-deadline-ms", "2000"),
    ] {
        let response = ask.send(&service).await;
        response.problem(503, "deadline_exceeded");
        assert_eq!(response.header("retry-after"), None, "no server can do it in that time");
    }
    post("/hash", &hash).arrived(long_ago()).header("saltern-deadline-ms", "60000").send(&service).await.ok();
    post("/hash", &hash).arrived(ago(6)).send(&service).await.ok();
    let batch = json!({"operations": [{"op": "hash", "password": "p"}, {"op": "frob"}]});
    let response = post("/batch", &batch).arrived(long_ago()).send(&service).await.ok();
    assert_problem(&response["results"][0]["problem"], 503, "deadline_exceeded");
    assert_problem(&response["results"][1]["problem"], 400, "invalid_request");
}

#[tokio::test]
async fn work_without_slices_is_answered_at_its_deadline() {
    // This is work for seconds. The estimator has only measured small memory and admits it.
    let hash =
        "$argon2id$v=19$m=262144,t=4,p=1$c2l4dGVlbiBieXRlIHNhbA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let body = json!({"password": "p", "hash": hash});
    let mut took = Vec::new();
    // A busy machine may wake this thread late.
    while took.len() < 5 && took.iter().all(|took| *took >= Duration::from_secs(1)) {
        let service = service();
        let asked = Instant::now();
        let ask = post("/verify", &body).header("saltern-deadline-ms", "150");
        ask.send(&service).await.problem(503, "deadline_exceeded");
        took.push(asked.elapsed());
    }
    assert!(took.len() < 5, "{took:?}");
}

#[tokio::test]
async fn a_full_queue_is_reported_at_once() {
    let mut document = document();
    document["policies"][1]["cost"] = json!(10);
    let queue = QueueLimits { operations: 1, ..QueueLimits::default() };
    let service = service_with(&document, &PoolSettings { queue: Some(queue), ..one_worker() });
    let hash = json!({"op": "hash", "password": "p", "policy": BCRYPT});
    let load = json!({"operations": vec![hash; 64]});
    let single = json!({"password": "p", "policy": BCRYPT});
    let ask =
        async || tokio::join!(post("/batch", &load).send(&service), post("/hash", &single).send(&service));
    let (mut batch, mut refused) = ask().await;
    // On a busy machine the queue may have room again when the single request comes.
    for _ in 0..20 {
        if refused.status() == 200 {
            (batch, refused) = ask().await;
        }
    }
    let response = refused.problem(503, "overloaded");
    let (seconds, ms) =
        (refused.header("retry-after").unwrap(), response["retry_after_ms"].as_u64().unwrap());
    assert_eq!(seconds.parse::<u64>().unwrap(), ms.div_ceil(1000).max(1));
    assert!(refused.header("server-timing").is_none());
    let batch = batch.ok();
    let results = batch["results"].as_array().unwrap();
    // Each operation of a batch has its own place in the queue: some succeed, the others fail.
    assert!(results.iter().any(|result| result["status"] == 200));
    assert!(results.iter().any(|result| result["problem"]["code"] == "overloaded"));
    for result in results.iter().filter(|result| result["status"] != 200) {
        assert_problem(&result["problem"], 503, "overloaded");
    }
}

// ----- Requests and answers: headers

#[tokio::test]
async fn the_times_of_work_are_in_the_response() {
    let response = post("/hash", &json!({"password": "p", "policy": BCRYPT})).send(&service()).await;
    let timing = response.header("server-timing").unwrap();
    let (queue, hash) = timing.split_once(", ").unwrap();
    for (metric, name) in [(queue, "queue;dur="), (hash, "hash;dur=")] {
        let (whole, millionths) = metric.strip_prefix(name).unwrap().split_once('.').unwrap();
        assert!(whole.parse::<u64>().is_ok() && millionths.len() == 3 && millionths.parse::<u64>().is_ok());
    }
    assert_ne!(hash, "hash;dur=0.000");
    assert!(response.answer.outcome.total >= response.answer.outcome.timing().unwrap().hashed);
    assert!(get("/health").send(&service()).await.header("server-timing").is_none());
}

#[tokio::test]
async fn a_traceparent_is_returned_and_a_malformed_one_is_ignored() {
    let service = service();
    let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (path, status) in [("/health", 200), ("/nowhere", 404)] {
        let response =
            get(path).header("traceparent", given).header("tracestate", "x=y").send(&service).await;
        assert_eq!((response.status(), response.header("traceparent")), (status, Some(given)));
        assert_eq!(response.answer.outcome.ids.trace.id(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert_eq!(response.header("tracestate"), None);
    }
    let response = get("/health").header("traceparent", "00-none").send(&service).await;
    assert_eq!((response.status(), response.header("traceparent")), (200, None));
}

#[tokio::test]
async fn a_refusal_is_timed_from_the_arrival() {
    let waited = Duration::from_secs(3);
    let incoming = Incoming::unread(ago(waited.as_secs()), Ids::random());
    let refused = service().refuse(&incoming, Problem::new(Code::RequestTimeout));
    assert!(refused.outcome.total >= waited, "{:?}", refused.outcome.total);
}

#[tokio::test]
async fn a_request_id_is_returned_or_replaced() {
    let service = service();
    for good in ["a", "A-Za-z0-9._-", &"x".repeat(64)] {
        for ask in [get("/health"), get("/nowhere"), post_bytes("/hash", "{")] {
            let response = ask.header("x-request-id", good).send(&service).await;
            assert_eq!(response.header("x-request-id"), Some(good));
            assert_eq!(response.answer.outcome.ids.request_id.as_str(), good);
        }
    }
    let mut replaced = HashSet::new();
    for bad in ["", "a b", "a/b", "é", "a,b", &"x".repeat(65)] {
        let response = get("/health").header("x-request-id", bad).send(&service).await;
        replaced.insert(response.header("x-request-id").unwrap().to_owned());
    }
    let twice = get("/health").header("x-request-id", "a").header("x-request-id", "a").send(&service).await;
    replaced.insert(twice.header("x-request-id").unwrap().to_owned());
    assert_eq!(replaced.len(), 7);
    assert!(replaced.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b"0123456789abcdef".contains(&b))));
}

#[tokio::test]
async fn the_callers_own_id_is_echoed_exactly_or_refused() {
    const OWN: &str = "Saltern-Request-Id";
    let service = service();
    let asks = || {
        [get("/health"), get("/nowhere"), post_bytes("/hash", "{"), post("/hash", &json!({"password": "p"}))]
    };
    for good in ["a", "A-Za-z0-9._-", &"x".repeat(64)] {
        for ask in asks() {
            // An id for the logs, of a proxy say, is another matter.
            let response = ask.header("x-request-id", "proxy").header(OWN, good).send(&service).await;
            assert_eq!((response.header(OWN), response.header("x-request-id")), (Some(good), Some("proxy")));
        }
    }
    for ask in asks() {
        assert_eq!(ask.send(&service).await.header(OWN), None);
    }
    for bad in ["", "a b", "a/b", "é", "a,b", &"x".repeat(65)] {
        let response = get("/health").header(OWN, bad).send(&service).await;
        assert_eq!(response.problem(400, "invalid_request")["field"], OWN, "{bad}");
        assert_eq!(response.header(OWN), None);
    }
    let twice = get("/health").header(OWN, "a").header(OWN, "a").send(&service).await;
    assert_eq!(twice.problem(400, "invalid_request")["field"], OWN);
}

#[tokio::test]
async fn a_wrong_type_is_reported_before_a_wrong_length() {
    let service = service();
    let long = "a".repeat(1025);
    for (path, body, field) in [
        ("/hash", json!({"password": long, "policy": 5}), "policy"),
        ("/verify", json!({"password": long, "hash": 5}), "hash"),
        ("/verify", json!({"password": long, "hash": null, "rehash": "yes"}), "rehash"),
    ] {
        let response = post(path, &body).send(&service).await;
        assert_eq!(response.problem(400, "invalid_request")["field"], field, "{path}");
    }
}

#[tokio::test]
async fn only_uncompressed_json_is_accepted() {
    let service = service();
    let ask = || TestRequest::new(Method::POST, "/hash").body(r#"{"password": "p"}"#);
    for good in
        ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;x=y"]
    {
        ask().header("content-type", good).send(&service).await.ok();
    }
    for bad in [
        "",
        "text/plain",
        "application/jsonx",
        "application/problem+json",
        "application/x-www-form-urlencoded",
    ] {
        ask().header("content-type", bad).send(&service).await.problem(415, "unsupported_media_type");
    }
    ask().send(&service).await.problem(415, "unsupported_media_type");
    let twice = ask().header("content-type", "application/json").header("content-type", "application/json");
    twice.send(&service).await.problem(415, "unsupported_media_type");
    let encoded =
        |coding| ask().header("content-type", "application/json").header("content-encoding", coding);
    for coding in ["gzip", "br", "identity, gzip", "", "\u{ff}"] {
        let response = encoded(coding).send(&service).await;
        let document = response.problem(415, "unsupported_media_type");
        assert!(document["detail"].as_str().unwrap().contains("Content-Encoding"), "{document}");
    }
    encoded("Identity").send(&service).await.ok();
    encoded("identity")
        .header("content-encoding", "gzip")
        .send(&service)
        .await
        .problem(415, "unsupported_media_type");
    // The `Accept` header is ignored.
    ask().header("content-type", "application/json").header("accept", "text/html").send(&service).await.ok();
}

#[tokio::test]
async fn only_paths_and_methods_of_the_contract_exist() {
    let service = service().with_metrics(&DroppedLines::default());
    for path in ["/", "/hash/", "/HASH", "/hashes", "/openapi", "/metrics/"] {
        for method in [Method::GET, Method::POST] {
            TestRequest::new(method, path).send(&service).await.problem(404, "not_found");
        }
    }
    for (path, allow) in [
        ("/hash", "POST"),
        ("/verify", "POST"),
        ("/batch", "POST"),
        ("/policies", "GET, HEAD"),
        ("/health", "GET, HEAD"),
        ("/metrics", "GET, HEAD"),
        ("/openapi.json", "GET, HEAD"),
    ] {
        for method in [Method::GET, Method::POST, Method::HEAD, Method::PUT, Method::DELETE, Method::OPTIONS]
        {
            if !allow.split(", ").any(|allowed| method == allowed) {
                let response = TestRequest::new(method, path).send(&service).await;
                response.problem(405, "method_not_allowed");
                assert_eq!(response.header("allow"), Some(allow));
            }
        }
    }
    for path in ["/policies", "/health", "/metrics", "/openapi.json"] {
        let response = TestRequest::new(Method::HEAD, path).send(&service).await;
        assert_eq!((response.status(), response.header("allow")), (200, None), "{path}");
    }
    // The query is ignored.
    get("/health?password=MARK").send(&service).await.ok();
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let service = service();
    let hash = |bytes: usize| {
        let body = r#"{"password": "p"}"#;
        post_bytes("/hash", format!("{body}{}", " ".repeat(bytes - body.len())))
    };
    hash(16 * 1024).send(&service).await.ok();
    hash(16 * 1024 + 1).send(&service).await.problem(413, "body_too_large");
    let batch = |bytes: usize| {
        let body = r#"{"operations": [{"op": "hash", "password": "p"}]}"#;
        post_bytes("/batch", format!("{body}{}", " ".repeat(bytes - body.len())))
    };
    batch(1024 * 1024).send(&service).await.ok();
    batch(1024 * 1024 + 1).send(&service).await.problem(413, "body_too_large");
}

#[tokio::test]
async fn checks_run_in_one_order() {
    let service = service();
    let large = "x".repeat(16 * 1024 + 1);
    let bad = |method, path, content_type: &'static str| {
        let ask = TestRequest::new(method, path).header("content-type", content_type);
        ask.header("saltern-deadline-ms", "x")
    };
    bad(Method::PUT, "/x", "text/plain").body(large.clone()).send(&service).await.problem(404, "not_found");
    bad(Method::PUT, "/hash", "text/plain")
        .body(large.clone())
        .send(&service)
        .await
        .problem(405, "method_not_allowed");
    bad(Method::POST, "/hash", "text/plain")
        .body(large.clone())
        .send(&service)
        .await
        .problem(415, "unsupported_media_type");
    let response = bad(Method::POST, "/hash", "application/json").body(large.clone()).send(&service).await;
    assert_eq!(response.problem(400, "invalid_request")["field"], "Saltern-Deadline-Ms");
    post_bytes("/hash", large).send(&service).await.problem(413, "body_too_large");
}

// ----- The table of errors

#[tokio::test]
async fn every_row_of_the_table_of_errors() {
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("breached");
    blocklist::write(vec![blocklist::prefix(b"breached")], File::create(&list).unwrap()).unwrap();
    let service = service().with_blocklist(Blocklist::open(&list).ok());
    let mut seen = HashSet::new();
    let verify = |hash: &str| post("/verify", &json!({"password": "p", "hash": hash}));
    let hash = |password: &str, policy: &str| post("/hash", &json!({"password": password, "policy": policy}));
    let bcrypt = made(&service, "p", BCRYPT).await;
    let expired = ago(11);
    let rows: Vec<(TestRequest, u16, &str)> = vec![
        (post_bytes("/hash", "{"), 400, "invalid_json"),
        (post_bytes("/hash", "{}"), 400, "invalid_request"),
        (get("/nowhere"), 404, "not_found"),
        (get("/hash"), 405, "method_not_allowed"),
        (post_bytes("/hash", " ".repeat(20_000)), 413, "body_too_large"),
        (TestRequest::new(Method::POST, "/hash"), 415, "unsupported_media_type"),
        (hash(&"a".repeat(1025), CURRENT), 422, "password_too_long"),
        (hash(&"a".repeat(73), BCRYPT), 422, "password_too_long"),
        (hash("\0", BCRYPT), 422, "password_has_nul"),
        (verify("plaintext"), 422, "unsupported_hash"),
        (verify(&bcrypt.replacen("$2b$", "$2x$", 1)), 422, "unsupported_hash"),
        (
            verify("$argon2id$v=19$m=64,t=1,p=1,keyid=AAAA$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"),
            422,
            "unsupported_hash",
        ),
        (verify("$2b$05$short"), 422, "invalid_hash"),
        (verify(&format!("{bcrypt}{}", "a".repeat(1024))), 422, "invalid_hash"),
        (verify(&bcrypt.replacen("$05$", "$31$", 1)), 422, "cost_out_of_bounds"),
        (hash("breached", CURRENT), 422, "password_breached"),
        (hash("p", "MARK"), 422, "unknown_policy"),
        (hash("p", BCRYPT_VERIFY_ONLY), 422, "policy_not_for_hashing"),
        (hash("p", CURRENT).arrived(expired), 503, "deadline_exceeded"),
        (hash("p", CURRENT).arrived(of_caller(vec![Scope::Verify])), 403, "forbidden"),
    ];
    for (ask, status, code) in rows {
        let response = ask.send(&service).await;
        response.problem(status, code);
        assert!(!response.json.to_string().contains("MARK"));
        seen.insert(code.to_owned());
    }

    // Front doors report these problems.
    for (problem, status, code) in [
        (Problem::new(Code::Unauthorized), 401, "unauthorized"),
        (Problem::expired_token(), 401, "unauthorized"),
        (Problem::new(Code::RequestTimeout), 408, "request_timeout"),
        (Problem::new(Code::BodyTooLarge), 413, "body_too_large"),
        (Problem::new(Code::HeadersTooLarge), 431, "headers_too_large"),
        (Problem::malformed_request(), 400, "invalid_request"),
        (Problem::new(Code::Internal), 500, "internal"),
        (Problem::overloaded(Duration::from_millis(1)), 503, "overloaded"),
    ] {
        let response = TestResponse::new(refuse(&service, problem));
        response.problem(status, code);
        assert_eq!(response.header("www-authenticate"), (status == 401).then_some("Bearer"));
        assert_eq!(response.header("retry-after"), (status == 503).then_some("1"));
        seen.insert(code.to_owned());
    }
    // While the server drains, only its health changes.
    service.begin_drain();
    let response = get("/health").send(&service).await;
    response.problem(503, "draining");
    assert_eq!(response.header("retry-after"), Some("1"));
    seen.insert("draining".to_owned());
    get("/policies").send(&service).await.ok();
    // `tests/seals.rs` has the rows of seals.
    seen.extend(["key_unavailable", "seal_broken"].map(str::to_owned));
    let table: HashSet<String> = Code::ALL.iter().map(|code| code.name().to_owned()).collect();
    assert_eq!(seen, table);
}

#[tokio::test]
async fn a_caller_outside_its_scopes_is_refused_and_in_a_batch_its_operation_is() {
    let service = service().with_metrics(&DroppedLines::default());
    let task = json!({"password": "p"});
    for (scope, statuses) in
        [(Scope::Hash, [200, 403, 403]), (Scope::Verify, [403, 200, 403]), (Scope::Metrics, [403, 403, 200])]
    {
        let arrived = || of_caller(vec![scope]);
        let single = [post("/hash", &task), post("/verify", &task), get("/metrics")];
        for (request, status) in single.into_iter().zip(statuses) {
            assert_eq!(request.arrived(arrived()).send(&service).await.status(), status, "{scope:?}");
        }
        for path in ["/health", "/policies", "/openapi.json"] {
            assert_eq!(get(path).arrived(arrived()).send(&service).await.status(), 200);
        }
        // A batch needs one of the two scopes, and each of its operations its own. Both are checked
        // before the members.
        let operations = json!({"operations": [
            {"op": "hash", "password": "p"}, {"op": "verify", "password": "p"}, {"op": "hash"}, {"op": "frob"},
        ]});
        let batch = post("/batch", &operations).arrived(arrived()).send(&service).await;
        if scope == Scope::Metrics {
            batch.problem(403, "forbidden");
            continue;
        }
        let results = batch.json["results"].as_array().unwrap();
        let of_batch: Vec<_> = results.iter().map(|result| result["status"].as_u64().unwrap()).collect();
        let wrong = if scope == Scope::Hash { 400 } else { 403 };
        assert_eq!(of_batch, [statuses[0], statuses[1], wrong, 400].map(u64::from), "{scope:?}");
        for (index, result) in results.iter().enumerate().filter(|(_, result)| result["status"] == 403) {
            assert_eq!(result["problem"]["code"], "forbidden");
            assert_eq!(result["problem"]["field"], format!("operations[{index}].op"));
        }
    }
}

/// The arrival of a request of a caller with these scopes.
fn of_caller(scopes: Vec<Scope>) -> Arrival {
    let identity = Identity { name: "shop".to_owned(), key: 1, scopes };
    of(Caller::Named(Arc::new(identity)))
}

/// The hash of `saltern`, by `openssl dgst -sha1 -binary | base64`.
const SHA_OF_SALTERN: &str = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";
