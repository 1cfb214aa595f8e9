//! The load generator: threads with a kept connection each, which write bytes that were made before.

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

use saltern_encoded::{Encoded, bcrypt};
use saltern_meter::{median, process_time};
use serde_json::json;

use crate::kernels::bcrypt::Work;

use super::server::Server;

/// One request, again and again.
pub(crate) struct Call {
    bytes: Vec<u8>,
}

impl Call {
    /// Of a password that matches a bcrypt hash of this cost.
    pub(crate) fn verify(cost: u32) -> Result<Self, Box<dyn Error>> {
        Self::new(cost, "")
    }

    /// With a deadline.
    pub(crate) fn verify_within(cost: u32, deadline: Duration) -> Result<Self, Box<dyn Error>> {
        Self::new(cost, &format!("Saltern-Deadline-Ms: {}\r\n", deadline.as_millis()))
    }

    fn new(cost: u32, headers: &str) -> Result<Self, Box<dyn Error>> {
        let work = Work::new(bcrypt::Params::new(cost).ok_or("bcrypt has no such cost")?, 0)?;
        let stored = Encoded::new(work.admitted.setting().clone(), &work.by_crate()).ok_or("no text")?;
        let body = json!({"password": work.password.to_str()?, "hash": stored.to_string()}).to_string();
        let bytes = format!(
            "POST /verify HTTP/1.1\r\nHost: saltern\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Ok(Self { bytes: bytes.into() })
    }
}

/// What callers saw who each wait for their answer before they ask again.
pub(crate) struct Saturated {
    /// Answers a second.
    pub(crate) rate: f64,
    /// Median time of an answer.
    pub(crate) median_ms: f64,
    /// 503s. An idle machine gives none: so few callers only fill the queue where others take the cores.
    pub(crate) refused: usize,
    /// CPU time of an answer: the service's and the callers'.
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
                        if caller.ask(call)? == Answer::Refused {
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
        let (start, cpu_start) = (Instant::now(), cpu_time(server)?);
        counts.store(true, Relaxed);
        thread::sleep(window);
        over.store(true, Relaxed);
        let (elapsed, cpu) = (start.elapsed(), cpu_time(server)?.saturating_sub(cpu_start));
        threads.into_iter().try_for_each(|thread| thread.join().expect("no caller panics"))?;
        Ok((elapsed, cpu))
    })?;
    let times = times.into_inner().expect("no caller panics");
    if times.is_empty() {
        return Err("no answer came within the measurement: give it more --seconds".into());
    }
    Ok(Saturated {
        rate: count(times.len()) / elapsed.as_secs_f64(),
        median_ms: median(&times),
        refused: refused.into_inner(),
        cpu_seconds_each: cpu.as_secs_f64() / count(times.len()),
    })
}

/// Requests that come at their times, whether or not others were answered.
#[derive(Clone, Copy)]
pub(crate) struct Offered {
    /// Requests a second.
    pub(crate) rate: f64,
    /// After which an answer is worth nothing.
    pub(crate) deadline: Duration,
    /// How long, after the queue has filled.
    pub(crate) seconds: Duration,
}

/// What became of them.
pub(crate) struct Overloaded {
    /// Matches within the deadline, a second.
    pub(crate) goodput: f64,
    /// Median time of a 503; `None` where nothing was refused.
    pub(crate) median_refusal_ms: Option<f64>,
    /// Matches after it.
    pub(crate) late: usize,
    /// CPU time of a match in time: the service's and the callers', refusals included.
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
                        let asked = Instant::now();
                        let answer = caller.ask(call)?;
                        let answered = Instant::now();
                        // The queue fills in the first second; what is asked at the end is answered after it.
                        if answered < from || answered > to {
                            continue;
                        }
                        match answer {
                            Answer::Match if answered - at <= offered.deadline => {
                                in_time.fetch_add(1, Relaxed)
                            }
                            Answer::Match => late.fetch_add(1, Relaxed),
                            Answer::Refused => {
                                own.push((answered - asked).as_secs_f64() * 1000.0);
                                0
                            }
                        };
                    }
                })
            })
            .collect::<io::Result<_>>()?;
        thread::sleep(from.saturating_duration_since(Instant::now()));
        let cpu_start = cpu_time(server)?;
        thread::sleep(to.saturating_duration_since(Instant::now()));
        let cpu = cpu_time(server)?.saturating_sub(cpu_start);
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
enum Answer {
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

    fn ask(&mut self, call: &Call) -> io::Result<Answer> {
        self.stream.write_all(&call.bytes)?;
        let mut filled = 0;
        loop {
            let read = match self.stream.read(&mut self.buffer[filled..]) {
                // A stopped and continued process sees this (signal(7)).
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
            if let Some(answer) = parse(&self.buffer[..filled]) {
                return answer;
            }
        }
    }
}

/// `None` where the answer is not complete.
fn parse(bytes: &[u8]) -> Option<io::Result<Answer>> {
    let text = str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    if body.len() < length.parse().ok()? {
        return None;
    }
    Some(match (head.get(9..12), body.contains(r#""match":true"#)) {
        (Some("200"), true) => Ok(Answer::Match),
        (Some("503"), false) => Ok(Answer::Refused),
        _ => Err(io::Error::other(format!("an answer that was not expected: {head}"))),
    })
}

/// Of the service and of this program.
fn cpu_time(server: &Server) -> io::Result<Duration> {
    Ok(server.cpu_time()? + process_time())
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A caller who was refused does not come back at once.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(10);

/// Before closed loops are counted.
const WARM_UP: Duration = Duration::from_millis(300);

/// For the callers of open loops.
const TO_CONNECT: Duration = Duration::from_millis(300);

/// More than the requests that are under way at once: those that wait for their deadline, and refusals.
const OPEN_LOOP_CALLERS: usize = 512;

const STACK_BYTES: usize = 64 * 1024;
const BUFFER_BYTES: usize = 4096;
const PATIENCE: Duration = Duration::from_secs(30);
