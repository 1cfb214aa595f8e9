//! A service with cheap policies. Each response is checked against the OpenAPI document.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking, as tests do")]

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use http::{Method, Request, StatusCode};
use saltern_policy::{AcceptedWeak, Limits, Policies, SHIPPED};
use saltern_pool::{Pool, PoolSettings};
use saltern_service::{Answer, Arrival, Body, Caller, Ids, Incoming, OPENAPI, Problem, Service};
use serde_json::{Value, json};

/// The policies, from oldest to newest: one verify-only, two active, the current one and a newer
/// one.
pub(crate) const BCRYPT_VERIFY_ONLY: &str = "bcrypt-4";
pub(crate) const BCRYPT: &str = "bcrypt-5";
pub(crate) const SCRYPT: &str = "scrypt-small";
pub(crate) const CURRENT: &str = "argon2id-small";
pub(crate) const AFTER_CURRENT: &str = "pbkdf2-small";

/// A service with [`document`] and one worker.
pub(crate) fn service() -> Service {
    service_with(&document(), &one_worker())
}

pub(crate) fn service_with(document: &Value, settings: &PoolSettings) -> Service {
    service_accepting(AcceptedWeak::default(), document, settings)
}

/// A service that accepts these unsalted and fast schemes.
pub(crate) fn service_accepting(
    accepted_weak: AcceptedWeak,
    document: &Value,
    settings: &PoolSettings,
) -> Service {
    let limits = Limits { workers: 2, memory_budget_bytes: 512 << 20, accepted_weak, ..Limits::default() };
    let policies = Policies::load(document.to_string().as_bytes(), &limits).unwrap();
    Service::new(policies, Pool::start(settings).unwrap())
}

pub(crate) fn one_worker() -> PoolSettings {
    PoolSettings::new(NonZeroUsize::MIN)
}

/// The shipped document with cheap policies, and without floors.
pub(crate) fn document() -> Value {
    let policy = |id: &str, algorithm: &str, status: &str, parameters: Value| {
        let mut policy = json!({
            "id": id, "algorithm": algorithm, "status": status,
            "rationale": "Cheap: for tests only.", "source": "None.",
        });
        for (name, value) in parameters.as_object().unwrap() {
            policy[name] = value.clone();
        }
        policy
    };
    let mut document: Value = serde_json::from_slice(SHIPPED).unwrap();
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
    (document["current"], document["decoy"]) = (json!(CURRENT), json!(CURRENT));
    document["policies"] = json!([
        policy(BCRYPT_VERIFY_ONLY, "bcrypt", "verify-only", json!({"cost": 4})),
        policy(BCRYPT, "bcrypt", "active", json!({"cost": 5})),
        policy(SCRYPT, "scrypt", "active", json!({"log_n": 4, "r": 1, "p": 1})),
        policy(CURRENT, "argon2id", "active", json!({"memory_kib": 64, "passes": 1, "parallelism": 1})),
        policy(AFTER_CURRENT, "pbkdf2-sha256", "active", json!({"iterations": 10})),
    ]);
    document
}

/// [`document`] with another current policy.
pub(crate) fn document_with_current(id: &str) -> Value {
    let mut document = document();
    document["current"] = json!(id);
    document
}

pub(crate) struct TestRequest {
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
    arrival: Arrival,
}

/// An arrival this many seconds ago.
pub(crate) fn ago(seconds: u64) -> Arrival {
    let at = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
    Arrival { at, ..of(Caller::Anyone) }
}

/// An arrival of this caller now.
pub(crate) fn of(caller: Caller) -> Arrival {
    Arrival { at: Instant::now(), peer: None, caller, latest: None }
}

/// The answer of a front door that could not read a request.
pub(crate) fn refuse(service: &Service, problem: Problem) -> Answer {
    service.refuse(&Incoming::unread(of(Caller::Unknown), Ids::random()), problem)
}

/// A `POST` of JSON.
pub(crate) fn post(path: &'static str, body: &Value) -> TestRequest {
    post_bytes(path, body.to_string())
}

pub(crate) fn post_bytes(path: &'static str, body: impl Into<Vec<u8>>) -> TestRequest {
    TestRequest::new(Method::POST, path).header("content-type", "application/json").body(body)
}

pub(crate) fn get(path: &'static str) -> TestRequest {
    TestRequest::new(Method::GET, path)
}

