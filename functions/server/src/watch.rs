//! What is known of one connection. The code that reads bytes and answers requests writes it; the
//! timers read it, and so do the slots, on other threads.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

use super::{bounds, phase::Phase, sending::Sending};

#[derive(Debug)]
pub(super) struct Watch {
    state: Mutex<State>,
    /// Whether a token was accepted on this connection, or none is needed.
    trusted: AtomicBool,
    /// Times that the connection was polled.
    turn: AtomicUsize,
    sending: Arc<Sending>,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// When the only open request began. `None` if it was read to its end, or if it is not the only
    /// one.
    unread_since: Option<Instant>,
    /// Line ends at the end of the bytes, at most two: a head and a chunked body end in two.
    line_ends: usize,
    /// Whether the peer has ended the connection.
    has_ended: bool,
}

impl Watch {
    /// The state of a connection of which a part of the first request was read.
    pub(super) fn begin(first_bytes: Instant) -> Arc<Self> {
        let phase = Phase::Head { since: first_bytes };
        Arc::new(Self {
            state: Mutex::new(State { phase, unread_since: None, line_ends: 0, has_ended: false }),
            trusted: AtomicBool::new(false),
            turn: AtomicUsize::new(0),
            sending: Arc::default(),
        })
    }

    pub(super) fn phase(&self) -> Phase {
        self.state().phase
    }

    /// The time since which the connection waits for its peer: no request is open, or the body of
    /// the only one stalls. `None`: a request is being answered.
    pub(super) fn quiet_since(&self) -> Option<Instant> {
        let state = self.state();
        let stalled = state.unread_since.filter(|since| since.elapsed() >= bounds::STALLED);
        state.phase.quiet_since().or(stalled)
    }

    /// Notes bytes of HTTP/1 that were read.
    pub(super) fn received(&self, bytes: &[u8]) {
        self.look_at_the_end_of(bytes);
        self.state().phase.received(Instant::now());
    }

    /// Counts the line ends at the end of the bytes. The first bytes are read before this exists.
    pub(super) fn look_at_the_end_of(&self, bytes: &[u8]) {
        let end = bytes.rsplit(|byte| !b"\r\n".contains(byte)).next().unwrap_or_default();
        let line_ends = end.split(|byte| *byte == b'\n').skip(1).count();
        let mut state = self.state();
        let before = if end.len() == bytes.len() { state.line_ends } else { 0 };
        state.line_ends = (before + line_ends).min(BLANK_LINE);
    }

    pub(super) fn waits_for_bytes(&self) {
        self.state().phase.waits_for_bytes();
    }

    pub(super) fn end_was_read(&self) {
        self.state().has_ended = true;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// Marks a request as being answered while the guard lives.
    pub(super) fn request(self: &Arc<Self>) -> ActiveRequest {
        let mut state = self.state();
        state.phase.asked();
        state.unread_since = (state.phase.open() == 1).then(Instant::now);
        ActiveRequest(Arc::clone(self))
    }

    /// Tells that all written bytes were passed to the system.
    pub(super) fn flushed(&self) {
        self.sending.flushed();
        if self.sending.unsent() == 0 {
            self.state().phase.sent();
        }
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
            && (self.is_trusted() || self.phase().open() + self.sending.unsent() < bounds::FEW_STREAMS)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut state = self.0.state();
        let goes_beyond = ends_in_a_blank_line && state.line_ends < BLANK_LINE;
        state.phase.was_read(goes_beyond);
        state.unread_since = None;
    }
}

/// Line ends that make a blank line.
const BLANK_LINE: usize = 2;

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.state().phase.answered(Instant::now());
        self.0.sending.wake();
    }
}
