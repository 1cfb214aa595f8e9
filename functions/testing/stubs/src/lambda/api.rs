//! The server: sends events to the polls of a function, and receives the responses.
//!
//! One internal extension may register, and gets the same events as from Lambda.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    http::{Request, Response, Stub},
    watched::Watched,
};

/// One event for the function.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The bytes for the function: usually JSON, but a test may send any bytes.
    pub event: Vec<u8>,
    /// The time of the function for this event.
    pub timeout: Duration,
    /// Further headers. They replace headers of the same name that Lambda always sends.
    pub headers: Vec<(String, String)>,
}

impl Invocation {
    /// Makes an invocation with 30 s, the default timeout of Saltern's function.
    #[must_use]
    pub fn new(event: impl Into<Vec<u8>>) -> Self {
        Self { event: event.into(), timeout: Duration::from_secs(30), headers: Vec::new() }
    }

    /// Sets the timeout.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Adds a header, or replaces its value.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the response of the function.
    Response(Vec<u8>),
    /// With an error that the function reported.
    Error(Vec<u8>),
}

/// An invocation that may not have ended yet.
#[derive(Debug)]
pub struct Pending {
    shared: Arc<Watched<State>>,
    /// The request id that the function gets.
    pub request_id: String,
}

impl Pending {
    /// Waits for the end. Returns `None` after the timeout.
    #[must_use]
    pub fn wait(&self, timeout: Duration) -> Option<Ended> {
        self.shared.wait(timeout, |state| state.ended.remove(&self.request_id))
    }
}

/// The server. Dropping it closes the connections of the open polls.
#[derive(Debug)]
pub struct RuntimeApi {
    shared: Arc<Watched<State>>,
    stub: Stub,
}

impl RuntimeApi {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start() -> io::Result<Self> {
        let shared = Arc::<Watched<State>>::default();
        let serving = Arc::clone(&shared);
        let stub = Stub::start(move |request| answer(request, &serving))?;
        Ok(Self { shared, stub })
    }

    /// Returns the value for `AWS_LAMBDA_RUNTIME_API`.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.stub.address()
    }

    /// Sends an event to the next poll.
    #[must_use]
    pub fn invoke(&self, invocation: Invocation) -> Pending {
        let request_id = self.shared.change(|state| {
            state.sent += 1;
            // Lambda's ids are UUIDs.
            let request_id = format!("00000000-0000-4000-8000-{:012x}", state.sent);
            state.waiting.push_back((request_id.clone(), invocation));
            request_id
        });
        Pending { shared: Arc::clone(&self.shared), request_id }
    }

    /// Whether the first of these invocations ended before the second one.
    #[must_use]
    pub fn ended_before(&self, first: &Pending, second: &Pending) -> bool {
        let order = &self.shared.lock().order;
        let place = |own: &Pending| order.iter().position(|ended| *ended == own.request_id);
        place(first).is_some_and(|first| place(second).is_none_or(|second| first < second))
    }

    /// Returns the moment of the function's first poll, or `None` after the timeout.
    #[must_use]
    pub fn first_poll(&self, timeout: Duration) -> Option<Instant> {
        self.shared.wait(timeout, |state| state.first_poll)
    }

    /// Waits until this number of polls is open.
    ///
    /// # Errors
    /// The number of open polls after the timeout.
    pub fn open_polls(&self, wanted: usize, timeout: Duration) -> Result<(), usize> {
        let reached = self.shared.wait(timeout, |state| (state.polling >= wanted).then_some(()));
        reached.ok_or_else(|| self.shared.lock().polling)
    }

    /// Waits until the environment is idle, so that Lambda would freeze it. Returns `false` after
    /// the timeout.
    ///
    /// In an idle environment the function polls for its next event. The extension does too, if one
    /// has registered.
    #[must_use]
    pub fn is_idle(&self, timeout: Duration) -> bool {
        let is_idle = |state: &mut State| {
            let extension_is_idle = state.extension.as_ref().is_none_or(|extension| extension.is_waiting);
            let function_is_idle = state.waiting.is_empty() && state.running.is_empty() && state.polling > 0;
            (function_is_idle && extension_is_idle).then_some(())
        };
        self.shared.wait(timeout, is_idle).is_some()
    }

    /// Returns the events for which the extension has registered; `None` without an extension.
    #[must_use]
    pub fn extension_events(&self) -> Option<Vec<String>> {
        self.shared.lock().extension.as_ref().map(|extension| extension.events.clone())
    }

    /// Breaks the connections of this number of polls of the extension, from the open poll on.
    pub fn break_extension_polls(&self, polls: usize) {
        self.shared.change(|state| {
            if let Some(extension) = &mut state.extension {
                extension.is_waiting = false;
                extension.breaks = polls;
            }
        });
    }

    /// Returns the error of a failed start that the function reported, or `None` after the timeout.
    #[must_use]
    pub fn init_error(&self, timeout: Duration) -> Option<Vec<u8>> {
        self.shared.wait(timeout, |state| state.init_error.clone())
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.shared.change(|state| state.is_closed = true);
    }
}

