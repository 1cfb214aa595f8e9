//! How much a caller may take before it is a caller: connections, bytes and time.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    time::Duration,
};

use crate::arguments::BoundsArguments;
use saltern_program::{Failure, process};

#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Connections at once.
    pub(super) connections: usize,
    /// There are fewer than by default, and nobody asked for fewer.
    pub(super) connections_lowered: bool,
    /// For the head of a request from its first byte, and for a TLS handshake.
    pub(super) header_timeout: Duration,
    /// For the body of a request.
    pub(super) body_timeout: Duration,
    /// For the first byte of a request, on a new connection or a kept one.
    pub(super) idle_timeout: Duration,
    /// Threads that read and write; the workers hash on their own.
    pub(super) io_threads: usize,
}

impl Bounds {
    pub(super) fn read(arguments: &BoundsArguments) -> Result<Self, Failure> {
        let default = Self::default();
        let connections = connections(arguments.connections, default.connections)?;
        Ok(Self {
            connections,
            connections_lowered: arguments.connections.is_none() && connections < default.connections,
            header_timeout: milliseconds(arguments.header_timeout_ms, default.header_timeout),
            body_timeout: milliseconds(arguments.body_timeout_ms, default.body_timeout),
            idle_timeout: milliseconds(arguments.idle_timeout_ms, default.idle_timeout),
            ..default
        })
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: CONNECTIONS,
            connections_lowered: false,
            header_timeout: HEADER_TIMEOUT,
            body_timeout: BODY_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            io_threads: IO_THREADS,
        }
    }
}

/// A connection is a file: more than the system lets this process open would fail one by one, each with a riddle.
fn connections(wanted: Option<NonZeroUsize>, default: usize) -> Result<usize, Failure> {
    let possible = process::raise_open_files().saturating_sub(OTHER_FILES);
    let (wanted, least) = wanted.map_or((default, 1), |wanted| (wanted.get(), wanted.get()));
    if possible < least {
        let lower = if possible == 0 { "" } else { " or lower --connections" };
        return Err(Failure::configuration(format!(
            "{wanted} connections need more open files than this process may have, which is enough for {possible}: \
             raise its limit (ulimit -n, LimitNOFILE){lower}"
        )));
    }
    Ok(wanted.min(possible))
}

fn milliseconds(argument: Option<NonZeroU64>, default: Duration) -> Duration {
    argument.map_or(default, |milliseconds| Duration::from_millis(milliseconds.get()))
}

/// Four times the queue's 1,024 operations: every waiting request may have a connection of its own, and as many
/// callers again keep some idle. One costs about 20 KiB while it is used.
pub(super) const CONNECTIONS: usize = 4096;

/// Connections that the system has accepted and we have not taken: a burst of as many as the queue has operations. The
/// standard library asks for 128; of more at once, the rest would wait a second for their next try. Linux bounds it by
/// `net.core.somaxconn`, which is 4,096.
pub(super) const BACKLOG: u32 = 1024;

/// Files that are no connections: standard streams, listener, epoll, timers, the files read again on SIGHUP; and the
/// refused connections that still linger.
const OTHER_FILES: usize = 64 + MAX_LINGERING_REFUSALS;

/// Callers sit on the same network. A phone on a train is not one of them, so 10 s is generous; longer only helps
/// those who hold connections open on purpose.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// As for heads: the largest body, 1 MiB, takes 10 s at 0.8 Mbit/s.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// More than the 60 s after which usual load balancers drop what is idle (AWS ALB, nginx): the side that sends
/// requests should be the one that closes, or its next request meets a closed door.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);

/// Parsing and writing a request takes tens of microseconds, its hash milliseconds: two threads feed dozens of cores,
/// and where there are few cores more threads would only take turns with the workers.
const IO_THREADS: usize = 2;

/// Bodies in memory at once, in bytes: the queue's 1,024 operations at the 16 KiB of a single one make 16 MiB; the
/// rest is for 48 batches of 1 MiB on their way.
pub(super) const MAX_BODY_BYTES_AT_ONCE: usize = 64 * 1024 * 1024;

/// Requests at once on one HTTP/2 connection: a quarter of the queue, so that no caller fills it alone.
pub(super) const MAX_STREAMS: u32 = 256;

/// A peer that vanished without a word is noticed after these two.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections beyond the bound that are still told so; those beyond this are dropped without a word.
pub(super) const MAX_LINGERING_REFUSALS: usize = 64;

/// How long a connection is read after its last answer, so that the answer is not lost: a close with unread bytes
/// makes TCP reset the connection, and the peer's system then discards what it has received (RFC 9112 §9.6).
pub(super) const LINGER: Duration = Duration::from_secs(1);
