//! Rows of plain words, for architectures without vectors that every machine has. The tests run
//! them everywhere.

use core::array;

use super::mix::Block;
use super::rows::{Row, Stored, Words};

#[derive(Clone, Copy)]
pub(super) struct Plain([u32; 4]);

impl Words for Plain {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(array::from_fn(|at| self.0[at] ^ other.0[at]))
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        Self(array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        Self(self.0.map(|word| word << LEFT | word >> RIGHT))
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(self) -> Self {
        Self(array::from_fn(|at| self.0[(at + PLACES) % 4]))
    }

    #[inline(always)]
    fn prefetch(_block: &Block) {}
}

impl Row for Plain {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "halves of a word are what is meant")]
    fn load(stored: Stored) -> Self {
        Self(array::from_fn(|at| (stored[at / 2] >> (32 * (at % 2))) as u32))
    }

    #[inline(always)]
    fn store(self) -> Stored {
        array::from_fn(|at| u64::from(self.0[2 * at]) | u64::from(self.0[2 * at + 1]) << 32)
    }
}