#[derive(Debug, Default)]
struct State {
    sent: u64,
    waiting: VecDeque<(String, Invocation)>,
    running: Vec<String>,
    ended: HashMap<String, Ended>,
    /// The invocations that have ended, in their order.
    order: Vec<String>,
    extension: Option<Extension>,
    polling: usize,
    first_poll: Option<Instant>,
    init_error: Option<Vec<u8>>,
    is_closed: bool,
}

/// A registered extension.
#[derive(Debug, Default)]
struct Extension {
    events: Vec<String>,
    unsent: VecDeque<Value>,
    is_waiting: bool,
    /// The number of polls that are still to be broken.
    breaks: usize,
}

impl State {
    /// Takes the next event for the function.
    fn next(&mut self) -> Option<(String, Invocation)> {
        let (request_id, invocation) = self.waiting.pop_front()?;
        self.polling -= 1;
        self.running.push(request_id.clone());
        if let Some(extension) =
            self.extension.as_mut().filter(|own| own.events.iter().any(|e| e == "INVOKE"))
        {
            extension.is_waiting = false;
            extension.unsent.push_back(json!({
                "eventType": "INVOKE",
                "deadlineMs": deadline_ms(&invocation),
                "requestId": request_id,
                "invokedFunctionArn": ARN,
                "tracing": {"type": "X-Amzn-Trace-Id", "value": TRACE_ID},
            }));
        }
        Some((request_id, invocation))
    }

    /// Ends an invocation. Returns `false` if no invocation of this id is running.
    fn end(&mut self, request_id: &str, ended: Ended) -> bool {
        let Some(position) = self.running.iter().position(|running| running == request_id) else {
            return false;
        };
        self.running.swap_remove(position);
        self.ended.insert(request_id.to_owned(), ended);
        self.order.push(request_id.to_owned());
        true
    }

    /// Registers an extension. Returns `false` if the body is not a registration, or if an
    /// extension has registered before.
    fn register(&mut self, body: &[u8]) -> bool {
        let registration: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(events) = registration["events"].as_array().filter(|_| self.extension.is_none()) else {
            return false;
        };
        let events = events.iter().filter_map(|event| event.as_str().map(str::to_owned)).collect();
        self.extension = Some(Extension { events, ..Extension::default() });
        true
    }

    /// Takes the next event for the extension. The poll breaks without an extension, if the server
    /// is dropped, or if a test breaks it.
    fn next_of_extension(&mut self) -> Option<Poll<Value>> {
        let is_closed = self.is_closed;
        let Some(extension) = self.extension.as_mut().filter(|_| !is_closed) else {
            return Some(Poll::Breaks);
        };
        if extension.breaks > 0 {
            extension.breaks -= 1;
            return Some(Poll::Breaks);
        }
        let event = extension.unsent.pop_front();
        extension.is_waiting = event.is_none();
        event.map(Poll::Gets)
    }
}

