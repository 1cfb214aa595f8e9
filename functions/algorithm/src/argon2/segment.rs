//! The memory as p lanes of columns, and the one segment of it that a thread writes.
#![allow(
    unsafe_code,
    reason = "p threads write disjoint parts of one memory while they read each other's finished parts"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::block::Block;

/// Points at which all lanes wait for each other in a pass (RFC 9106 §3.4).
pub(super) const SLICES: usize = 4;

/// A block's place: column `column` of lane `lane`.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) lane: usize,
    pub(super) column: usize,
}

/// The segments of one slice, one for each lane.
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

/// One lane's part of a slice, to be written, and a view of all that no other thread is writing.
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

    /// Columns in a lane.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Columns in a segment.
    pub(super) fn len(&self) -> usize {
        self.columns / SLICES
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// A block that no other thread is writing.
    ///
    /// # Panics
    /// Where there is no such block.
    #[inline(always)]
    pub(super) fn at(&self, place: Place) -> &Block {
        let index = self.readable(place);
        // SAFETY: `readable` found it inside the memory, and in no other segment of this slice, so that nobody
        // writes it but through `&mut self`.
        unsafe { self.blocks.0.add(index).as_ref() }
    }

    /// Two blocks to read and the block of this segment at `offset`, to write.
    ///
    /// # Panics
    /// Where one does not exist, is being written by another thread, or is the one to write.
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
        // SAFETY: all three are inside the memory. The destination is in this segment, which nobody else holds, and
        // is neither of the others; those are in no segment that another thread writes.
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
