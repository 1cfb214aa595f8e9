//! AVX-512: a rotation is one instruction, and so is each function of three words.
//!
//! It has three widths. Some processors run a vector of 256 bits on one more port. The others are a
//! vector of 512 bits, and two vectors of 512 bits, of which one computes while the other waits.
#![allow(
    unsafe_code,
    reason = "vectors reach memory through pointers, and functions that enable features are called"
)]

use std::arch::is_x86_feature_detected;

use super::{
    rounds::{sha1_kernel, sha2_kernel},
    streams::safe,
};

/// Whether this machine has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
}

safe!(sha1_half, u32, 5, 8, sha1_half_kernel::iterate, available);
safe!(sha1_full, u32, 5, 16, sha1_full_kernel::iterate, available);
safe!(sha1_pair, u32, 5, 32, sha1_pair_kernel::iterate, available);
safe!(sha256_half, u32, 8, 8, sha256_half_kernel::iterate, available);
safe!(sha256_full, u32, 8, 16, sha256_full_kernel::iterate, available);
safe!(sha256_pair, u32, 8, 32, sha256_pair_kernel::iterate, available);
safe!(sha512_half, u64, 8, 4, sha512_half_kernel::iterate, available);
safe!(sha512_full, u64, 8, 8, sha512_full_kernel::iterate, available);
safe!(sha512_pair, u64, 8, 16, sha512_pair_kernel::iterate, available);

sha1_kernel!(
    sha1_half_kernel,
    half32,
    #[target_feature(enable = "avx512f,avx512vl")]
    8
);
sha1_kernel!(
    sha1_full_kernel,
    full32,
    #[target_feature(enable = "avx512f,avx512vl")]
    16
);
sha1_kernel!(
    sha1_pair_kernel,
    pair32,
    #[target_feature(enable = "avx512f,avx512vl")]
    32
);
sha2_kernel!(
    sha256_half_kernel,
    half32,
    #[target_feature(enable = "avx512f,avx512vl")]
    u32,
    8,
    SHA256_K,
    END_32,
    SHA256_BITS,
    rolled
);
sha2_kernel!(
    sha256_full_kernel,
    full32,
    #[target_feature(enable = "avx512f,avx512vl")]
    u32,
    16,
    SHA256_K,
    END_32,
    SHA256_BITS,
    rolled
);
sha2_kernel!(
    sha256_pair_kernel,
    pair32,
    #[target_feature(enable = "avx512f,avx512vl")]
    u32,
    32,
    SHA256_K,
    END_32,
    SHA256_BITS,
    rolled
);
sha2_kernel!(
    sha512_half_kernel,
    half64,
    #[target_feature(enable = "avx512f,avx512vl")]
    u64,
    4,
    SHA512_K,
    END_64,
    SHA512_BITS,
    rolled
);
sha2_kernel!(
    sha512_full_kernel,
    full64,
    #[target_feature(enable = "avx512f,avx512vl")]
    u64,
    8,
    SHA512_K,
    END_64,
    SHA512_BITS,
    rolled
);
sha2_kernel!(
    sha512_pair_kernel,
    pair64,
    #[target_feature(enable = "avx512f,avx512vl")]
    u64,
    16,
    SHA512_K,
    END_64,
    SHA512_BITS,
    rolled
);

