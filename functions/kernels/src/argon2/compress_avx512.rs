//! Argon2's compression in AVX-512. The whole block stays in sixteen registers between steps.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::asm;
use core::arch::x86_64::{
    __m512i, _MM_HINT_NTA, _MM_HINT_T0, _mm_cvtsi128_si64, _mm_prefetch, _mm_sfence, _mm512_add_epi64,
    _mm512_castsi512_si128, _mm512_load_si512, _mm512_mul_epu32, _mm512_permutex_epi64,
    _mm512_permutexvar_epi64, _mm512_ror_epi64, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_store_si512,
    _mm512_xor_si512,
};

use super::block::{Block, Compressor};
use super::fill::compressor;
use crate::processor;

compressor!(
    /// The proof that this machine has AVX-512F.
    Avx512, "avx512f", processor::has_avx512
);

impl Compressor for Avx512 {
    type Working = Registers;

    /// A word has a row r (3 bits) and a place w (4 bits) in its row. Both rounds select their four
    /// inputs by the upper two bits of one of them: rows by w, columns by r. Exactly those four
    /// bits choose the register, and r₀ w₁ w₀ choose the element. So both rounds find their inputs
    /// in whole registers, and no word moves between registers.
    fn place(index: usize) -> usize {
        let (row, word) = (index / 16, index % 16);
        8 * (4 * (row / 2) + word / 4) + 4 * (row % 2) + word % 4
    }

    #[inline(always)]
    fn start(self, previous: &Block) -> Registers {
        // SAFETY: the machine has AVX-512F, or `self` would not exist.
        unsafe { load(previous) }
    }

    #[inline(always)]
    fn step(
        self,
        working: &mut Registers,
        _previous: &Block,
        reference: &Block,
        destination: &mut Block,
        xor: bool,
    ) -> u64 {
        // SAFETY: the machine has AVX-512F, or `self` would not exist.
        unsafe { step::<IN_A_CHAIN>(working, reference, destination, xor) }
    }

    #[inline(always)]
    fn step_apart(self, previous: &Block, reference: &Block, destination: &mut Block, xor: bool) -> u64 {
        // SAFETY: the machine has AVX-512F, or `self` would not exist.
        unsafe { step::<SIDE_BY_SIDE>(&mut load(previous), reference, destination, xor) }
    }

    fn once(self, input: &Block, output: &mut Block) {
        // SAFETY: the machine has AVX-512F, or `self` would not exist.
        unsafe { step::<APART>(&mut load(&Block::ZERO), input, output, false) };
    }

    #[inline(always)]
    fn prefetch(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_VECTOR) {
            // SAFETY: a prefetch reads nothing that the program could see.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }

    #[inline(always)]
    fn prefetch_to_read_once(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_VECTOR) {
            // SAFETY: a prefetch reads nothing that the program could see.
            unsafe { _mm_prefetch::<_MM_HINT_NTA>(line.as_ptr().cast()) }
        }
    }

    /// Rust has an intrinsic for this instruction, but compiles it to `prefetcht0`.
    #[inline(always)]
    fn prefetch_to_write(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_VECTOR) {
            // SAFETY: it changes nothing that the program could see. A processor without the
            // instruction does nothing.
            unsafe {
                asm!("prefetchw [{}]", in(reg) line.as_ptr(), options(readonly, nostack, preserves_flags));
            }
        }
    }

    const WRITES_PAST_CACHES: bool = true;

    #[inline(always)]
    fn step_past_caches(self, last: &mut Block, reference: &Block, destination: &mut Block) -> u64 {
        // SAFETY: the machine has AVX-512F, or `self` would not exist.
        unsafe { step_past_caches(last, reference, destination) }
    }

    #[inline(always)]
    fn end_writes_past_caches(self) {
        // SAFETY: every x86-64 has this instruction.
        unsafe { _mm_sfence() }
    }
}

/// A block: register `4·(row / 2) + word / 4`, see [`Avx512::place`].
pub(super) type Registers = [__m512i; REGISTERS];

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> Registers {
    let mut registers = [_mm512_setzero_si512(); REGISTERS];
    for (register, words) in registers.iter_mut().zip(block.0.chunks_exact(WORDS_PER_VECTOR)) {
        // SAFETY: 64 bytes of a block that begins on a multiple of 64.
        *register = unsafe { _mm512_load_si512(words.as_ptr().cast()) };
    }
    registers
}

