//! Honest callers, whose answers show the harm of an attack.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use saltern_stubs::http::Response;
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    attackers::at_rate,
    door::Door,
    hashes,
    http1::{Http1, deadline_ms, described, get, json_of, post},
    http2::Http2,
};

/// A request with the answer that is right.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    path: &'static str,
    headers: String,
    body: Option<Value>,
    wanted: fn(&Response) -> bool,
}

impl Request {
    /// The right password of a bcrypt hash of cost 10.
    pub(crate) fn bcrypt(deadline: u32) -> Self {
        Self {
            path: "/verify",
            headers: deadline_ms(deadline),
            body: Some(json!({"password": hashes::PASSWORD, "hash": hashes::BCRYPT_10})),
            wanted: |response| response.status == 200 && json_of(response)["match"] == true,
        }
    }

    /// A wrong password for the same hash.
    pub(crate) fn mismatch(deadline: u32) -> Self {
        Self {
            body: Some(json!({"password": "wrong", "hash": hashes::BCRYPT_10})),
            wanted: |response| response.status == 200 && json_of(response)["match"] == false,
            ..Self::bcrypt(deadline)
        }
    }

    /// The right password of a bcrypt hash of cost 10, with a new hash under the current policy.
    pub(crate) fn upgrade(deadline: u32) -> Self {
        Self {
            body: Some(json!({"password": hashes::PASSWORD, "hash": hashes::BCRYPT_10, "rehash": true})),
            wanted: |response| json_of(response)["rehashed"]["hash"].is_string(),
            ..Self::bcrypt(deadline)
        }
    }

    /// A guess at this hash. Whatever the answer is, it is right.
    pub(crate) fn guess(password: &str, hash: &str, deadline: u32) -> Self {
        Self {
            path: "/verify",
            headers: deadline_ms(deadline),
            body: Some(json!({"password": password, "hash": hash})),
            wanted: |response| response.status == 200,
        }
    }

    /// A request that costs no hash.
    pub(crate) fn get(path: &'static str) -> Self {
        Self { path, headers: String::new(), body: None, wanted: |response| response.status == 200 }
    }

    /// The request with a further header line.
    pub(crate) fn with(mut self, header: &str) -> Self {
        self.headers.push_str(header);
        self
    }

    /// Sends the request as a stream of this connection.
    pub(crate) async fn over(&self, connection: &mut Http2) -> Outcome {
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        let answer = timeout(PATIENCE, connection.ask(self.path, &self.headers, body)).await;
        self.judged(answer.ok().and_then(Result::ok))
    }

    fn judged(&self, answer: Option<Response>) -> Outcome {
        match answer {
            Some(response) if (self.wanted)(&response) => Outcome::Right,
            Some(response) if response.status == 503 => Outcome::Refused,
            Some(response) => Outcome::Wrong(described(&response)),
            None => Outcome::Lost,
        }
    }

    fn written(&self) -> Vec<u8> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let headers = format!("{}x-request-id: {ID_PREFIX}{number}\r\n", self.headers);
        match &self.body {
            Some(body) => post(self.path, &headers, body),
            None => get(self.path, &headers),
        }
    }
}

/// The ids of honest requests in the log begin so.
pub(crate) const ID_PREFIX: &str = "honest-request-";

/// One call of an honest caller.
#[derive(Debug)]
pub(crate) struct Call {
    /// The time since the callers began.
    pub(crate) at: Duration,
    pub(crate) took: Duration,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    /// 503: the caller may ask another server.
    Refused,
    /// Another answer.
    Wrong(String),
    /// No answer.
    Lost,
}

/// The calls of all callers.
#[derive(Debug, Default)]
pub(crate) struct Calls(pub(crate) Vec<Call>);

impl Calls {
    pub(crate) fn count(&self, counts: impl Fn(&Outcome) -> bool) -> usize {
        self.0.iter().filter(|call| counts(&call.outcome)).count()
    }

