//! The load generator: each thread keeps one connection and writes prepared bytes.

use core::{
    error::Error,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    time::Duration,
};
use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    sync::Mutex,
    thread,
    time::Instant,
};

use saltern_algorithm::compute;
use saltern_encoded::{Encoded, Params};
use saltern_meter::median;
use serde_json::json;

use crate::compare::kernels::{PASSWORD, admitted};

use super::{own_time, server::Server};

/// A request that is sent again and again.
pub(crate) struct Call {
    bytes: Vec<u8>,
}

impl Call {
    /// A verification of a password that matches a hash with these parameters.
    pub(crate) fn verify(params: Params) -> Result<Self, Box<dyn Error>> {
        Self::new(params, "")
    }

    /// The same with a deadline.
    pub(crate) fn verify_within(params: Params, deadline: Duration) -> Result<Self, Box<dyn Error>> {
        Self::new(params, &format!("Saltern-Deadline-Ms: {}\r\n", deadline.as_millis()))
    }

    fn new(params: Params, headers: &str) -> Result<Self, Box<dyn Error>> {
        let admitted = admitted(params)?;
        let output = compute(&admitted, PASSWORD.as_bytes())?;
        let stored = Encoded::new(admitted.setting().clone(), output.expose()).ok_or("no text")?;
        let body = json!({"password": PASSWORD, "hash": stored.to_string()}).to_string();
        let bytes = format!(
            "POST /verify HTTP/1.1\r\nHost: saltern\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Ok(Self { bytes: bytes.into() })
    }
}

/// The measurements of callers that send the next request after the response to the last.
pub(crate) struct Saturated {
    /// Responses a second.
    pub(crate) rate: f64,
    /// Median response time.
    pub(crate) median_ms: f64,
    /// Responses with status 503. On an idle machine so few callers do not fill the queue.
    pub(crate) refused: usize,
    /// CPU time for each response, of the service and the callers.
    pub(crate) cpu_seconds_each: f64,
}

pub(crate) fn closed_loop(
    server: &Server,
    call: &Call,
    callers: usize,
    window: Duration,
) -> Result<Saturated, Box<dyn Error>> {
    let times = Mutex::new(Vec::new());
    let refused = AtomicUsize::new(0);
    let (counts, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let (elapsed, cpu) = thread::scope(|scope| -> io::Result<(Duration, Duration)> {
        let threads: Vec<_> = (0..callers)
            .map(|_| {
                scope.spawn(|| -> io::Result<()> {
                    let mut caller = Caller::connect(server)?;
                    let mut own = Vec::new();
                    while !over.load(Relaxed) {
                        let start = Instant::now();
                        if caller.send(call)? == Response::Refused {
                            refused.fetch_add(1, Relaxed);
                            thread::sleep(AFTER_A_REFUSAL);
                            continue;
                        }
                        if counts.load(Relaxed) && !over.load(Relaxed) {
                            own.push(start.elapsed().as_secs_f64() * 1000.0);
                        }
                    }
                    times.lock().expect("no caller panics").append(&mut own);
                    Ok(())
                })
            })
            .collect();
        thread::sleep(WARM_UP);
        let (start, cpu_start) = (Instant::now(), own_time(server)?);
        counts.store(true, Relaxed);
        thread::sleep(window);
        over.store(true, Relaxed);
        let (elapsed, cpu) = (start.elapsed(), own_time(server)?.saturating_sub(cpu_start));
        threads.into_iter().try_for_each(|thread| thread.join().expect("no caller panics"))?;
        Ok((elapsed, cpu))
    })?;
    let times = times.into_inner().expect("no caller panics");
    if times.is_empty() {
        return Err("no response came within the measurement: give more --seconds".into());
    }
    Ok(Saturated {
        rate: count(times.len()) / elapsed.as_secs_f64(),
        median_ms: median(&times),
        refused: refused.into_inner(),
        cpu_seconds_each: cpu.as_secs_f64() / count(times.len()),
    })
}

/// A rate of requests that does not depend on the responses.
#[derive(Clone, Copy)]
pub(crate) struct Offered {
    /// Requests a second.
    pub(crate) rate: f64,
    /// The time after which a response is late.
    pub(crate) deadline: Duration,
    /// The length of the measurement, which begins when the queue is full.
    pub(crate) seconds: Duration,
}

/// The measurements under [`Offered`] requests.
pub(crate) struct Overloaded {
    /// Matches within the deadline, a second.
    pub(crate) goodput: f64,
    /// Median time of a 503; `None` if no request was refused.
    pub(crate) median_refusal_ms: Option<f64>,
    /// Matches after the deadline.
    pub(crate) late: usize,
    /// CPU time for each match in time, of the service and the callers, refusals included.
    pub(crate) cpu_seconds_each: f64,
}

pub(crate) fn open_loop(
    server: &Server,
    call: &Call,
    offered: Offered,
) -> Result<Overloaded, Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let (in_time, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let refusals = Mutex::new(Vec::new());
    let start = Instant::now() + TO_CONNECT;
    let (from, to) = (start + offered.deadline, start + offered.deadline + offered.seconds);
    let cpu = thread::scope(|scope| -> io::Result<Duration> {
        let threads: Vec<_> = (0..OPEN_LOOP_CALLERS)
            .map(|_| {
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || -> io::Result<()> {
                    let mut caller = Caller::connect(server)?;
                    let mut own = Vec::new();
                    loop {
                        let at =
                            start + Duration::from_secs_f64(count(next.fetch_add(1, Relaxed)) / offered.rate);
                        if at > to {
                            refusals.lock().expect("no caller panics").append(&mut own);
                            return Ok(());
                        }
                        thread::sleep(at.saturating_duration_since(Instant::now()));
                        let sent = Instant::now();
                        let response = caller.send(call)?;
                        let answered = Instant::now();
                        // The queue fills in the first second. Responses after the end do not
                        // count.
                        if answered < from || answered > to {
                            continue;
                        }
                        match response {
                            Response::Match if answered - at <= offered.deadline => {
                                in_time.fetch_add(1, Relaxed)
                            }
                            Response::Match => late.fetch_add(1, Relaxed),
                            Response::Refused => {
                                own.push((answered - sent).as_secs_f64() * 1000.0);
                                0
                            }
                        };
                    }
                })
            })
            .collect::<io::Result<_>>()?;
        thread::sleep(from.saturating_duration_since(Instant::now()));
        let cpu_start = own_time(server)?;
        thread::sleep(to.saturating_duration_since(Instant::now()));
        let cpu = own_time(server)?.saturating_sub(cpu_start);
        threads.into_iter().try_for_each(|thread| thread.join().expect("no caller panics"))?;
        Ok(cpu)
    })?;
    let refusals = refusals.into_inner().expect("no caller panics");
    let in_time = count(in_time.into_inner());
    Ok(Overloaded {
        goodput: in_time / offered.seconds.as_secs_f64(),
        cpu_seconds_each: cpu.as_secs_f64() / in_time,
        median_refusal_ms: (!refusals.is_empty()).then(|| median(&refusals)),
        late: late.into_inner(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Response {
    Match,
    /// 503.
    Refused,
}

struct Caller {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Caller {
    fn connect(server: &Server) -> io::Result<Self> {
        let stream = TcpStream::connect(server.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream, buffer: vec![0; BUFFER_BYTES] })
    }

    fn send(&mut self, call: &Call) -> io::Result<Response> {
        self.stream.write_all(&call.bytes)?;
        let mut filled = 0;
        loop {
            let read = match self.stream.read(&mut self.buffer[filled..]) {
                // This happens if the process is stopped and continued (signal(7)).
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
            if let Some(response) = parse(&self.buffer[..filled]) {
                return response;
            }
        }
    }
}

/// Returns `None` if the response is not complete.
fn parse(bytes: &[u8]) -> Option<io::Result<Response>> {
    let text = str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    if body.len() < length.parse().ok()? {
        return None;
    }
    Some(match (head.get(9..12), body.contains(r#""match":true"#)) {
        (Some("200"), true) => Ok(Response::Match),
        (Some("503"), false) => Ok(Response::Refused),
        _ => Err(io::Error::other(format!("unexpected response: {head}"))),
    })
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A refused caller waits before its next request.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(10);

/// Responses of a closed loop count after this time.
const WARM_UP: Duration = Duration::from_millis(300);

/// The callers of an open loop connect within this time.
const TO_CONNECT: Duration = Duration::from_millis(300);

/// More than the requests at one moment: queued requests and refusals.
const OPEN_LOOP_CALLERS: usize = 512;

const STACK_BYTES: usize = 64 * 1024;
const BUFFER_BYTES: usize = 4096;
const PATIENCE: Duration = Duration::from_secs(30);
