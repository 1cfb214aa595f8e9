//! AVX-512: a rotation is one instruction, and so is each function of three words.
//!
//! It has three widths. Some processors run a vector of 256 bits on one more port. The others are a
//! vector of 512 bits, and two vectors of 512 bits, of which one computes while the other waits.
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

/// The operations on vectors of 256 or 512 bits, or on two vectors.
pub(super) struct Avx512<W, const STREAMS: usize>(PhantomData<W>);

kernel!(Avx512, "avx512f,avx512vl", processor::has_avx512);

/// Implements the operations from the intrinsics of a width, and those that also differ between word
/// sizes.
macro_rules! operations {
    ($vector:ident, $xor:ident, $ternary:ident, $load:ident, $store:ident,
     $($word:ident $streams:literal: $add:ident, $rotate:ident, $shift:ident, $splat:ident);+) => {$(
        impl Operations for Avx512<$word, $streams> {
            type Word = $word;
            type Row = [$word; $streams];
            type Vector = $vector;

            #[inline(always)]
            unsafe fn load(row: &Self::Row) -> $vector {
                // SAFETY: the row is exactly as long as the vector, and the load asks for no alignment.
                unsafe { $load(row.as_ptr().cast()) }
            }

            #[inline(always)]
            unsafe fn store(row: &mut Self::Row, x: $vector) {
                // SAFETY: the row is exactly as long as the vector, and the store asks for no
                // alignment.
                unsafe { $store(row.as_mut_ptr().cast(), x) }
            }

            #[inline(always)]
            unsafe fn splat(x: $word) -> $vector {
                $splat(x.cast_signed())
            }

            #[inline(always)]
            unsafe fn add(x: $vector, y: $vector) -> $vector {
                $add(x, y)
            }

            #[inline(always)]
            unsafe fn xor(x: $vector, y: $vector) -> $vector {
                $xor(x, y)
            }

            #[inline(always)]
            unsafe fn xor3(x: $vector, y: $vector, z: $vector) -> $vector {
                $ternary::<XOR3>(x, y, z)
            }

            #[inline(always)]
            unsafe fn choose(x: $vector, y: $vector, z: $vector) -> $vector {
                $ternary::<CHOOSE>(x, y, z)
            }

            #[inline(always)]
            unsafe fn majority(x: $vector, y: $vector, z: $vector) -> $vector {
                $ternary::<MAJORITY>(x, y, z)
            }

            #[inline(always)]
            unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: $vector) -> $vector {
                $rotate::<RIGHT>(x)
            }

            #[inline(always)]
            unsafe fn shift_right<const RIGHT: i32>(x: $vector) -> $vector {
                $shift(x, Self::splat(RIGHT.cast_unsigned().into()))
            }
        }
    )+};
}

operations!(
    __m256i, _mm256_xor_si256, _mm256_ternarylogic_epi32, _mm256_loadu_si256, _mm256_storeu_si256,
    u32 8: _mm256_add_epi32, _mm256_ror_epi32, _mm256_srlv_epi32, _mm256_set1_epi32;
    u64 4: _mm256_add_epi64, _mm256_ror_epi64, _mm256_srlv_epi64, _mm256_set1_epi64x
);
operations!(
    __m512i, _mm512_xor_si512, _mm512_ternarylogic_epi32, _mm512_loadu_si512, _mm512_storeu_si512,
    u32 16: _mm512_add_epi32, _mm512_ror_epi32, _mm512_srlv_epi32, _mm512_set1_epi32;
    u64 8: _mm512_add_epi64, _mm512_ror_epi64, _mm512_srlv_epi64, _mm512_set1_epi64
);

/// Implements the same operations on two vectors.
macro_rules! pair_operations {
    ($word:ty, $streams:literal, $one:ty) => {
        impl Operations for Avx512<$word, $streams> {
            type Word = $word;
            type Row = [$word; $streams];
            type Vector = (__m512i, __m512i);

            #[inline(always)]
            unsafe fn load(row: &Self::Row) -> Self::Vector {
                let (halves, _) = row.as_chunks();
                (<$one>::load(&halves[0]), <$one>::load(&halves[1]))
            }

            #[inline(always)]
            unsafe fn store(row: &mut Self::Row, x: Self::Vector) {
                let (halves, _) = row.as_chunks_mut();
                <$one>::store(&mut halves[0], x.0);
                <$one>::store(&mut halves[1], x.1);
            }

            #[inline(always)]
            unsafe fn splat(x: $word) -> Self::Vector {
                (<$one>::splat(x), <$one>::splat(x))
            }

            #[inline(always)]
            unsafe fn add(x: Self::Vector, y: Self::Vector) -> Self::Vector {
                (<$one>::add(x.0, y.0), <$one>::add(x.1, y.1))
            }

            #[inline(always)]
            unsafe fn xor(x: Self::Vector, y: Self::Vector) -> Self::Vector {
                (<$one>::xor(x.0, y.0), <$one>::xor(x.1, y.1))
            }

            #[inline(always)]
            unsafe fn xor3(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector {
                (<$one>::xor3(x.0, y.0, z.0), <$one>::xor3(x.1, y.1, z.1))
            }

            #[inline(always)]
            unsafe fn choose(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector {
                (<$one>::choose(x.0, y.0, z.0), <$one>::choose(x.1, y.1, z.1))
            }

            #[inline(always)]
            unsafe fn majority(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector {
                (<$one>::majority(x.0, y.0, z.0), <$one>::majority(x.1, y.1, z.1))
            }

            #[inline(always)]
            unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: Self::Vector) -> Self::Vector {
                (<$one>::rotate_right::<RIGHT, LEFT>(x.0), <$one>::rotate_right::<RIGHT, LEFT>(x.1))
            }

            #[inline(always)]
            unsafe fn shift_right<const RIGHT: i32>(x: Self::Vector) -> Self::Vector {
                (<$one>::shift_right::<RIGHT>(x.0), <$one>::shift_right::<RIGHT>(x.1))
            }
        }
    };
}

pair_operations!(u32, 32, Avx512<u32, 16>);
pair_operations!(u64, 16, Avx512<u64, 8>);

/// Truth tables of `vpternlog`: bit `4x + 2y + z` is the result for x, y and z.
const XOR3: i32 = 0b1001_0110;
const CHOOSE: i32 = 0b1100_1010;
const MAJORITY: i32 = 0b1110_1000;
