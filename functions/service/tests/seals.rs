//! Tests of the contract's section "Sealed hashes".

#![allow(clippy::needless_pass_by_value, reason = "each caller writes its body in place")]

use saltern_seal::{Context, Keys, NoRandomness};
use saltern_service::{Service, metrics::DroppedLines};
use serde_json::{Value, json};

use crate::support::*;

const OLD: &str = "2025";
const NOW: &str = "2026a";
const NEXT: &str = "2026b";

/// The document of keys, with `current` and with contexts for these ids.
fn keys(current: &str, with_context: &[&str]) -> Value {
    let key = |(byte, id): (u8, &str)| {
        let mut key = json!({"id": id, "key": base64_of(byte)});
        if with_context.contains(&id) {
            key["context"] = json!(true);
        }
        key
    };
    let list: Vec<Value> = (1..).zip([OLD, NOW, NEXT]).map(key).collect();
    json!({"current": current, "keys": list})
}

/// The Base64 of 32 equal bytes.
fn base64_of(byte: u8) -> &'static str {
    match byte {
        1 => "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
        2 => "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=",
        _ => "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=",
    }
}

fn parsed(document: &Value) -> Keys {
    Keys::parse(document.to_string().as_bytes()).unwrap()
}

fn service_with_keys(document: &Value) -> Service {
    let service = service();
    service.install_keys(parsed(document));
    service
}

async fn verify(service: &Service, body: Value) -> TestResponse {
    post("/verify", &body).send(service).await
}

/// A new hash, sealed under the current key.
async fn sealed(service: &Service, policy: &str, context: Option<&str>) -> String {
    let mut body = json!({"password": "p", "policy": policy});
    if let Some(context) = context {
        body["context"] = json!(context);
    }
    post("/hash", &body).send(service).await.ok()["hash"].as_str().unwrap().to_owned()
}

/// The same string with another character in its ciphertext.
fn damaged(hash: &str) -> String {
    let at = hash.len() - 30;
    let other = if hash[at..].starts_with('A') { "B" } else { "A" };
    format!("{}{other}{}", &hash[..at], &hash[at + 1..])
}

fn opened(document: &Value, hash: &Value, context: Option<&str>) -> String {
    let context = context.and_then(Context::new);
    parsed(document).open(hash.as_str().unwrap(), context.as_ref()).unwrap().text.to_string()
}

/// libxcrypt made the hash, of `saltern` and the key of the document.
#[tokio::test]
async fn a_site_key_is_the_pepper_of_a_prepared_password() {
    let mut document = keys(NOW, &[]);
    document["site_keys"] = json!([{"id": "devise", "key": "c2l0ZSBwZXBwZXI="}]);
    let service = service_with_keys(&document);
    let stored = |id: &str| {
        let output = "oNsaREdiynvrBMjXoPbQV5VGLjp9yAS";
        format!("$saltern-prep$v=1,p=pepper-append,k={id}$$2b$05$abcdefghijklmnopqrstuu{output}")
    };
    let body = json!({"password": "saltern", "hash": stored("devise"), "rehash": true});
    let verified = verify(&service, body.clone()).await.ok();
    assert_eq!(
        (&verified["match"], &verified["rehash_reason"]),
        (&json!(true), &json!("other_algorithm")),
        "{verified}"
    );
    // The new hash is of the password itself.
    let rehashed = opened(&document, &verified["rehashed"]["hash"], None);
    assert!(rehashed.starts_with("$argon2id$"), "{rehashed}");
    let again = verify(&service, json!({"password": "saltern", "hash": rehashed})).await.ok();
    assert_eq!(again["match"], json!(true));
    let wrong = verify(&service, json!({"password": "Saltern", "hash": stored("devise")})).await.ok();
    assert_eq!(wrong["match"], json!(false));
    let unknown = json!({"password": "saltern", "hash": stored("unknown")});
    verify(&service, unknown).await.problem(503, "key_unavailable");
    let without = service_with_keys(&keys(NOW, &[]));
    verify(&without, body.clone()).await.problem(503, "key_unavailable");
    verify(&crate::support::service(), body).await.problem(422, "unsupported_hash");
}

