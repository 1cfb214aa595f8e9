//! Rows in registers of 128 bits, one for each hash.
//!
//! Within a function that has AVX-512VL, LLVM makes one instruction of each rotation.
#![allow(unsafe_code, reason = "the intrinsics of vectors are unsafe")]

use core::arch::x86_64::{
    __m128i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si64, _mm_or_si128, _mm_prefetch, _mm_set_epi64x,
    _mm_shuffle_epi32, _mm_slli_epi32, _mm_srli_epi32, _mm_unpackhi_epi64, _mm_xor_si128,
};

use super::mix::Block;
use super::rows::{Row, Stored, Words};

#[derive(Clone, Copy)]
pub(super) struct Sse2(__m128i);

impl Words for Sse2 {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe { Self(_mm_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe { Self(_mm_or_si128(_mm_slli_epi32::<LEFT>(self.0), _mm_srli_epi32::<RIGHT>(self.0))) }
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            Self(match PLACES {
                1 => _mm_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm_shuffle_epi32::<0b10_01_00_11>(self.0),
            })
        }
    }

    #[inline(always)]
    fn prefetch(block: &Block) {
        // SAFETY: a prefetch reads nothing that the program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().cast()) }
    }
}

impl Row for Sse2 {
    #[inline(always)]
    fn load(stored: Stored) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe { Self(_mm_set_epi64x(stored[1].cast_signed(), stored[0].cast_signed())) }
    }

    #[inline(always)]
    fn store(self) -> Stored {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let upper = _mm_unpackhi_epi64(self.0, self.0);
            [_mm_cvtsi128_si64(self.0).cast_unsigned(), _mm_cvtsi128_si64(upper).cast_unsigned()]
        }
    }
}
