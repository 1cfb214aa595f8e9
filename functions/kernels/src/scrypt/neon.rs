//! Rows in registers of 128 bits, one for each hash.
#![allow(unsafe_code, reason = "the intrinsics of vectors are unsafe")]

use core::arch::aarch64::{
    uint32x4_t, vaddq_u32, vcombine_u64, vcreate_u64, veorq_u32, vextq_u32, vgetq_lane_u64, vorrq_u32,
    vreinterpretq_u32_u64, vreinterpretq_u64_u32, vshlq_n_u32, vshrq_n_u32,
};
use core::arch::asm;

use super::mix::Block;
use super::rows::{Row, Stored, Words};

#[derive(Clone, Copy)]
pub(super) struct Neon(uint32x4_t);

impl Words for Neon {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe { Self(veorq_u32(self.0, other.0)) }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe { Self(vaddq_u32(self.0, other.0)) }
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe { Self(vorrq_u32(vshlq_n_u32::<LEFT>(self.0), vshrq_n_u32::<RIGHT>(self.0))) }
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(self) -> Self {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe {
            Self(match PLACES {
                1 => vextq_u32::<1>(self.0, self.0),
                2 => vextq_u32::<2>(self.0, self.0),
                _ => vextq_u32::<3>(self.0, self.0),
            })
        }
    }

    #[inline(always)]
    fn prefetch(block: &Block) {
        // SAFETY: a prefetch reads nothing that the program could see. (The intrinsic is not
        // stable.)
        unsafe {
            asm!("prfm pldl1keep, [{}]", in(reg) block.as_ptr(), options(nostack, preserves_flags, readonly));
        }
    }
}

impl Row for Neon {
    #[inline(always)]
    fn load(stored: Stored) -> Self {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe { Self(vreinterpretq_u32_u64(vcombine_u64(vcreate_u64(stored[0]), vcreate_u64(stored[1])))) }
    }

    #[inline(always)]
    fn store(self) -> Stored {
        // SAFETY: every target that this is compiled for has NEON.
        unsafe {
            let pairs = vreinterpretq_u64_u32(self.0);
            [vgetq_lane_u64::<0>(pairs), vgetq_lane_u64::<1>(pairs)]
        }
    }
}
