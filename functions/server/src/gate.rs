//! Passes the bytes of an HTTP/2 connection on, a few requests at a time.
//!
//! The HTTP/2 crate reads as many requests as have arrived, and keeps memory for each before the
//! server sees the first one. The gate stops after a few, so that the server answers or refuses
//! them before it reads more. It also stops after some frames of any type, so that other connections
//! have their turn, and ends a connection of frames that belong to no request.

use tokio::io::ReadBuf;
use zeroize::Zeroizing;

/// The bytes of a connection after the preface.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// The head of the current frame, as far as it was passed.
    head: [u8; FRAME_HEAD_BYTES],
    head_len: usize,
    /// Bytes of the current frame after its head.
    rest: usize,
    /// The number of this turn, and the frames and requests that were passed in it.
    turn: usize,
    frames: usize,
    requests: usize,
    /// The frames since the last one of a request or of a body.
    of_no_request: usize,
    /// Bytes that were read and not passed.
    held: Zeroizing<Vec<u8>>,
}

impl Gate {
    /// Passes on what was held, as far as this turn allows. Returns `false` if nothing was held.
    pub(super) fn pass_held(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, buffer);
        !held.is_empty()
    }

    /// Passes on the bytes, as far as this turn allows. Holds the others.
    pub(super) fn pass(&mut self, bytes: &[u8], buffer: &mut ReadBuf<'_>) {
        let (passed, held) = bytes.split_at(self.end_of_turn(&bytes[..bytes.len().min(buffer.remaining())]));
        buffer.put_slice(passed);
        self.held.extend_from_slice(held);
    }

    /// Whether this turn allows no more bytes.
    pub(super) fn is_closed(&self) -> bool {
        self.requests >= REQUESTS_A_TURN || self.frames >= FRAMES_A_TURN
    }

    /// Whether more frames came that belong to no request than any client has reason to send.
    pub(super) fn is_flooded(&self) -> bool {
        self.of_no_request > MOST_OF_NO_REQUEST
    }

    /// Begins this turn, unless it has begun. In a turn the HTTP crate reads, and then hands over
    /// all requests that it has read.
    pub(super) fn begin(&mut self, turn: usize) {
        if self.turn != turn {
            self.turn = turn;
            self.frames = 0;
            self.requests = 0;
        }
    }

    /// Returns how many of the bytes this turn passes: up to the end of its last frame, or all.
    fn end_of_turn(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && !self.is_closed() {
            if self.head_len < FRAME_HEAD_BYTES {
                self.head[self.head_len] = bytes[at];
                self.head_len += 1;
                at += 1;
                let [high, middle, low, ..] = self.head.map(usize::from);
                self.rest = high << 16 | middle << 8 | low;
            } else {
                let passed = self.rest.min(bytes.len() - at);
                self.rest -= passed;
                at += passed;
            }
            if self.head_len == FRAME_HEAD_BYTES && self.rest == 0 {
                let kind = self.head[FRAME_TYPE_AT];
                self.head_len = 0;
                self.frames += 1;
                self.requests += usize::from(kind == HEADERS);
                self.of_no_request = if matches!(kind, DATA | HEADERS) { 0 } else { self.of_no_request + 1 };
            }
        }
        at
    }
}

/// Requests that the HTTP/2 crate may read before the server has seen the first of them.
const REQUESTS_A_TURN: usize = 4;

/// Frames of a turn. They take some dozens of microseconds.
const FRAMES_A_TURN: usize = 64;

/// The most frames that belong to no request. Clients send a few: settings, a ping now and then,
/// windows of the answers, priorities.
const MOST_OF_NO_REQUEST: usize = 1024;

/// Bytes that the gate reads at once, and the most that it holds.
pub(super) const PIECE_BYTES: usize = 4096;

/// A frame begins with its length in three bytes, its type, its flags and its stream (RFC 9113
/// §4.1).
const FRAME_HEAD_BYTES: usize = 9;
const FRAME_TYPE_AT: usize = 3;