impl TestRequest {
    pub(crate) fn new(method: Method, path: &'static str) -> Self {
        Self { method, path, headers: vec![], body: vec![], arrival: of(Caller::Anyone) }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    pub(crate) fn arrived(self, arrival: Arrival) -> Self {
        Self { arrival, ..self }
    }

    /// Sends the request, and checks the response against the OpenAPI document.
    pub(crate) async fn send(self, service: &Service) -> TestResponse {
        let mut request = Request::builder().method(self.method.clone()).uri(self.path);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let mut incoming = service.receive(&parts, self.arrival, Ids::of(&parts.headers));
        incoming.body = Body::new(self.body);
        let response = TestResponse::new(service.answer(&mut incoming).await);
        response.assert_documented(&self.method, self.path);
        response
    }
}

pub(crate) struct TestResponse {
    pub(crate) answer: Answer,
    /// The body, if it is JSON; else null.
    pub(crate) json: Value,
}

impl TestResponse {
    pub(crate) fn new(answer: Answer) -> Self {
        let json = serde_json::from_slice(answer.response.body()).unwrap_or(Value::Null);
        Self { answer, json }
    }

    pub(crate) fn status(&self) -> u16 {
        self.answer.response.status().as_u16()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.answer.response.headers().get_all(name).iter();
        let value = values.next().map(|value| value.to_str().unwrap());
        assert!(values.next().is_none(), "{name} twice");
        value
    }

    /// Asserts status 200 and returns the body.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.answer.response.status(), StatusCode::OK, "{}", self.json);
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json
    }

    /// Asserts a problem and returns the document.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> &Value {
        assert_eq!((self.status(), &self.json["code"]), (status, &json!(code)), "{}", self.json);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_problem(&self.json, status, code);
        assert_eq!(self.answer.outcome.end.name(), code);
        &self.json
    }

    fn assert_documented(&self, method: &Method, path: &str) {
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert!(self.header("x-request-id").is_some());
        let openapi: Value = serde_json::from_str(OPENAPI).unwrap();
        // The document describes HEAD by a sentence, since each path with GET supports it.
        let documented = if *method == Method::HEAD { &Method::GET } else { method };
        let path = path.split('?').next().unwrap();
        let operation = &openapi["paths"][path][documented.as_str().to_ascii_lowercase()];
        if operation.is_null() {
            // The document describes unknown paths and methods by a sentence.
            assert!([404, 405].contains(&self.status()));
            return;
        }
        if path == "/metrics" && self.status() == 404 {
            return;
        }
        let content_type = self.header("content-type").unwrap();
        let essence = content_type.split(';').next().unwrap();
        let schema = &operation["responses"][self.status().to_string()]["content"][essence]["schema"];
        assert!(!schema.is_null(), "{method} {path}: {} {essence} is not documented", self.status());
        if essence.ends_with("json") {
            assert_valid(&openapi, schema, &self.json);
        }
    }
}

/// Asserts the members of every problem.
#[track_caller]
pub(crate) fn assert_problem(problem: &Value, status: u16, code: &str) {
    assert_eq!(problem["type"], format!("urn:saltern:problem:{code}"));
    assert_eq!((&problem["status"], &problem["code"]), (&json!(status), &json!(code)));
    assert!(problem["title"].is_string() && problem["detail"].is_string());
    let may_be_repeated = ["draining", "overloaded"].contains(&code);
    assert_eq!(may_be_repeated, problem["retry_after_ms"].is_u64(), "{problem}");
}

fn assert_valid(openapi: &Value, schema: &Value, instance: &Value) {
    assert!(is_valid(openapi, schema, instance), "not as documented: {instance}");
}

pub(crate) fn is_valid(openapi: &Value, schema: &Value, instance: &Value) -> bool {
    let mut whole = schema.clone();
    whole["components"] = openapi["components"].clone();
    jsonschema::validator_for(&whole).unwrap().is_valid(instance)
}

/// A hash of a password by a policy, made by the service.
pub(crate) async fn made(service: &Service, password: &str, policy: &str) -> String {
    let made = post("/hash", &json!({"password": password, "policy": policy})).send(service).await.ok();
    assert_eq!(made["policy"], policy);
    made["hash"].as_str().unwrap().to_owned()
}
