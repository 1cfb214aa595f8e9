//! The SHA instructions of aarch64: SHA-1 and SHA-256 (`FEAT_SHA1`, `FEAT_SHA256`) and SHA-512
//! (`FEAT_SHA512`).
//!
//! A kernel has one stream or a few interleaved ones. One stream waits for its own rounds; the
//! others use the free slots of the unit.
#![allow(unsafe_code, reason = "functions that enable features are called")]
#![allow(clippy::wildcard_imports, reason = "the name of an intrinsic shows its module")]

use super::streams::safe;
use crate::processor;

safe!(sha1, u32, 5, sha1_kernel::iterate, processor::has_sha2);
safe!(sha256, u32, 8, sha256_kernel::iterate, processor::has_sha2);
safe!(sha512, u64, 8, sha512_kernel::iterate, processor::has_sha512);

/// SHA-1.
mod sha1_kernel {
    use core::arch::aarch64::*;

    use crate::pbkdf2::{
        rounds::{END_32, SHA1_BITS, SHA1_K},
        streams::Streams,
    };

    /// The working variables: a to d, and e alone.
    type State = (uint32x4_t, u32);

    /// Does `steps` iterations of PBKDF2 on every stream.
    #[target_feature(enable = "sha2")]
    pub(super) fn iterate<const STREAMS: usize>(streams: &mut Streams<u32, 5, STREAMS>, steps: u64) {
        let (inner, outer) = (pack(&streams.inner), pack(&streams.outer));
        let (mut last, mut sum) = (pack(&streams.last), pack(&streams.sum));
        for _ in 0..steps {
            last = compress(&outer, &compress(&inner, &last));
            for s in 0..STREAMS {
                sum[s] = (veorq_u32(sum[s].0, last[s].0), sum[s].1 ^ last[s].1);
            }
        }
        unpack(&last, &mut streams.last);
        unpack(&sum, &mut streams.sum);
    }

    /// Does four rounds on each stream for each number, and four words of the message schedule if they
    /// are not those of the block.
    macro_rules! rounds {
        ($state:ident, $w:ident, $mix:ident, $k:literal: $($i:literal)+) => {$(
            for s in 0..STREAMS {
                if $i > 3 {
                    let sooner = vsha1su0q_u32($w[s][$i % 4], $w[s][($i + 1) % 4], $w[s][($i + 2) % 4]);
                    $w[s][$i % 4] = vsha1su1q_u32(sooner, $w[s][($i + 3) % 4]);
                }
            }
            for s in 0..STREAMS {
                let (abcd, e) = $state[s];
                let rotated = vsha1h_u32(vgetq_lane_u32::<0>(abcd));
                let words = vaddq_u32($w[s][$i % 4], vdupq_n_u32(SHA1_K[$k]));
                $state[s] = ($mix(abcd, e, words), rotated);
            }
        )+};
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    fn compress<const STREAMS: usize>(
        midstate: &[State; STREAMS],
        digest: &[State; STREAMS],
    ) -> [State; STREAMS] {
        let zero = vdupq_n_u32(0);
        let end = vsetq_lane_u32::<1>(END_32, zero);
        let bits = vsetq_lane_u32::<3>(SHA1_BITS, zero);
        let mut state = *midstate;
        let mut w = [[zero, zero, zero, bits]; STREAMS];
        for s in 0..STREAMS {
            w[s][0] = digest[s].0;
            w[s][1] = vsetq_lane_u32::<0>(digest[s].1, end);
        }
        rounds!(state, w, vsha1cq_u32, 0: 0 1 2 3 4);
        rounds!(state, w, vsha1pq_u32, 1: 5 6 7 8 9);
        rounds!(state, w, vsha1mq_u32, 2: 10 11 12 13 14);
        rounds!(state, w, vsha1pq_u32, 3: 15 16 17 18 19);
        for s in 0..STREAMS {
            let (abcd, e) = midstate[s];
            state[s] = (vaddq_u32(state[s].0, abcd), state[s].1.wrapping_add(e));
        }
        state
    }

    #[target_feature(enable = "sha2")]
    fn pack<const STREAMS: usize>(rows: &[[u32; STREAMS]; 5]) -> [State; STREAMS] {
        let mut packed = [(vdupq_n_u32(0), 0); STREAMS];
        for (s, (abcd, e)) in packed.iter_mut().enumerate() {
            *abcd = vsetq_lane_u32::<0>(rows[0][s], *abcd);
            *abcd = vsetq_lane_u32::<1>(rows[1][s], *abcd);
            *abcd = vsetq_lane_u32::<2>(rows[2][s], *abcd);
            *abcd = vsetq_lane_u32::<3>(rows[3][s], *abcd);
            *e = rows[4][s];
        }
        packed
    }

    #[target_feature(enable = "sha2")]
    fn unpack<const STREAMS: usize>(packed: &[State; STREAMS], rows: &mut [[u32; STREAMS]; 5]) {
        for (s, &(abcd, e)) in packed.iter().enumerate() {
            rows[0][s] = vgetq_lane_u32::<0>(abcd);
            rows[1][s] = vgetq_lane_u32::<1>(abcd);
            rows[2][s] = vgetq_lane_u32::<2>(abcd);
            rows[3][s] = vgetq_lane_u32::<3>(abcd);
            rows[4][s] = e;
        }
    }
}

/// SHA-256.
mod sha256_kernel {
    use core::arch::aarch64::*;