#[tokio::test]
async fn made_hashes_are_sealed_under_the_current_key_and_verify() {
    let document = keys(NOW, &[]);
    let service = service_with_keys(&document);
    for policy in [BCRYPT, SCRYPT, CURRENT, AFTER_CURRENT] {
        let hash = sealed(&service, policy, None).await;
        assert!(hash.starts_with("$saltern-seal$v=1,k=2026a$"), "{hash}");
        for (password, matches) in [("p", true), ("q", false)] {
            let verified = verify(&service, json!({"password": password, "hash": hash})).await.ok();
            assert_eq!((&verified["match"], &verified["policy"]), (&json!(matches), &json!(policy)));
        }
    }
    let hash = sealed(&service, CURRENT, None).await;
    let verified = verify(&service, json!({"password": "p", "hash": hash, "rehash": true})).await.ok();
    let nothing_due = json!({"match": true, "needs_rehash": false, "rehash_reason": null, "policy": CURRENT});
    assert_eq!(verified, nothing_due);
}

#[tokio::test]
async fn without_keys_a_sealed_hash_is_unsupported_and_a_context_is_ignored() {
    let hash = sealed(&service_with_keys(&keys(NOW, &[])), CURRENT, None).await;
    let service = service();
    for hash in [hash.as_str(), "$saltern-seal$", &hash[..40]] {
        let refused = verify(&service, json!({"password": "p", "hash": hash})).await;
        assert_eq!(refused.problem(422, "unsupported_hash")["field"], "hash");
    }
    let made = post("/hash", &json!({"password": "p", "context": "user-7"})).send(&service).await.ok();
    let body = json!({"password": "p", "hash": made["hash"], "context": "user-8"});
    assert_eq!(verify(&service, body).await.ok()["match"], true);
}

#[tokio::test]
async fn a_match_whose_seal_alone_is_out_of_date_is_sealed_anew_without_hashing() {
    let document = keys(NOW, &[]);
    let service = service_with_keys(&document);
    let bare = made(&crate::support::service(), "p", CURRENT).await;
    let older = sealed(&service_with_keys(&keys(OLD, &[])), CURRENT, None).await;
    for (hash, reason, key) in [(&bare, "unsealed", "not_sealed"), (&older, "older_key", OLD)] {
        let without = verify(&service, json!({"password": "p", "hash": hash})).await.ok();
        assert_eq!((&without["needs_rehash"], &without["rehash_reason"]), (&json!(true), &json!(reason)));
        assert!(without.get("rehashed").is_none());

        let response = verify(&service, json!({"password": "p", "hash": hash, "rehash": true})).await;
        let step = response.answer.outcome.steps[0].clone();
        assert!(step.rehashed.unwrap().timing.is_none(), "a hash was computed");
        assert_eq!((step.stored_key.as_deref(), step.sealed_under.as_deref()), (Some(key), Some(NOW)));
        let verified = response.ok();
        assert_eq!((&verified["match"], &verified["rehash_reason"]), (&json!(true), &json!(reason)));
        assert_eq!(verified["rehashed"]["policy"], CURRENT);
        let anew = &verified["rehashed"]["hash"];
        assert!(anew.as_str().unwrap().starts_with("$saltern-seal$v=1,k=2026a$"), "{anew}");
        let same = if *hash == bare { bare.clone() } else { opened(&document, &json!(older), None) };
        assert_eq!(opened(&document, anew, None), same);
        let again = verify(&service, json!({"password": "p", "hash": anew, "rehash": true})).await.ok();
        assert_eq!((&again["match"], &again["needs_rehash"]), (&json!(true), &json!(false)));

        let wrong = verify(&service, json!({"password": "q", "hash": hash, "rehash": true})).await.ok();
        let mismatch =
            json!({"match": false, "needs_rehash": false, "rehash_reason": null, "policy": CURRENT});
        assert_eq!(wrong, mismatch);
    }
}