#[inline]
#[target_feature(enable = "avx512f")]
fn step<const CALLER: u8>(
    state: &mut Registers,
    reference: &Block,
    destination: &mut Block,
    xor: bool,
) -> u64 {
    let reference = load(reference);
    for (state, reference) in state.iter_mut().zip(reference) {
        *state = _mm512_xor_si512(*state, reference);
    }
    let mut mixed = *state;
    if xor {
        for (mixed, old) in mixed.iter_mut().zip(load(destination)) {
            *mixed = _mm512_xor_si512(*mixed, old);
        }
    }

    // Rows: the four words of one row are adjacent, in half a register.
    halves(state, |pair, part| 4 * pair + part);
    for pair in 0..4 {
        let [a, c, d] = [4 * pair, 4 * pair + 2, 4 * pair + 3];
        state[a] = _mm512_permutex_epi64::<ROTATE_3>(state[a]);
        state[c] = _mm512_permutex_epi64::<ROTATE_1>(state[c]);
        state[d] = _mm512_permutex_epi64::<ROTATE_2>(state[d]);
    }
    halves(state, |pair, part| 4 * pair + part);
    for pair in 0..4 {
        let [a, c, d] = [4 * pair, 4 * pair + 2, 4 * pair + 3];
        state[a] = _mm512_permutex_epi64::<ROTATE_1>(state[a]);
        state[c] = _mm512_permutex_epi64::<ROTATE_3>(state[c]);
        state[d] = _mm512_permutex_epi64::<ROTATE_2>(state[d]);
    }

    // Columns: the four words of one column are the elements that differ in r₀ and w₀.
    let rotate_1 = _mm512_setr_epi64(1, 4, 3, 6, 5, 0, 7, 2);
    let rotate_2 = _mm512_setr_epi64(4, 5, 6, 7, 0, 1, 2, 3);
    let rotate_3 = _mm512_setr_epi64(5, 0, 7, 2, 1, 4, 3, 6);
    halves(state, |columns, part| columns + 4 * part);
    for columns in 0..4 {
        let [a, c, d] = [columns, columns + 8, columns + 12];
        state[a] = _mm512_permutexvar_epi64(rotate_3, state[a]);
        state[c] = _mm512_permutexvar_epi64(rotate_1, state[c]);
        state[d] = _mm512_permutexvar_epi64(rotate_2, state[d]);
    }
    halves(state, |columns, part| columns + 4 * part);
    for columns in 0..4 {
        let [a, c, d] = [columns, columns + 8, columns + 12];
        state[a] = _mm512_permutexvar_epi64(rotate_1, state[a]);
        state[c] = _mm512_permutexvar_epi64(rotate_3, state[c]);
        state[d] = _mm512_permutexvar_epi64(rotate_2, state[d]);
    }

    for ((state, mixed), words) in
        state.iter_mut().zip(mixed).zip(destination.0.chunks_exact_mut(WORDS_PER_VECTOR))
    {
        *state = _mm512_xor_si512(*state, mixed);
        // SAFETY: 64 bytes of a block that begins on a multiple of 64.
        unsafe { _mm512_store_si512(words.as_mut_ptr().cast(), *state) };
    }
    _mm_cvtsi128_si64(_mm512_castsi512_si128(state[0])).cast_unsigned()
}

/// A store past the caches does not fetch the line that it overwrites.
#[inline]
#[target_feature(enable = "avx512f")]
fn step_past_caches(last: &mut Block, reference: &Block, destination: &mut Block) -> u64 {
    let mut state = load(last);
    let number = step::<PAST_CACHES>(&mut state, reference, last, false);
    for (words, line) in state.into_iter().zip(destination.0.chunks_exact_mut(WORDS_PER_VECTOR)) {
        let line = line.as_mut_ptr();
        // SAFETY: 64 bytes of a block that begins on a multiple of 64. This thread reads what it
        // wrote, as after any store; other threads do so after `end_writes_past_caches` (AMD64
        // Architecture Programmer's Manual, volume 2, §7.4). The intrinsic would demand a fence
        // before this thread reads too.
        unsafe {
            asm!("vmovntdq [{}], {}", in(reg) line, in(zmm_reg) words, options(nostack, preserves_flags));
        }
    }
    number
}

/// Computes GB of RFC 9106 §3.6 thirty-two times, in four independent chains.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves(state: &mut Registers, at: impl Fn(usize, usize) -> usize) {
    half::<32, 24>(state, &at);
    half::<16, 63>(state, &at);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn half<const ROTATE_D: i32, const ROTATE_B: i32>(state: &mut Registers, at: impl Fn(usize, usize) -> usize) {
    for chain in 0..4 {
        let [a, b, c, d] = [at(chain, 0), at(chain, 1), at(chain, 2), at(chain, 3)];
        state[a] = multiply_add(state[a], state[b]);
        state[d] = _mm512_ror_epi64::<ROTATE_D>(_mm512_xor_si512(state[d], state[a]));
        state[c] = multiply_add(state[c], state[d]);
        state[b] = _mm512_ror_epi64::<ROTATE_B>(_mm512_xor_si512(state[b], state[c]));
    }
}

/// Returns `x + y + 2·low(x)·low(y)`.
#[inline]
#[target_feature(enable = "avx512f")]
fn multiply_add(x: __m512i, y: __m512i) -> __m512i {
    let product = _mm512_mul_epu32(x, y);
    _mm512_add_epi64(_mm512_add_epi64(_mm512_add_epi64(x, y), product), product)
}

/// Separates the callers of `step`, so that each has its own copy. LLVM inlines a function with one
/// caller at any length, and then the block stays in registers.
const IN_A_CHAIN: u8 = 0;
const APART: u8 = 1;
const SIDE_BY_SIDE: u8 = 2;
const PAST_CACHES: u8 = 3;

const WORDS_PER_VECTOR: usize = 8;
const REGISTERS: usize = 16;

/// Rotates the elements of each half down by one, two or three.
///
/// For the diagonals a, c and d rotate, and b stays: b is ready last and needed first. So no
/// computation waits for a shuffle.
const ROTATE_1: i32 = 0b00_11_10_01;
const ROTATE_2: i32 = 0b01_00_11_10;
const ROTATE_3: i32 = 0b10_01_00_11;
