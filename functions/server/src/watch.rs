//! What one connection is doing: told by what reads its bytes and answers its requests, read by what keeps its time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

#[derive(Debug)]
pub(super) struct Watch {
    accepted: Instant,
    /// Requests that are being answered.
    active: AtomicUsize,
    /// A part of a request's head has been read.
    head_begun: AtomicBool,
    /// Bytes have been read behind the request that is being answered: a part of the next one, at the least.
    read_ahead: AtomicBool,
    /// Line ends that the bytes end with, two at the most: a head ends so, and so does a body in chunks.
    line_ends: AtomicUsize,
    /// Since when, in milliseconds after `accepted`.
    head_since: AtomicU64,
    /// Since when no request is being answered, likewise.
    idle_since: AtomicU64,
    /// Somebody waits for the next byte, and so will notice the end of the connection.
    reading: AtomicBool,
    /// The peer has ended the connection.
    ended: AtomicBool,
}

impl Watch {
    /// A connection of which a part of the first request has been read.
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

    /// Also of bytes that were received before there was anybody to tell.
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

    /// A request is being answered for as long as the guard lives.
    pub(super) fn request(self: &Arc<Self>) -> ActiveRequest {
        self.active.fetch_add(1, Relaxed);
        self.head_begun.store(false, Relaxed);
        self.read_ahead.store(false, Relaxed);
        ActiveRequest(Arc::clone(self))
    }

    pub(super) fn is_answering(&self) -> bool {
        self.active.load(Relaxed) > 0
    }

    /// Whether a request is being answered and nobody would notice the end of the connection: more requests have been
    /// read than the one, and nothing is read until they are answered.
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
    /// The request has been read to its end. Where that is a blank line, what was read and ends otherwise goes beyond
    /// it; where it is not, what was read is taken for the request's own.
    pub(super) fn was_read(&self, ends_in_a_blank_line: bool) {
        let goes_beyond = ends_in_a_blank_line && self.0.line_ends.load(Relaxed) < BLANK_LINE;
        self.0.read_ahead.store(goes_beyond, Relaxed);
    }
}

/// The end of a line, and of one with nothing in it.
const BLANK_LINE: usize = 2;

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let now = self.0.now();
        self.0.idle_since.store(now, Relaxed);
        // While it was answered nobody read the rest of that head: its time begins now.
        if self.0.read_ahead.swap(false, Relaxed) {
            self.0.head_since.store(now, Relaxed);
            self.0.head_begun.store(true, Relaxed);
        }
        self.0.active.fetch_sub(1, Relaxed);
    }
}
