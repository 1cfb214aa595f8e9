//! Events and responses. These tests need no test build.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use crate::support::{Function, Random, Response, SOON, bootstrap, event, is_release};
use saltern_stubs::lambda::{Environment, Invocation, RuntimeApi};
use serde_json::{Value, json};

#[test]
fn a_new_hash_is_verified() {
    let function = Function::start();
    let made = function.request("POST", "/hash", &json!({"password": "correct horse"}));
    assert_eq!((made.status, &made.body["policy"]), (200, &json!("argon2id-2026")), "{made:?}");
    for (password, matches) in [("correct horse", true), ("correct hors", false)] {
        let body = json!({"password": password, "hash": made.body["hash"]});
        let verified = function.request("POST", "/verify", &body);
        assert_eq!((verified.status, &verified.body["match"]), (200, &json!(matches)), "{verified:?}");
        assert!(verified.headers["server-timing"].as_str().unwrap().starts_with("queue;dur="));
        assert_eq!(verified.headers["cache-control"], json!("no-store"));
    }
}

#[test]
fn real_function_url_events_are_answered() {
    let function = Function::start();
    let file = |name: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/events").join(name);
        function.invoke(Invocation::new(fs::read(path).unwrap()))
    };
    let made = file("hash-iam.json");
    assert_eq!((made.status, &made.headers["x-request-id"]), (200, &json!("login-7f3a")), "{made:?}");
    let same = json!({"password": "corréct horse \"battery\" staple", "hash": made.body["hash"]});
    assert_eq!(function.request("POST", "/verify", &same).body["match"], json!(true));
    let verified = file("verify-base64.json");
    assert_eq!((verified.status, &verified.body["match"]), (200, &json!(true)), "{verified:?}");
    let health = file("health-browser.json");
    assert_eq!((health.status, &health.body["status"]), (200, &json!("ok")), "{health:?}");
    assert_eq!(file("hash-direct.json").status, 200);
}

#[test]
fn the_request_id_is_from_the_caller_or_from_lambda() {
    let function = Function::start();
    let named = |id: Option<&str>| {
        let mut event = event("GET", "/health", &Value::Null);
        if let Some(id) = id {
            event["headers"]["X-Request-Id"] = json!(id);
        }
        let pending = function.api.invoke(Invocation::new(event.to_string()));
        let lambdas = json!(pending.request_id);
        (Response::of(&pending).headers["x-request-id"].clone(), lambdas)
    };
    assert_eq!(named(Some("a.b_c-1")).0, json!("a.b_c-1"));
    for id in [None, Some("two words"), Some("a,b"), Some("")] {
        let (named, lambdas) = named(id);
        assert_eq!(named, lambdas, "{id:?}");
    }
}

#[test]
fn the_callers_own_id_is_on_each_answer() {
    let function = Function::start();
    let ask = |path: &str, long: usize| {
        let mut event = event("GET", path, &Value::Null);
        event["headers"]["saltern-request-id"] = json!("shop-1");
        event["headers"]["X-Request-Id"] = json!("login-7f3a");
        event["headers"]["x-long"] = json!("1".repeat(long));
        let response = function.event(&event);
        let id = |name| response.headers[name].clone();
        (response.status, id("saltern-request-id"), id("x-request-id"))
    };
    for (status, path, long) in [(200, "/health", 1), (404, "/nowhere", 1), (431, "/health", 16 * 1024)] {
        assert_eq!(ask(path, long), (status, json!("shop-1"), json!("login-7f3a")));
    }
}

