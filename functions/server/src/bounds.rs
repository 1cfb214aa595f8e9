//! The limits on connections, bytes and time that hold before a request is read.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    time::Duration,
};

use crate::arguments::BoundsArguments;
use crate::{Failure, process};

#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The most connections at once.
    pub(super) connections: usize,
    /// Whether the limit on open files lowered the default number of connections.
    pub(super) connections_lowered: bool,
    /// The most connections of one address that wait for a request. `None`: no bound.
    pub(super) connections_per_address: Option<usize>,
    /// Longest time for a TLS handshake, and then for the first byte of the first request.
    pub(super) first_byte_timeout: Duration,
    /// Longest time for the head of a request from its first byte.
    pub(super) header_timeout: Duration,
    /// Longest time for the body of a request.
    pub(super) body_timeout: Duration,
    /// Longest time to the first byte of a later request.
    pub(super) idle_timeout: Duration,
    /// Longest time for the peer to take an answer.
    pub(super) answer_timeout: Duration,
}

impl Bounds {
    /// Behind a proxy, all connections have its address.
    pub(super) fn read(arguments: &BoundsArguments, behind_proxy: bool) -> Result<Self, Failure> {
        let connections = connections(arguments.connections)?;
        Ok(Self {
            connections,
            connections_lowered: arguments.connections.is_none() && connections < CONNECTIONS,
            connections_per_address: match arguments.connections_per_address {
                None if behind_proxy => None,
                None => Some(connections.div_ceil(SHARE_OF_AN_ADDRESS)),
                Some(bound) => Some(bound).filter(|bound| *bound > 0),
            },
            first_byte_timeout: milliseconds(arguments.first_byte_timeout_ms, FIRST_BYTE_TIMEOUT),
            header_timeout: milliseconds(arguments.header_timeout_ms, HEADER_TIMEOUT),
            body_timeout: milliseconds(arguments.body_timeout_ms, BODY_TIMEOUT),
            idle_timeout: milliseconds(arguments.idle_timeout_ms, IDLE_TIMEOUT),
            answer_timeout: milliseconds(arguments.answer_timeout_ms, ANSWER_TIMEOUT),
        })
    }

    /// Returns the most memory that connections take, beside hashes and bodies.
    pub(super) fn connection_memory_bytes(&self) -> usize {
        SHARED_BYTES + self.connections * CONNECTION_BYTES
    }
}

#[cfg(test)]
impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: CONNECTIONS,
            connections_lowered: false,
            connections_per_address: None,
            first_byte_timeout: FIRST_BYTE_TIMEOUT,
            header_timeout: HEADER_TIMEOUT,
            body_timeout: BODY_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            answer_timeout: ANSWER_TIMEOUT,
        }
    }
}