    pub(crate) fn right(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Right)
    }

    /// Returns the number of right answers that took at most this time.
    pub(crate) fn right_within(&self, time: Duration) -> usize {
        self.0.iter().filter(|call| call.outcome == Outcome::Right && call.took <= time).count()
    }

    /// Returns the number of right answers in a time. Of an answer counts the part of its call that lies
    /// in this time.
    pub(crate) fn right_between(&self, from: Duration, to: Duration) -> f64 {
        let right = self.0.iter().filter(|call| call.outcome == Outcome::Right);
        let part = |call: &Call| {
            let within = (call.at + call.took).min(to).saturating_sub(call.at.max(from));
            within.as_secs_f64() / call.took.as_secs_f64()
        };
        right.map(part).sum()
    }

    pub(crate) fn refused(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Refused)
    }

    pub(crate) fn lost(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Lost)
    }

    pub(crate) fn wrong(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Wrong(_)))
    }

    /// Returns the right answers' time in milliseconds that this share of them does not exceed.
    pub(crate) fn percentile_ms(&self, share: f64) -> f64 {
        let right = self.0.iter().filter(|call| call.outcome == Outcome::Right);
        percentile(right.map(|call| call.took.as_secs_f64() * 1000.0).collect(), share)
    }

    /// The calls that began at this time or later.
    pub(crate) fn since(self, begun: Duration) -> Self {
        Self(self.0.into_iter().filter(|call| call.at >= begun).collect())
    }
}

/// Returns the value that this share of the values does not exceed, of no values 0.
pub(crate) fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (crate::figure::count(values.len()) * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// Whether calls share connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connections {
    Kept,
    /// Each call opens its own.
    New,
}

/// Calls at a fixed rate, without waiting for answers.
pub(crate) async fn open_loop(
    door: &Door,
    request: &Request,
    connections: Connections,
    per_second: f64,
    lasting: Duration,
) -> Calls {
    let kept = Arc::new(Kept { door: door.clone(), idle: Mutex::default(), connections });
    let begun = Instant::now();
    let call = |_| {
        let (kept, request) = (Arc::clone(&kept), request.clone());
        async move { kept.call(&request, begun).await }
    };
    Calls(at_rate(per_second, lasting, call).await)
}

/// So many calls of one caller, one after the other.
pub(crate) async fn in_a_row(door: &Door, request: &Request, times: usize) -> Calls {
    let kept = Kept { door: door.clone(), idle: Mutex::default(), connections: Connections::New };
    let (begun, mut calls) = (Instant::now(), Vec::new());
    for _ in 0..times {
        calls.push(kept.call(request, begun).await);
    }
    Calls(calls)
}

/// Calls of this many callers. Each waits for its answer before it asks again.
///
/// A caller pauses after a refusal. Otherwise refusals would take the processors from the hashes.
pub(crate) async fn closed_loop(door: &Door, request: &Request, callers: usize, lasting: Duration) -> Calls {
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..callers {
        let kept = Kept { door: door.clone(), idle: Mutex::default(), connections: Connections::Kept };
        let request = request.clone();
        running.spawn(async move {
            let mut calls = Vec::new();
            while begun.elapsed() < lasting {
                let call = kept.call(&request, begun).await;
                if call.outcome == Outcome::Refused {
                    sleep(AFTER_REFUSAL).await;
                }
                calls.push(call);
            }
            calls
        });
    }
    Calls(running.join_all().await.into_iter().flatten().collect())
}

/// Sends a request on a new connection and returns its response, if there is one in time.
pub(crate) async fn ask(door: &Door, request: &[u8]) -> io::Result<Response> {
    timeout(LONGEST, async { Http1::new(door.connect().await?).ask(request).await }).await?
}

/// Connections that wait for their next request.
struct Kept {
    door: Door,
    idle: Mutex<Vec<Http1>>,
    connections: Connections,
}

impl Kept {
    async fn call(&self, request: &Request, begun: Instant) -> Call {
        let now = Instant::now();
        let answer = timeout(PATIENCE, self.ask(&request.written())).await;
        let outcome = request.judged(answer.ok().and_then(Result::ok));
        Call { at: now - begun, took: now.elapsed(), outcome }
    }

    /// A kept connection may have been ended by the server. Then the request is sent once more, as
    /// every client does.
    async fn ask(&self, request: &[u8]) -> io::Result<Response> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut connection) = idle
            && let Ok(response) = connection.ask(request).await
        {
            return Ok(self.keep(connection, response));
        }
        let mut connection = Http1::new(self.door.connect().await?);
        let response = connection.ask(request).await?;
        Ok(self.keep(connection, response))
    }

    fn keep(&self, connection: Http1, response: Response) -> Response {
        if self.connections == Connections::Kept {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        response
    }
}

/// Longer than the longest deadline.
const LONGEST: Duration = Duration::from_secs(70);

/// Longer than every deadline of an honest caller.
const PATIENCE: Duration = Duration::from_secs(20);

/// The pause after a refusal in a closed loop. 32 callers then send at most 320 requests a second.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);
