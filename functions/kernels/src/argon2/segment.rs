//! The memory as p lanes of columns, and the segment that one thread writes.
#![allow(
    unsafe_code,
    reason = "p threads write disjoint parts of one memory while they read each other's finished parts"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::block::Block;

/// Slices of a pass. All lanes synchronise at the end of each (RFC 9106 §3.4).
pub(super) const SLICES: usize = 4;

/// A block's place: column `column` of lane `lane`.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) lane: usize,
    pub(super) column: usize,
}

/// Returns the segments of one slice, one per lane.
pub(super) fn segments(
    memory: &mut [Block],
    lanes: usize,
    slice: usize,
) -> impl Iterator<Item = Segment<'_>> + Send {
    let columns = memory.len() / lanes;
    assert!(columns * lanes == memory.len() && columns.is_multiple_of(SLICES) && slice < SLICES);
    let blocks = Blocks(NonNull::from(memory).cast());
    (0..lanes).map(move |lane| Segment { blocks, lanes, columns, lane, slice, memory: PhantomData })
}

/// Returns the segment of one slice of a memory with one lane.
pub(super) fn only_segment(memory: &mut [Block], slice: usize) -> Segment<'_> {
    let columns = memory.len();
    assert!(columns.is_multiple_of(SLICES) && slice < SLICES);
    let blocks = Blocks(NonNull::from(memory).cast());
    Segment { blocks, lanes: 1, columns, lane: 0, slice, memory: PhantomData }
}

/// One lane's part of a slice, for writing, and a view of all blocks that no other thread writes.
pub(super) struct Segment<'a> {
    blocks: Blocks,
    lanes: usize,
    columns: usize,
    lane: usize,
    slice: usize,
    memory: PhantomData<&'a mut [Block]>,
}

impl Segment<'_> {
    pub(super) fn lane(&self) -> usize {
        self.lane
    }

    pub(super) fn slice(&self) -> usize {
        self.slice
    }

    /// Returns the number of columns in a lane.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of columns in a segment.
    pub(super) fn len(&self) -> usize {
        self.columns / SLICES
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns a block that no other thread writes.
    ///
    /// # Panics
    /// If the block does not exist or another thread writes it.
    #[inline(always)]
    pub(super) fn at(&self, place: Place) -> &Block {
        let index = self.readable(place);
        // SAFETY: `readable` found it inside the memory, and in no other segment of this slice, so
        // that only `&mut self` writes it.
        unsafe { self.blocks.0.add(index).as_ref() }
    }

    /// Returns two blocks to read, and the block of this segment at `offset` to write.
    ///
    /// # Panics
    /// If a block to read does not exist, is written by another thread, or is the block to write.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        previous: Place,
        reference: Place,
        offset: usize,
    ) -> (&Block, &Block, &mut Block) {
        assert!(offset < self.len());
        let destination = self.lane * self.columns + self.slice * self.len() + offset;
        let (previous, reference) = (self.readable(previous), self.readable(reference));
        assert!(previous != destination && reference != destination);
        // SAFETY: all three are inside the memory. The destination is in this segment, which has no
        // other holder. It is neither of the two blocks to read, and no other thread writes those.
        unsafe {
            (
                self.blocks.0.add(previous).as_ref(),
                self.blocks.0.add(reference).as_ref(),
                self.blocks.0.add(destination).as_mut(),
            )
        }
    }

    #[inline(always)]
    fn readable(&self, place: Place) -> usize {
        let segment = self.slice * self.len();
        let in_this_slice = place.column.wrapping_sub(segment) < self.len();
        assert!(place.column < self.columns && place.lane < self.lanes);
        assert!(place.lane == self.lane || !in_this_slice);
        place.lane * self.columns + place.column
    }
}

#[derive(Clone, Copy)]
struct Blocks(NonNull<Block>);

// SAFETY: `Segment` reads and writes through it only what no other segment writes.
unsafe impl Send for Blocks {}
