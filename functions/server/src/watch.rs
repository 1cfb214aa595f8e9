//! The state of one connection. The code that reads bytes and answers requests writes it; the
//! timers read it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use super::{bounds::FEW_STREAMS, sending::Sending};

#[derive(Debug)]
pub(super) struct Watch {
    accepted: Instant,
    /// Requests that are being answered.
    active: AtomicUsize,
    /// Whether a part of a request's head was read.
    head_begun: AtomicBool,
    /// Whether bytes after the current request were read: at least a part of the next one.
    read_ahead: AtomicBool,
    /// Line ends at the end of the bytes, at most two: a head and a chunked body end in two.
    line_ends: AtomicUsize,
    /// Time of the first byte of the head, in milliseconds after `accepted`.
    head_since: AtomicU64,
    /// Time since which no request is being answered, in milliseconds after `accepted`.
    idle_since: AtomicU64,
    /// Whether a read is pending, which will notice the end of the connection.
    reading: AtomicBool,
    /// Whether the peer has ended the connection.
    ended: AtomicBool,
    /// Whether a token was accepted on this connection, or none is needed.
    trusted: AtomicBool,
    /// Times that the connection was polled.
    turn: AtomicUsize,
    sending: Arc<Sending>,
}

impl Watch {
    /// The state of a connection of which a part of the first request was read.
    pub(super) fn begin(accepted: Instant) -> Arc<Self> {
        Arc::new(Self {
            accepted,
            active: AtomicUsize::new(0),
            head_begun: AtomicBool::new(true),
            read_ahead: AtomicBool::new(false),
            line_ends: AtomicUsize::new(0),
            head_since: AtomicU64::new(0),
            idle_since: AtomicU64::new(0),
            reading: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            trusted: AtomicBool::new(false),
            turn: AtomicUsize::new(0),
            sending: Arc::default(),
        })
    }

    pub(super) fn received(&self, bytes: &[u8]) {
        self.look_at_the_end_of(bytes);
        self.reading.store(false, Relaxed);
        if self.active.load(Relaxed) > 0 {
            self.read_ahead.store(true, Relaxed);
        } else if !self.head_begun.swap(true, Relaxed) {
            self.head_since.store(self.now(), Relaxed);
        }
    }

    /// Counts the line ends at the end of the bytes. The first bytes are read before this exists.
    pub(super) fn look_at_the_end_of(&self, bytes: &[u8]) {
        let end = bytes.rsplit(|byte| !b"\r\n".contains(byte)).next().unwrap_or_default();
        let before = if end.len() == bytes.len() { self.line_ends.load(Relaxed) } else { 0 };
        let line_ends = end.split(|byte| *byte == b'\n').skip(1).count();
        self.line_ends.store((before + line_ends).min(BLANK_LINE), Relaxed);
    }

    pub(super) fn waits_for_bytes(&self) {
        self.reading.store(true, Relaxed);
    }

    pub(super) fn end_was_read(&self) {
        self.ended.store(true, Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed)
    }

    /// Marks a request as being answered while the guard lives.
    pub(super) fn request(self: &Arc<Self>) -> ActiveRequest {
        self.active.fetch_add(1, Relaxed);
        self.head_begun.store(false, Relaxed);
        self.read_ahead.store(false, Relaxed);
        ActiveRequest(Arc::clone(self))
    }

    pub(super) fn sending(&self) -> &Arc<Sending> {
        &self.sending
    }

    /// Tells that a token was accepted, or that none is needed.
    pub(super) fn trust(&self) {
        if !self.trusted.swap(true, Relaxed) {
            self.sending.wake();
        }
    }

    pub(super) fn turn(&self) -> usize {
        self.turn.load(Relaxed)
    }

    /// Tells that the HTTP crate has handed over all requests that it has read.
    pub(super) fn next_turn(&self) {
        self.turn.fetch_add(1, Relaxed);
    }

    pub(super) fn is_trusted(&self) -> bool {
        self.trusted.load(Relaxed)
    }

    /// Whether further requests may be read: the peer takes its answers, and before a token was
    /// accepted only few requests are open.
    pub(super) fn may_read_on(&self) -> bool {
        !self.sending.is_stuck()
            && (self.is_trusted() || self.active.load(Relaxed) + self.sending.unsent() < FEW_STREAMS)
    }

    pub(super) fn is_answering(&self) -> bool {
        self.active.load(Relaxed) > 0
    }

    /// Whether a request is being answered and no read is pending: the end of the connection would
    /// go unnoticed. Bytes of a further request were read, and the next read follows the response.
    pub(super) fn is_blind(&self) -> bool {
        self.is_answering() && !self.reading.load(Relaxed)
    }

    pub(super) fn head_has_begun(&self) -> bool {
        self.head_begun.load(Relaxed)
    }

    pub(super) fn head_begun_at(&self) -> Instant {
        self.after(&self.head_since)
    }

    pub(super) fn idle_since(&self) -> Instant {
        self.after(&self.idle_since)
    }

    fn after(&self, milliseconds: &AtomicU64) -> Instant {
        self.accepted + Duration::from_millis(milliseconds.load(Relaxed))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.accepted.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

pub(super) struct ActiveRequest(Arc<Watch>);

impl ActiveRequest {
    pub(super) fn watch(&self) -> &Arc<Watch> {
        &self.0
    }

    /// Tells that the request was read to its end.
    ///
    /// If its end is a blank line and the bytes end otherwise, bytes of the next request were read.
    /// If not, all bytes count as the request's.
    pub(super) fn was_read(&self, ends_in_a_blank_line: bool) {
        let goes_beyond = ends_in_a_blank_line && self.0.line_ends.load(Relaxed) < BLANK_LINE;
        self.0.read_ahead.store(goes_beyond, Relaxed);
    }
}

/// Line ends that make a blank line.
const BLANK_LINE: usize = 2;

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let now = self.0.now();
        self.0.idle_since.store(now, Relaxed);
        // The rest of that head was not read during the response: its time begins now.
        if self.0.read_ahead.swap(false, Relaxed) {
            self.0.head_since.store(now, Relaxed);
            self.0.head_begun.store(true, Relaxed);
        }
        self.0.active.fetch_sub(1, Relaxed);
        self.0.sending.wake();
    }
}