#[test]
fn an_invalid_event_gets_a_problem_and_the_function_continues() {
    let mut function = Function::start();
    let secret = format!("\"{MARKER}\"");
    let not_events = [
        b"".to_vec(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"\xff\xfe".to_vec(),
        format!("{{\"rawPath\": {secret}").into_bytes(),
        format!("{{\"rawPath\": 1, \"body\": {secret}}}").into_bytes(),
        format!("{{}} {secret}").into_bytes(),
        secret.clone().into_bytes(),
        [secret.as_bytes(), b"\xff"].concat(),
    ];
    for not_event in not_events {
        let response = function.invoke(Invocation::new(not_event.clone()));
        response.assert_problem(400, "invalid_request");
        assert!(!response.text.contains(MARKER), "{response:?}");
    }
    for (member, value) in [
        ("version", json!("1.0")),
        ("version", json!(2)),
        ("rawPath", json!("hash")),
        ("rawPath", json!("/ hash")),
        ("rawPath", json!(null)),
        ("requestContext", json!({})),
        ("requestContext", json!({"http": {"method": "PO ST"}})),
        ("requestContext", json!({"http": {"method": ""}})),
        ("headers", json!({"bad name": "1"})),
        ("headers", json!({"name": "line\nbreak"})),
        ("headers", json!({"name": ["1"]})),
        ("body", json!({"password": MARKER})),
        ("isBase64Encoded", json!("yes")),
        ("isBase64Encoded", json!(true)),
    ] {
        let mut event = event("POST", "/hash", &json!({"password": MARKER}));
        event[member] = value.clone();
        let response = function.event(&event);
        response.assert_problem(400, "invalid_request");
        assert!(!response.text.contains(MARKER), "{member} {value}: {response:?}");
    }
    assert!(function.environment.is_running().unwrap());
    assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
    let output = function.stop();
    assert!(!output.stdout.contains(MARKER) && !output.stderr.contains(MARKER), "{output:?}");
    assert_eq!(output.stderr, "");
}

#[test]
fn a_mutated_event_is_answered_and_the_function_continues() {
    let mut random = Random::seeded();
    println!("SALTERN_TEST_SEED={}", random.0);
    let mut function = Function::start();
    let events = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/events");
    let mut statuses = BTreeSet::new();
    for name in ["hash-direct.json", "hash-iam.json", "health-browser.json", "verify-base64.json"] {
        let recorded = fs::read(events.join(name)).unwrap();
        for _ in 0..MUTANTS {
            let mut event = recorded.clone();
            for _ in 0..=random.below(3) {
                let (from, to) = (random.index(event.len() + 1), random.index(event.len() + 1));
                let inserted = match random.below(4) {
                    0 => event[to..].iter().take(random.index(40)).copied().collect(),
                    1 => PARTS[random.index(PARTS.len())..].to_vec(),
                    2 => vec![u8::try_from(random.below(256)).unwrap()],
                    _ => Vec::new(),
                };
                let end = event.len().min(from + random.index(20));
                event.splice(from..end, inserted);
            }
            // It leaves no time for a hash.
            let sent = Invocation::new(event).with_timeout(Duration::from_millis(100));
            statuses.insert(function.invoke(sent).status);
        }
    }
    let known = BTreeSet::from([200, 400, 404, 405, 413, 415, 422, 431, 503]);
    assert!(statuses.is_subset(&known) && statuses.contains(&400) && statuses.contains(&503), "{statuses:?}");
    assert!(function.environment.is_running().unwrap());
    assert_eq!(function.stop().stderr, "");
}

#[test]
fn headers_and_bodies_are_bounded() {
    let function = Function::start();
    let mut many = event("GET", "/health", &Value::Null);
    for i in 0..100 {
        many["headers"][format!("x-{i}")] = json!("1");
    }
    function.event(&many).assert_problem(431, "headers_too_large");
    let mut long = event("GET", "/health", &Value::Null);
    long["headers"]["x-long"] = json!("1".repeat(16 * 1024));
    function.event(&long).assert_problem(431, "headers_too_large");

    let sized = |path: &str, bytes: usize, base64: bool| {
        let mut event = event("POST", path, &Value::Null);
        event["body"] = json!(if base64 { "ICAg".repeat(bytes / 3) } else { " ".repeat(bytes) });
        event["isBase64Encoded"] = json!(base64);
        function.event(&event)
    };
    for (path, limit) in [("/hash", 16 * 1024), ("/batch", 1024 * 1024)] {
        // Spaces are not JSON, so a body within its limit fails in the parser.
        sized(path, limit, false).assert_problem(400, "invalid_json");
        sized(path, limit - 2, true).assert_problem(400, "invalid_json");
        sized(path, limit + 1, false).assert_problem(413, "body_too_large");
        sized(path, limit + 4, true).assert_problem(413, "body_too_large");
    }
}

#[test]
fn the_deadline_of_the_function_bounds_the_deadline_of_the_caller() {
    let function = Function::start();
    let body = json!({"password": "U*U", "hash": BCRYPT});
    // The function keeps 100 ms for the response, so 100 ms leave no time. A busy machine may read
    // the event after its deadline, which then is no deadline.
    let short = || {
        Invocation::new(event("POST", "/verify", &body).to_string()).with_timeout(Duration::from_millis(100))
    };
    let refused = (0..50).map(|_| function.invoke(short())).find(|response| response.status == 503).unwrap();
    refused.assert_problem(503, "deadline_exceeded");
    let long =
        Invocation::new(event("POST", "/verify", &body).to_string()).with_timeout(Duration::from_mins(15));
    assert_eq!(function.invoke(long).status, 200);
    let over = Invocation::new(event("POST", "/verify", &body).to_string()).with_header(DEADLINE, "600000");
    assert_eq!(function.invoke(over).status, 200, "a deadline of 1970 is no deadline");
    let mut malformed = event("POST", "/verify", &body);
    malformed["headers"]["Saltern-Deadline-Ms"] = json!("5,6");
    function.event(&malformed).assert_problem(400, "invalid_request");
    malformed["headers"]["Saltern-Deadline-Ms"] = json!("5000");
    malformed["headers"]["saltern-deadline-ms"] = json!("5000");
    function.event(&malformed).assert_problem(400, "invalid_request");
}

#[test]
fn classic_lambda_has_one_open_poll() {
    for concurrency in ["", "1"] {
        let function = Function::start_with(&[("AWS_LAMBDA_MAX_CONCURRENCY", concurrency)]);
        assert_eq!(function.api.open_polls(2, Duration::from_millis(300)), Err(1));
        assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
    }
}

#[test]
fn a_managed_instance_polls_and_answers_eight_events_at_the_same_time() {
    let function = Function::start_with(&[
        ("AWS_LAMBDA_MAX_CONCURRENCY", "8"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "4096"),
    ]);
    assert_eq!(function.api.open_polls(8, SOON), Ok(()));
    let slow = json!({"password": "slow", "hash": BCRYPT.replacen("$05$", "$10$", 1)});
    // Seven hashes of about 50 ms each are running. The eighth event does not wait for them.
    let is_delayed = |_| {
        let slow = || Invocation::new(event("POST", "/verify", &slow).to_string());
        let pending: Vec<_> = (0..7).map(|_| function.api.invoke(slow())).collect();
        let health = function.api.invoke(Invocation::new(event("GET", "/health", &Value::Null).to_string()));
        assert_eq!(Response::of(&health).status, 200);
        let is_delayed = function.api.ended_before(&pending[6], &health);
        for pending in &pending {
            let response = Response::of(pending);
            assert_eq!((response.status, &response.body["match"]), (200, &json!(false)), "{response:?}");
        }
        is_delayed
    };
    // A busy machine may delay one of the events.
    assert!(!(0..5).all(is_delayed), "hashing delayed the polls");
    assert_eq!(function.api.open_polls(8, SOON), Ok(()));
}

#[test]
fn each_request_prints_one_line_of_json_without_secrets() {
    let function = Function::start_with(&[("RUST_LOG", "trace"), ("AWS_LAMBDA_LOG_LEVEL", "TRACE")]);
    let made = function.request("POST", "/hash", &json!({"password": MARKER}));
    let hash = made.body["hash"].as_str().unwrap().to_owned();
    let batch = json!({"operations": [{"op": "verify", "password": MARKER, "hash": hash}]});
    let requests = [
        ("/verify", json!({"password": MARKER, "hash": hash})),
        ("/verify", json!({"password": "wrong", "hash": hash, "rehash": true})),
        ("/verify", json!({"password": MARKER, "hash": MARKER})),
        ("/verify", json!({"password": MARKER, "hash": [MARKER]})),
        ("/hash", json!({"password": MARKER, "policy": MARKER})),
        ("/hash", json!({MARKER: MARKER})),
        ("/batch", batch),
        (MARKER_PATH, json!({"password": MARKER})),
    ];
    for (path, body) in &requests {
        let response = function.request("POST", path, body);
        assert!(!response.text.contains(MARKER), "{response:?}");
    }
    let output = function.stop();
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["level"] == "INFO" && line["timestamp"].is_string()), "{output:?}");
    // One more line has metrics only: the metrics of a batch and of its operations differ in
    // dimensions.
    let of_requests: Vec<_> = lines.iter().filter(|line| line["request_id"].is_string()).collect();
    assert_eq!((of_requests.len(), lines.len()), (1 + requests.len(), 2 + requests.len()), "{output:?}");
    for line in of_requests {
        for member in ["operation", "policy", "outcome", "total_ms"] {
            assert!(!line[member].is_null(), "{member} is missing: {line}");
        }
    }
    let salt_and_output = hash.rsplit('$').take(2);
    for secret in salt_and_output.chain([MARKER]) {
        assert!(!output.stdout.contains(secret) && !output.stderr.contains(secret), "{output:?}");
    }
    assert_eq!(output.stderr, "");
}

