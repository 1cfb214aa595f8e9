//! Tests of the door over HTTP.

use std::{env, mem, path::PathBuf, process::Command};

use saltern_algorithm::{Admitted, Password, compute};
use saltern_meter::quantile;
use saltern_policy::Policies;
use serde_json::{Value, json};

use super::*;
use crate::{
    caller::{Caller, Heard},
    documents::{User, Users},
    function::{ManagedInstances, ProvisionedConcurrency},
};

fn function() -> Function {
    Function { cold_start_ms: 40, ..Function::unprepared() }
}

/// A function whose first request lasts longer than a busy machine delays the next ones.
fn slow_function() -> Function {
    Function { cold_start_ms: 3000, ..function() }
}

/// Returns the shipped document with cheap policies, so that a test can compute real hashes.
fn document() -> Value {
    let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    let policy = |id: &str, parameters: &Value| {
        let mut policy = json!({"id": id, "status": "active", "rationale": "For a test.", "source": "None."});
        policy.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        policy
    };
    document["policies"] = json!([
        policy("bcrypt-4", &json!({"algorithm": "bcrypt", "cost": 4})),
        policy(
            "argon2id",
            &json!({"algorithm": "argon2id", "memory_kib": 64, "passes": 1, "parallelism": 1})
        ),
        policy("pbkdf2", &json!({"algorithm": "pbkdf2-sha512", "iterations": 1000})),
        policy("bcrypt-8", &json!({"algorithm": "bcrypt", "cost": 8})),
    ]);
    (document["current"], document["decoy"]) = (json!("bcrypt-8"), json!("bcrypt-8"));
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
    document
}

fn policies() -> Policies {
    let limits = saltern_policy::Limits { workers: 1, memory_budget_bytes: 1 << 30, ..Default::default() };
    Policies::load(document().to_string().as_bytes(), &limits).unwrap()
}

/// Computes a real hash.
fn real_hash(policy: &str, password: &str) -> String {
    let policies = policies();
    let new = policies.admit_new(Some(policy), &Password::new(password.as_bytes()).unwrap()).unwrap();
    let admitted: &Admitted = new.admitted();
    new.encode(&compute(admitted, password.as_bytes()).unwrap()).unwrap()
}

fn users() -> Users {
    let user = |policy: &str| {
        let password = format!("{policy} sälä-sana");
        User { policy: policy.to_owned(), hash: real_hash(policy, &password), password }
    };
    Users { users: ["bcrypt-4", "argon2id", "pbkdf2", "bcrypt-8"].map(user).into() }
}

/// An open door and its caller.
struct Opened {
    door: Arc<Door>,
    caller: Caller,
    users: Users,
}

impl Opened {
    async fn with(function: Function, auth: Auth) -> Self {
        let users = users();
        let (durations, spread) = (Durations::documented().clone(), Spread::measured().clone());
        let model = Model::new(policies(), users.clone(), durations, spread, 1).unwrap();
        Self::before(function, auth, Behind::Model(Box::new(model)), users).await
    }

    async fn before(function: Function, auth: Auth, behind: Behind, users: Users) -> Self {
        let door = Door::open(function, auth, behind).await.unwrap();
        let (socket, address) = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        tokio::spawn(accept(socket, Arc::clone(&door), Door::answer));
        Self { door, caller: Caller::new(address), users }
    }

    async fn verify(&self, password: &str, hash: &str) -> Heard {
        let body = json!({"password": password, "hash": hash}).to_string();
        self.caller.post("/verify", &[], body.as_bytes()).await.unwrap()
    }

    async fn matches(&self, password: &str, hash: &str) -> bool {
        let heard = self.verify(password, hash).await;
        assert_eq!(heard.status, 200, "{}", String::from_utf8_lossy(&heard.body));
        json_of(&heard)["match"].as_bool().unwrap()
    }
}

fn json_of(heard: &Heard) -> Value {
    serde_json::from_slice(&heard.body).unwrap()
}

fn modelled_ms(heard: &Heard) -> f64 {
    heard.header(function_url::MODELLED_MS).unwrap().parse().unwrap()
}

#[tokio::test]
async fn only_the_right_password_of_a_pool_user_matches() {
    let opened = Opened::with(function(), Auth::None).await;
    for user in &opened.users.users {
        assert!(opened.matches(&user.password, &user.hash).await, "{}", user.policy);
        for wrong in ["", "sälä-sana", &format!("{}!", user.password), &user.password[1..]] {
            assert!(!opened.matches(wrong, &user.hash).await, "{} {wrong}", user.policy);
        }
        let others = opened.users.users.iter().filter(|other| other.policy != user.policy);
        for other in others {
            assert!(!opened.matches(&user.password, &other.hash).await, "{} {}", user.policy, other.policy);
        }
    }
}

