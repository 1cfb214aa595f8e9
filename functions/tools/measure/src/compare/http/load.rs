//! The load generator: each thread keeps one connection and writes prepared bytes.

use core::{error::Error, time::Duration};
use std::{io, thread, time::Instant};

use serde_json::{Value, json};

use super::{super::contenders::Hashes, server::Server};

/// Returns a verification of a password that matches, which is sent again and again.
pub(crate) fn call(hashes: &Hashes) -> Vec<u8> {
    let body = json!({"password": hashes.password(), "hash": hashes.stored}).to_string();
    let headers = [("Content-Type", "application/json")];
    saltern_stubs::http::request("POST", "/verify", &headers, body.as_bytes())
}

/// What a window of load gave.
pub(crate) struct Load {
    /// The milliseconds of the matches.
    pub(crate) times_ms: Vec<f64>,
    /// The processor time of the server.
    pub(crate) processor_time: Option<Duration>,
}

/// Sends the call for a window that begins when the queue is full. Each caller sends after the
/// response to its last request, or after the time that a refusal names.
pub(crate) fn run(
    server: &Server,
    call: &[u8],
    callers: usize,
    window: Duration,
) -> Result<Load, Box<dyn Error>> {
    let from = Instant::now() + WARM_UP;
    let to = from + window;
    let caller = || -> io::Result<Vec<f64>> {
        let mut client = server.connect()?;
        let mut times_ms = Vec::new();
        loop {
            let sent = Instant::now();
            if sent > to {
                return Ok(times_ms);
            }
            let response = client.send(call)?;
            let answered = Instant::now();
            let is_match = String::from_utf8_lossy(&response.body).contains(r#""match":true"#);
            match response.status {
                200 if is_match && (from..=to).contains(&answered) => {
                    times_ms.push((answered - sent).as_secs_f64() * 1000.0);
                }
                200 if is_match => {}
                503 => thread::sleep(retry_after(&response.body)?),
                status => return Err(io::Error::other(format!("unexpected response: {status}"))),
            }
        }
    };
    let (times_ms, processor_time) = thread::scope(|scope| {
        let threads: Vec<_> = (0..callers).map(|_| scope.spawn(caller)).collect();
        let at = |instant: Instant| {
            thread::sleep(instant.saturating_duration_since(Instant::now()));
            server.processor_time()
        };
        let (start, end) = (at(from), at(to));
        let ended = threads.into_iter().map(|thread| thread.join().expect("no caller panics"));
        ended.collect::<io::Result<Vec<_>>>().map(|times| (times.concat(), Option::zip(start, end)))
    })?;
    if times_ms.is_empty() {
        return Err("no match came within the window: the machine is busy".into());
    }
    Ok(Load { times_ms, processor_time: processor_time.map(|(start, end)| end.saturating_sub(start)) })
}

/// Returns how long a refused caller waits.
fn retry_after(refusal: &[u8]) -> io::Result<Duration> {
    let refusal: Value = serde_json::from_slice(refusal)?;
    let milliseconds = refusal["retry_after_ms"].as_u64();
    milliseconds
        .map(Duration::from_millis)
        .ok_or_else(|| io::Error::other("a refusal without retry_after_ms"))
}

/// Closed loops fill their queue within this time.
const WARM_UP: Duration = Duration::from_millis(300);
