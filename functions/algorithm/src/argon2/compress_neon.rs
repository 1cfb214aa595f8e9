//! Argon2's compression in NEON: a row or a pair of columns in eight registers at a time.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::aarch64::{
    uint64x2_t, vaddq_u64, vdupq_n_u64, veorq_u64, vextq_u64, vld1q_u8, vld1q_u64, vmovn_u64, vmull_u32,
    vqtbl1q_u8, vreinterpretq_u8_u64, vreinterpretq_u32_u64, vreinterpretq_u64_u8, vreinterpretq_u64_u32,
    vrev64q_u32, vsriq_n_u64, vst1q_u64,
};
use core::arch::asm;

use super::block::{Block, Compressor, bytes_turned_right};
use super::fill::Fill;
use super::segment::Segment;

/// The proof that this machine has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }

    pub(super) fn fill(self, fill: &Fill, segment: &mut Segment<'_>) {
        // SAFETY: the machine has NEON, or `self` would not exist.
        unsafe { fill_neon(self, fill, segment) }
    }
}

#[target_feature(enable = "neon")]
fn fill_neon(compressor: Neon, fill: &Fill, segment: &mut Segment<'_>) {
    fill.run(compressor, segment);
}

impl Compressor for Neon {
    type Working = ();

    fn place(index: usize) -> usize {
        index
    }

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
            // SAFETY: a prefetch reads nothing that the program could see. (The intrinsic is not stable.)
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
    for row in 0..8 {
        round(&mut state, |pair| 8 * row + pair);
    }
    for column in 0..8 {
        round(&mut state, |row| 8 * row + column);
    }
    for index in 0..VECTORS {
        store(destination, index, veorq_u64(state[index], mixed[index]));
    }
}

/// The permutation P on the eight vectors that `at` names.
#[inline]
#[target_feature(enable = "neon")]
fn round(state: &mut [uint64x2_t; VECTORS], at: impl Fn(usize) -> usize) {
    let [mut a0, mut a1, mut b0, mut b1, mut c0, mut c1, mut d0, mut d1] =
        core::array::from_fn(|vector| state[at(vector)]);
    quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
    quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
    // The diagonals are reached by turning a, c and d around b: b is ready last and needed first.
    (a1, a0) = turn(a0, a1);
    (c0, c1) = turn(c0, c1);
    (d0, d1) = (d1, d0);
    quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
    quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
    (a0, a1) = turn(a0, a1);
    (c1, c0) = turn(c0, c1);
    (d0, d1) = (d1, d0);
    for (vector, value) in [a0, a1, b0, b1, c0, c1, d0, d1].into_iter().enumerate() {
        state[at(vector)] = value;
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

/// Turns four words down by one; with the two results exchanged, by three.
#[inline]
#[target_feature(enable = "neon")]
fn turn(first: uint64x2_t, second: uint64x2_t) -> (uint64x2_t, uint64x2_t) {
    (vextq_u64::<1>(first, second), vextq_u64::<1>(second, first))
}

/// GB of RFC 9106 §3.6, twice side by side.
#[inline]
#[target_feature(enable = "neon")]
fn quarter_rounds(a: &mut uint64x2_t, b: &mut uint64x2_t, c: &mut uint64x2_t, d: &mut uint64x2_t) {
    *a = multiply_add(*a, *b);
    *d = vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(veorq_u64(*d, *a))));
    *c = multiply_add(*c, *d);
    *b = rotate_bytes::<3>(veorq_u64(*b, *c));
    *a = multiply_add(*a, *b);
    *d = rotate_bytes::<2>(veorq_u64(*d, *a));
    *c = multiply_add(*c, *d);
    let sum = veorq_u64(*b, *c);
    *b = vsriq_n_u64::<63>(vaddq_u64(sum, sum), sum);
}

/// `x + y + 2·low(x)·low(y)`.
#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(x: uint64x2_t, y: uint64x2_t) -> uint64x2_t {
    let product = vmull_u32(vmovn_u64(x), vmovn_u64(y));
    vaddq_u64(vaddq_u64(vaddq_u64(x, y), product), product)
}

/// Each word turned right by whole bytes.
#[inline]
#[target_feature(enable = "neon")]
fn rotate_bytes<const BYTES: usize>(x: uint64x2_t) -> uint64x2_t {
    let table: &[u8; 16] = const { &bytes_turned_right(BYTES) };
    // SAFETY: 16 bytes of a table of that size.
    let table = unsafe { vld1q_u8(table.as_ptr()) };
    vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(x), table))
}

const VECTORS: usize = 64;
const WORDS_PER_LINE: usize = 8;