/// The types of a body's frame, and of a frame that begins a request (RFC 9113 §6.1, §6.2).
const DATA: u8 = 0;
const HEADERS: u8 = 1;

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        // Lengths that lie, unknown types, frames that never end.
        #[test]
        fn random_bytes_in_any_pieces_and_turns_are_passed_on_in_order(
            pieces in vec(vec(prop_oneof![0..4_u8, any::<u8>()], 0..60), 0..40), space in 1..50_usize,
        ) {
            let (mut gate, mut space, mut passed, mut turn) = (Gate::default(), vec![0; space], Vec::new(), 0);
            for piece in &pieces {
                let mut given = false;
                while !given || !gate.held.is_empty() {
                    turn += 1;
                    gate.begin(turn);
                    let mut buffer = ReadBuf::new(&mut space);
                    if !gate.pass_held(&mut buffer) {
                        gate.pass(piece, &mut buffer);
                        given = true;
                    }
                    prop_assert!(gate.frames <= FRAMES_A_TURN && gate.requests <= REQUESTS_A_TURN);
                    passed.extend_from_slice(buffer.filled());
                }
            }
            prop_assert_eq!(passed, pieces.concat());
        }
    }

    #[test]
    fn a_turn_ends_after_its_last_request_in_pieces_of_any_size() {
        let frame = |kind: u8, length: u8| {
            let mut frame = vec![0, 0, length, kind, 4, 0, 0, 0, 1];
            frame.extend(std::iter::repeat_n(HEADERS, usize::from(length)));
            frame
        };
        let one = [
            frame(4, 6),
            frame(0, 0),
            [frame(HEADERS, 20), frame(0, 30)].concat().repeat(3),
            frame(HEADERS, 0),
        ];
        let sent = one.concat().repeat(2);
        for piece in [1, 2, 7, 9, 10, 64, sent.len()] {
            let mut gate = Gate::default();
            let mut pieces = sent.chunks(piece);
            for turn in 1..=2 {
                gate.begin(turn);
                let mut passed = Vec::new();
                while !gate.is_closed() {
                    let mut space = vec![0; sent.len()];
                    let mut buffer = ReadBuf::new(&mut space);
                    if !gate.pass_held(&mut buffer) {
                        gate.pass(pieces.next().unwrap(), &mut buffer);
                    }
                    passed.extend_from_slice(buffer.filled());
                }
                gate.begin(turn);
                assert!(gate.is_closed());
                assert_eq!(passed, sent[..sent.len() / 2], "in pieces of {piece}");
            }
        }
    }

    #[test]
    fn frames_of_no_request_have_turns_and_an_end() {
        let window_update = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        let sent = window_update.repeat(MOST_OF_NO_REQUEST + 1);
        let (mut gate, mut space) = (Gate::default(), vec![0; sent.len()]);
        let mut passed = ReadBuf::new(&mut space);
        gate.pass(&sent, &mut passed);
        let turns = (1..).take_while(|&turn| {
            let before = passed.filled().len();
            assert!(before <= turn * FRAMES_A_TURN * window_update.len());
            gate.begin(turn);
            gate.pass_held(&mut passed);
            passed.filled().len() > before
        });
        assert_eq!(turns.count(), MOST_OF_NO_REQUEST / FRAMES_A_TURN);
        assert!(gate.is_flooded() && passed.filled() == sent);
        for (kind, is_flooded) in [(0x77, true), (DATA, false), (HEADERS, false)] {
            let mut gate = Gate { of_no_request: MOST_OF_NO_REQUEST, ..Gate::default() };
            gate.pass(&[0, 0, 0, kind, 0, 0, 0, 0, 1], &mut ReadBuf::new(&mut [0; 9]));
            assert_eq!(gate.is_flooded(), is_flooded, "type {kind}");
        }
    }

    #[test]
    fn a_full_buffer_loses_no_bytes() {
        let mut gate = Gate::default();
        let sent: Vec<u8> = (0..100).map(|number| if number == 2 { 200 } else { number }).collect();
        let mut passed = Vec::new();
        let mut space = [0; 7];
        let mut buffer = ReadBuf::new(&mut space);
        gate.pass(&sent, &mut buffer);
        while !buffer.filled().is_empty() {
            passed.extend_from_slice(buffer.filled());
            buffer.clear();
            gate.pass_held(&mut buffer);
        }
        assert_eq!(passed, sent);
    }
}