/// The end of a poll.
enum Poll<Event> {
    Gets(Event),
    Breaks,
}

/// Answers the function and its extension. `None` closes the connection.
fn answer(request: Request, shared: &Watched<State>) -> Option<Response> {
    let Request { method, path, body, .. } = request;
    let path: Vec<_> = path.trim_start_matches('/').split('/').collect();
    let is_accepted = match (method.as_str(), path.as_slice()) {
        ("GET", [RUNTIME, "runtime", "invocation", "next"]) => return next_event(shared),
        ("POST", [RUNTIME, "runtime", "invocation", id, "response"]) => {
            shared.change(|state| state.end(id, Ended::Response(body)))
        }
        ("POST", [RUNTIME, "runtime", "invocation", id, "error"]) => {
            shared.change(|state| state.end(id, Ended::Error(body)))
        }
        ("POST", [RUNTIME, "runtime", "init", "error"]) => {
            shared.change(|state| state.init_error = Some(body));
            true
        }
        ("GET", [EXTENSIONS, "extension", "event", "next"]) => return next_event_of_extension(shared),
        ("POST", [EXTENSIONS, "extension", "register"]) => {
            return Some(if shared.change(|state| state.register(&body)) {
                let id = [("Lambda-Extension-Identifier", EXTENSION_ID)];
                Response::new(200, &id, r#"{"functionName":"saltern"}"#)
            } else {
                Response::new(403, &[], r#"{"errorType":"Extension.Refused"}"#)
            });
        }
        _ => false,
    };
    Some(if is_accepted {
        Response::new(202, &[], r#"{"status":"OK"}"#)
    } else {
        Response::new(400, &[], r#"{"errorType":"InvalidRequestID"}"#)
    })
}

/// Waits for the function's next event. Returns `None` if the server is dropped.
fn next_event(shared: &Watched<State>) -> Option<Response> {
    shared.change(|state| {
        state.first_poll.get_or_insert_with(Instant::now);
        state.polling += 1;
    });
    let next = |state: &mut State| {
        if state.is_closed { Some(Poll::Breaks) } else { state.next().map(Poll::Gets) }
    };
    let Poll::Gets((request_id, invocation)) = shared.wait(Duration::MAX, next)? else { return None };
    let deadline_ms = deadline_ms(&invocation).to_string();
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Lambda-Runtime-Aws-Request-Id", request_id.as_str()),
        ("Lambda-Runtime-Deadline-Ms", deadline_ms.as_str()),
        ("Lambda-Runtime-Invoked-Function-Arn", ARN),
        ("Lambda-Runtime-Trace-Id", TRACE_ID),
    ];
    for (name, value) in &invocation.headers {
        headers.retain(|(usual, _)| !usual.eq_ignore_ascii_case(name));
        headers.push((name.as_str(), value.as_str()));
    }
    Some(Response::new(200, &headers, invocation.event))
}

/// Waits for the extension's next event. Returns `None` if the poll breaks.
fn next_event_of_extension(shared: &Watched<State>) -> Option<Response> {
    // Whoever waits for an idle environment sees that the extension polls.
    let first = shared.change(State::next_of_extension);
    let next = first.or_else(|| shared.wait(Duration::MAX, State::next_of_extension))?;
    let Poll::Gets(event) = next else { return None };
    Some(Response::new(200, &[], event.to_string()))
}

fn deadline_ms(invocation: &Invocation) -> u64 {
    let deadline = SystemTime::now() + invocation.timeout;
    let since_1970 = deadline.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

/// The version of the Runtime API.
const RUNTIME: &str = "2018-06-01";

/// The version of the Extensions API.
const EXTENSIONS: &str = "2020-01-01";

const EXTENSION_ID: &str = "00000000-0000-4000-8000-eeeeeeeeeeee";

const ARN: &str = "arn:aws:lambda:eu-north-1:123456789012:function:saltern";

const TRACE_ID: &str = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1";
