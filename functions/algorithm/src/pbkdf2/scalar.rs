//! One stream in general registers: plain Rust, for every machine and for Miri.

use super::rounds::{sha1_kernel, sha2_kernel};

sha1_kernel!(sha1, words32, 1);
sha2_kernel!(sha256, words32, u32, 1, SHA256_K, END_32, SHA256_BITS, unrolled);
sha2_kernel!(sha512, words64, u64, 1, SHA512_K, END_64, SHA512_BITS, unrolled);

/// The operations of the rounds.
macro_rules! operations {
    ($word:ty) => {
        #[inline(always)]
        pub(super) fn add(x: $word, y: $word) -> $word {
            x.wrapping_add(y)
        }

        #[inline(always)]
        pub(super) fn xor(x: $word, y: $word) -> $word {
            x ^ y
        }

        #[inline(always)]
        pub(super) fn xor3(x: $word, y: $word, z: $word) -> $word {
            x ^ y ^ z
        }

        #[inline(always)]
        pub(super) fn choose(x: $word, y: $word, z: $word) -> $word {
            z ^ (x & (y ^ z))
        }

        /// `x ^ y` equals the `y ^ z` of the next round.
        #[inline(always)]
        pub(super) fn majority(x: $word, y: $word, z: $word) -> $word {
            y ^ ((x ^ y) & (y ^ z))
        }

        #[inline(always)]
        pub(super) fn rotate_right<const RIGHT: u32, const LEFT: u32>(x: $word) -> $word {
            x.rotate_right(RIGHT)
        }

        #[inline(always)]
        pub(super) fn shift_right<const RIGHT: u32>(x: $word) -> $word {
            x >> RIGHT
        }

        #[inline(always)]
        pub(super) fn splat(x: $word) -> $word {
            x
        }

        #[inline(always)]
        pub(super) fn load(row: &[$word; 1]) -> $word {
            row[0]
        }

        #[inline(always)]
        pub(super) fn store(row: &mut [$word; 1], x: $word) {
            row[0] = x;
        }
    };
}

mod words32 {
    operations!(u32);
}

mod words64 {
    operations!(u64);
}
