//! Workers that panic, for the tests that prove what a panic does to the servers.

use std::thread;

use saltern_pool::{Pool, Refused, Ticket, Work, Workers};

/// A password that starts with this text makes a worker panic.
pub const PANICS: &str = "\u{1}panic-in-a-worker\u{1}";

/// A password that starts with this text makes the thread panic that hands the work on.
pub const PANICS_AT_ONCE: &str = "\u{1}panic-at-once\u{1}";

/// A pool, and a panic in its place for a password that demands one. The panic's message is the
/// password, as the worst panic's would be.
#[derive(Debug)]
pub struct Faulting(pub Pool);

impl Workers for Faulting {
    fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        let password = String::from_utf8_lossy(work.password.expose()).into_owned();
        assert!(!password.starts_with(PANICS_AT_ONCE), "{password}");
        if !password.starts_with(PANICS) {
            return self.0.submit(work);
        }
        let (ticket, reply) = Ticket::with_reply();
        thread::spawn(move || {
            let _unanswered = reply;
            panic!("{password}");
        });
        Ok(ticket)
    }

    fn arena_bytes(&self) -> u64 {
        self.0.arena_bytes()
    }

    fn argon2_lanes(&self) -> usize {
        self.0.argon2_lanes()
    }
}
