//! Fills one segment of memory (RFC 9106 §3.4).

use saltern_encoded::argon2::{Params, Variant, Version};

use super::block::{Block, Compressor, WORDS};
use super::segment::{Place, SLICES, Segment};

/// A pass over the memory. Its segments differ by lane and slice.
#[derive(Clone, Copy)]
pub(super) struct Fill {
    pub(super) params: Params,
    /// The pass, from 0.
    pub(super) pass: u32,
}

impl Fill {
    /// Fills the segment. It is inlined into one function per instruction set.
    #[inline(always)]
    pub(super) fn run<C: Compressor>(&self, compressor: C, segment: &mut Segment<'_>) {
        let first_slice = self.pass == 0 && segment.slice() == 0;
        let start = if first_slice { FIRST_BLOCKS } else { 0 };
        let mut previous = Place {
            lane: segment.lane(),
            column: before(segment.slice() * segment.len() + start, segment.columns()),
        };
        let xor = self.pass > 0 && self.params.version() == Version::V19;
        let mut working = compressor.start(segment.at(previous));
        let mut addresses =
            self.addresses_known(segment.slice()).then(|| Addresses::new(self, compressor, segment));
        let mut pseudo_random = segment.at(previous).0[0];
        for offset in start..segment.len() {
            let column = segment.slice() * segment.len() + offset;
            if let Some(addresses) = &mut addresses {
                pseudo_random = addresses.at(offset);
                let ahead = offset + AHEAD;
                if ahead < segment.len() && offset % WORDS < WORDS - AHEAD {
                    let soon = self.reference(segment, ahead, addresses.at(ahead));
                    compressor.prefetch(segment.at(soon));
                }
            }
            let reference = self.reference(segment, offset, pseudo_random);
            let (previous_block, reference, destination) = segment.step(previous, reference, offset);
            pseudo_random = compressor.step(&mut working, previous_block, reference, destination, xor);
            previous.column = column;
        }
    }

    /// Whether references do not depend on the data.
    fn addresses_known(&self, slice: usize) -> bool {
        match self.params.variant() {
            Variant::D => false,
            Variant::I => true,
            Variant::Id => self.pass == 0 && slice < SLICES / 2,
        }
    }

    /// Returns the block to which these 64 bits refer (RFC 9106 §3.4.2).
    #[inline(always)]
    fn reference(&self, segment: &Segment<'_>, offset: usize, pseudo_random: u64) -> Place {
        let (columns, length) = (segment.columns(), segment.len());
        let lane = if segment.lanes() == 1 || (self.pass == 0 && segment.slice() == 0) {
            segment.lane()
        } else {
            // A lane number has 24 bits.
            #[allow(clippy::cast_possible_truncation, reason = "the remainder is below the number of lanes")]
            let lane = ((pseudo_random >> 32) % segment.lanes() as u64) as usize;
            lane
        };
        // The number of candidates: all blocks that were finished before this slice. In the block's
        // own lane also the blocks of this segment, except the previous block.
        let finished = if self.pass == 0 { segment.slice() * length } else { columns - length };
        let count =
            if lane == segment.lane() { finished + offset - 1 } else { finished - usize::from(offset == 0) };
        let first =
            if self.pass == 0 || segment.slice() == SLICES - 1 { 0 } else { (segment.slice() + 1) * length };
        let low = pseudo_random & 0xffff_ffff;
        let squared = (low * low) >> 32;
        #[allow(clippy::cast_possible_truncation, reason = "the product's upper half is below the count")]
        let back = ((count as u64 * squared) >> 32) as usize;
        let column = first + count - 1 - back;
        Place { lane, column: if column < columns { column } else { column - columns } }
    }
}

/// The pseudo-random numbers of a segment whose references do not depend on the data (RFC 9106
/// §3.4.1.2).
struct Addresses<C> {
    compressor: C,
    input: Block,
    numbers: Block,
    /// The group of [`WORDS`] numbers that `numbers` holds.
    group: Option<usize>,
}

impl<C: Compressor> Addresses<C> {
    fn new(fill: &Fill, compressor: C, segment: &Segment<'_>) -> Self {
        let params = fill.params;
        let blocks = segment.lanes() * segment.columns();
        let head = [
            u64::from(fill.pass),
            segment.lane() as u64,
            segment.slice() as u64,
            blocks as u64,
            u64::from(params.passes()),
            u64::from(type_number(params)),
        ];
        let mut input = Block::ZERO;
        for (index, word) in head.into_iter().enumerate() {
            input.0[C::place(index)] = word;
        }
        Self { compressor, input, numbers: Block::ZERO, group: None }
    }

    #[inline(always)]
    fn at(&mut self, offset: usize) -> u64 {
        let group = offset / WORDS;
        if self.group != Some(group) {
            self.group = Some(group);
            self.input.0[C::place(COUNTER)] = group as u64 + 1;
            self.numbers = self.input.clone();
            for _ in 0..2 {
                let input = self.numbers.clone();
                self.compressor.once(&input, &mut self.numbers);
            }
        }
        self.numbers.0[C::place(offset % WORDS)]
    }
}

/// Returns the type y of RFC 9106 §3.2.
pub(super) fn type_number(params: Params) -> u32 {
    match params.variant() {
        Variant::D => 0,
        Variant::I => 1,
        Variant::Id => 2,
    }
}

fn before(column: usize, columns: usize) -> usize {
    if column == 0 { columns - 1 } else { column - 1 }
}

/// Blocks of a lane that come from the initial hash: columns 0 and 1.
pub(super) const FIRST_BLOCKS: usize = 2;

/// The index of the counter in the input of an address block.
const COUNTER: usize = 6;

/// How many blocks ahead a known reference is prefetched.
const AHEAD: usize = 4;