#[test]
fn each_line_names_the_iam_caller_and_its_address() {
    let function = Function::start();
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/events/hash-iam.json");
    let mut url: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    url["rawPath"] = json!("/health");
    url["requestContext"]["http"]["method"] = json!("GET");
    let changed = |pointer: &str, value: Value| {
        let mut event = url.clone();
        *event.pointer_mut(pointer).unwrap() = value;
        event
    };
    let (arn, address) = ("/requestContext/authorizer/iam/userArn", "/requestContext/http/sourceIp");
    let longest = format!("arn:aws-us-gov:iam::123456789012:user/{}", "u".repeat(512 + 64));
    let backend = json!("arn:aws:sts::123456789012:assumed-role/backend/backend");
    let source = json!("203.0.113.17");
    let none = Value::Null;
    let cases = [
        (url.clone(), &backend, &source),
        (changed(arn, json!(longest)), &json!(longest), &source),
        (changed(address, json!("2001:db8::17")), &backend, &json!("2001:db8::17")),
        // An event that is refused.
        (changed("/rawPath", json!("health")), &backend, &source),
        (changed("/headers", json!({"bad name": "1"})), &backend, &source),
        // The caller of `Invoke` writes the event itself.
        (event("GET", "/health", &none), &none, &none),
        (changed("/requestContext/authorizer", none.clone()), &none, &source),
        (changed(arn, json!(format!("{longest}{longest}"))), &none, &source),
        (changed(arn, json!(MARKER)), &none, &source),
        (changed(arn, json!(format!("arn:aws:iam::1:user/a {MARKER}"))), &none, &source),
        (changed(arn, json!(format!("arn:aws:iam::1:user/a\n{MARKER}"))), &none, &source),
        (changed(address, json!(MARKER)), &backend, &none),
    ];
    for (event, ..) in &cases {
        function.event(event);
    }
    let output = function.stop();
    assert!(!output.stdout.contains(MARKER), "{output:?}");
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), cases.len(), "{output:?}");
    for (line, (event, caller, peer)) in lines.iter().zip(&cases) {
        assert_eq!((&line["caller"], &line["peer"]), (*caller, *peer), "{event}: {line}");
    }
}

