//! The load generator: each thread keeps one connection and writes prepared bytes.

use core::{
    error::Error,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    time::Duration,
};
use std::{io, sync::Mutex, thread, time::Instant};

use crate::measure::median;
use serde_json::json;

use super::{
    super::{contenders::Hashes, rounds::count},
    server::Server,
};

/// A verification of a password that matches, which is sent again and again.
pub(crate) struct Call {
    bytes: Vec<u8>,
    deadline: Option<Duration>,
}

impl Call {
    pub(crate) fn verify(hashes: &Hashes, deadline: Option<Duration>) -> Self {
        let body = json!({"password": hashes.password(), "hash": hashes.stored}).to_string();
        let milliseconds = deadline.unwrap_or_default().as_millis().to_string();
        let headers = [("Content-Type", "application/json"), ("Saltern-Deadline-Ms", &milliseconds)];
        let headers = if deadline.is_some() { &headers[..] } else { &headers[..1] };
        Self { bytes: saltern_stubs::http::request("POST", "/verify", headers, body.as_bytes()), deadline }
    }
}

/// When callers send.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// So many callers, each after the response to its last request.
    Closed { callers: usize },
    /// So many requests a second, whatever the responses.
    Open { rate: f64 },
}

/// The responses within a window.
pub(crate) struct Seen {
    /// Milliseconds of the matches within the deadline, from the moment when they were due.
    in_time: Vec<f64>,
    /// Matches after the deadline.
    pub(crate) late: usize,
    /// Milliseconds of the responses with status 503.
    pub(crate) refusals: Vec<f64>,
    window: Duration,
}

impl Seen {
    /// Returns the matches a second within the deadline.
    pub(crate) fn rate(&self) -> f64 {
        count(self.in_time.len()) / self.window.as_secs_f64()
    }

    pub(crate) fn median_ms(&self) -> f64 {
        median(&self.in_time)
    }
}

/// Sends calls for a window that begins when the queue is full.
pub(crate) fn run(
    server: &Server,
    call: &Call,
    pace: Pace,
    window: Duration,
) -> Result<Seen, Box<dyn Error>> {
    let callers = match pace {
        Pace::Closed { callers } => callers,
        Pace::Open { .. } => OPEN_CALLERS,
    };
    let begin = Instant::now() + WARM_UP;
    let from = begin + call.deadline.unwrap_or_default();
    let (to, over) = (from + window, AtomicBool::new(false));
    let (sent, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (in_time, refusals) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let caller = || -> io::Result<()> {
        // A caller connects when it has a request: the server closes connections that stay silent.
        let mut connected = None;
        let (mut own_in_time, mut own_refusals) = (Vec::new(), Vec::new());
        loop {
            let due = match pace {
                Pace::Closed { .. } => Instant::now(),
                Pace::Open { rate } => {
                    begin + Duration::from_secs_f64(count(sent.fetch_add(1, Relaxed)) / rate)
                }
            };
            if due > to || over.load(Relaxed) {
                break;
            }
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let client = match &mut connected {
                Some(client) => client,
                None => connected.insert(server.connect()?),
            };
            let started = Instant::now();
            let response = client.send(&call.bytes)?;
            let answered = Instant::now();
            let is_match = String::from_utf8_lossy(&response.body).contains(r#""match":true"#);
            let is_counted = (from..=to).contains(&answered);
            match (response.status, is_match) {
                (200, true) if is_counted && call.deadline.is_some_and(|most| answered - due > most) => {
                    late.fetch_add(1, Relaxed);
                }
                (200, true) if is_counted => own_in_time.push(milliseconds(answered - due)),
                (503, _) if is_counted => own_refusals.push(milliseconds(answered - started)),
                (200, true) | (503, _) => {}
                (status, _) => return Err(io::Error::other(format!("unexpected response: {status}"))),
            }
            if response.status == 503 && matches!(pace, Pace::Closed { .. }) {
                thread::sleep(AFTER_A_REFUSAL);
            }
        }
        in_time.lock().expect("no caller panics").append(&mut own_in_time);
        refusals.lock().expect("no caller panics").append(&mut own_refusals);
        Ok(())
    };
    thread::scope(|scope| -> io::Result<()> {
        let thread = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, caller);
        let threads = (0..callers).map(thread).collect::<io::Result<Vec<_>>>()?;
        thread::sleep(to.saturating_duration_since(Instant::now()));
        over.store(true, Relaxed);
        threads.into_iter().try_for_each(|thread| thread.join().expect("no caller panics"))
    })?;
    let in_time = in_time.into_inner().expect("no caller panics");
    if in_time.is_empty() {
        return Err("no response came within the measurement: give more --seconds".into());
    }
    let refusals = refusals.into_inner().expect("no caller panics");
    Ok(Seen { in_time, late: late.into_inner(), refusals, window })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Closed loops fill their queue within this time.
const WARM_UP: Duration = Duration::from_millis(300);

/// A refused caller of a closed loop waits before its next request.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(10);

/// More than the requests at one moment: queued requests and refusals.
const OPEN_CALLERS: usize = 512;

const STACK_BYTES: usize = 128 * 1024;