#[tokio::test]
async fn hashes_of_fleet_verify_in_fleet() {
    let opened = Opened::with(function(), Auth::None).await;
    for policy in ["bcrypt-4", "argon2id", "pbkdf2"] {
        let body = json!({"password": "new", "policy": policy}).to_string();
        let made = opened.caller.post("/hash", &[], body.as_bytes()).await.unwrap();
        let made = json_of(&made)["hash"].as_str().unwrap().to_owned();
        assert!(opened.matches("new", &made).await, "{policy}");
        assert!(!opened.matches("old", &made).await, "{policy}");
    }
    // An upgrade is also a new hash.
    let user = &opened.users.users[0];
    let body = json!({"password": user.password, "hash": user.hash, "rehash": true}).to_string();
    let heard = json_of(&opened.caller.post("/verify", &[], body.as_bytes()).await.unwrap());
    assert_eq!((&heard["match"], &heard["rehashed"]["policy"]), (&json!(true), &json!("bcrypt-8")));
    assert!(opened.matches(&user.password, heard["rehashed"]["hash"].as_str().unwrap()).await);
}

#[tokio::test]
async fn an_unknown_hash_is_computed() {
    let opened = Opened::with(function(), Auth::None).await;
    let hash = real_hash("bcrypt-4", "a stranger");
    assert!(opened.matches("a stranger", &hash).await);
    assert!(!opened.matches("another", &hash).await);
    // With one different letter the hash is unknown, and no password matches.
    let user = &opened.users.users[0];
    let (start, end) = user.hash.split_at(40);
    let altered = format!("{start}{}{}", if end.starts_with('x') { 'y' } else { 'x' }, &end[1..]);
    assert!(!opened.matches(&user.password, &altered).await);
    // bcrypt uses 72 bytes, so later bytes do not change the result.
    let long = "y".repeat(72);
    let body = json!({"password": long, "policy": "bcrypt-4"}).to_string();
    let made = json_of(&opened.caller.post("/hash", &[], body.as_bytes()).await.unwrap());
    assert!(opened.matches(&format!("{long}z"), made["hash"].as_str().unwrap()).await);
    assert!(!opened.matches(&long[1..], made["hash"].as_str().unwrap()).await);
}