#[tokio::test]
async fn a_resealed_hash_of_no_policy_has_no_policy() {
    let service = service_with_keys(&keys(NOW, &[]));
    // Params that no policy lists, and that are not below the current ones.
    let response = verify(&service, json!({"password": "saltern", "hash": UNLISTED, "rehash": true})).await;
    let verified = response.ok();
    assert_eq!((&verified["rehash_reason"], &verified["policy"]), (&json!("unsealed"), &Value::Null));
    assert_eq!(verified["rehashed"]["policy"], Value::Null);
    assert_eq!(opened(&keys(NOW, &[]), &verified["rehashed"]["hash"], None), UNLISTED);
}

#[tokio::test]
async fn a_password_that_the_scheme_ignores_in_part_does_not_keep_the_row_unsealed() {
    let policies = document_with_current(BCRYPT);
    let hash = made(&service_with(&policies, &one_worker()), &"a".repeat(72), BCRYPT).await;
    let service = service_with(&policies, &one_worker());
    service.install_keys(parsed(&keys(NOW, &[])));
    let body = json!({"password": "a".repeat(100), "hash": hash, "rehash": true});
    let verified = verify(&service, body).await.ok();
    assert_eq!(verified["rehash_reason"], "unsealed");
    assert_eq!(opened(&keys(NOW, &[]), &verified["rehashed"]["hash"], None), hash);
}

#[tokio::test]
async fn an_older_policy_comes_before_the_seal_and_its_new_hash_is_sealed() {
    let document = keys(NOW, &[]);
    let service = service_with_keys(&document);
    let bare = made(&crate::support::service(), "p", BCRYPT).await;
    let older = sealed(&service_with_keys(&keys(OLD, &[])), BCRYPT, None).await;
    let current = sealed(&service, BCRYPT, None).await;
    for hash in [bare, older, current] {
        let verified = verify(&service, json!({"password": "p", "hash": hash, "rehash": true})).await.ok();
        assert_eq!(
            (&verified["rehash_reason"], &verified["policy"]),
            (&json!("older_policy"), &json!(BCRYPT))
        );
        assert_eq!(verified["rehashed"]["policy"], CURRENT);
        let new = opened(&document, &verified["rehashed"]["hash"], None);
        assert!(new.starts_with("$argon2id$"), "{new}");
    }
}

#[tokio::test]
async fn a_key_with_contexts_wants_one_to_seal_and_to_open() {
    let document = keys(NOW, &[NOW]);
    let service = service_with_keys(&document);
    let without = post("/hash", &json!({"password": "p"})).send(&service).await;
    assert_eq!(without.problem(400, "invalid_request")["field"], "context");
    let hash = sealed(&service, CURRENT, Some("user-7")).await;
    let ask = |context: Option<&str>| {
        let mut body = json!({"password": "p", "hash": hash, "rehash": true});
        if let Some(context) = context {
            body["context"] = json!(context);
        }
        verify(&service, body)
    };
    assert_eq!(ask(Some("user-7")).await.ok()["match"], true);
    assert_eq!(ask(Some("user-8")).await.problem(422, "seal_broken")["field"], "hash");
    let missing = ask(None).await;
    assert_eq!(missing.problem(400, "invalid_request")["field"], "context");
    assert!(missing.header("server-timing").is_none(), "work was done");
}

#[tokio::test]
async fn without_a_context_a_hash_that_needs_none_is_verified_and_not_replaced() {
    let service = service_with_keys(&keys(NOW, &[NOW]));
    let bare = made(&crate::support::service(), "p", CURRENT).await;
    let old_policy = made(&crate::support::service(), "p", BCRYPT).await;
    let old_key = sealed(&service_with_keys(&keys(OLD, &[NOW])), CURRENT, None).await;
    for (hash, reason) in [(&bare, "unsealed"), (&old_policy, "older_policy"), (&old_key, "older_key")] {
        let response = verify(&service, json!({"password": "p", "hash": hash, "rehash": true})).await;
        assert!(response.answer.outcome.steps[0].rehashed.is_none());
        let verified = response.ok();
        assert_eq!((&verified["match"], &verified["rehash_reason"]), (&json!(true), &json!(reason)));
        assert!(verified.get("rehashed").is_none(), "{verified}");
        let body = json!({"password": "p", "hash": hash, "rehash": true, "context": "user-7"});
        let replaced = verify(&service, body).await.ok();
        let new = opened(&keys(NOW, &[NOW]), &replaced["rehashed"]["hash"], Some("user-7"));
        assert!(new.starts_with("$argon2id$"), "{new}");
    }
    let decoy = verify(&service, json!({"password": "p", "hash": null})).await.ok();
    assert_eq!(decoy["match"], false);
}

