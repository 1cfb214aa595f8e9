//! A function under test: the real binary, which polls a stub of the Runtime API.

use std::{
    env,
    ffi::OsString,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use saltern_stubs::lambda::{Ended, Environment, Invocation, Output, Pending, RuntimeApi};
use serde_json::{Value, json};

/// A running function.
pub(crate) struct Function {
    pub(crate) api: RuntimeApi,
    pub(crate) environment: Environment,
}

impl Function {
    /// Starts the function as classic Lambda does.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the function with further variables, and waits for its first poll.
    pub(crate) fn start_with(variables: &[(&str, &str)]) -> Self {
        let api = RuntimeApi::start().unwrap();
        let environment = Environment::start(&bootstrap(), &api, variables).unwrap();
        api.first_poll(SOON).expect("the function polls");
        Self { api, environment }
    }

    /// Sends a request by a direct `Invoke`, and returns the response.
    pub(crate) fn request(&self, method: &str, path: &str, body: &Value) -> Response {
        self.event(&event(method, path, body))
    }

    /// Sends an event, and returns the response.
    pub(crate) fn event(&self, event: &Value) -> Response {
        self.invoke(Invocation::new(event.to_string()))
    }

    /// Sends an invocation, and returns the response.
    pub(crate) fn invoke(&self, invocation: Invocation) -> Response {
        Response::of(&self.api.invoke(invocation))
    }

    /// Ends the function, and returns its output.
    pub(crate) fn stop(self) -> Output {
        self.environment.stop().unwrap()
    }
}

/// A response of the function.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u64,
    pub(crate) headers: Value,
    pub(crate) body: Value,
    /// The whole payload.
    pub(crate) text: String,
}

impl Response {
    pub(crate) fn of(pending: &Pending) -> Self {
        let ended = pending.wait(SOON).expect("the function responds");
        let Ended::Response(bytes) = ended else { panic!("the function reported an error: {ended:?}") };
        let text = String::from_utf8(bytes).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        let members: Vec<_> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["body", "cookies", "headers", "isBase64Encoded", "statusCode"]);
        assert_eq!(answer["isBase64Encoded"], json!(false));
        let body = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
        let (status, headers) = (answer["statusCode"].as_u64().unwrap(), answer["headers"].clone());
        Self { status, headers, body, text }
    }

    /// Asserts that the response is a problem document with this code.
    pub(crate) fn assert_problem(&self, status: u64, code: &str) {
        assert_eq!((self.status, &self.body["code"]), (status, &json!(code)), "{self:?}");
        assert_eq!(self.headers["content-type"], json!("application/problem+json"));
    }
}

/// Marsaglia's xorshift generator. The same seed repeats the same numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Takes the seed from `SALTERN_TEST_SEED`, so that a run can be repeated.
    pub(crate) fn seeded() -> Self {
        let given = env::var("SALTERN_TEST_SEED").ok().map(|seed| seed.parse().unwrap());
        let nanos = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
        // The seed must not be 0, which gives only zeroes.
        Self(given.unwrap_or_else(|| u64::from(nanos())) | 1)
    }

    pub(crate) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Returns a minimal event.
pub(crate) fn event(method: &str, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { Value::Null } else { Value::String(body.to_string()) };
    json!({
        "version": "2.0",
        "rawPath": path,
        "requestContext": {"http": {"method": method}},
        "headers": {"content-type": "application/json"},
        "body": body,
        "isBase64Encoded": false,
    })
}

/// Returns the command of `bootstrap`: the binary of this build, or the command line in
/// `SALTERN_TEST_BOOTSTRAP`, such as `qemu-aarch64 dist/bootstrap`.
pub(crate) fn bootstrap() -> Vec<OsString> {
    match env::var(OTHER_BOOTSTRAP) {
        Ok(command) => command.split_ascii_whitespace().map(OsString::from).collect(),
        Err(_) => vec![env!("CARGO_BIN_EXE_bootstrap").into()],
    }
}

/// Whether the binary is a release build. `package` makes only release builds.
pub(crate) fn is_release() -> bool {
    env::var_os(OTHER_BOOTSTRAP).is_some() || !cfg!(debug_assertions)
}

const OTHER_BOOTSTRAP: &str = "SALTERN_TEST_BOOTSTRAP";

/// A timeout that is long enough for an emulated processor on a busy machine.
pub(crate) const SOON: Duration = Duration::from_mins(1);
