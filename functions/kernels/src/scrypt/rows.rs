//! The same row of several hashes, which are computed side by side.
//!
//! Salsa20/8 is one chain of dependent operations, and leaves most of a core idle. A row of a hash
//! has 128 bits, so a wider register holds the row of several hashes. Registers in step fill the
//! time in which the core would wait for one.

use super::mix::Block;

/// Words of 32 bits, four for each hash. Every operation is on all of them.
pub(super) trait Words: Copy {
    fn xor(self, other: Self) -> Self;

    fn sum(self, other: Self) -> Self;

    /// Rotates each word left by `LEFT` bits. `RIGHT` must be `32 - LEFT`.
    fn rotated<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    /// Rotates the four words of each hash by one, two or three places: by one place, the second
    /// comes first.
    fn turned<const PLACES: usize>(self) -> Self;

    /// Asks for a block that is read soon.
    fn prefetch(block: &Block);
}

/// The same row of so many hashes.
pub(super) trait Rows<const HASHES: usize>: Words {
    /// Returns the rows of `one[i] ^ other[i]`.
    fn load_xor(one: [&Block; HASHES], other: [&Block; HASHES]) -> [Self; 4];

    fn store(rows: [Self; 4], blocks: [&mut Block; HASHES]);
}

/// A register of one hash.
pub(super) trait Row: Words {
    fn load(stored: Stored) -> Self;

    fn store(self) -> Stored;
}

/// A row in memory: its words in pairs, lower half first.
pub(super) type Stored = [u64; 2];

/// Registers in step. Loops and not closures: a closure would not have the instructions of the
/// function that it is inlined into.
impl<W: Words, const REGISTERS: usize> Words for [W; REGISTERS] {
    #[inline(always)]
    fn xor(mut self, other: Self) -> Self {
        for (one, other) in self.iter_mut().zip(&other) {
            *one = one.xor(*other);
        }
        self
    }

    #[inline(always)]
    fn sum(mut self, other: Self) -> Self {
        for (one, other) in self.iter_mut().zip(&other) {
            *one = one.sum(*other);
        }
        self
    }

    #[inline(always)]
    fn rotated<const LEFT: i32, const RIGHT: i32>(mut self) -> Self {
        for register in &mut self {
            *register = register.rotated::<LEFT, RIGHT>();
        }
        self
    }

    #[inline(always)]
    fn turned<const PLACES: usize>(mut self) -> Self {
        for register in &mut self {
            *register = register.turned::<PLACES>();
        }
        self
    }

    #[inline(always)]
    fn prefetch(block: &Block) {
        W::prefetch(block);
    }
}

/// One register for each hash.
impl<R: Row, const HASHES: usize> Rows<HASHES> for [R; HASHES] {
    #[inline(always)]
    fn load_xor(one: [&Block; HASHES], other: [&Block; HASHES]) -> [Self; 4] {
        let mut rows = [[R::load([0; 2]); HASHES]; 4];
        for (hash, (one, other)) in one.into_iter().zip(other).enumerate() {
            for (row, (one, other)) in rows.iter_mut().zip(one.iter().zip(other)) {
                row[hash] = R::load(*one).xor(R::load(*other));
            }
        }
        rows
    }

    #[inline(always)]
    fn store(rows: [Self; 4], blocks: [&mut Block; HASHES]) {
        for (hash, block) in blocks.into_iter().enumerate() {
            for (row, stored) in rows.iter().zip(block) {
                *stored = row[hash].store();
            }
        }
    }
}