/// The operations of the rounds, from the intrinsics that differ between widths and word sizes.
macro_rules! operations {
    ($vector:ident, $word:ty, $streams:literal, $amount:ty, $add:ident, $xor:ident, $ternary:ident, $rotate:ident, $shift:ident,
     $splat:ident, $load:ident, $store:ident) => {
        use core::arch::x86_64::*;

        use super::{CHOOSE, MAJORITY, XOR3};

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn add(x: $vector, y: $vector) -> $vector {
            $add(x, y)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn xor(x: $vector, y: $vector) -> $vector {
            $xor(x, y)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn xor3(x: $vector, y: $vector, z: $vector) -> $vector {
            $ternary::<XOR3>(x, y, z)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn choose(x: $vector, y: $vector, z: $vector) -> $vector {
            $ternary::<CHOOSE>(x, y, z)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn majority(x: $vector, y: $vector, z: $vector) -> $vector {
            $ternary::<MAJORITY>(x, y, z)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: $vector) -> $vector {
            $rotate::<RIGHT>(x)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn shift_right<const RIGHT: $amount>(x: $vector) -> $vector {
            $shift::<RIGHT>(x)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn splat(x: $word) -> $vector {
            $splat(x.cast_signed())
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn load(row: &[$word; $streams]) -> $vector {
            // SAFETY: the row is exactly as long as the vector, and the load asks for no alignment.
            unsafe { $load(row.as_ptr().cast()) }
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn store(row: &mut [$word; $streams], x: $vector) {
            // SAFETY: the row is exactly as long as the vector, and the store asks for no
            // alignment.
            unsafe { $store(row.as_mut_ptr().cast(), x) }
        }
    };
}

mod half32 {
    operations!(
        __m256i,
        u32,
        8,
        i32,
        _mm256_add_epi32,
        _mm256_xor_si256,
        _mm256_ternarylogic_epi32,
        _mm256_ror_epi32,
        _mm256_srli_epi32,
        _mm256_set1_epi32,
        _mm256_loadu_si256,
        _mm256_storeu_si256
    );
}

mod half64 {
    operations!(
        __m256i,
        u64,
        4,
        i32,
        _mm256_add_epi64,
        _mm256_xor_si256,
        _mm256_ternarylogic_epi64,
        _mm256_ror_epi64,
        _mm256_srli_epi64,
        _mm256_set1_epi64x,
        _mm256_loadu_si256,
        _mm256_storeu_si256
    );
}

mod full32 {
    operations!(
        __m512i,
        u32,
        16,
        u32,
        _mm512_add_epi32,
        _mm512_xor_si512,
        _mm512_ternarylogic_epi32,
        _mm512_ror_epi32,
        _mm512_srli_epi32,
        _mm512_set1_epi32,
        _mm512_loadu_si512,
        _mm512_storeu_si512
    );
}

mod full64 {
    operations!(
        __m512i,
        u64,
        8,
        u32,
        _mm512_add_epi64,
        _mm512_xor_si512,
        _mm512_ternarylogic_epi64,
        _mm512_ror_epi64,
        _mm512_srli_epi64,
        _mm512_set1_epi64,
        _mm512_loadu_si512,
        _mm512_storeu_si512
    );
}

/// The same operations on two vectors.
macro_rules! pair_operations {
    ($word:ty, $one:ident, $streams:literal) => {
        use core::arch::x86_64::__m512i;

        use super::$one as one;

        type Pair = (__m512i, __m512i);

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn add(x: Pair, y: Pair) -> Pair {
            (one::add(x.0, y.0), one::add(x.1, y.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn xor(x: Pair, y: Pair) -> Pair {
            (one::xor(x.0, y.0), one::xor(x.1, y.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn xor3(x: Pair, y: Pair, z: Pair) -> Pair {
            (one::xor3(x.0, y.0, z.0), one::xor3(x.1, y.1, z.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn choose(x: Pair, y: Pair, z: Pair) -> Pair {
            (one::choose(x.0, y.0, z.0), one::choose(x.1, y.1, z.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn majority(x: Pair, y: Pair, z: Pair) -> Pair {
            (one::majority(x.0, y.0, z.0), one::majority(x.1, y.1, z.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: Pair) -> Pair {
            (one::rotate_right::<RIGHT, LEFT>(x.0), one::rotate_right::<RIGHT, LEFT>(x.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn shift_right<const RIGHT: u32>(x: Pair) -> Pair {
            (one::shift_right::<RIGHT>(x.0), one::shift_right::<RIGHT>(x.1))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn splat(x: $word) -> Pair {
            (one::splat(x), one::splat(x))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn load(row: &[$word; $streams]) -> Pair {
            let (halves, _) = row.as_chunks();
            (one::load(&halves[0]), one::load(&halves[1]))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn store(row: &mut [$word; $streams], x: Pair) {
            let (halves, _) = row.as_chunks_mut();
            one::store(&mut halves[0], x.0);
            one::store(&mut halves[1], x.1);
        }
    };
}

mod pair32 {
    pair_operations!(u32, full32, 32);
}

mod pair64 {
    pair_operations!(u64, full64, 16);
}

/// Truth tables of `vpternlog`: bit `4x + 2y + z` is the result for x, y and z.
const XOR3: i32 = 0b1001_0110;
const CHOOSE: i32 = 0b1100_1010;
const MAJORITY: i32 = 0b1110_1000;
