//! Argon2's compression in AVX2. Registers hold four rows at a time, then two pairs of columns.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_add_epi64, _mm256_alignr_epi8, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_mul_epu32, _mm256_permute4x64_epi64, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_srli_epi64, _mm256_store_si256, _mm256_xor_si256,
};

use super::block::{Block, Compressor, bytes_turned_right};
use super::fill::compressor;
use crate::processor;

compressor!(
    /// The proof that this machine has AVX2.
    Avx2, "avx2", processor::has_avx2
);

impl Compressor for Avx2 {
    type Working = ();

    #[inline(always)]
    fn start(self, _previous: &Block) {}

    #[inline(always)]
    fn step(
        self,
        _working: &mut (),
        previous: &Block,
        reference: &Block,
        destination: &mut Block,
        xor: bool,
    ) -> u64 {
        // SAFETY: the machine has AVX2, or `self` would not exist.
        unsafe { step(previous, reference, destination, xor) }
        destination.0[0]
    }

    #[inline(always)]
    fn prefetch(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_LINE) {
            // SAFETY: a prefetch reads nothing that the program could see.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn step(previous: &Block, reference: &Block, destination: &mut Block, xor: bool) {
    let turns = Turns::new();
    // Vector `part` of a row holds its words 4·part to 4·part + 3.
    let rows = [0, 4].map(|first| {
        let mut mixed = [[_mm256_setzero_si256(); 4]; 4];
        for (row, parts) in (first..).zip(&mut mixed) {
            for (index, mixed) in (4 * row..).zip(parts) {
                *mixed = _mm256_xor_si256(load(previous, index), load(reference, index));
                // The destination holds the data for the final XOR. Its cache lines arrive during
                // the rounds.
                let old = if xor { load(destination, index) } else { _mm256_setzero_si256() };
                store(destination, index, _mm256_xor_si256(*mixed, old));
            }
        }
        let [mut a, mut b, mut c, mut d] = transposed(&mixed);
        quarter_rounds(&turns, &mut a, &mut b, &mut c, &mut d);
        // For the diagonals a, c and d rotate, and b stays: b is ready last and needed first.
        a = a.map(|a| _mm256_permute4x64_epi64::<ROTATE_3>(a));
        c = c.map(|c| _mm256_permute4x64_epi64::<ROTATE_1>(c));
        d = d.map(|d| _mm256_permute4x64_epi64::<ROTATE_2>(d));
        quarter_rounds(&turns, &mut a, &mut b, &mut c, &mut d);
        a = a.map(|a| _mm256_permute4x64_epi64::<ROTATE_1>(a));
        c = c.map(|c| _mm256_permute4x64_epi64::<ROTATE_3>(c));
        d = d.map(|d| _mm256_permute4x64_epi64::<ROTATE_2>(d));
        transposed(&[a, b, c, d])
    });
    // A pair of columns is one vector of each row. The four words of a part are in two rows.
    for pair in [[0, 1], [2, 3]] {
        let part = |row: usize| {
            let [first, second] = pair;
            [
                rows[row / 4][row % 4][first],
                rows[row / 4][row % 4 + 1][first],
                rows[row / 4][row % 4][second],
                rows[row / 4][row % 4 + 1][second],
            ]
        };
        let (mut a, mut b, mut c, mut d) = (part(0), part(2), part(4), part(6));
        quarter_rounds(&turns, &mut a, &mut b, &mut c, &mut d);
        a = columns_turned_3(a);
        c = columns_turned_1(c);
        d = [d[1], d[0], d[3], d[2]];
        quarter_rounds(&turns, &mut a, &mut b, &mut c, &mut d);
        a = columns_turned_1(a);
        c = columns_turned_3(c);
        d = [d[1], d[0], d[3], d[2]];
        for (row, part) in [(0, a), (2, b), (4, c), (6, d)] {
            for (vector, value) in part.into_iter().enumerate() {
                let index = 4 * (row + vector % 2) + pair[vector / 2];
                store(destination, index, _mm256_xor_si256(value, load(destination, index)));
            }
        }
    }
}

/// Transposes four rows to their parts, or back.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([p, q, r, s]: &[Four; 4]) -> [Four; 4] {
    [[p[0], q[0], r[0], s[0]], [p[1], q[1], r[1], s[1]], [p[2], q[2], r[2], s[2]], [p[3], q[3], r[3], s[3]]]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block, vector: usize) -> __m256i {
    let words = &block.0[4 * vector..4 * vector + 4];
    // SAFETY: 32 bytes, at a multiple of 32 in a block that begins on a multiple of 64.
    unsafe { _mm256_load_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(block: &mut Block, vector: usize, value: __m256i) {
    let words = &mut block.0[4 * vector..4 * vector + 4];
    // SAFETY: 32 bytes, at a multiple of 32 in a block that begins on a multiple of 64.
    unsafe { _mm256_store_si256(words.as_mut_ptr().cast(), value) }
}

/// Rotates the four words of each of four columns down by one. A pair of columns has two vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn columns_turned_1([x0, x1, y0, y1]: Four) -> Four {
    [
        _mm256_alignr_epi8::<8>(x1, x0),
        _mm256_alignr_epi8::<8>(x0, x1),
        _mm256_alignr_epi8::<8>(y1, y0),
        _mm256_alignr_epi8::<8>(y0, y1),
    ]
}

/// As the function above, but rotates by three.
#[inline]
#[target_feature(enable = "avx2")]
fn columns_turned_3(x: Four) -> Four {
    let [x0, x1, y0, y1] = columns_turned_1(x);
    [x1, x0, y1, y0]
}

/// Computes GB of RFC 9106 §3.6 sixteen times, in four independent chains.
#[inline]
#[target_feature(enable = "avx2")]
fn quarter_rounds(turns: &Turns, a: &mut Four, b: &mut Four, c: &mut Four, d: &mut Four) {
    for chain in 0..4 {
        a[chain] = multiply_add(a[chain], b[chain]);
        d[chain] = _mm256_shuffle_epi32::<SWAP_HALVES>(_mm256_xor_si256(d[chain], a[chain]));
    }
    for chain in 0..4 {
        c[chain] = multiply_add(c[chain], d[chain]);
        b[chain] = _mm256_shuffle_epi8(_mm256_xor_si256(b[chain], c[chain]), turns.by_24);
    }
    for chain in 0..4 {
        a[chain] = multiply_add(a[chain], b[chain]);
        d[chain] = _mm256_shuffle_epi8(_mm256_xor_si256(d[chain], a[chain]), turns.by_16);
    }
    for chain in 0..4 {
        c[chain] = multiply_add(c[chain], d[chain]);
        let sum = _mm256_xor_si256(b[chain], c[chain]);
        b[chain] = _mm256_xor_si256(_mm256_srli_epi64::<63>(sum), _mm256_add_epi64(sum, sum));
    }
}

/// One part of P's input (a, b, c or d) for four rows or two pairs of columns.
type Four = [__m256i; 4];

/// Returns `x + y + 2·low(x)·low(y)`.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(x: __m256i, y: __m256i) -> __m256i {
    let product = _mm256_mul_epu32(x, y);
    _mm256_add_epi64(_mm256_add_epi64(_mm256_add_epi64(x, y), product), product)
}