#[tokio::test]
async fn a_key_without_contexts_ignores_one() {
    let service = service_with_keys(&keys(NOW, &[]));
    let hash = sealed(&service, CURRENT, Some("user-7")).await;
    for body in
        [json!({"password": "p", "hash": hash}), json!({"password": "p", "hash": hash, "context": "user-8"})]
    {
        assert_eq!(verify(&service, body).await.ok()["match"], true);
    }
}

#[tokio::test]
async fn a_context_has_1_to_256_bytes() {
    let service = service_with_keys(&keys(NOW, &[NOW]));
    for context in [json!(""), json!("é".repeat(129)), json!(7), json!(null), json!(["user-7"])] {
        for path in ["/hash", "/verify"] {
            let refused = post(path, &json!({"password": "p", "context": context})).send(&service).await;
            assert_eq!(refused.problem(400, "invalid_request")["field"], "context");
        }
    }
    sealed(&service, CURRENT, Some(&"é".repeat(128))).await;
}

#[tokio::test]
async fn where_a_seal_is_required_a_hash_without_one_is_refused() {
    let mut document = keys(NOW, &[]);
    document["require"] = json!(true);
    let service = service_with_keys(&document);
    let bare = made(&crate::support::service(), "p", CURRENT).await;
    for hash in [bare.as_str(), "", "not a hash"] {
        let refused = verify(&service, json!({"password": "p", "hash": hash})).await;
        assert_eq!(refused.problem(422, "unsupported_hash")["field"], "hash");
    }
    let hash = sealed(&service, CURRENT, None).await;
    assert_eq!(verify(&service, json!({"password": "p", "hash": hash})).await.ok()["match"], true);
    let decoy = verify(&service, json!({"password": "p"})).await;
    assert!(decoy.header("server-timing").is_some(), "the decoy is computed");
    assert_eq!(decoy.ok()["match"], false);
}

#[tokio::test]
async fn a_seal_that_does_not_open_has_its_code_and_no_work() {
    let document = keys(NOW, &[]);
    let service = service_with_keys(&document);
    let hash = sealed(&service, CURRENT, None).await;
    let over = |text: &str| parsed(&document).seal(text, None).unwrap();
    let mut alone = keys(OLD, &[]);
    alone["keys"].as_array_mut().unwrap().truncate(1);
    for (hash, status, code) in [
        (hash.replace("k=2026a", "k=2026b"), 422, "seal_broken"),
        (hash.replace("k=2026a", "k=2024"), 503, "key_unavailable"),
        (hash.replace("v=1", "v=2"), 422, "unsupported_hash"),
        (damaged(&hash), 422, "seal_broken"),
        (format!("{hash}A"), 422, "seal_broken"),
        (hash[..30].to_owned(), 422, "invalid_hash"),
        (format!("{hash}="), 422, "invalid_hash"),
        (over("not a hash"), 422, "unsupported_hash"),
        (over("$2b$05$short"), 422, "invalid_hash"),
        (over("$2b$31$abcdefghijklmnopqrstuuUcTdZHO0FfsK6Gv2zBO0gGwYuxBmLtG"), 422, "cost_out_of_bounds"),
        ("x".repeat(1458), 422, "invalid_hash"),
    ] {
        let refused = verify(&service, json!({"password": "p", "hash": hash, "rehash": true})).await;
        assert_eq!(refused.problem(status, code)["field"], "hash", "{hash}");
        assert!(refused.header("server-timing").is_none() && refused.header("retry-after").is_none());
    }
    let unknown = verify(&service_with_keys(&alone), json!({"password": "p", "hash": hash})).await;
    unknown.problem(503, "key_unavailable");
}