/// Returns the number of connections for which the process may open files.
///
/// Without this check, each further connection would fail alone, with an obscure error.
fn connections(wanted: Option<NonZeroUsize>) -> Result<usize, Failure> {
    let possible = process::raise_open_files().saturating_sub(OTHER_FILES);
    let (wanted, least) = wanted.map_or((CONNECTIONS, 1), |wanted| (wanted.get(), wanted.get()));
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
/// SIGHUP reads, refused connections that still linger, and those that make room.
const OTHER_FILES: usize = 64 + MAX_LINGERING_REFUSALS + MAKING_ROOM;

/// An address may have half of the connections, so that it cannot silence all others, and a large
/// pool of one backend still fits.
const SHARE_OF_AN_ADDRESS: usize = 2;

/// Connections that were told to make room and have not ended yet. They take some microseconds.
pub(super) const MAKING_ROOM: usize = 64;

/// Connections without an accepted request that have begun one. The token stands in the first head,
/// so a caller is among them for some milliseconds, and a health check for its connection.
pub(super) const MAX_ASKING: usize = 64;

/// Connections that have done their TLS handshake and have begun no request. A caller is among them
/// for about a round trip.
pub(super) const MAX_GREETED: usize = 128;

/// Bytes of answers that the system keeps for a peer that does not read: twice the largest answer
/// to one request. By default Linux keeps up to 4 MiB for each connection.
pub(super) const SEND_BUFFER_BYTES: u32 = 64 * 1024;

/// Connections with full buffers, whose peers do not read. The buffers of the system hold every
/// usual answer, so a caller is hardly ever among them. The allocator keeps the memory of these
/// connections when they have ended: some 40 KiB each, which stays within [`SHARED_BYTES`].
pub(super) const MAX_BEHIND: usize = 128;

/// A caller connects when it has a request, and sends it at once. The time covers a lost packet or
/// two. A silent connection holds a slot.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(5);

/// Handshakes that compute at once: on one of the two I/O threads, so that the other one always
/// serves the requests. An ECDSA P-256 handshake computes for a fraction of a millisecond.
pub(super) const HANDSHAKES: usize = 1;

/// Bytes of a client in its handshake. A hello with post-quantum keys and a ticket has some 2 KiB.
pub(super) const HANDSHAKE_BYTES: usize = 16 * 1024;

/// Bytes of answers that the TLS crate keeps if the peer reads nothing.
pub(super) const TLS_BUFFER_BYTES: usize = 8 * 1024;

/// Callers are on the same network, so 10 s is generous. A longer time would help clients that hold
/// connections open on purpose.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest body, 1 MiB, takes 10 s at 0.8 Mbit/s.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// A request that is not read to its end after this time waits for its caller, and its connection may
/// make room. On the same network the largest body takes less.
pub(super) const STALLED: Duration = Duration::from_millis(100);

/// More than the 60 s after which usual load balancers (AWS ALB, nginx) close idle connections. The
/// client must be the side that closes: a request on a connection that the server closes is lost.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);

/// A caller on the same network takes an answer within milliseconds. An answer that its caller does
/// not take holds memory.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Threads that read and write. The workers have their own threads.
///
/// Parsing and answering a request takes tens of microseconds, and its hash takes milliseconds: two
/// threads feed dozens of cores. On few cores, more threads would only compete with the workers.
pub(super) const IO_THREADS: usize = 2;

/// Bodies in memory at once, in bytes. The 1,024 operations of the queue make 16 MiB, 16 KiB each.
/// The rest is for 48 batches of 1 MiB that are being received.
pub(super) const MAX_BODY_BYTES_AT_ONCE: usize = 64 * 1024 * 1024;

/// The memory of a body without a declared length, before it grows: enough for any single operation.
pub(super) const USUAL_BODY_BYTES: usize = 16 * 1024;

/// A caller that is alone leaves one part in so many free, so that the first requests of another
/// caller evict none.
pub(super) const RESERVE: usize = 16;

/// Requests at once on an HTTP/2 connection: a quarter of the queue, so that none fills it alone.
pub(super) const MAX_STREAMS: u32 = 256;

/// The memory of an open connection under the worst load without a token: TLS, the HTTP crate's
/// buffers, and a few requests. Measured by `cli/tests/serve/memory.rs`.
const CONNECTION_BYTES: usize = 48 * 1024;

/// The memory of all else that is neither a hash nor a body. Besides [`EXCHANGES_BYTES`] and
/// [`UNSENT_ANSWER_BYTES`] it holds lines of the log, and free space between allocations.
const SHARED_BYTES: usize = 16 * 1024 * 1024;

/// Memory of all HTTP/2 requests with a token.
const EXCHANGES_BYTES: usize = 8 * 1024 * 1024;

/// HTTP/2 requests at once in the whole process: twice as many as the queue has operations.
pub(super) const EXCHANGES: usize = EXCHANGES_BYTES / EXCHANGE_BYTES;

/// Memory of an HTTP/2 request from its head to the last byte of its answer: the stream, the task
/// that serves it, and the heads. Its body and an answer over [`SMALL_ANSWER_BYTES`] count apart.
const EXCHANGE_BYTES: usize = 4 * 1024;

/// Memory of larger answers that their callers have not taken yet.
pub(super) const UNSENT_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// The size of an answer that counts as a part of its exchange. Most answers have 200 to 700 bytes.
pub(super) const SMALL_ANSWER_BYTES: usize = 1024;

/// With so many HTTP/2 requests open, a connection that sent no token is read no further. The last
/// turn may hold four. Each has a small answer. More requests are read when these are answered and
/// their answers are sent.
pub(super) const FEW_STREAMS: usize = 4;

/// A peer that vanished without closing is noticed after the sum of these two.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections over the limit that get a response. Further ones are closed without a response.
pub(super) const MAX_LINGERING_REFUSALS: usize = 64;

/// The time for which a connection is read after its last response. A close with unread bytes makes
/// TCP reset the connection, and the peer's system then discards the response (RFC 9112 §9.6).
pub(super) const LINGER: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_security_guide_states_these_bounds() {
        let guide = include_str!("../../../SECURITY.md").split_whitespace().collect::<Vec<_>>().join(" ");
        let (first_byte, answer) = (FIRST_BYTE_TIMEOUT.as_secs(), ANSWER_TIMEOUT.as_secs());
        let [shared, bodies, reserve, answers] =
            [SHARED_BYTES, MAX_BODY_BYTES_AT_ONCE, MAX_BODY_BYTES_AT_ONCE / RESERVE, UNSENT_ANSWER_BYTES]
                .map(|bytes| bytes / (1024 * 1024));
        let connection = CONNECTION_BYTES / 1024;
        assert_eq!((EXCHANGES, FEW_STREAMS, SHARE_OF_AN_ADDRESS, HANDSHAKES), (2048, 4, 2, 1));
        for sentence in [
            "At most half of all connections may wait for a request of one address.".to_owned(),
            format!("A handshake may take {first_byte} s, and the first byte {first_byte} s more."),
            "One handshake computes at a time".to_owned(),
            format!(
                "{MAX_GREETED} connections may stay after their handshake, and {MAX_ASKING} after their first byte."
            ),
            format!("All bodies together have at most {bodies} MiB,"),
            format!("A body over {} KiB has memory of its own", USUAL_BODY_BYTES / 1024),
            format!("A caller that is alone leaves {reserve} MiB of it free."),
            "fewer than eight are open before the first token".to_owned(),
            format!("At most {MAX_BEHIND} connections may leave so much unread that their buffers are full."),
            format!("at most 2,048 HTTP/2 requests with their answers, and {answers} MiB of long answers."),
            format!("with a reserve of {} places, and", EXCHANGES / RESERVE),
            format!("A connection that does not take an answer in {answer} s ends"),
            format!(
                "at most {shared} MiB, and {connection} KiB for each open connection, more than when it is idle."
            ),
        ] {
            assert!(guide.contains(&sentence), "SECURITY.md does not say: {sentence}");
        }
    }
}