/// Method, path, headers and body of a request, and the status and code of its answer.
type Rejection =
    (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str, u16, &'static str);

const REJECTIONS: &[Rejection] = &[
    ("POST", "/verify", &[], "{", 400, "invalid_json"),
    ("POST", "/verify", &[], r#"{"password":"x","hash":null,"admin":1}"#, 400, "invalid_request"),
    ("POST", "/verify", &[], r#"{"password":"x","hash":"$2x$04$"}"#, 422, "unsupported_hash"),
    ("POST", "/verify", &[], r#"{"password":"x","hash":"$2b$04$"}"#, 422, "invalid_hash"),
    (
        "POST",
        "/verify",
        &[],
        r#"{"password":"x","hash":"$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}"#,
        422,
        "cost_out_of_bounds",
    ),
    ("POST", "/hash", &[], r#"{"password":"x","policy":"none"}"#, 422, "unknown_policy"),
    ("POST", "/hash", &[("content-type", "text/plain")], "{}", 415, "unsupported_media_type"),
    ("POST", "/nowhere", &[], "{}", 404, "not_found"),
    ("GET", "/verify", &[], "", 405, "method_not_allowed"),
    (
        "POST",
        "/verify",
        &[("saltern-deadline-ms", "5")],
        r#"{"password":"x","hash":null}"#,
        503,
        "deadline_exceeded",
    ),
];

#[tokio::test]
async fn all_other_answers_are_those_of_the_service() {
    let opened = Opened::with(function(), Auth::None).await;
    for &(method, path, headers, body, status, code) in REJECTIONS {
        let heard = opened.caller.ask(method, path, headers, body.as_bytes()).await.unwrap();
        assert_eq!((heard.status, &json_of(&heard)["code"]), (status, &json!(code)), "{body}");
        assert_eq!(heard.header("content-type"), Some("application/problem+json"));
    }
    let large = format!(r#"{{"password":"{}"}}"#, "x".repeat(17 * 1024));
    let heard = opened.caller.post("/hash", &[], large.as_bytes()).await.unwrap();
    assert_eq!((heard.status, &json_of(&heard)["code"]), (413, &json!("body_too_large")));
    let policies = opened.caller.ask("GET", "/policies", &[], b"").await.unwrap();
    assert_eq!((policies.status, &json_of(&policies)["current"]), (200, &json!("bcrypt-8")));
    let named = opened
        .caller
        .post("/verify", &[("x-request-id", "login-7")], br#"{"password":"x","hash":null}"#)
        .await
        .unwrap();
    assert_eq!(named.header("x-request-id"), Some("login-7"));
    assert_eq!(named.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_request_takes_the_time_of_the_model() {
    let opened = Opened::with(function(), Auth::None).await;
    let user = &opened.users.users[3];
    let one = |count: usize| {
        let operation = json!({"op": "verify", "password": user.password, "hash": user.hash});
        json!({"operations": vec![operation; count]}).to_string()
    };
    // bcrypt-8 takes an eighth of bcrypt-11: 20.5 ms. The first request has a cold start.
    let mut cold_start = 40.0;
    let mut late = Vec::new();
    for _ in 0..10 {
        let mut beyond = Vec::new();
        for (body, path, expected) in [
            (json!({"password": user.password, "hash": user.hash}).to_string(), "/verify", 20.5),
            (json!({"password": user.password, "hash": user.hash}).to_string(), "/verify", 20.5),
            (one(4), "/batch", 20.5 * 1.17),
            (one(8), "/batch", 20.5 * 1.91),
        ] {
            let heard = opened.caller.post(path, &[], body.as_bytes()).await.unwrap();
            assert_eq!(heard.status, 200);
            let (modelled, expected) = (modelled_ms(&heard), expected + mem::take(&mut cold_start));
            assert!((modelled / expected - 1.0).abs() < 0.06, "{modelled} for {expected}");
            let took = heard.took.as_secs_f64() * 1e3;
            assert!(took >= modelled, "{took} for {modelled}");
            beyond.push(took - modelled);
        }
        beyond.sort_by(f64::total_cmp);
        if quantile(&beyond, 0.3) < 25.0 {
            return;
        }
        late.push(beyond);
    }
    panic!("a busy machine delays some of them, and not all: {late:?}");
}

#[tokio::test]
async fn a_throttled_request_gets_the_answer_of_lambda() {
    let body = json!({"password": "x", "hash": null}).to_string();
    for (reserved, reason) in [
        (Some(2), "ReservedFunctionConcurrentInvocationLimitExceeded"),
        (None, "ConcurrentInvocationLimitExceeded"),
    ] {
        let account_concurrency = reserved.map_or(2, |_| 1000);
        let function = Function { account_concurrency, reserved, ..slow_function() };
        let opened = Opened::with(function, Auth::None).await;
        let ask = || opened.caller.post("/verify", &[], body.as_bytes());
        let (first, second, third) = tokio::join!(ask(), ask(), ask());
        let mut heard = [first.unwrap(), second.unwrap(), third.unwrap()];
        heard.sort_by_key(|heard| heard.status);
        assert_eq!(heard.each_ref().map(|heard| heard.status), [200, 200, 429]);
        assert_eq!(
            json_of(&heard[2]),
            json!({"Reason": reason, "Type": "User", "message": "Rate Exceeded."})
        );
        assert!(heard[2].took < heard[0].took);
        let series = opened.door.series();
        let totals = &series.totals;
        assert_eq!((totals.requested, totals.answered, totals.cold_starts, totals.concurrency), (3, 2, 2, 2));
        assert_eq!(totals.throttled.values().sum::<u64>(), 1);
        assert!(totals.usd > 0.0);
        // The environments are free again.
        assert_eq!(ask().await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn provisioned_environments_have_no_cold_start() {
    let provisioned = Some(ProvisionedConcurrency { environments: 1, asked_at_seconds: -900 });
    let opened = Opened::with(Function { provisioned, cold_start_ms: 500, ..function() }, Auth::None).await;
    let user = &opened.users.users[3];
    let mut modelled = [0.0; 2];
    // On a busy machine the first request may have ended before the second one comes.
    for _ in 0..20 {
        if modelled[1] < 500.0 {
            let ask = || opened.verify(&user.password, &user.hash);
            let (first, second) = tokio::join!(ask(), ask());
            modelled = [modelled_ms(&first), modelled_ms(&second)];
            modelled.sort_by(f64::total_cmp);
        }
    }
    assert!(modelled[0] < 30.0 && modelled[1] > 500.0, "{modelled:?}");
    let totals = opened.door.series().totals;
    assert_eq!((totals.cold_starts, totals.spillover), (1, 1));
}

#[tokio::test]
async fn requests_on_a_managed_instance_slow_each_other_down_by_the_lanes() {
    let managed = ManagedInstances { environments: 1, requests_at_once: 2, vcpus: 1, ec2_usd_per_hour: 0.0 };
    let opened = Opened::with(Function { managed: Some(managed), ..function() }, Auth::None).await;
    let user = &opened.users.users[3];
    let ask = async || {
        let one = || opened.verify(&user.password, &user.hash);
        let (first, second, third) = tokio::join!(one(), one(), one());
        let mut heard = [first, second, third];
        heard.sort_by_key(|heard| heard.status);
        heard
    };
    let mut heard = ask().await;
    // On a busy machine a request may have ended before the next one comes.
    for _ in 0..20 {
        if heard[2].status == 200 {
            heard = ask().await;
        }
    }
    assert_eq!(heard.each_ref().map(|heard| heard.status), [200, 200, 429]);
    // The second request shares the environment: 103 % of 20.5 ms.
    let slower = modelled_ms(&heard[0]).max(modelled_ms(&heard[1]));
    assert!((20.6..22.2).contains(&slower), "{slower}");
}

#[tokio::test]
async fn a_disconnect_does_not_end_the_invocation() {
    let opened = Opened::with(Function { reserved: Some(1), ..slow_function() }, Auth::None).await;
    let user = &opened.users.users[3];
    let mut leaving = Box::pin(opened.verify(&user.password, &user.hash));
    while opened.door.series().totals.requested == 0 {
        assert!(tokio::time::timeout(Duration::from_millis(5), &mut leaving).await.is_err());
    }
    drop(leaving);
    assert_eq!(opened.verify(&user.password, &user.hash).await.status, 429, "the environment is busy");
    opened.door.until_all_are_answered().await;
    assert_eq!(opened.verify(&user.password, &user.hash).await.status, 200);
}

#[tokio::test]
async fn a_required_signature_is_enforced() {
    let opened = Opened::with(function(), Auth::Sigv4).await;
    let heard = opened.caller.ask("GET", "/health", &[], b"").await.unwrap();
    assert_eq!((heard.status, json_of(&heard)), (403, json!({"Message": "Forbidden"})));
    assert_eq!(opened.door.series().totals.requested, 0);
    let signature = format!(
        "AWS4-HMAC-SHA256 Credential=AKID/20261121/eu-north-1/lambda/aws4_request, SignedHeaders=host;x-amz-date, Signature={}",
        "0".repeat(64)
    );
    let signed = [("authorization", signature.as_str()), ("x-amz-date", "20261121T100000Z")];
    assert_eq!(opened.caller.ask("GET", "/health", &signed, b"").await.unwrap().status, 200);
}

#[tokio::test]
async fn real_processes_answer_as_the_model_does() {
    let bootstrap = bootstrap();
    let file = env::temp_dir().join(format!("saltern-fleet-{}.json", std::process::id()));
    fs::write(&file, document().to_string()).unwrap();
    let function = Function { reserved: Some(2), ..function() };
    let real = Behind::Real(Real::new(&bootstrap, Some(&file), &function).unwrap());
    let modelled = Opened::with(function.clone(), Auth::None).await;
    let real = Opened::before(function, Auth::None, real, modelled.users.clone()).await;
    for user in &modelled.users.users {
        for password in [&user.password, "wrong"] {
            let (real, modelled) =
                (real.verify(password, &user.hash).await, modelled.verify(password, &user.hash).await);
            assert_eq!((real.status, json_of(&real)), (modelled.status, json_of(&modelled)));
        }
    }
    for &(method, path, headers, body, status, code) in REJECTIONS {
        let heard = real.caller.ask(method, path, headers, body.as_bytes()).await.unwrap();
        assert_eq!((heard.status, &json_of(&heard)["code"]), (status, &json!(code)), "{body}");
    }
    let totals = real.door.series().totals;
    assert_eq!((totals.cold_starts, totals.concurrency), (1, 1), "one process answered all");
    fs::remove_file(&file).unwrap();
}

/// Returns the path of `bootstrap`, and builds it if it does not exist.
fn bootstrap() -> PathBuf {
    let this = env::current_exe().unwrap();
    // target/PROFILE/deps/this
    let bootstrap = this.ancestors().nth(2).unwrap().join("bootstrap");
    if !bootstrap.exists() {
        let build = ["build", "--locked", "--package", "saltern-lambda"];
        let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        assert!(Command::new(env!("CARGO")).args(build).current_dir(tree).status().unwrap().success());
    }
    bootstrap
}
