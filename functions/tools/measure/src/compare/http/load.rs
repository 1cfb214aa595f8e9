//! The load generator: each thread keeps one connection and writes prepared bytes.

use core::{error::Error, time::Duration};
use std::{io, thread, time::Instant};

use serde_json::json;

use super::{super::contenders::Hashes, server::Server};

/// Returns a verification of a password that matches, which is sent again and again.
pub(crate) fn call(hashes: &Hashes) -> Vec<u8> {
    let body = json!({"password": hashes.password(), "hash": hashes.stored}).to_string();
    let headers = [("Content-Type", "application/json")];
    saltern_stubs::http::request("POST", "/verify", &headers, body.as_bytes())
}

/// Sends the call for a window that begins when the queue is full. Each caller sends after the
/// response to its last request. Returns the milliseconds of the matches within the window.
pub(crate) fn run(
    server: &Server,
    call: &[u8],
    callers: usize,
    window: Duration,
) -> Result<Vec<f64>, Box<dyn Error>> {
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
                503 => thread::sleep(AFTER_A_REFUSAL),
                status => return Err(io::Error::other(format!("unexpected response: {status}"))),
            }
        }
    };
    let times_ms = thread::scope(|scope| {
        let threads: Vec<_> = (0..callers).map(|_| scope.spawn(caller)).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("no caller panics"));
        ended.collect::<io::Result<Vec<_>>>()
    })?
    .concat();
    if times_ms.is_empty() {
        return Err("no match came within the window: the machine is busy".into());
    }
    Ok(times_ms)
}

/// Closed loops fill their queue within this time.
const WARM_UP: Duration = Duration::from_millis(300);

/// A refused caller waits before its next request.
const AFTER_A_REFUSAL: Duration = Duration::from_millis(10);
