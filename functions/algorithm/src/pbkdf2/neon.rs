//! NEON, the vectors of aarch64: 4 streams of SHA-1 and SHA-256, 2 of SHA-512.
#![allow(
    unsafe_code,
    reason = "vectors reach memory through pointers, and functions that enable features are called"
)]

use std::arch::is_aarch64_feature_detected;

use super::{
    rounds::{sha1_kernel, sha2_kernel},
    streams::safe,
};

/// Whether this machine has NEON.
pub(super) fn available() -> bool {
    is_aarch64_feature_detected!("neon")
}

safe!(sha1, u32, 5, 4, sha1_kernel::iterate, available);
safe!(sha256, u32, 8, 4, sha256_kernel::iterate, available);
safe!(sha512, u64, 8, 2, sha512_kernel::iterate, available);

sha1_kernel!(
    sha1_kernel,
    words32,
    #[target_feature(enable = "neon")]
    4
);
sha2_kernel!(
    sha256_kernel,
    words32,
    #[target_feature(enable = "neon")]
    u32,
    4,
    SHA256_K,
    END_32,
    SHA256_BITS,
    rolled
);
sha2_kernel!(
    sha512_kernel,
    words64,
    #[target_feature(enable = "neon")]
    u64,
    2,
    SHA512_K,
    END_64,
    SHA512_BITS,
    rolled
);

/// The operations of the rounds, from the intrinsics that differ between word sizes.
macro_rules! operations {
    ($vector:ident, $word:ty, $streams:literal, $add:ident, $xor:ident, $select:ident, $left:ident, $right:ident,
     $insert:ident, $splat:ident, $load:ident, $store:ident) => {
        use core::arch::aarch64::{
            $add, $insert, $left, $load, $right, $select, $splat, $store, $vector, $xor,
        };

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn add(x: $vector, y: $vector) -> $vector {
            $add(x, y)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn xor(x: $vector, y: $vector) -> $vector {
            $xor(x, y)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn xor3(x: $vector, y: $vector, z: $vector) -> $vector {
            xor(xor(x, y), z)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn choose(x: $vector, y: $vector, z: $vector) -> $vector {
            $select(x, y, z)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn majority(x: $vector, y: $vector, z: $vector) -> $vector {
            $select(xor(x, y), z, y)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: $vector) -> $vector {
            $insert::<RIGHT>($left::<LEFT>(x), x)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn shift_right<const RIGHT: i32>(x: $vector) -> $vector {
            $right::<RIGHT>(x)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn splat(x: $word) -> $vector {
            $splat(x)
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn load(row: &[$word; $streams]) -> $vector {
            // SAFETY: the row is exactly as long as the vector, and aligned as its words.
            unsafe { $load(row.as_ptr()) }
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(super) fn store(row: &mut [$word; $streams], x: $vector) {
            // SAFETY: the row is exactly as long as the vector, and aligned as its words.
            unsafe { $store(row.as_mut_ptr(), x) }
        }
    };
}

mod words32 {
    operations!(
        uint32x4_t,
        u32,
        4,
        vaddq_u32,
        veorq_u32,
        vbslq_u32,
        vshlq_n_u32,
        vshrq_n_u32,
        vsriq_n_u32,
        vdupq_n_u32,
        vld1q_u32,
        vst1q_u32
    );
}

mod words64 {
    operations!(
        uint64x2_t,
        u64,
        2,
        vaddq_u64,
        veorq_u64,
        vbslq_u64,
        vshlq_n_u64,
        vshrq_n_u64,
        vsriq_n_u64,
        vdupq_n_u64,
        vld1q_u64,
        vst1q_u64
    );
}
