//! Four words of 32 bits that are computed side by side.
//!
//! They are a vector register if every machine of the architecture has one of this size.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

#[cfg(target_arch = "aarch64")]
pub(super) use self::neon::Row;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(super) use self::portable::Row;
#[cfg(target_arch = "x86_64")]
pub(super) use self::sse2::Row;

/// A row in memory: its words in pairs, lower half first.
pub(super) type Stored = [u64; 2];

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use core::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_cvtsi128_si64, _mm_or_si128, _mm_set_epi64x, _mm_shuffle_epi32,
        _mm_slli_epi32, _mm_srli_epi32, _mm_unpackhi_epi64, _mm_xor_si128,
    };

    use super::Stored;

    #[derive(Clone, Copy)]
    pub(in crate::scrypt) struct Row(__m128i);

    impl Row {
        #[inline(always)]
        pub(in crate::scrypt) fn load(stored: Stored) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_set_epi64x(stored[1].cast_signed(), stored[0].cast_signed())) }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn store(self) -> Stored {
            // SAFETY: every x86-64 has SSE2.
            unsafe {
                let upper = _mm_unpackhi_epi64(self.0, self.0);
                [_mm_cvtsi128_si64(self.0).cast_unsigned(), _mm_cvtsi128_si64(upper).cast_unsigned()]
            }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn xor(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_xor_si128(self.0, other.0)) }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn sum(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_add_epi32(self.0, other.0)) }
        }

        /// Rotates each word left by `LEFT` bits. `RIGHT` must be `32 - LEFT`.
        #[inline(always)]
        pub(in crate::scrypt) fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_or_si128(_mm_slli_epi32::<LEFT>(self.0), _mm_srli_epi32::<RIGHT>(self.0))) }
        }

        /// Rotates the words by one place: the second comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_1(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_shuffle_epi32::<0b00_11_10_01>(self.0)) }
        }

        /// Rotates the words by two places.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_2(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_shuffle_epi32::<0b01_00_11_10>(self.0)) }
        }

        /// Rotates the words by three places: the last comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_3(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_shuffle_epi32::<0b10_01_00_11>(self.0)) }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use core::arch::aarch64::{
        uint32x4_t, vaddq_u32, vcombine_u64, vcreate_u64, veorq_u32, vextq_u32, vgetq_lane_u64, vorrq_u32,
        vreinterpretq_u32_u64, vreinterpretq_u64_u32, vshlq_n_u32, vshrq_n_u32,
    };

    use super::Stored;

    #[derive(Clone, Copy)]
    pub(in crate::scrypt) struct Row(uint32x4_t);

    impl Row {
        #[inline(always)]
        pub(in crate::scrypt) fn load(stored: Stored) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe {
                Self(vreinterpretq_u32_u64(vcombine_u64(vcreate_u64(stored[0]), vcreate_u64(stored[1]))))
            }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn store(self) -> Stored {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe {
                let pairs = vreinterpretq_u64_u32(self.0);
                [vgetq_lane_u64::<0>(pairs), vgetq_lane_u64::<1>(pairs)]
            }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn xor(self, other: Self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(veorq_u32(self.0, other.0)) }
        }

        #[inline(always)]
        pub(in crate::scrypt) fn sum(self, other: Self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(vaddq_u32(self.0, other.0)) }
        }

        /// Rotates each word left by `LEFT` bits. `RIGHT` must be `32 - LEFT`.
        #[inline(always)]
        pub(in crate::scrypt) fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(vorrq_u32(vshlq_n_u32::<LEFT>(self.0), vshrq_n_u32::<RIGHT>(self.0))) }
        }

        /// Rotates the words by one place: the second comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_1(self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(vextq_u32::<1>(self.0, self.0)) }
        }

        /// Rotates the words by two places.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_2(self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(vextq_u32::<2>(self.0, self.0)) }
        }

        /// Rotates the words by three places: the last comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_3(self) -> Self {
            // SAFETY: every target that this is compiled for has NEON.
            unsafe { Self(vextq_u32::<3>(self.0, self.0)) }
        }
    }
}

/// Plain words, for architectures without such a vector. The tests run this on every machine.
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable {
    use core::array;

    use super::Stored;

    #[derive(Clone, Copy)]
    pub(in crate::scrypt) struct Row([u32; 4]);

    #[allow(clippy::cast_possible_truncation, reason = "halves of a word are what is meant")]
    #[allow(clippy::cast_sign_loss, reason = "the numbers of bits are those of the vectors' functions")]
    impl Row {
        #[inline(always)]
        pub(in crate::scrypt) fn load(stored: Stored) -> Self {
            Self(array::from_fn(|at| (stored[at / 2] >> (32 * (at % 2))) as u32))
        }

        #[inline(always)]
        pub(in crate::scrypt) fn store(self) -> Stored {
            array::from_fn(|at| u64::from(self.0[2 * at]) | u64::from(self.0[2 * at + 1]) << 32)
        }

        #[inline(always)]
        pub(in crate::scrypt) fn xor(self, other: Self) -> Self {
            Self(array::from_fn(|at| self.0[at] ^ other.0[at]))
        }

        #[inline(always)]
        pub(in crate::scrypt) fn sum(self, other: Self) -> Self {
            Self(array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
        }

        /// Rotates each word left by `LEFT` bits. `RIGHT` must be `32 - LEFT`.
        #[inline(always)]
        pub(in crate::scrypt) fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            Self(self.0.map(|word| word << LEFT | word >> RIGHT))
        }

        /// Rotates the words by one place: the second comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_1(self) -> Self {
            Self(array::from_fn(|at| self.0[(at + 1) % 4]))
        }

        /// Rotates the words by two places.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_2(self) -> Self {
            Self(array::from_fn(|at| self.0[(at + 2) % 4]))
        }

        /// Rotates the words by three places: the last comes first.
        #[inline(always)]
        pub(in crate::scrypt) fn turned_by_3(self) -> Self {
            Self(array::from_fn(|at| self.0[(at + 3) % 4]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Stored, portable};

    #[test]
    fn vectors_give_the_same_as_plain_words() {
        let (one, other): (Stored, Stored) =
            ([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210], [0xffff_ffff_8000_0001, 0x7fff_ffff_0000_0003]);
        let vectors = (Row::load(one), Row::load(other));
        let words = (portable::Row::load(one), portable::Row::load(other));
        assert_eq!(words.0.store(), one);
        for (by_vectors, by_words) in [
            (vectors.0, words.0),
            (vectors.0.xor(vectors.1), words.0.xor(words.1)),
            (vectors.0.sum(vectors.1), words.0.sum(words.1)),
            (vectors.0.rotated::<7, 25>(), words.0.rotated::<7, 25>()),
            (vectors.0.turned_by_1(), words.0.turned_by_1()),
            (vectors.0.turned_by_2(), words.0.turned_by_2()),
            (vectors.0.turned_by_3(), words.0.turned_by_3()),
        ] {
            assert_eq!(by_vectors.store(), by_words.store());
        }
    }
}
