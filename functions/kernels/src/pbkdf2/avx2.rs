//! AVX2: 8 streams of SHA-1 and SHA-256, 4 of SHA-512.
#![allow(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    reason = "vectors reach memory through pointers, and the instructions need features"
)]
#![allow(clippy::inline_always, reason = "the rounds need it")]
#![allow(clippy::wildcard_imports, reason = "the name of an intrinsic shows its module")]

use core::{arch::x86_64::*, marker::PhantomData};

use super::{
    rounds::{Compression, Operations, kernel},
    streams::Streams,
};
use crate::processor;

/// The operations on vectors of 256 bits.
pub(super) struct Avx2<W, const STREAMS: usize>(PhantomData<W>);

kernel!(Avx2, "avx2", processor::has_avx2);

/// Implements the operations from the intrinsics that differ between word sizes.
macro_rules! operations {
    ($word:ty, $streams:literal, $add:ident, $right:ident, $left:ident, $splat:ident) => {
        impl Operations for Avx2<$word, $streams> {
            type Word = $word;
            type Row = [$word; $streams];
            type Vector = __m256i;

            #[inline(always)]
            unsafe fn load(row: &Self::Row) -> __m256i {
                // SAFETY: the row is exactly as long as the vector, and the load asks for no alignment.
                unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
            }

            #[inline(always)]
            unsafe fn store(row: &mut Self::Row, x: __m256i) {
                // SAFETY: the row is exactly as long as the vector, and the store asks for no
                // alignment.
                unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), x) }
            }

            #[inline(always)]
            unsafe fn splat(x: $word) -> __m256i {
                $splat(x.cast_signed())
            }

            #[inline(always)]
            unsafe fn add(x: __m256i, y: __m256i) -> __m256i {
                $add(x, y)
            }

            #[inline(always)]
            unsafe fn xor(x: __m256i, y: __m256i) -> __m256i {
                _mm256_xor_si256(x, y)
            }

            #[inline(always)]
            unsafe fn choose(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
                Self::xor(z, _mm256_and_si256(x, Self::xor(y, z)))
            }

            #[inline(always)]
            unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: __m256i) -> __m256i {
                Self::xor($right::<RIGHT>(x), $left::<LEFT>(x))
            }

            #[inline(always)]
            unsafe fn shift_right<const RIGHT: i32>(x: __m256i) -> __m256i {
                $right::<RIGHT>(x)
            }
        }
    };
}

operations!(u32, 8, _mm256_add_epi32, _mm256_srli_epi32, _mm256_slli_epi32, _mm256_set1_epi32);
operations!(u64, 4, _mm256_add_epi64, _mm256_srli_epi64, _mm256_slli_epi64, _mm256_set1_epi64x);
