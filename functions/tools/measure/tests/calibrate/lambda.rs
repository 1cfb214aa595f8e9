//! A stub of Lambda's API with a function that answers ordinary requests. It computes nothing: a
//! formula gives the times.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use saltern_encoded::{Params, bcrypt, pbkdf2::Prf};
use saltern_stubs::http::{Request, Response, Stub};
use serde_json::{Value, json};

/// The behaviour of the stub.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    /// Answers; bcrypt costs above this exceed the function's ceiling.
    Measuring { most_bcrypt_cost: u32 },
    /// Answers; longer work exceeds the deadline.
    EndingAfter { ms: f64 },
    /// As before, but the function finds out too late: Lambda ends it.
    TimingOutAfter { ms: f64 },
    /// Answers every operation with this problem.
    Failing { status: u16, code: &'static str },
    /// Refuses as Lambda itself does, with this status and error code.
    Refusing { status: u16, code: &'static str },
    /// Answers as another function, or as one that failed.
    Saying { error: bool, payload: &'static str },
}

pub(crate) struct Lambda {
    pub(crate) stub: Stub,
    calls: Arc<Mutex<Vec<Request>>>,
}

impl Lambda {
    pub(crate) fn start(mood: Mood) -> Self {
        let calls = Arc::<Mutex<Vec<Request>>>::default();
        let (noted, sent) = (Arc::clone(&calls), Mutex::default());
        let stub = Stub::start(move |request| Some(respond(request, mood, &noted, &sent))).unwrap();
        Self { stub, calls }
    }

    /// Returns the calls since the last time.
    pub(crate) fn calls(&self) -> Vec<Request> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

type Sent = HashMap<Vec<u8>, usize>;

fn respond(request: Request, mood: Mood, noted: &Mutex<Vec<Request>>, sent: &Mutex<Sent>) -> Response {
    let (status, header, payload) = match mood {
        Mood::Refusing { status, code } => {
            (status, Some(("x-amzn-errortype", code)), r#"{"Message":"from the stub"}"#.to_owned())
        }
        _ if request.method == "GET" => {
            (200, None, json!({"MemorySize": 1769, "Architectures": ["arm64"]}).to_string())
        }
        Mood::Saying { error, payload } => (200, error.then_some(UNHANDLED), payload.to_owned()),
        _ => match answer(&request.body, mood, &mut sent.lock().unwrap()) {
            Some(answer) => (200, None, answer.to_string()),
            None => (200, Some(UNHANDLED), TIMED_OUT.to_owned()),
        },
    };
    noted.lock().unwrap().push(request);
    Response::new(status, header.as_slice(), payload)
}

/// Answers an event as the function does; `None` if it times out. `sent` counts equal events.
fn answer(event: &[u8], mood: Mood, sent: &mut Sent) -> Option<Value> {
    let count = sent.entry(event.to_owned()).or_default();
    *count += 1;
    let event: Value = serde_json::from_slice(event).unwrap();
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap_or_default();
    let response = |status: u16, timing: &str, body: &Value| {
        json!({"statusCode": status, "headers": {"server-timing": timing}, "body": body.to_string(),
               "isBase64Encoded": false, "cookies": []})
    };
    let (is_batch, operations) = match event["rawPath"].as_str().unwrap() {
        "/policies" => return Some(response(200, "", &json!({"policies": listed()}))),
        "/batch" => (true, body["operations"].as_array().unwrap().clone()),
        _ => (false, vec![body]),
    };
    let params = params_of(&operations[0]);
    let Time { queue_ms, hash_ms } = Time::of(params, operations.len());
    let is_too_long = |most_ms| queue_ms + hash_ms > most_ms;
    let (status, code) = match (mood, params) {
        (Mood::Measuring { most_bcrypt_cost }, Params::Bcrypt(params))
            if params.cost() > most_bcrypt_cost =>
        {
            (422, "cost_out_of_bounds")
        }
        (Mood::EndingAfter { ms }, _) if is_too_long(ms) => (503, "deadline_exceeded"),
        (Mood::TimingOutAfter { ms }, _) if is_too_long(ms) => return None,
        (Mood::Failing { status, code }, _) => (status, code),
        _ => (200, ""),
    };
    // A cold start, and then a spread whose median is 1 only without it.
    let noise = [10.0, 1.1, 1.1, 1.0, 0.9, 0.9][(*count - 1) % 6];
    // The time of one hash in the queue does not count.
    let queue_ms = if is_batch { noise * queue_ms } else { 7.0 };
    let timing = format!("queue;dur={queue_ms:.3}, hash;dur={:.3}", noise * hash_ms);
    let problem = json!({"code": code, "detail": "from the stub"});
    Some(match (status, is_batch) {
        (200, _) => response(200, &timing, &json!({"results": []})),
        (_, true) => response(200, "", &json!({"results": [{"status": status, "problem": problem}]})),
        (_, false) => response(status, "", &problem),
    })
}

/// The policies of the function: it refuses new hashes of the second.
fn listed() -> Value {
    json!([
        {"id": LISTED, "algorithm": "bcrypt", "status": "active", "cost": 12},
        {"id": "bcrypt-9-old", "algorithm": "bcrypt", "status": "verify-only", "cost": 9},
    ])
}

fn params_of(operation: &Value) -> Params {
    if operation["policy"] == LISTED {
        return bcrypt::Params::new(12).map(Params::Bcrypt).unwrap();
    }
    let stored = saltern_encoded::parse(operation["hash"].as_str().unwrap()).unwrap();
    stored.setting().params().unwrap()
}

/// Eight bcrypt take twice the time of one. Others take turns.
struct Time {
    queue_ms: f64,
    hash_ms: f64,
}

impl Time {
    fn of(params: Params, hashes: usize) -> Self {
        let one = one_ms(params);
        let (hash_ms, turns) = match params {
            Params::Bcrypt(_) if hashes > 1 => (2.0 * one, hashes.div_ceil(8)),
            _ => (one, hashes),
        };
        Self { queue_ms: hash_ms * f64::from(u32::try_from(turns - 1).unwrap()), hash_ms }
    }
}

/// Returns a time that is about as on Graviton.
fn one_ms(params: Params) -> f64 {
    match params {
        Params::Argon2(params) => 0.001 * f64::from(params.memory_kib()) * f64::from(params.passes()),
        Params::Bcrypt(params) => 0.05 * 2_f64.powi(i32::try_from(params.cost()).unwrap()),
        Params::Pbkdf2(params) if params.prf() == Prf::Sha256 => 0.000_2 * f64::from(params.iterations()),
        Params::Pbkdf2(params) => 0.000_49 * f64::from(params.iterations()),
        Params::Scrypt(params) => {
            0.000_2 * 2_f64.powi(i32::from(params.log_n())) * f64::from(params.r() * params.p())
        }
    }
}

const LISTED: &str = "bcrypt-12-listed";

const UNHANDLED: (&str, &str) = ("x-amz-function-error", "Unhandled");

const TIMED_OUT: &str = r#"{"errorType":"Sandbox.Timedout","errorMessage":"RequestId: 0 Error: Task timed out after 3.00 seconds"}"#;
