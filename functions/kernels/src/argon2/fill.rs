//! Fills one segment of memory (RFC 9106 §3.4).

use core::ops::Range;

use saltern_encoded::argon2::{Params, Variant, Version};
use zeroize::Zeroizing;

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
    /// Returns the offsets of the blocks that the segment's fill writes.
    pub(super) fn offsets(&self, segment: &Segment<'_>) -> Range<usize> {
        let first_slice = self.pass == 0 && segment.slice() == 0;
        (if first_slice { FIRST_BLOCKS } else { 0 })..segment.len()
    }

    /// Fills a range of the segment. It is inlined into one function of each [`compressor!`].
    #[inline(always)]
    pub(super) fn run<C: Compressor>(&self, compressor: C, segment: &mut Segment<'_>, offsets: Range<usize>) {
        let mut previous = previous(segment, offsets.start);
        let xor = self.xors();
        let mut working = compressor.start(segment.at(previous));
        let mut addresses =
            self.addresses_known(segment.slice()).then(|| Addresses::new(self, compressor, segment));
        let mut pseudo_random = segment.at(previous).0[0];
        for offset in offsets {
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

    /// Whether the old content of a block is a part of the new one.
    fn xors(&self) -> bool {
        self.pass > 0 && self.params.version() == Version::V19
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

/// The part of a segment that is filled next, beside parts of other hashes.
pub(super) struct Part<'a> {
    pub(super) fill: Fill,
    pub(super) segment: Segment<'a>,
    /// The first offset.
    pub(super) start: usize,
}

/// Writes `steps` blocks of each part, in turn. It is inlined into one function of each
/// [`compressor!`].
///
/// After each block the reference of the next one is known. Its cache lines arrive while the blocks
/// of the other parts are computed.
#[inline(always)]
pub(super) fn run_side_by_side<C: Compressor>(compressor: C, parts: Vec<Part<'_>>, steps: usize) {
    let many = parts.len() >= PARTS_THAT_FETCH_DESTINATIONS;
    let mut cursors: Vec<_> = parts.into_iter().map(|part| Cursor::new(compressor, part)).collect();
    for _ in 0..steps {
        for cursor in &mut cursors {
            cursor.step(compressor, many);
        }
    }
    compressor.end_writes_past_caches();
}

/// Defines a compressor whose set of instructions a machine may lack. Its functions enable the
/// feature that `has` asks for.
macro_rules! compressor {
    ($(#[$proof:meta])* $name:ident, $feature:literal, $has:path) => {
        $(#[$proof])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(());

        impl $name {
            pub(super) fn detect() -> Option<Self> {
                $has().then_some(Self(()))
            }

            pub(super) fn fill(
                self,
                fill: &super::fill::Fill,
                segment: &mut super::segment::Segment<'_>,
                offsets: core::ops::Range<usize>,
            ) {
                #[target_feature(enable = $feature)]
                fn enabled(
                    compressor: $name,
                    fill: &super::fill::Fill,
                    segment: &mut super::segment::Segment<'_>,
                    offsets: core::ops::Range<usize>,
                ) {
                    fill.run(compressor, segment, offsets);
                }
                // SAFETY: the machine has the feature, or `self` would not exist.
                unsafe { enabled(self, fill, segment, offsets) }
            }

            pub(super) fn fill_side_by_side(
                self,
                parts: Vec<super::fill::Part<'_>>,
                steps: usize,
            ) {
                #[target_feature(enable = $feature)]
                fn enabled(compressor: $name, parts: Vec<super::fill::Part<'_>>, steps: usize) {
                    super::fill::run_side_by_side(compressor, parts, steps);
                }
                // SAFETY: the machine has the feature, or `self` would not exist.
                unsafe { enabled(self, parts, steps) }
            }
        }
    };
}

pub(super) use compressor;

/// A part under way.
struct Cursor<'a, C> {
    fill: Fill,
    segment: Segment<'a>,
    xor: bool,
    addresses: Option<Addresses<C>>,
    /// The offset of the next block.
    offset: usize,
    previous: Place,
    reference: Place,
    /// The previous block, if new blocks are written past the caches. Then the first pass need not
    /// fetch the old block.
    last: Option<Zeroizing<Block>>,
}

impl<'a, C: Compressor> Cursor<'a, C> {
    #[inline(always)]
    fn new(compressor: C, Part { fill, segment, start }: Part<'a>) -> Self {
        let known = fill.addresses_known(segment.slice());
        let addresses = known.then(|| Addresses::new(&fill, compressor, &segment));
        let previous = previous(&segment, start);
        let (xor, block) = (fill.xors(), segment.at(previous));
        let number = block.0[0];
        let last = (C::WRITES_PAST_CACHES && !xor).then(|| Zeroizing::new(block.clone()));
        let mut cursor =
            Self { fill, segment, xor, addresses, offset: start, previous, reference: previous, last };
        cursor.find_reference(compressor, number);
        cursor
    }

    #[inline(always)]
    fn step(&mut self, compressor: C, fetches_destination: bool) {
        let (previous, reference, destination) =
            self.segment.step(self.previous, self.reference, self.offset);
        let number = match &mut self.last {
            Some(last) => compressor.step_past_caches(last, reference, destination),
            None => compressor.step_apart(previous, reference, destination, self.xor),
        };
        self.previous.column = self.column(self.offset);
        self.offset += 1;
        if self.offset == self.segment.len() {
            return;
        }
        self.find_reference(compressor, number);
        let soon = self.offset + DESTINATION_AHEAD;
        if fetches_destination && self.last.is_none() && soon < self.segment.len() {
            let soon = Place { column: self.column(soon), ..self.previous };
            compressor.prefetch_to_write(self.segment.at(soon));
        }
    }

    /// Finds the reference of the next block, and prefetches it.
    #[inline(always)]
    fn find_reference(&mut self, compressor: C, number: u64) {
        let number = self.addresses.as_mut().map_or(number, |addresses| addresses.at(self.offset));
        self.reference = self.fill.reference(&self.segment, self.offset, number);
        compressor.prefetch_to_read_once(self.segment.at(self.reference));
    }

    #[inline(always)]
    fn column(&self, offset: usize) -> usize {
        self.segment.slice() * self.segment.len() + offset
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

/// Returns the place before this offset of the segment, in the order of writing.
fn previous(segment: &Segment<'_>, offset: usize) -> Place {
    let column = segment.slice() * segment.len() + offset;
    let last = segment.columns() - 1;
    Place { lane: segment.lane(), column: if column == 0 { last } else { column - 1 } }
}

/// Blocks of a lane that come from the initial hash: columns 0 and 1.
pub(super) const FIRST_BLOCKS: usize = 2;

/// The index of the counter in the input of an address block.
const COUNTER: usize = 6;

/// How many blocks ahead a known reference is prefetched.
const AHEAD: usize = 4;

/// How many blocks after the next one a destination is prefetched.
const DESTINATION_AHEAD: usize = 1;

/// The fewest parts side by side whose destinations are prefetched.
const PARTS_THAT_FETCH_DESTINATIONS: usize = 3;
