//! The server: hands out events to whoever polls, and takes the answers. One internal extension may register; it hears
//! of each event as Lambda would tell it.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};

use crate::http::{self, Request};

/// One event for the function.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What the function gets: usually JSON, but a test may send anything.
    pub event: Vec<u8>,
    /// The function's time, from now on.
    pub timeout: Duration,
    /// Headers beside those that Lambda always sends, or in their place.
    pub headers: Vec<(String, String)>,
}

impl Invocation {
    /// An event with the default time of a function of ours.
    #[must_use]
    pub fn new(event: impl Into<Vec<u8>>) -> Self {
        Self { event: event.into(), timeout: Duration::from_secs(30), headers: Vec::new() }
    }

    /// The same with another time.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The same with one header more, or another value of one.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The function answered.
    Response(Vec<u8>),
    /// The function reported an error.
    Error(Vec<u8>),
}

/// An invocation on its way.
#[derive(Debug)]
pub struct Pending {
    shared: Arc<Shared>,
    /// The id that the function is told.
    pub request_id: String,
}

impl Pending {
    /// Waits for the end; `None` where the time ran out.
    #[must_use]
    pub fn wait(&self, timeout: Duration) -> Option<Ended> {
        self.shared.wait(timeout, |state| state.ended.remove(&self.request_id))
    }
}

/// The server. Dropping it ends the open polls.
#[derive(Debug)]
pub struct RuntimeApi {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl RuntimeApi {
    /// Listens on a free port of the loopback.
    ///
    /// # Errors
    /// [`io::Error`] where there is none.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::Builder::new().name("runtime-api".to_owned()).spawn(move || accept(&listener, &accepting))?;
        Ok(Self { shared, address })
    }

    /// What `AWS_LAMBDA_RUNTIME_API` says.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends an event to whoever polls next.
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

    /// When the function polled for the first time; `None` where the time ran out.
    #[must_use]
    pub fn first_poll(&self, timeout: Duration) -> Option<Instant> {
        self.shared.wait(timeout, |state| state.first_poll)
    }

    /// Waits until so many polls are open at once; the most that were where the time ran out.
    ///
    /// # Errors
    /// The number of polls that are open.
    pub fn open_polls(&self, wanted: usize, timeout: Duration) -> Result<(), usize> {
        let reached = self.shared.wait(timeout, |state| (state.polling >= wanted).then_some(()));
        reached.ok_or_else(|| self.shared.lock().polling)
    }

    /// Waits until the environment has nothing left to do and Lambda would freeze it: the function polls for its next
    /// event, and so does its extension, where it has one. Whether it came to that.
    #[must_use]
    pub fn is_at_rest(&self, timeout: Duration) -> bool {
        let at_rest = |state: &mut State| {
            let extension_rests = state.extension.as_ref().is_none_or(|extension| extension.is_waiting);
            let function_rests = state.waiting.is_empty() && state.running.is_empty() && state.polling > 0;
            (function_rests && extension_rests).then_some(())
        };
        self.shared.wait(timeout, at_rest).is_some()
    }

    /// What the function's extension has asked to hear of; `None` where none has registered.
    #[must_use]
    pub fn extension_events(&self) -> Option<Vec<String>> {
        self.shared.lock().extension.as_ref().map(|extension| extension.events.clone())
    }