#[tokio::test]
async fn without_randomness_no_hash_is_made_and_a_match_is_answered_without_a_new_string() {
    let service = service();
    let bare = made(&service, "p", CURRENT).await;
    service.install_keys(parsed(&keys(NOW, &[])).drawing_from(|_| Err(NoRandomness)));
    post("/hash", &json!({"password": "p"})).send(&service).await.problem(500, "internal");
    let verified = verify(&service, json!({"password": "p", "hash": bare, "rehash": true})).await.ok();
    assert_eq!((&verified["match"], &verified["rehash_reason"]), (&json!(true), &json!("unsealed")));
    assert!(verified.get("rehashed").is_none());
}

#[tokio::test]
async fn each_operation_of_a_batch_has_its_own_context() {
    let service = service_with_keys(&keys(NOW, &[NOW]));
    let hash = sealed(&service, CURRENT, Some("user-7")).await;
    let operations = json!({"operations": [
        {"op": "verify", "password": "p", "hash": hash, "context": "user-7"},
        {"op": "verify", "password": "p", "hash": hash, "context": "user-8"},
        {"op": "verify", "password": "p", "hash": hash},
        {"op": "hash", "password": "p"},
        {"op": "hash", "password": "p", "context": "user-9"},
        {"op": "verify", "password": "p", "hash": hash.replace("2026a", "2024"), "context": "user-7"},
    ]});
    let batch = post("/batch", &operations).send(&service).await.ok();
    let results = batch["results"].as_array().unwrap();
    let code = |result: &Value| result["problem"]["code"].as_str().unwrap_or("done").to_owned();
    let codes: Vec<_> = results.iter().map(code).collect();
    assert_eq!(
        codes,
        ["done", "seal_broken", "invalid_request", "invalid_request", "done", "key_unavailable"]
    );
    assert_eq!(results[3]["problem"]["field"], "operations[3].context");
    assert_eq!(
        (&results[5]["status"], &results[5]["problem"]["field"]),
        (&json!(503), &json!("operations[5].hash"))
    );
}

#[tokio::test]
async fn metrics_count_matches_and_seals_by_key() {
    let older = sealed(&service_with_keys(&keys(OLD, &[])), CURRENT, None).await;
    let service = service().with_metrics(&DroppedLines::default());
    service.install_keys(parsed(&keys(NOW, &[])));
    let bare = made(&crate::support::service(), "p", CURRENT).await;
    for (password, hash) in [("p", &older), ("p", &older), ("q", &older), ("p", &bare)] {
        verify(&service, json!({"password": password, "hash": hash, "rehash": true})).await.ok();
    }
    sealed(&service, CURRENT, None).await;
    verify(&service, json!({"password": "p", "hash": format!("{older}A")})).await.problem(422, "seal_broken");
    let metrics = get("/metrics").send(&service).await;
    let text = String::from_utf8(metrics.answer.response.body().to_vec()).unwrap();
    for line in [
        r#"saltern_matches_by_key_total{key="2025"} 2"#,
        r#"saltern_matches_by_key_total{key="not_sealed"} 1"#,
        r#"saltern_seals_total{key="2026a"} 4"#,
        r#"saltern_refusals_total{code="seal_broken"} 1"#,
        r#"saltern_refusals_total{code="key_unavailable"} 0"#,
        r#"saltern_rehashes_needed_total{policy="argon2id-small",reason="older_key"} 2"#,
        r#"saltern_rehashes_done_total{policy="argon2id-small"} 3"#,
    ] {
        assert!(text.lines().any(|own| own == line), "no `{line}` in:\n{text}");
    }
}

/// Argon2id of `saltern` with more memory than the current policy.
const UNLISTED: &str =
    "$argon2id$v=19$m=128,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$FQRv+zyHPhrMFyXbHT+v/DZQbvrT0TxcQhb9vLhYH84";
