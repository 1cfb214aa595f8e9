//! Rows in registers of 512 bits, one for up to four hashes.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_rol_epi32, _mm512_setzero_si512,
    _mm512_shuffle_epi32, _mm512_shuffle_i32x4, _mm512_storeu_si512, _mm512_xor_si512,
};

use super::avx2::Pair;
use super::mix::{Block, Part, run_up_to_four};
use super::rows::{Rows, Words};
use super::sse2::Sse2;
use crate::processor;

/// The proof that this machine has AVX-512F and AVX-512VL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        processor::has_avx512().then_some(Self(()))
    }

    pub(super) fn run(self, parts: &mut [Part<'_>], turns: usize) {
        // SAFETY: the machine has AVX-512F and AVX-512VL, or `self` would not exist.
        unsafe { run_avx512(self, parts, turns) }
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn run_avx512(_proof: Avx512, parts: &mut [Part<'_>], turns: usize) {
    run_up_to_four::<[Sse2; 1], [Pair; 1], Four, Four>(parts, turns);
}

/// Four rows, of which some may be idle.
///
/// Its functions are safe to name and need AVX-512F. So only `run_avx512` may name it.
#[derive(Clone, Copy)]
struct Four(__m512i);

impl Words for Four {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only `run_avx512` names this type.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        // SAFETY: only `run_avx512` names this type.
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: only `run_avx512` names this type.
        unsafe { Self(_mm512_rol_epi32::<LEFT>(self.0)) }
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(self) -> Self {
        // SAFETY: only `run_avx512` names this type.
        unsafe {
            Self(match PLACES {
                1 => _mm512_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm512_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm512_shuffle_epi32::<0b10_01_00_11>(self.0),
            })
        }
    }

    #[inline(always)]
    fn prefetch(block: &Block) {
        Sse2::prefetch(block);
    }
}

impl<const HASHES: usize> Rows<HASHES> for Four {
    #[inline(always)]
    fn load_xor(one: [&Block; HASHES], other: [&Block; HASHES]) -> [Self; 4] {
        // SAFETY: as in `Words`. A block has 64 bytes.
        unsafe {
            let mut blocks = [_mm512_setzero_si512(); 4];
            for (block, (one, other)) in blocks.iter_mut().zip(one.into_iter().zip(other)) {
                let one = _mm512_loadu_si512(one.as_ptr().cast());
                let other = _mm512_loadu_si512(other.as_ptr().cast());
                *block = _mm512_xor_si512(one, other);
            }
            let [a, b, c, d] = transposed(blocks);
            [Self(a), Self(b), Self(c), Self(d)]
        }
    }

    #[inline(always)]
    fn store([a, b, c, d]: [Self; 4], blocks: [&mut Block; HASHES]) {
        // SAFETY: as in `Words`. A block has 64 bytes.
        unsafe {
            let stored = transposed([a.0, b.0, c.0, d.0]);
            for (block, stored) in blocks.into_iter().zip(&stored) {
                _mm512_storeu_si512(block.as_mut_ptr().cast(), *stored);
            }
        }
    }
}

/// Four rows of each of four hashes become the four hashes of each of four rows, or the reverse.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let [ab_low, ab_high] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0xee>(a, b)];
    let [cd_low, cd_high] = [_mm512_shuffle_i32x4::<0x44>(c, d), _mm512_shuffle_i32x4::<0xee>(c, d)];
    [
        _mm512_shuffle_i32x4::<0x88>(ab_low, cd_low),
        _mm512_shuffle_i32x4::<0xdd>(ab_low, cd_low),
        _mm512_shuffle_i32x4::<0x88>(ab_high, cd_high),
        _mm512_shuffle_i32x4::<0xdd>(ab_high, cd_high),
    ]
}
