//! Rows in registers of 256 bits, one for two hashes.
//!
//! Within a function that has AVX-512VL, LLVM makes one instruction of each rotation.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_si256,
    _mm256_xor_si256,
};

use super::mix::{Block, Part, run_up_to_four};
use super::rows::{Rows, Words};
use super::sse2::Sse2;
use crate::processor;

/// The proof that this machine has AVX2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        processor::has_avx2().then_some(Self(()))
    }

    pub(super) fn run(self, parts: &mut [Part<'_>], turns: usize) {
        // SAFETY: the machine has AVX2, or `self` would not exist.
        unsafe { run_avx2(self, parts, turns) }
    }
}

#[target_feature(enable = "avx2")]
fn run_avx2(_proof: Avx2, parts: &mut [Part<'_>], turns: usize) {
    run_up_to_four::<[Sse2; 1], [Pair; 1], [Pair; 2], [Pair; 2]>(parts, turns);
}

/// Two rows.
///
/// Its functions are safe to name and need AVX2. So only `run_avx2` and `run_avx512` may name it.
#[derive(Clone, Copy)]
pub(super) struct Pair(__m256i);

impl Words for Pair {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only `run_avx2` and `run_avx512` name this type.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        // SAFETY: only `run_avx2` and `run_avx512` name this type.
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: only `run_avx2` and `run_avx512` name this type.
        unsafe {
            Self(_mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0)))
        }
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(self) -> Self {
        // SAFETY: only `run_avx2` and `run_avx512` name this type.
        unsafe {
            Self(match PLACES {
                1 => _mm256_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm256_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm256_shuffle_epi32::<0b10_01_00_11>(self.0),
            })
        }
    }

    #[inline(always)]
    fn prefetch(block: &Block) {
        Sse2::prefetch(block);
    }
}

/// Register `i` has the rows of the hashes `2·i` and `2·i + 1`. If the number of hashes is odd,
/// half of the last register is idle.
impl<const REGISTERS: usize, const HASHES: usize> Rows<HASHES> for [Pair; REGISTERS] {
    #[inline(always)]
    fn load_xor(one: [&Block; HASHES], other: [&Block; HASHES]) -> [Self; 4] {
        // SAFETY: as in `Words`. A block has 64 bytes.
        unsafe {
            let mut rows = [[Pair(_mm256_setzero_si256()); REGISTERS]; 4];
            for (register, (one, other)) in one.chunks(2).zip(other.chunks(2)).enumerate() {
                for half in 0..2 {
                    let mut both = [_mm256_setzero_si256(); 2];
                    for (both, (one, other)) in both.iter_mut().zip(one.iter().zip(other)) {
                        let one = _mm256_loadu_si256(one.as_ptr().add(2 * half).cast());
                        let other = _mm256_loadu_si256(other.as_ptr().add(2 * half).cast());
                        *both = _mm256_xor_si256(one, other);
                    }
                    let [first, second] = exchanged(both);
                    rows[2 * half][register] = Pair(first);
                    rows[2 * half + 1][register] = Pair(second);
                }
            }
            rows
        }
    }

    #[inline(always)]
    fn store(rows: [Self; 4], blocks: [&mut Block; HASHES]) {
        for (hash, block) in blocks.into_iter().enumerate() {
            for half in 0..2 {
                // SAFETY: as in `Words`. A block has 64 bytes.
                unsafe {
                    let both = [rows[2 * half][hash / 2].0, rows[2 * half + 1][hash / 2].0];
                    _mm256_storeu_si256(block.as_mut_ptr().add(2 * half).cast(), exchanged(both)[hash % 2]);
                }
            }
        }
    }
}

/// Two rows of each of two hashes become both hashes of each of two rows, or the reverse.
#[inline]
#[target_feature(enable = "avx2")]
fn exchanged([one, other]: [__m256i; 2]) -> [__m256i; 2] {
    [_mm256_permute2x128_si256::<0x20>(one, other), _mm256_permute2x128_si256::<0x31>(one, other)]
}
