//! The limits on connections, bytes and time that hold before a request is read.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    time::Duration,
};

use crate::arguments::BoundsArguments;
use saltern_program::{Failure, process};

#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The most connections at once.
    pub(super) connections: usize,
    /// Whether the limit on open files lowered the default number of connections.
    pub(super) connections_lowered: bool,
    /// Longest time for the head of a request from its first byte, and for a TLS handshake.
    pub(super) header_timeout: Duration,
    /// Longest time for the body of a request.
    pub(super) body_timeout: Duration,
    /// Longest time to the first byte of a request, on a new or a kept connection.
    pub(super) idle_timeout: Duration,
    /// Threads that read and write. The workers have their own threads.
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

/// Returns the number of connections for which the process may open files.
///
/// Without this check, each further connection would fail alone, with an obscure error.
fn connections(wanted: Option<NonZeroUsize>, default: usize) -> Result<usize, Failure> {
    let possible = process::raise_open_files().saturating_sub(OTHER_FILES);
    let (wanted, least) = wanted.map_or((default, 1), |wanted| (wanted.get(), wanted.get()));
    if possible < least {
        let lower = if possible == 0 { "" } else { " or lower --connections" };
        return Err(Failure::configuration(format!(
            "{wanted} connections need more open files than the limit of this process allows; it allows {possible} \
             connections: raise the limit (ulimit -n, LimitNOFILE){lower}"
        )));
    }
    Ok(wanted.min(possible))
}

fn milliseconds(argument: Option<NonZeroU64>, default: Duration) -> Duration {
    argument.map_or(default, |milliseconds| Duration::from_millis(milliseconds.get()))
}

/// Four times the 1,024 operations of the queue: each waiting request may have its own connection,
/// and callers keep idle ones. A connection in use takes about 20 KiB.
pub(super) const CONNECTIONS: usize = 4096;

/// Connections that the system has accepted and the server has not: a burst of as many as the queue
/// has operations. The standard library sets 128; further clients would wait a second for their
/// next attempt. On Linux `net.core.somaxconn` limits this number.
pub(super) const BACKLOG: u32 = 1024;

/// Open files other than connections: standard streams, listener, epoll, timers, the files that
/// SIGHUP reads, and the refused connections that still linger.
const OTHER_FILES: usize = 64 + MAX_LINGERING_REFUSALS;

/// Callers are on the same network, so 10 s is generous. A longer time would help clients that hold
/// connections open on purpose.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest body, 1 MiB, takes 10 s at 0.8 Mbit/s.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// More than the 60 s after which usual load balancers (AWS ALB, nginx) close idle connections. The
/// client must be the side that closes: a request on a connection that the server closes is lost.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);

/// Parsing and answering a request takes tens of microseconds, and its hash takes milliseconds: two
/// threads feed dozens of cores. On few cores, more threads would only compete with the workers.
const IO_THREADS: usize = 2;

/// Bodies in memory at once, in bytes. The 1,024 operations of the queue make 16 MiB, 16 KiB each.
/// The rest is for 48 batches of 1 MiB that are being received.
pub(super) const MAX_BODY_BYTES_AT_ONCE: usize = 64 * 1024 * 1024;

/// Requests at once on an HTTP/2 connection: a quarter of the queue, so that no caller fills it
/// alone.
pub(super) const MAX_STREAMS: u32 = 256;

/// A peer that vanished without closing is noticed after the sum of these two.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections over the limit that get a response. Further ones are closed without a response.
pub(super) const MAX_LINGERING_REFUSALS: usize = 64;

/// The time for which a connection is read after its last response. A close with unread bytes makes
/// TCP reset the connection, and the peer's system then discards the response (RFC 9112 §9.6).
pub(super) const LINGER: Duration = Duration::from_secs(1);