    use crate::pbkdf2::{
        rounds::{END_32, SHA256_BITS, SHA256_K},
        streams::Streams,
    };

    /// The working variables: a to d, and e to h.
    type State = [uint32x4_t; 2];

    /// Does `steps` iterations of PBKDF2 on every stream.
    #[target_feature(enable = "sha2")]
    pub(super) fn iterate<const STREAMS: usize>(streams: &mut Streams<u32, 8, STREAMS>, steps: u64) {
        let (inner, outer) = (pack(&streams.inner), pack(&streams.outer));
        let (mut last, mut sum) = (pack(&streams.last), pack(&streams.sum));
        for _ in 0..steps {
            last = compress(&outer, &compress(&inner, &last));
            for s in 0..STREAMS {
                sum[s] = [veorq_u32(sum[s][0], last[s][0]), veorq_u32(sum[s][1], last[s][1])];
            }
        }
        unpack(&last, &mut streams.last);
        unpack(&sum, &mut streams.sum);
    }

    /// Does four rounds on each stream for each number, and four words of the message schedule if they
    /// are not those of the block.
    macro_rules! rounds {
        ($state:ident, $w:ident: $($i:literal)+) => {$(
            for s in 0..STREAMS {
                if $i > 3 {
                    let sooner = vsha256su0q_u32($w[s][$i % 4], $w[s][($i + 1) % 4]);
                    $w[s][$i % 4] = vsha256su1q_u32(sooner, $w[s][($i + 2) % 4], $w[s][($i + 3) % 4]);
                }
            }
            let mut constants = vdupq_n_u32(SHA256_K[4 * $i]);
            constants = vsetq_lane_u32::<1>(SHA256_K[4 * $i + 1], constants);
            constants = vsetq_lane_u32::<2>(SHA256_K[4 * $i + 2], constants);
            constants = vsetq_lane_u32::<3>(SHA256_K[4 * $i + 3], constants);
            for s in 0..STREAMS {
                let [abcd, efgh] = $state[s];
                let words = vaddq_u32($w[s][$i % 4], constants);
                $state[s] = [vsha256hq_u32(abcd, efgh, words), vsha256h2q_u32(efgh, abcd, words)];
            }
        )+};
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    fn compress<const STREAMS: usize>(
        midstate: &[State; STREAMS],
        digest: &[State; STREAMS],
    ) -> [State; STREAMS] {
        let zero = vdupq_n_u32(0);
        let end = vsetq_lane_u32::<0>(END_32, zero);
        let bits = vsetq_lane_u32::<3>(SHA256_BITS, zero);
        let mut state = *midstate;
        let mut w = digest.map(|[abcd, efgh]| [abcd, efgh, end, bits]);
        rounds!(state, w: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for s in 0..STREAMS {
            let [abcd, efgh] = midstate[s];
            state[s] = [vaddq_u32(state[s][0], abcd), vaddq_u32(state[s][1], efgh)];
        }
        state
    }

    #[target_feature(enable = "sha2")]
    fn pack<const STREAMS: usize>(rows: &[[u32; STREAMS]; 8]) -> [State; STREAMS] {
        let mut packed = [[vdupq_n_u32(0); 2]; STREAMS];
        for (s, state) in packed.iter_mut().enumerate() {
            for (vector, rows) in state.iter_mut().zip(rows.as_chunks::<4>().0) {
                *vector = vsetq_lane_u32::<0>(rows[0][s], *vector);
                *vector = vsetq_lane_u32::<1>(rows[1][s], *vector);
                *vector = vsetq_lane_u32::<2>(rows[2][s], *vector);
                *vector = vsetq_lane_u32::<3>(rows[3][s], *vector);
            }
        }
        packed
    }

    #[target_feature(enable = "sha2")]
    fn unpack<const STREAMS: usize>(packed: &[State; STREAMS], rows: &mut [[u32; STREAMS]; 8]) {
        for (s, state) in packed.iter().enumerate() {
            for (&vector, rows) in state.iter().zip(rows.as_chunks_mut::<4>().0) {
                rows[0][s] = vgetq_lane_u32::<0>(vector);
                rows[1][s] = vgetq_lane_u32::<1>(vector);
                rows[2][s] = vgetq_lane_u32::<2>(vector);
                rows[3][s] = vgetq_lane_u32::<3>(vector);
            }
        }
    }
}

/// SHA-512.
mod sha512_kernel {
    use core::arch::aarch64::*;

    use crate::pbkdf2::{
        rounds::{END_64, SHA512_BITS, SHA512_K},
        streams::Streams,
    };

    /// The working variables, two per vector.
    type State = [uint64x2_t; 4];

    /// Does `steps` iterations of PBKDF2 on every stream.
    #[target_feature(enable = "sha3")]
    pub(super) fn iterate<const STREAMS: usize>(streams: &mut Streams<u64, 8, STREAMS>, steps: u64) {
        let (inner, outer) = (pack(&streams.inner), pack(&streams.outer));
        let (mut last, mut sum) = (pack(&streams.last), pack(&streams.sum));
        for _ in 0..steps {
            last = compress(&outer, &compress(&inner, &last));
            for (sum, last) in sum.iter_mut().zip(&last) {
                for (sum, &last) in sum.iter_mut().zip(last) {
                    *sum = veorq_u64(*sum, last);
                }
            }
        }
        unpack(&last, &mut streams.last);
        unpack(&sum, &mut streams.sum);
    }

    /// Does two rounds on each stream for each number, and two words of the message schedule if they are
    /// not those of the block.
    macro_rules! rounds {
        ($state:ident, $w:ident, $from:expr, $scheduled:literal: $($i:literal)+) => {$(
            for w in &mut $w {
                if $scheduled {
                    let sooner = vsha512su0q_u64(w[$i], w[($i + 1) % 8]);
                    let seventh = vextq_u64::<1>(w[($i + 4) % 8], w[($i + 5) % 8]);
                    w[$i] = vsha512su1q_u64(sooner, w[($i + 7) % 8], seventh);
                }
            }
            let constants = vcombine_u64(
                vcreate_u64(SHA512_K[$from + 2 * $i]),
                vcreate_u64(SHA512_K[$from + 2 * $i + 1]),
            );
            for s in 0..STREAMS {
                let [ab, cd, ef, gh] = $state[s];
                let words = vaddq_u64($w[s][$i], constants);
                let gh_and_words = vaddq_u64(gh, vextq_u64::<1>(words, words));
                let mixed = vsha512hq_u64(gh_and_words, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                $state[s] = [vsha512h2q_u64(mixed, cd, ab), ab, vaddq_u64(cd, mixed), ef];
            }
        )+};
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    fn compress<const STREAMS: usize>(
        midstate: &[State; STREAMS],
        digest: &[State; STREAMS],
    ) -> [State; STREAMS] {
        let zero = vdupq_n_u64(0);
        let end = vsetq_lane_u64::<0>(END_64, zero);
        let bits = vsetq_lane_u64::<1>(SHA512_BITS, zero);
        let mut state = *midstate;
        let mut w = digest.map(|[ab, cd, ef, gh]| [ab, cd, ef, gh, end, zero, zero, bits]);
        rounds!(state, w, 0, false: 0 1 2 3 4 5 6 7);
        for from in (16..SHA512_K.len()).step_by(16) {
            rounds!(state, w, from, true: 0 1 2 3 4 5 6 7);
        }
        for (state, midstate) in state.iter_mut().zip(midstate) {
            for (state, &midstate) in state.iter_mut().zip(midstate) {
                *state = vaddq_u64(*state, midstate);
            }
        }
        state
    }

    #[target_feature(enable = "sha3")]
    fn pack<const STREAMS: usize>(rows: &[[u64; STREAMS]; 8]) -> [State; STREAMS] {
        let mut packed = [[vdupq_n_u64(0); 4]; STREAMS];
        for (s, state) in packed.iter_mut().enumerate() {
            for (vector, rows) in state.iter_mut().zip(rows.as_chunks::<2>().0) {
                *vector = vcombine_u64(vcreate_u64(rows[0][s]), vcreate_u64(rows[1][s]));
            }
        }
        packed
    }

    #[target_feature(enable = "sha3")]
    fn unpack<const STREAMS: usize>(packed: &[State; STREAMS], rows: &mut [[u64; STREAMS]; 8]) {
        for (s, state) in packed.iter().enumerate() {
            for (&vector, rows) in state.iter().zip(rows.as_chunks_mut::<2>().0) {
                rows[0][s] = vgetq_lane_u64::<0>(vector);
                rows[1][s] = vgetq_lane_u64::<1>(vector);
            }
        }
    }
}
