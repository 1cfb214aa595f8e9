//! scrypt's mixing: Salsa20/8, `scryptBlockMix` and `scryptROMix` (RFC 7914 §3 to §5).
//!
//! The four rows of a block are the diagonals of Salsa20's matrix. So all four columns are computed
//! side by side, and after rotating the rows all four rows.

use core::array;

use super::row::{Row, Stored};

/// A block of 64 bytes (RFC 7914 §3), row by row.
pub(super) type Block = [Stored; 4];

/// Bytes in a block.
pub(super) const BLOCK_BYTES: usize = 64;

/// Reads blocks from bytes in the order of the specification.
pub(super) fn read(bytes: &[u8], blocks: &mut [Block]) {
    for (bytes, block) in bytes.as_chunks::<BLOCK_BYTES>().0.iter().zip(blocks) {
        *block = Block::default();
        for (word, (row, column)) in bytes.as_chunks().0.iter().zip(PLACES) {
            block[row][column / 2] |= u64::from(u32::from_le_bytes(*word)) << (32 * (column % 2));
        }
    }
}

/// Writes blocks as bytes in the order of the specification.
#[allow(clippy::cast_possible_truncation, reason = "half of a pair is what is meant")]
pub(super) fn write(blocks: &[Block], bytes: &mut [u8]) {
    for (bytes, block) in bytes.as_chunks_mut::<BLOCK_BYTES>().0.iter_mut().zip(blocks) {
        for (word, (row, column)) in bytes.as_chunks_mut().0.iter_mut().zip(PLACES) {
            *word = ((block[row][column / 2] >> (32 * (column % 2))) as u32).to_le_bytes();
        }
    }
}

/// Computes `scryptROMix` of `lane` in place. `memory` has room for N lanes and `spare` for one. N
/// is a power of two above 1.
pub(super) fn ro_mix(lane: &mut [Block], memory: &mut [Block], spare: &mut [Block]) {
    let length = lane.len();
    memory[..length].copy_from_slice(lane);
    for filled in (length..memory.len()).step_by(length) {
        let (before, after) = memory.split_at_mut(filled);
        let before = &before[filled - length..];
        block_mix(|at| load(&before[at]), &mut after[..length]);
    }
    let last = &memory[memory.len() - length..];
    block_mix(|at| load(&last[at]), lane);
    for _ in 0..memory.len() / length / 2 {
        mix_in(lane, memory, spare);
        mix_in(spare, memory, lane);
    }
}

/// Computes `X = scryptBlockMix(X xor V[Integerify(X) mod N])`, from `lane` to `mixed`.
#[inline(always)]
fn mix_in(lane: &[Block], memory: &[Block], mixed: &mut [Block]) {
    let length = lane.len();
    // The first word of the last block, modulo N.
    let [[number, _], ..] = lane[length - 1];
    let chosen = usize::try_from(number & u64::from(u32::MAX)).unwrap_or(0) & (memory.len() / length - 1);
    let chosen = &memory[chosen * length..][..length];
    block_mix(|at| xor(load(&lane[at]), load(&chosen[at])), mixed);
}

/// Computes `scryptBlockMix` of as many blocks as `mixed` has.
#[inline(always)]
fn block_mix(block: impl Fn(usize) -> [Row; 4], mixed: &mut [Block]) {
    let (even, odd) = mixed.split_at_mut(mixed.len() / 2);
    let mut x = block(2 * odd.len() - 1);
    for (at, (even, odd)) in even.iter_mut().zip(odd).enumerate() {
        x = salsa20_8(xor(x, block(2 * at)));
        *even = x.map(Row::store);
        x = salsa20_8(xor(x, block(2 * at + 1)));
        *odd = x.map(Row::store);
    }
}

#[inline(always)]
fn salsa20_8(block: [Row; 4]) -> [Row; 4] {
    let [mut a, mut b, mut c, mut d] = block;
    for _ in 0..ROUNDS {
        b = b.xor(a.sum(d).rotated::<7, 25>());
        c = c.xor(b.sum(a).rotated::<9, 23>());
        d = d.xor(c.sum(b).rotated::<13, 19>());
        a = a.xor(d.sum(c).rotated::<18, 14>());
        // The columns of this round are the rows of the next.
        (b, c, d) = (d.turned_by_1(), c.turned_by_2(), b.turned_by_3());
    }
    [a.sum(block[0]), b.sum(block[1]), c.sum(block[2]), d.sum(block[3])]
}

#[inline(always)]
fn xor(one: [Row; 4], other: [Row; 4]) -> [Row; 4] {
    array::from_fn(|row| one[row].xor(other[row]))
}

#[inline(always)]
fn load(block: &Block) -> [Row; 4] {
    block.map(Row::load)
}

/// The place (row and column) of each word, in the specification's order.
const PLACES: [(usize, usize); 16] = {
    let mut places = [(0, 0); 16];
    let mut word = 0;
    while word < 16 {
        // Word `4·i + j` of the matrix is on diagonal `i - j`, in column `j`.
        let (i, j) = (word / 4, word % 4);
        places[word] = ((i + 4 - j) % 4, j);
        word += 1;
    }
    places
};

const ROUNDS: usize = 8;