/// Shuffles that rotate each word right by whole bytes.
struct Turns {
    by_24: __m256i,
    by_16: __m256i,
}

impl Turns {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new() -> Self {
        let (by_24, by_16): (&[u8; 32], &[u8; 32]) =
            const { (&bytes_turned_right(3), &bytes_turned_right(2)) };
        // SAFETY: 32 bytes of tables of that size.
        let (by_24, mut by_16) =
            unsafe { (_mm256_loadu_si256(by_24.as_ptr().cast()), _mm256_loadu_si256(by_16.as_ptr().cast())) };
        // If LLVM knows the table, it replaces one shuffle of bytes by two of words, which is
        // slower.
        // SAFETY: does nothing.
        unsafe { asm!("/* {0} */", inout(ymm_reg) by_16, options(pure, nomem, nostack, preserves_flags)) };
        Self { by_24, by_16 }
    }
}

const WORDS_PER_LINE: usize = 8;

/// Rotates the four words of a vector down by one, two or three.
const ROTATE_1: i32 = 0b00_11_10_01;
const ROTATE_2: i32 = 0b01_00_11_10;
const ROTATE_3: i32 = 0b10_01_00_11;

/// Exchanges the halves of each word: a rotation by 32.
const SWAP_HALVES: i32 = 0b10_11_00_01;
