//! scrypt's mixing: Salsa20/8, `scryptBlockMix` and `scryptROMix` (RFC 7914 §3 to §5).
//!
//! The four rows of a block are the diagonals of Salsa20's matrix. So all four columns are computed
//! side by side, and after rotating the rows all four rows.

use super::rows::{Rows, Stored, Words};

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

/// The rest of a phase of `scryptROMix`, of one hash.
///
/// A turn computes `scryptBlockMix` twice. The first half of the N turns fills the memory, the
/// second half mixes it in.
pub(super) struct Part<'a> {
    /// The N entries of `V` (RFC 7914 §5), then the state `X` between two turns, then `Y`. N is a
    /// power of two. `Y` is zeros while the memory is filled, afterwards the state within a turn.
    memory: &'a mut [Block],
    /// `2·r`.
    entry_blocks: usize,
    /// While the memory is filled: the last of its entries that is filled.
    filled: Option<usize>,
}

impl<'a> Part<'a> {
    /// Makes the part that begins with this turn.
    pub(super) fn new(memory: &'a mut [Block], entry_blocks: usize, turn: usize) -> Self {
        let fills = turn < (memory.len() / entry_blocks - STATES) / 2;
        Self { memory, entry_blocks, filled: fills.then_some(2 * turn) }
    }

    /// Returns the next `scryptBlockMix`, of the first or the second half of a turn.
    #[inline(always)]
    fn next<R: Rows<HASHES>, const HASHES: usize>(&mut self, is_second: bool) -> BlockMix<'_> {
        let length = self.entry_blocks;
        let (before, y) = self.memory.split_at_mut(self.memory.len() - length);
        if let Some(filled) = &mut self.filled {
            // `X` follows the last of the N entries.
            let (before, mixed) = before.split_at_mut((*filled + 1) * length);
            let one = &before[*filled * length..];
            *filled += 1;
            return BlockMix { one, other: y, mixed: &mut mixed[..length] };
        }
        let (memory, x) = before.split_at_mut(before.len() - length);
        let (one, mixed) = if is_second { (y, x) } else { (x, y) };
        // The first word of the last block, modulo N. More than 2^32 entries would need a terabyte.
        let number = usize::try_from(one[length - 1][0][0] & u64::from(u32::MAX)).unwrap_or(0);
        let chosen = number & (memory.len() / length - 1);
        let other = &memory[chosen * length..][..length];
        // The lines come in any order, and those of the other hashes too.
        other.iter().for_each(R::prefetch);
        BlockMix { one, other, mixed }
    }
}

/// `mixed = scryptBlockMix(one xor other)`.
struct BlockMix<'a> {
    one: &'a [Block],
    other: &'a [Block],
    mixed: &'a mut [Block],
}

/// Computes `turns` turns of up to four parts in step. All have the same `r`. It is inlined into
/// one function for each set of instructions.
#[inline(always)]
pub(super) fn run_up_to_four<R1: Rows<1>, R2: Rows<2>, R3: Rows<3>, R4: Rows<4>>(
    parts: &mut [Part<'_>],
    turns: usize,
) {
    match parts {
        [] => {}
        [a] => run::<R1, 1>([a], turns),
        [a, b] => run::<R2, 2>([a, b], turns),
        [a, b, c] => run::<R3, 3>([a, b, c], turns),
        [a, b, c, d, ..] => run::<R4, 4>([a, b, c, d], turns),
    }
}

#[inline(always)]
fn run<R: Rows<HASHES>, const HASHES: usize>(mut parts: [&mut Part<'_>; HASHES], turns: usize) {
    for _ in 0..turns {
        for is_second in [false, true] {
            block_mix::<R, HASHES>(parts.each_mut().map(|part| part.next::<R, HASHES>(is_second)));
        }
    }
}

/// Computes `scryptBlockMix` of each hash, all in step.
#[inline(always)]
fn block_mix<R: Rows<HASHES>, const HASHES: usize>(mixes: [BlockMix<'_>; HASHES]) {
    let pairs = mixes[0].mixed.len() / 2;
    let mut mixes = mixes.map(|BlockMix { one, other, mixed }| {
        let [one, other] = [one, other].map(|blocks| &blocks.as_chunks::<2>().0[..pairs]);
        let (even, odd) = mixed.split_at_mut(pairs);
        (one, other, even, &mut odd[..pairs])
    });
    let mut x = load::<R, HASHES>(&mixes, pairs - 1, 1);
    for at in 0..pairs {
        x = salsa20_8(xor(x, load::<R, HASHES>(&mixes, at, 0)));
        R::store(x, mixes.each_mut().map(|(_, _, even, _)| &mut even[at]));
        x = salsa20_8(xor(x, load::<R, HASHES>(&mixes, at, 1)));
        R::store(x, mixes.each_mut().map(|(_, _, _, odd)| &mut odd[at]));
    }
}

/// The pairs of both inputs, and both halves of the output.
type Pairs<'a> = (&'a [[Block; 2]], &'a [[Block; 2]], &'a mut [Block], &'a mut [Block]);

#[inline(always)]
fn load<R: Rows<HASHES>, const HASHES: usize>(
    mixes: &[Pairs<'_>; HASHES],
    at: usize,
    of_pair: usize,
) -> [R; 4] {
    let one = mixes.each_ref().map(|(one, ..)| &one[at][of_pair]);
    let other = mixes.each_ref().map(|(_, other, ..)| &other[at][of_pair]);
    R::load_xor(one, other)
}

#[inline(always)]
fn salsa20_8<W: Words>(block: [W; 4]) -> [W; 4] {
    let [mut a, mut b, mut c, mut d] = block;
    for _ in 0..ROUNDS {
        b = b.xor(a.sum(d).rotated::<7, 25>());
        c = c.xor(b.sum(a).rotated::<9, 23>());
        d = d.xor(c.sum(b).rotated::<13, 19>());
        a = a.xor(d.sum(c).rotated::<18, 14>());
        // The columns of this round are the rows of the next.
        (b, c, d) = (d.turned::<1>(), c.turned::<2>(), b.turned::<3>());
    }
    [a.sum(block[0]), b.sum(block[1]), c.sum(block[2]), d.sum(block[3])]
}

#[inline(always)]
fn xor<W: Words>(one: [W; 4], other: [W; 4]) -> [W; 4] {
    [one[0].xor(other[0]), one[1].xor(other[1]), one[2].xor(other[2]), one[3].xor(other[3])]
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

/// The states beside the N entries of the memory: `X` and `Y`.
pub(crate) const STATES: usize = 2;