/// `lambda_runtime` 1.5 ends if this header is malformed, and Lambda starts the process again. The
/// message of serde quotes the header, so it must not be printed.
#[test]
fn a_malformed_client_context_ends_the_function_without_quoting_it() {
    let function = Function::start();
    let context = format!("{{\"client\": \"{MARKER}\"}}");
    let health = event("GET", "/health", &Value::Null).to_string();
    let _unanswered =
        function.api.invoke(Invocation::new(health).with_header("Lambda-Runtime-Client-Context", &context));
    let output = function.environment.wait(SOON).unwrap();
    assert!(!output.status.success());
    assert!(output.stderr.starts_with("bootstrap: the Runtime API"), "{output:?}");
    assert!(!output.stdout.contains(MARKER) && !output.stderr.contains(MARKER), "{output:?}");
}

#[test]
fn a_document_in_the_zip_or_of_a_setting_replaces_the_shipped_one() {
    let directory = Scratch::new("policies");
    let document = String::from_utf8(saltern_policy::SHIPPED.to_vec()).unwrap();
    directory.write("policies.json", &document.replace("\"argon2id-2026\"", "\"in-the-zip\""));
    directory.write("named.json", &document.replace("\"argon2id-2026\"", "\"named\""));
    let (root, named) = (directory.path(""), directory.path("named.json"));
    for (variables, current) in [
        (vec![], "argon2id-2026"),
        (vec![("LAMBDA_TASK_ROOT", root.as_str())], "in-the-zip"),
        (vec![("LAMBDA_TASK_ROOT", root.as_str()), ("SALTERN_POLICIES", named.as_str())], "named"),
        (vec![("LAMBDA_TASK_ROOT", "/nowhere")], "argon2id-2026"),
    ] {
        let function = Function::start_with(&variables);
        let policies = function.request("GET", "/policies", &Value::Null);
        assert_eq!(policies.body["current"], json!(current), "{variables:?}");
    }
}

#[test]
fn an_unsalted_digest_is_verified_if_a_setting_names_it() {
    let body = json!({"password": "saltern", "hash": "{SHA}3EvVateGVQQa1aJk+74E1imN5KA="});
    let strict = Function::start_with(&[]).request("POST", "/verify", &body);
    assert_eq!((strict.status, &strict.body["code"]), (422, &json!("unsupported_hash")));
    let allowing =
        Function::start_with(&[("SALTERN_ACCEPT_WEAK", "ldap-sha")]).request("POST", "/verify", &body);
    assert_eq!(allowing.body["rehash_reason"], json!("weak_scheme"), "{}", allowing.body);
}

