//! One stream in general registers: plain Rust, for every machine and for Miri.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn, reason = "`Operations` of other files need instructions")]
#![allow(clippy::inline_always, reason = "the rounds need it")]

use core::marker::PhantomData;

use super::{
    rounds::{Compression, Operations, kernel},
    streams::Streams,
};

/// The operations on words.
pub(super) struct Scalar<W, const STREAMS: usize>(PhantomData<W>);

kernel!(Scalar);

macro_rules! operations {
    ($word:ty) => {
        impl Operations for Scalar<$word, 1> {
            type Word = $word;
            type Row = [$word; 1];
            type Vector = $word;

            // 4 % faster in general registers.
            const UNROLLED: bool = true;

            #[inline(always)]
            unsafe fn load(row: &[$word; 1]) -> $word {
                row[0]
            }

            #[inline(always)]
            unsafe fn store(row: &mut [$word; 1], x: $word) {
                row[0] = x;
            }

            #[inline(always)]
            unsafe fn splat(x: $word) -> $word {
                x
            }

            #[inline(always)]
            unsafe fn add(x: $word, y: $word) -> $word {
                x.wrapping_add(y)
            }

            #[inline(always)]
            unsafe fn xor(x: $word, y: $word) -> $word {
                x ^ y
            }

            #[inline(always)]
            unsafe fn choose(x: $word, y: $word, z: $word) -> $word {
                z ^ (x & (y ^ z))
            }

            #[inline(always)]
            unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: $word) -> $word {
                x.rotate_right(RIGHT.cast_unsigned())
            }

            #[inline(always)]
            unsafe fn shift_right<const RIGHT: i32>(x: $word) -> $word {
                x >> RIGHT
            }
        }
    };
}

operations!(u32);
operations!(u64);
