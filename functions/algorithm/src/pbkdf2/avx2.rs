//! AVX2: 8 streams of SHA-1 and SHA-256, 4 of SHA-512.
#![allow(
    unsafe_code,
    reason = "vectors reach memory through pointers, and functions that enable features are called"
)]

use std::arch::is_x86_feature_detected;

use super::{
    rounds::{sha1_kernel, sha2_kernel},
    streams::safe,
};

/// Whether this machine has AVX2.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx2")
}

safe!(sha1, u32, 5, 8, sha1_kernel::iterate, available);
safe!(sha256, u32, 8, 8, sha256_kernel::iterate, available);
safe!(sha512, u64, 8, 4, sha512_kernel::iterate, available);

sha1_kernel!(
    sha1_kernel,
    words32,
    #[target_feature(enable = "avx2")]
    8
);
sha2_kernel!(
    sha256_kernel,
    words32,
    #[target_feature(enable = "avx2")]
    u32,
    8,
    SHA256_K,
    END_32,
    SHA256_BITS,
    rolled
);
sha2_kernel!(
    sha512_kernel,
    words64,
    #[target_feature(enable = "avx2")]
    u64,
    4,
    SHA512_K,
    END_64,
    SHA512_BITS,
    rolled
);

/// The operations of the rounds, from the intrinsics that differ between word sizes.
macro_rules! operations {
    ($word:ty, $streams:literal, $add:ident, $right:ident, $left:ident, $splat:ident) => {
        use core::arch::x86_64::*;

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn add(x: __m256i, y: __m256i) -> __m256i {
            $add(x, y)
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn xor(x: __m256i, y: __m256i) -> __m256i {
            _mm256_xor_si256(x, y)
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn xor3(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
            xor(xor(x, y), z)
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn choose(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
            xor(z, _mm256_and_si256(x, xor(y, z)))
        }

        /// `x ^ y` equals the `y ^ z` of the next round.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn majority(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
            xor(y, _mm256_and_si256(xor(x, y), xor(y, z)))
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: __m256i) -> __m256i {
            xor($right::<RIGHT>(x), $left::<LEFT>(x))
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn shift_right<const RIGHT: i32>(x: __m256i) -> __m256i {
            $right::<RIGHT>(x)
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn splat(x: $word) -> __m256i {
            $splat(x.cast_signed())
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn load(row: &[$word; $streams]) -> __m256i {
            // SAFETY: the row is exactly as long as the vector, and the load asks for no alignment.
            unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn store(row: &mut [$word; $streams], x: __m256i) {
            // SAFETY: the row is exactly as long as the vector, and the store asks for no
            // alignment.
            unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), x) }
        }
    };
}

mod words32 {
    operations!(u32, 8, _mm256_add_epi32, _mm256_srli_epi32, _mm256_slli_epi32, _mm256_set1_epi32);
}

mod words64 {
    operations!(u64, 4, _mm256_add_epi64, _mm256_srli_epi64, _mm256_slli_epi64, _mm256_set1_epi64x);
}
