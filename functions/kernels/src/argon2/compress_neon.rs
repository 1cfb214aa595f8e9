//! Argon2's compression in NEON. Sixteen registers hold two rows at a time, then two pairs of
//! columns.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::aarch64::{
    uint8x16_t, uint64x2_t, vaddq_u64, vdupq_n_u64, veorq_u64, vextq_u64, vld1q_u8, vld1q_u64, vmovn_u64,
    vmull_u32, vqtbl1q_u8, vreinterpretq_u8_u64, vreinterpretq_u32_u64, vreinterpretq_u64_u8,
    vreinterpretq_u64_u32, vrev64q_u32, vsriq_n_u64, vst1q_u64,
};
use core::arch::asm;

use super::block::{Block, Compressor, bytes_turned_right};
use super::fill::compressor;
use crate::processor;

compressor!(
    /// The proof that this machine has NEON.
    Neon, "neon", processor::has_neon
);

impl Compressor for Neon {
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
        // SAFETY: the machine has NEON, or `self` would not exist.
        unsafe { step(previous, reference, destination, xor) }
        destination.0[0]
    }

    #[inline(always)]
    fn prefetch(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_LINE) {
            // SAFETY: a prefetch reads nothing that the program could see. (The intrinsic is not
            // stable.)
            unsafe {
                asm!("prfm pldl1keep, [{}]", in(reg) line.as_ptr(), options(nostack, preserves_flags, readonly));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn step(previous: &Block, reference: &Block, destination: &mut Block, xor: bool) {
    // Vector `8·row + pair` holds the words 2·pair and 2·pair + 1 of that row.
    let mut state = [vdupq_n_u64(0); VECTORS];
    let mut mixed = [vdupq_n_u64(0); VECTORS];
    for index in 0..VECTORS {
        state[index] = veorq_u64(load(previous, index), load(reference, index));
        mixed[index] = if xor { veorq_u64(state[index], load(destination, index)) } else { state[index] };
    }
    let turns = Turns::new();
    for rows in [0, 2, 4, 6] {
        rounds(&turns, &mut state, |second, pair| 8 * (rows + second) + pair);
    }
    for columns in [0, 2, 4, 6] {
        rounds(&turns, &mut state, |second, row| 8 * row + columns + second);
    }
    for index in 0..VECTORS {
        store(destination, index, veorq_u64(state[index], mixed[index]));
    }
}

/// Computes the permutation P twice, each time on the eight vectors with the indices in `at`.
#[inline]
#[target_feature(enable = "neon")]
fn rounds(turns: &Turns, state: &mut [uint64x2_t; VECTORS], at: impl Fn(usize, usize) -> usize) {
    let part = |first| [at(0, first), at(0, first + 1), at(1, first), at(1, first + 1)];
    let [mut a, mut b, mut c, mut d] = [0, 2, 4, 6].map(|first| part(first).map(|vector| state[vector]));
    quarter_rounds(turns, &mut a, &mut b, &mut c, &mut d);
    // For the diagonals a, c and d rotate, and b stays: b is ready last and needed first.
    a = turned_3(a);
    c = turned_1(c);
    d = [d[1], d[0], d[3], d[2]];
    quarter_rounds(turns, &mut a, &mut b, &mut c, &mut d);
    a = turned_1(a);
    c = turned_3(c);
    d = [d[1], d[0], d[3], d[2]];
    for (first, values) in [(0, a), (2, b), (4, c), (6, d)] {
        for (vector, value) in part(first).into_iter().zip(values) {
            state[vector] = value;
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(block: &Block, vector: usize) -> uint64x2_t {
    let words = &block.0[2 * vector..2 * vector + 2];
    // SAFETY: 16 bytes of a block.
    unsafe { vld1q_u64(words.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(block: &mut Block, vector: usize, value: uint64x2_t) {
    let words = &mut block.0[2 * vector..2 * vector + 2];
    // SAFETY: 16 bytes of a block.
    unsafe { vst1q_u64(words.as_mut_ptr(), value) }
}

/// Rotates the four words of each of two rows or columns down by one. Each has two vectors.
#[inline]
#[target_feature(enable = "neon")]
fn turned_1([x0, x1, y0, y1]: Four) -> Four {
    [vextq_u64::<1>(x0, x1), vextq_u64::<1>(x1, x0), vextq_u64::<1>(y0, y1), vextq_u64::<1>(y1, y0)]
}

/// As the function above, but rotates by three.
#[inline]
#[target_feature(enable = "neon")]
fn turned_3(x: Four) -> Four {
    let [x0, x1, y0, y1] = turned_1(x);
    [x1, x0, y1, y0]
}

/// Computes GB of RFC 9106 §3.6 eight times, in four independent chains.
#[inline]
#[target_feature(enable = "neon")]
fn quarter_rounds(turns: &Turns, a: &mut Four, b: &mut Four, c: &mut Four, d: &mut Four) {
    for chain in 0..4 {
        a[chain] = multiply_add(a[chain], b[chain]);
        let sum = veorq_u64(d[chain], a[chain]);
        d[chain] = vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(sum)));
    }
    for chain in 0..4 {
        c[chain] = multiply_add(c[chain], d[chain]);
        b[chain] = shuffled(veorq_u64(b[chain], c[chain]), turns.by_24);
    }
    for chain in 0..4 {
        a[chain] = multiply_add(a[chain], b[chain]);
        d[chain] = shuffled(veorq_u64(d[chain], a[chain]), turns.by_16);
    }
    for chain in 0..4 {
        c[chain] = multiply_add(c[chain], d[chain]);
        let sum = veorq_u64(b[chain], c[chain]);
        b[chain] = vsriq_n_u64::<63>(vaddq_u64(sum, sum), sum);
    }
}

/// Returns `x + y + 2·low(x)·low(y)`.
#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(x: uint64x2_t, y: uint64x2_t) -> uint64x2_t {
    let product = vmull_u32(vmovn_u64(x), vmovn_u64(y));
    vaddq_u64(vaddq_u64(vaddq_u64(x, y), product), product)
}

#[inline]
#[target_feature(enable = "neon")]
fn shuffled(x: uint64x2_t, table: uint8x16_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(x), table))
}

/// Shuffles that rotate each word right by whole bytes.
struct Turns {
    by_24: uint8x16_t,
    by_16: uint8x16_t,
}

impl Turns {
    #[inline]
    #[target_feature(enable = "neon")]
    fn new() -> Self {
        let (by_24, by_16): (&[u8; 16], &[u8; 16]) =
            const { (&bytes_turned_right(3), &bytes_turned_right(2)) };
        // SAFETY: 16 bytes of tables of that size.
        unsafe { Self { by_24: vld1q_u8(by_24.as_ptr()), by_16: vld1q_u8(by_16.as_ptr()) } }
    }
}

/// One part of P's input (a, b, c or d): two vectors of each of two rows or columns.
type Four = [uint64x2_t; 4];

const VECTORS: usize = 64;
const WORDS_PER_LINE: usize = 8;
