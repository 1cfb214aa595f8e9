//! The server: sends events to the polls of a function, and receives the responses.
//!
//! One internal extension may register, and gets the same events as from Lambda.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::{SocketAddr, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use crate::http::{self, Request};

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
    shared: Arc<Shared>,
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
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl RuntimeApi {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (accepting, serving) = (Arc::clone(&shared), Arc::clone(&shared));
        let is_closed = move || accepting.lock().closed;
        let address = http::listen("runtime-api", is_closed, move |connection| serve(connection, &serving))?;
        Ok(Self { shared, address })
    }

    /// Returns the value for `AWS_LAMBDA_RUNTIME_API`.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends an event to the next poll.
    #[must_use]
    pub fn invoke(&self, invocation: Invocation) -> Pending {
        let mut state = self.shared.lock();
        state.sent += 1;
        // Lambda's ids are UUIDs.
        let request_id = format!("00000000-0000-4000-8000-{:012x}", state.sent);
        state.waiting.push_back((request_id.clone(), invocation));
        drop(state);
        self.shared.changed.notify_all();
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
        let mut state = self.shared.lock();
        if let Some(extension) = &mut state.extension {
            extension.is_waiting = false;
            extension.breaks = polls;
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Returns the error of a failed start that the function reported, or `None` after the timeout.
    #[must_use]
    pub fn init_error(&self, timeout: Duration) -> Option<Vec<u8>> {
        self.shared.wait(timeout, |state| state.init_error.clone())
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // This wakes the accepting thread.
        let _refused = TcpStream::connect(self.address);
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
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
    closed: bool,
}

/// A registered extension.
#[derive(Debug, Default)]
struct Extension {
    events: Vec<String>,
    unsent: VecDeque<String>,
    is_waiting: bool,
    /// The number of polls that are still to be broken.
    breaks: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<T>(&self, timeout: Duration, find: impl Fn(&mut State) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + timeout;
        let mut state = self.lock();
        loop {
            let result = find(&mut state);
            if result.is_some() {
                return result;
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Blocks until the next event. Returns `None` if the server is dropped.
    fn next(&self) -> Option<(String, Invocation)> {
        let mut state = self.lock();
        state.first_poll.get_or_insert_with(Instant::now);
        state.polling += 1;
        self.changed.notify_all();
        let next = loop {
            if state.closed {
                break None;
            }
            if let Some((request_id, invocation)) = state.waiting.pop_front() {
                state.running.push(request_id.clone());
                state.notify_extension(&request_id, &invocation);
                self.changed.notify_all();
                break Some((request_id, invocation));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.polling -= 1;
        next
    }

    /// Registers an extension. Returns `false` if the body is not a registration, or if an
    /// extension has registered before.
    fn register(&self, body: &[u8]) -> bool {
        let mut state = self.lock();
        // The body is {"events":["INVOKE"]}; only the names matter.
        let body = String::from_utf8_lossy(body);
        let known = ["INVOKE", "SHUTDOWN"].into_iter().filter(|event| body.contains(&format!("\"{event}\"")));
        let events: Vec<String> = known.map(str::to_owned).collect();
        if state.extension.is_some() || !body.contains("\"events\"") {
            return false;
        }
        state.extension = Some(Extension { events, ..Extension::default() });
        true
    }

    /// Blocks until the next event for the extension. Returns `None` without an extension, if the
    /// server is dropped, or if the poll is to be broken.
    fn next_for_extension(&self) -> Option<String> {
        let mut state = self.lock();
        loop {
            let closed = state.closed;
            let extension = state.extension.as_mut()?;
            if closed {
                return None;
            }
            if extension.breaks > 0 {
                extension.breaks -= 1;
                return None;
            }
            if let Some(event) = extension.unsent.pop_front() {
                extension.is_waiting = false;
                return Some(event);
            }
            extension.is_waiting = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends an invocation. Returns `false` if no invocation of this id is running.
    fn end(&self, request_id: &str, ended: Ended) -> bool {
        let mut state = self.lock();
        let Some(position) = state.running.iter().position(|running| running == request_id) else {
            return false;
        };
        state.running.swap_remove(position);
        state.ended.insert(request_id.to_owned(), ended);
        state.order.push(request_id.to_owned());
        self.changed.notify_all();
        true
    }
}

impl State {
    fn notify_extension(&mut self, request_id: &str, invocation: &Invocation) {
        let Some(extension) = self.extension.as_mut().filter(|own| own.events.iter().any(|e| e == "INVOKE"))
        else {
            return;
        };
        let deadline_ms = deadline_ms(invocation);
        extension.is_waiting = false;
        extension.unsent.push_back(format!(
            r#"{{"eventType":"INVOKE","deadlineMs":{deadline_ms},"requestId":"{request_id}","invokedFunctionArn":"{ARN}","tracing":{{"type":"X-Amzn-Trace-Id","value":"{TRACE_ID}"}}}}"#
        ));
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = io::BufReader::new(connection);
    while let Some(request) = http::read(&mut reader)? {
        if !respond(connection, request, shared)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Responds to one request. Returns `false` if the connection is to be closed.
fn respond(connection: &TcpStream, request: Request, shared: &Shared) -> io::Result<bool> {
    if let Some(path) = request.path.strip_prefix(EXTENSIONS_VERSION) {
        return respond_to_extension(connection, path, &request, shared);
    }
    let Some(path) = request.path.strip_prefix(VERSION) else {
        return http::write(connection, 404, &[], b"{}").map(|()| true);
    };
    let accepted = match (request.method.as_str(), path.split('/').collect::<Vec<_>>().as_slice()) {
        ("GET", ["invocation", "next"]) => {
            let Some((request_id, invocation)) = shared.next() else { return Ok(false) };
            let headers = headers(&request_id, &invocation);
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            return http::write(connection, 200, &headers, &invocation.event).map(|()| true);
        }
        ("POST", ["invocation", id, "response"]) => shared.end(id, Ended::Response(request.body)),
        ("POST", ["invocation", id, "error"]) => shared.end(id, Ended::Error(request.body)),
        ("POST", ["init", "error"]) => {
            shared.lock().init_error = Some(request.body);
            shared.changed.notify_all();
            true
        }
        _ => false,
    };
    let (status, body): (u16, &[u8]) =
        if accepted { (202, b"{\"status\":\"OK\"}") } else { (400, b"{\"errorType\":\"InvalidRequestID\"}") };
    http::write(connection, status, &[], body).map(|()| true)
}

/// Responds to a request of an extension. Returns `false` if the connection is to be closed.
fn respond_to_extension(
    connection: &TcpStream,
    path: &str,
    request: &Request,
    shared: &Shared,
) -> io::Result<bool> {
    match (request.method.as_str(), path) {
        ("POST", "register") if shared.register(&request.body) => {
            let id = ("Lambda-Extension-Identifier", EXTENSION_ID);
            http::write(connection, 200, &[id], b"{\"functionName\":\"saltern\"}").map(|()| true)
        }
        ("GET", "event/next") => {
            let Some(event) = shared.next_for_extension() else { return Ok(false) };
            http::write(connection, 200, &[], event.as_bytes()).map(|()| true)
        }
        _ => http::write(connection, 403, &[], b"{\"errorType\":\"Extension.Refused\"}").map(|()| true),
    }
}

fn headers(request_id: &str, invocation: &Invocation) -> Vec<(String, String)> {
    let deadline_ms = deadline_ms(invocation);
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Lambda-Runtime-Aws-Request-Id".to_owned(), request_id.to_owned()),
        ("Lambda-Runtime-Deadline-Ms".to_owned(), deadline_ms.to_string()),
        ("Lambda-Runtime-Invoked-Function-Arn".to_owned(), ARN.to_owned()),
        ("Lambda-Runtime-Trace-Id".to_owned(), TRACE_ID.to_owned()),
    ];
    for (name, value) in &invocation.headers {
        headers.retain(|(usual, _)| !usual.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.clone()));
    }
    headers
}

fn deadline_ms(invocation: &Invocation) -> u128 {
    let deadline = SystemTime::now() + invocation.timeout;
    deadline.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis()
}

/// Prefix of the paths of the Runtime API.
const VERSION: &str = "/2018-06-01/runtime/";

/// Prefix of the paths of the Extensions API.
const EXTENSIONS_VERSION: &str = "/2020-01-01/extension/";

const EXTENSION_ID: &str = "00000000-0000-4000-8000-eeeeeeeeeeee";

const ARN: &str = "arn:aws:lambda:eu-north-1:123456789012:function:saltern";

const TRACE_ID: &str = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1";
