//! The SHA instructions of x86: SHA-1 and SHA-256, with one stream or a few interleaved ones.
//!
//! One stream waits for its own rounds; a second stream uses the free half of the unit.
//!
//! The functions enable only the features that the instructions need. These instructions have only
//! the legacy SSE encoding. AVX-512 would add EVEX code for registers above xmm15, and mixed with
//! that code they were 90 times slower.
#![allow(unsafe_code, reason = "functions that enable features are called")]
#![allow(clippy::wildcard_imports, reason = "the name of an intrinsic shows its module")]

use super::streams::safe;
use crate::processor;

safe!(sha1, u32, 5, sha1_kernel::iterate, processor::has_sha);
safe!(sha256, u32, 8, sha256_kernel::iterate, processor::has_sha);

/// SHA-1.
mod sha1_kernel {
    use core::arch::x86_64::*;

    use crate::pbkdf2::{
        rounds::{END_32, SHA1_BITS},
        streams::Streams,
    };

    /// The working variables. The first vector has a in its highest word, the second has e there.
    type Pair = (__m128i, __m128i);

    /// Does `steps` iterations of PBKDF2 on every stream.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub(in crate::pbkdf2) fn iterate<const STREAMS: usize>(
        streams: &mut Streams<u32, 5, STREAMS>,
        steps: u64,
    ) {
        let (inner, outer) = (pack(&streams.inner), pack(&streams.outer));
        let (mut last, mut sum) = (pack(&streams.last), pack(&streams.sum));
        for _ in 0..steps {
            last = compress(&outer, &compress(&inner, &last));
            for s in 0..STREAMS {
                sum[s] = (_mm_xor_si128(sum[s].0, last[s].0), _mm_xor_si128(sum[s].1, last[s].1));
            }
        }
        unpack(&last, &mut streams.last);
        unpack(&sum, &mut streams.sum);
    }

    /// Does four rounds on each stream for each number, and four words of the message schedule if they
    /// are not those of the block.
    macro_rules! rounds {
        ($state:ident, $w:ident, $mix:literal: $($i:literal)+) => {$(
            for s in 0..STREAMS {
                if $i > 3 {
                    let sooner = _mm_sha1msg1_epu32($w[s][$i % 4], $w[s][($i + 1) % 4]);
                    let sooner = _mm_xor_si128(sooner, $w[s][($i + 2) % 4]);
                    $w[s][$i % 4] = _mm_sha1msg2_epu32(sooner, $w[s][($i + 3) % 4]);
                }
            }
            for s in 0..STREAMS {
                let e = _mm_sha1nexte_epu32($state[s].1, $w[s][$i % 4]);
                $state[s] = (_mm_sha1rnds4_epu32::<$mix>($state[s].0, e), $state[s].0);
            }
        )+};
    }

    #[inline]
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn compress<const STREAMS: usize>(
        midstate: &[Pair; STREAMS],
        digest: &[Pair; STREAMS],
    ) -> [Pair; STREAMS] {
        let zero = _mm_setzero_si128();
        let end = _mm_set_epi32(0, END_32.cast_signed(), 0, 0);
        let bits = _mm_set_epi32(0, 0, 0, SHA1_BITS.cast_signed());
        let mut state = *midstate;
        let mut w = [[zero, zero, zero, bits]; STREAMS];
        for s in 0..STREAMS {
            w[s][0] = digest[s].0;
            w[s][1] = _mm_or_si128(digest[s].1, end);
            // The first four rounds take e unrotated.
            let e = _mm_add_epi32(state[s].1, w[s][0]);
            state[s] = (_mm_sha1rnds4_epu32::<0>(state[s].0, e), state[s].0);
        }
        rounds!(state, w, 0: 1 2 3 4);
        rounds!(state, w, 1: 5 6 7 8 9);
        rounds!(state, w, 2: 10 11 12 13 14);
        rounds!(state, w, 3: 15 16 17 18 19);
        for s in 0..STREAMS {
            let (abcd, e) = midstate[s];
            state[s] = (_mm_add_epi32(state[s].0, abcd), _mm_sha1nexte_epu32(state[s].1, e));
        }
        state
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn pack<const STREAMS: usize>(rows: &[[u32; STREAMS]; 5]) -> [Pair; STREAMS] {
        let mut packed = [(_mm_setzero_si128(), _mm_setzero_si128()); STREAMS];
        for (s, pair) in packed.iter_mut().enumerate() {
            let word = rows.each_ref().map(|row| row[s].cast_signed());
            *pair = (_mm_set_epi32(word[0], word[1], word[2], word[3]), _mm_set_epi32(word[4], 0, 0, 0));
        }
        packed
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn unpack<const STREAMS: usize>(packed: &[Pair; STREAMS], rows: &mut [[u32; STREAMS]; 5]) {
        for (s, &(abcd, e)) in packed.iter().enumerate() {
            rows[0][s] = _mm_extract_epi32::<3>(abcd).cast_unsigned();
            rows[1][s] = _mm_extract_epi32::<2>(abcd).cast_unsigned();
            rows[2][s] = _mm_extract_epi32::<1>(abcd).cast_unsigned();
            rows[3][s] = _mm_extract_epi32::<0>(abcd).cast_unsigned();
            rows[4][s] = _mm_extract_epi32::<3>(e).cast_unsigned();
        }
    }
}

/// SHA-256.
mod sha256_kernel {
    use core::arch::x86_64::*;

    use crate::pbkdf2::{
        rounds::{END_32, SHA256_BITS, SHA256_K},
        streams::Streams,
    };

    /// The working variables in the order of the instructions: from the highest word down, a b e f
    /// and c d g h.
    type Pair = (__m128i, __m128i);

    /// Does `steps` iterations of PBKDF2 on every stream.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub(in crate::pbkdf2) fn iterate<const STREAMS: usize>(
        streams: &mut Streams<u32, 8, STREAMS>,
        steps: u64,
    ) {
        let (inner, outer) = (pack(&streams.inner), pack(&streams.outer));
        let (mut last, mut sum) = (pack(&streams.last), pack(&streams.sum));
        for _ in 0..steps {
            last = compress(&outer, &compress(&inner, &last));
            for s in 0..STREAMS {
                sum[s] = (_mm_xor_si128(sum[s].0, last[s].0), _mm_xor_si128(sum[s].1, last[s].1));
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
                    let sooner = _mm_sha256msg1_epu32($w[s][$i % 4], $w[s][($i + 1) % 4]);
                    let seventh = _mm_alignr_epi8::<4>($w[s][($i + 3) % 4], $w[s][($i + 2) % 4]);
                    $w[s][$i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(sooner, seventh), $w[s][($i + 3) % 4]);
                }
            }
            for s in 0..STREAMS {
                let constants = _mm_set_epi32(
                    SHA256_K[4 * $i + 3].cast_signed(),
                    SHA256_K[4 * $i + 2].cast_signed(),
                    SHA256_K[4 * $i + 1].cast_signed(),
                    SHA256_K[4 * $i].cast_signed(),
                );
                let (abef, cdgh) = $state[s];
                let two = _mm_add_epi32($w[s][$i % 4], constants);
                let abef_cdgh = _mm_sha256rnds2_epu32(cdgh, abef, two);
                let two = _mm_shuffle_epi32::<UPPER_HALF>(two);
                $state[s] = (_mm_sha256rnds2_epu32(abef, abef_cdgh, two), abef_cdgh);
            }
        )+};
    }

    #[inline]
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn compress<const STREAMS: usize>(
        midstate: &[Pair; STREAMS],
        digest: &[Pair; STREAMS],
    ) -> [Pair; STREAMS] {
        let end = _mm_set_epi32(0, 0, 0, END_32.cast_signed());
        let bits = _mm_set_epi32(SHA256_BITS.cast_signed(), 0, 0, 0);
        let mut state = *midstate;
        let mut w = [[end, end, end, bits]; STREAMS];
        for s in 0..STREAMS {
            let (abef, cdgh) = digest[s];
            w[s][0] = _mm_shuffle_epi32::<SWAP_PAIRS>(_mm_unpackhi_epi64(abef, cdgh));
            w[s][1] = _mm_shuffle_epi32::<SWAP_PAIRS>(_mm_unpacklo_epi64(abef, cdgh));
        }
        rounds!(state, w: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for s in 0..STREAMS {
            let (abef, cdgh) = midstate[s];
            state[s] = (_mm_add_epi32(state[s].0, abef), _mm_add_epi32(state[s].1, cdgh));
        }
        state
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn pack<const STREAMS: usize>(rows: &[[u32; STREAMS]; 8]) -> [Pair; STREAMS] {
        let mut packed = [(_mm_setzero_si128(), _mm_setzero_si128()); STREAMS];
        for (s, pair) in packed.iter_mut().enumerate() {
            let word = rows.each_ref().map(|row| row[s].cast_signed());
            let abef = _mm_set_epi32(word[0], word[1], word[4], word[5]);
            *pair = (abef, _mm_set_epi32(word[2], word[3], word[6], word[7]));
        }
        packed
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn unpack<const STREAMS: usize>(packed: &[Pair; STREAMS], rows: &mut [[u32; STREAMS]; 8]) {
        for (s, &(abef, cdgh)) in packed.iter().enumerate() {
            rows[0][s] = _mm_extract_epi32::<3>(abef).cast_unsigned();
            rows[1][s] = _mm_extract_epi32::<2>(abef).cast_unsigned();
            rows[2][s] = _mm_extract_epi32::<3>(cdgh).cast_unsigned();
            rows[3][s] = _mm_extract_epi32::<2>(cdgh).cast_unsigned();
            rows[4][s] = _mm_extract_epi32::<1>(abef).cast_unsigned();
            rows[5][s] = _mm_extract_epi32::<0>(abef).cast_unsigned();
            rows[6][s] = _mm_extract_epi32::<1>(cdgh).cast_unsigned();
            rows[7][s] = _mm_extract_epi32::<0>(cdgh).cast_unsigned();
        }
    }

    /// Moves the two upper words down.
    const UPPER_HALF: i32 = 0b00_00_11_10;

    /// Exchanges the words of each half.
    const SWAP_PAIRS: i32 = 0b10_11_00_01;
}