#[test]
fn a_failed_start_prints_and_reports_its_reason() {
    let directory = Scratch::new("refused");
    directory.write("not.json", "{\"current\":");
    directory.write("policies.json", "[]");
    let (root, not_json) = (directory.path(""), directory.path("not.json"));
    for (variables, sentence) in [
        (vec![("SALTERN_POLICIES", "/nowhere/p.json")], "the policy document /nowhere/p.json cannot be read"),
        (vec![("SALTERN_POLICIES", not_json.as_str())], "not.json: the policy document cannot be read"),
        (vec![("LAMBDA_TASK_ROOT", root.as_str())], "policies.json: the policy document cannot be read"),
        (
            vec![("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "64")],
            "policy `argon2id-2026` takes 64 MiB for one hash, more than the memory budget",
        ),
        (vec![("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "2 GB")], "AWS_LAMBDA_FUNCTION_MEMORY_SIZE is `2 GB`"),
        (vec![("AWS_LAMBDA_MAX_CONCURRENCY", "500")], "leave no memory for hashes"),
        (vec![("SALTERN_CEILINGS", "bcrypt_cost=99")], "raises the ceiling `bcrypt_cost`"),
        (vec![("SALTERN_CEILINGS", "bcrypt_cost")], "SALTERN_CEILINGS is `bcrypt_cost`: write NAME=VALUE"),
        (vec![("SALTERN_KERNELS", "fast")], "SALTERN_KERNELS is `fast`: write lanes or crates"),
        (vec![("SALTERN_ARGON2_LANES", "9")], "SALTERN_ARGON2_LANES is `9`: give a whole number from 1 to 8"),
        (vec![("SALTERN_UPGRADES", "some")], "SALTERN_UPGRADES is `some`: use on, off or a share"),
        (vec![("SALTERN_BLOCKLIST", not_json.as_str())], "it is no whole list"),
        (vec![("SALTERN_ACCEPT_WEAK", "sha1")], "SALTERN_ACCEPT_WEAK is `sha1`: use `all`"),
        (vec![("SALTERN_SEAL_KEYS", not_json.as_str())], "AWS_REGION is not set, and KMS decrypts"),
        (vec![("AWS_LAMBDA_FUNCTION_NAME", "")], "AWS_LAMBDA_FUNCTION_NAME is not set"),
    ] {
        let api = RuntimeApi::start().unwrap();
        let output = Environment::start(&bootstrap(), &api, &variables).unwrap().wait(SOON).unwrap();
        assert!(!output.status.success(), "{variables:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
        assert!(output.stderr.starts_with("bootstrap: ") && output.stderr.contains(sentence), "{output:?}");
        let reported: Value = serde_json::from_slice(&api.init_error(SOON).unwrap()).unwrap();
        assert_eq!(reported["errorType"], json!("Runtime.StartRefused"));
        assert!(reported["errorMessage"].as_str().unwrap().contains(sentence), "{reported}");
        assert_eq!(api.first_poll(Duration::ZERO), None);
    }
}

#[test]
fn a_document_can_be_checked_without_lambda() {
    let directory = Scratch::new("check");
    directory.write("good.json", str::from_utf8(saltern_policy::SHIPPED).unwrap());
    directory.write("bad.json", "{}");
    let check = |name: &str| {
        let api = RuntimeApi::start().unwrap();
        let command = [bootstrap(), vec!["--check".into()]].concat();
        let path = directory.path(name);
        let environment = Environment::start(&command, &api, &[("SALTERN_POLICIES", &path)]).unwrap();
        let output = environment.wait(SOON).unwrap();
        assert_eq!(api.first_poll(Duration::ZERO), None);
        output
    };
    let good = check("good.json");
    assert!(good.status.success() && good.stdout.contains("current argon2id-2026"), "{good:?}");
    assert!(!check("bad.json").status.success());
    // A release build omits the lines in which the Lambda runtime logs raw events at TRACE.
    let most_detailed = if is_release() { "log info" } else { "log trace" };
    assert!(good.stdout.trim_end().ends_with(most_detailed), "{good:?}");
}

/// A directory that is removed after the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("saltern-lambda-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _left = fs::remove_dir_all(&self.0);
    }
}

/// The mutants of each recorded event.
const MUTANTS: usize = 300;

/// Parts of JSON.
const PARTS: &[u8] = br#"\u0000{}[]",:null-1e999\ud800"#;

const DEADLINE: &str = "Lambda-Runtime-Deadline-Ms";

/// The text of all secrets in these tests.
const MARKER: &str = "m4rk3r-s3cr3t";

const MARKER_PATH: &str = "/m4rk3r-s3cr3t";

/// A hash of `U*U`, from Openwall's test vectors for `crypt_blowfish`.
const BCRYPT: &str = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