    /// Breaks the connection of so many polls of the extension: the one that is open, and the next.
    pub fn break_extension_polls(&self, polls: usize) {
        let mut state = self.shared.lock();
        if let Some(extension) = &mut state.extension {
            extension.is_waiting = false;
            extension.breaks = polls;
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// The error that the function reported instead of starting; `None` where the time ran out.
    #[must_use]
    pub fn init_error(&self, timeout: Duration) -> Option<Vec<u8>> {
        self.shared.wait(timeout, |state| state.init_error.clone())
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // Wakes the thread that accepts.
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
    extension: Option<Extension>,
    polling: usize,
    first_poll: Option<Instant>,
    init_error: Option<Vec<u8>>,
    closed: bool,
}

/// What is known of a registered extension.
#[derive(Debug, Default)]
struct Extension {
    events: Vec<String>,
    untold: VecDeque<String>,
    is_waiting: bool,
    /// How many polls are yet to be broken.
    breaks: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<T>(&self, timeout: Duration, found: impl Fn(&mut State) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + timeout;
        let mut state = self.lock();
        loop {
            if let Some(found) = found(&mut state) {
                return Some(found);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Blocks until there is an event; `None` where the server ends.
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
                state.tell_extension(&request_id, &invocation);
                self.changed.notify_all();
                break Some((request_id, invocation));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.polling -= 1;
        next
    }

    /// Takes an extension; `false` where what it sent is no registration, or there is one.
    fn register(&self, body: &[u8]) -> bool {
        let mut state = self.lock();
        // {"events":["INVOKE"]}, of which only the names are wanted.
        let body = String::from_utf8_lossy(body);
        let known = ["INVOKE", "SHUTDOWN"].into_iter().filter(|event| body.contains(&format!("\"{event}\"")));
        let events: Vec<String> = known.map(str::to_owned).collect();
        if state.extension.is_some() || !body.contains("\"events\"") {
            return false;
        }
        state.extension = Some(Extension { events, ..Extension::default() });
        true
    }

    /// Blocks until there is an event for the extension; `None` where the server ends, none has registered, or the poll is to
    /// be broken.
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
            if let Some(event) = extension.untold.pop_front() {
                extension.is_waiting = false;
                return Some(event);
            }
            extension.is_waiting = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the end of an invocation that runs; `false` where there is none of that id.
    fn end(&self, request_id: &str, ended: Ended) -> bool {
        let mut state = self.lock();
        let Some(position) = state.running.iter().position(|running| running == request_id) else {
            return false;
        };
        state.running.swap_remove(position);
        state.ended.insert(request_id.to_owned(), ended);
        self.changed.notify_all();
        true
    }
}

impl State {
    fn tell_extension(&mut self, request_id: &str, invocation: &Invocation) {
        let Some(extension) = self.extension.as_mut().filter(|own| own.events.iter().any(|e| e == "INVOKE"))
        else {
            return;
        };
        let deadline_ms = deadline_ms(invocation);
        extension.is_waiting = false;
        extension.untold.push_back(format!(
            r#"{{"eventType":"INVOKE","deadlineMs":{deadline_ms},"requestId":"{request_id}","invokedFunctionArn":"{ARN}","tracing":{{"type":"X-Amzn-Trace-Id","value":"{TRACE_ID}"}}}}"#
        ));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.lock().closed {
            return;
        }
        let Ok(connection) = connection else { continue };
        let shared = Arc::clone(shared);
        let _handle = thread::spawn(move || {
            // A connection that breaks is the function's end, which the test sees for itself.
            let _broken = serve(&connection, &shared);
        });
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = io::BufReader::new(connection);
    while let Some(request) = http::read(&mut reader)? {
        if !answer(connection, request, shared)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Answers one request; `false` where the connection ends.
fn answer(connection: &TcpStream, request: Request, shared: &Shared) -> io::Result<bool> {
    if let Some(path) = request.path.strip_prefix(EXTENSIONS_VERSION) {
        return answer_extension(connection, path, &request, shared);
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

/// Answers a request of an extension; `false` where the connection ends.
fn answer_extension(
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

/// The version of the Runtime API that this is.
const VERSION: &str = "/2018-06-01/runtime/";

/// The version of the Extensions API that this is.
const EXTENSIONS_VERSION: &str = "/2020-01-01/extension/";

const EXTENSION_ID: &str = "00000000-0000-4000-8000-eeeeeeeeeeee";

const ARN: &str = "arn:aws:lambda:eu-north-1:123456789012:function:saltern";

const TRACE_ID: &str = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1";
