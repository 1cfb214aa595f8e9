//! NEON, the vectors of aarch64: 4 streams of SHA-1 and SHA-256, 2 of SHA-512.
#![allow(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    reason = "vectors reach memory through pointers, and the instructions need features"
)]
#![allow(clippy::inline_always, reason = "the rounds need it")]
#![allow(clippy::wildcard_imports, reason = "the name of an intrinsic shows its module")]

use core::{arch::aarch64::*, marker::PhantomData};

use super::{
    rounds::{Compression, Operations, kernel},
    streams::Streams,
};
use crate::processor;

/// The operations on vectors of 128 bits.
pub(super) struct Neon<W, const STREAMS: usize>(PhantomData<W>);

kernel!(Neon, "neon", processor::has_neon);

/// Implements the operations from the intrinsics, which differ between word sizes.
macro_rules! operations {
    ($vector:ident, $word:ty, $streams:literal, $load:ident, $store:ident, $splat:ident, $add:ident, $xor:ident,
     $select:ident, $left:ident, $right:ident, $insert:ident) => {
        impl Operations for Neon<$word, $streams> {
            type Word = $word;
            type Row = [$word; $streams];
            type Vector = $vector;

            #[inline(always)]
            unsafe fn load(row: &Self::Row) -> $vector {
                // SAFETY: the row is exactly as long as the vector, and aligned as its words.
                unsafe { $load(row.as_ptr()) }
            }

            #[inline(always)]
            unsafe fn store(row: &mut Self::Row, x: $vector) {
                // SAFETY: the row is exactly as long as the vector, and aligned as its words.
                unsafe { $store(row.as_mut_ptr(), x) }
            }

            #[inline(always)]
            unsafe fn splat(x: $word) -> $vector {
                $splat(x)
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
            unsafe fn choose(x: $vector, y: $vector, z: $vector) -> $vector {
                $select(x, y, z)
            }

            #[inline(always)]
            unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: $vector) -> $vector {
                $insert::<RIGHT>($left::<LEFT>(x), x)
            }

            #[inline(always)]
            unsafe fn shift_right<const RIGHT: i32>(x: $vector) -> $vector {
                $right::<RIGHT>(x)
            }
        }
    };
}

operations!(
    uint32x4_t,
    u32,
    4,
    vld1q_u32,
    vst1q_u32,
    vdupq_n_u32,
    vaddq_u32,
    veorq_u32,
    vbslq_u32,
    vshlq_n_u32,
    vshrq_n_u32,
    vsriq_n_u32
);
operations!(
    uint64x2_t,
    u64,
    2,
    vld1q_u64,
    vst1q_u64,
    vdupq_n_u64,
    vaddq_u64,
    veorq_u64,
    vbslq_u64,
    vshlq_n_u64,
    vshrq_n_u64,
    vsriq_n_u64
);
