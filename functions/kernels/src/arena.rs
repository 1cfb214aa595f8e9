//! The memory of Argon2 and scrypt, kept from one hash to the next.
//!
//! Fresh memory costs more than filling it: the system clears every page and handles a fault for
//! each. So a worker keeps its memory and wipes it. The memory is on huge pages if the system has
//! them.
#![allow(unsafe_code, reason = "the system gives memory as an address")]

use core::fmt;
use core::mem;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zeroize::optimization_barrier;

use crate::argon2::block::{BYTES, Block, WORDS};

/// Memory for the hashes of one core. Both workers of the core hold a clone, and share the memory.
#[derive(Clone)]
pub struct Arena {
    keep_bytes: u64,
    store: Arc<Mutex<Store>>,
}

#[derive(Default)]
struct Store {
    /// Wiped memory that no hash uses, in the order of its return.
    free: Vec<Mapping>,
    /// Bytes that hashes use.
    lent: u64,
    last_return: Option<Instant>,
}

impl Arena {
    /// Makes an arena without memory. It keeps memory that is returned while all of it is at most
    /// `keep_bytes`.
    #[must_use]
    pub fn new(keep_bytes: u64) -> Self {
        Self { keep_bytes, store: Arc::default() }
    }

    /// Returns all memory that no hash uses to the system.
    pub fn release(&self) {
        let free = mem::take(&mut self.store().free);
        // Not under the lock: the system takes its time.
        drop(free);
    }

    /// As [`Arena::release`], if no hash has returned memory for so long.
    pub fn release_if_idle(&self, idle: Duration) {
        if self.store().last_return.is_some_and(|last| last.elapsed() >= idle) {
            self.release();
        }
    }

    /// Returns the number of bytes that the arena holds, in use or kept.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        let store = self.store();
        store.lent + store.free_bytes()
    }

    /// Lends this many blocks. Their content is arbitrary: the first pass of Argon2 writes each
    /// block before it reads it.
    pub(crate) fn lend(&self, blocks: usize) -> Result<Lent, OutOfMemory> {
        let bytes = self.rounded(blocks.checked_mul(BYTES).ok_or(OutOfMemory)?)?;
        let kept = {
            let mut store = self.store();
            // The size is exact, so that hashes use no more memory than the schedule counts.
            let kept = store.free.iter().rposition(|mapping| mapping.bytes == bytes);
            let kept = kept.map(|position| store.free.remove(position));
            store.lent += bytes as u64;
            // Old memory goes first: both together might not fit.
            let too_much = if kept.is_none() { store.beyond(self.keep_bytes) } else { Vec::new() };
            drop(store);
            drop(too_much);
            kept
        };
        // The memory counts as lent, and is no longer so if the system does not give it.
        let mut lent = Lent { arena: self.clone(), mapping: kept, bytes, blocks, written: blocks };
        if lent.mapping.is_none() {
            let fresh = Mapping::new(bytes).or_else(|OutOfMemory| {
                self.release();
                Mapping::new(bytes)
            });
            lent.mapping = Some(fresh?);
        }
        Ok(lent)
    }

    /// Lends this many bytes, rounded up to blocks. Their content is arbitrary.
    pub(crate) fn lend_bytes(&self, bytes: usize) -> Result<Lent, OutOfMemory> {
        self.lend(bytes.div_ceil(BYTES))
    }

    /// Counts memory that a hash takes elsewhere as lent, and releases kept memory before it: the memory
    /// budget counts both. `None` without such memory.
    pub(crate) fn lend_elsewhere(&self, bytes: u64) -> Option<Lent> {
        let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes > 0)?;
        self.release();
        self.store().lent += bytes as u64;
        Some(Lent { arena: self.clone(), mapping: None, bytes, blocks: 0, written: 0 })
    }

    #[cfg(test)]
    pub(crate) fn is_wiped(&self) -> bool {
        let store = self.store();
        store.free.iter().all(|mapping| mapping.blocks().iter().all(|block| block.0 == Block::ZERO.0))
    }

    /// Asserts that a hash leaves its memory wiped and lends none, however it ends. A panic is one
    /// of the ends.
    #[cfg(test)]
    pub(crate) fn assert_wiped_after(&self, ends: &[&dyn Fn()]) {
        for end in ends {
            let _panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(end));
            assert!(self.resident_bytes() > 0 && self.is_wiped());
            self.release();
            assert_eq!(self.resident_bytes(), 0, "nothing is lent");
        }
    }

    /// Rounds up to huge pages, unless the arena could not keep that much.
    fn rounded(&self, bytes: usize) -> Result<usize, OutOfMemory> {
        let huge = bytes.checked_next_multiple_of(HUGE_PAGE_BYTES).ok_or(OutOfMemory)?;
        let kept = |bytes| bytes as u64 <= self.keep_bytes;
        Ok(if kept(bytes) && !kept(huge) { bytes.next_multiple_of(PAGE_BYTES) } else { huge })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    fn free_bytes(&self) -> u64 {
        self.free.iter().map(|mapping| mapping.bytes as u64).sum()
    }

    /// Removes free memory, the oldest first, until all memory is at most `keep_bytes`.
    fn beyond(&mut self, keep_bytes: u64) -> Vec<Mapping> {
        let mut removed = Vec::new();
        while !self.free.is_empty() && self.lent + self.free_bytes() > keep_bytes {
            removed.push(self.free.remove(0));
        }
        removed
    }
}

/// Rounds the memory of a hash up to huge pages, as an arena does.
pub(crate) fn rounded_up(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(HUGE_PAGE_BYTES as u64).unwrap_or(u64::MAX)
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("resident_bytes", &self.resident_bytes()).finish_non_exhaustive()
    }
}

/// The system did not give the memory that a hash needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system gave no memory for the hash")
    }
}

impl core::error::Error for OutOfMemory {}

/// Blocks in use. Wiped and returned when dropped, also during a panic.
pub(crate) struct Lent {
    arena: Arena,
    /// `None` until the system has given it, and for memory that is elsewhere.
    mapping: Option<Mapping>,
    bytes: usize,
    blocks: usize,
    /// How many of the first blocks are wiped at the end.
    written: usize,
}

impl Lent {
    /// States that until the next call only this many of the first blocks are written, so that no
    /// others are wiped. To wipe a page that no hash has reached would take it from the system.
    pub(crate) fn written_up_to(&mut self, blocks: usize) {
        self.written = blocks;
    }

    /// Returns the same memory as words.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        let blocks: &mut [Block] = self;
        let (start, words) = (blocks.as_mut_ptr(), blocks.len() * WORDS);
        // SAFETY: a block is only its words, without padding: it is `repr(C)`, and its size is a
        // multiple of its alignment. The words are initialised, and borrowed mutably by `self`.
        unsafe { slice::from_raw_parts_mut(start.cast(), words) }
    }
}

impl Deref for Lent {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        self.mapping.as_ref().map_or(&[], |mapping| &mapping.blocks()[..self.blocks])
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut [Block] {
        self.mapping.as_mut().map_or(&mut [], |mapping| &mut mapping.blocks_mut()[..self.blocks])
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(mapping) = &mut self.mapping {
            wipe(&mut mapping.blocks_mut()[..self.written]);
        }
        let mut store = self.arena.store();
        store.free.extend(self.mapping.take());
        store.lent -= self.bytes as u64;
        store.last_return = Some(Instant::now());
        let beyond = store.lent + store.free_bytes() > self.arena.keep_bytes;
        let too_much = beyond.then(|| store.free.pop());
        drop(store);
        drop(too_much);
    }
}

/// Wipes with plain stores. A hash takes 1.1 times as long as without wiping.
///
/// Two other ways are slower. After non-temporal stores the next hash must fetch every cache line.
/// `Zeroize` writes word by word.
fn wipe(blocks: &mut [Block]) {
    for block in &mut *blocks {
        *block = Block::ZERO;
    }
    optimization_barrier(blocks);
}

/// Memory that a crate allocates. If the system gave none, the crate would end the process.
///
/// A claim is granted only if the system still gives all claimed memory at once. It does not matter
/// which crate has allocated its memory already. Arenas leave room for the claims.
pub(crate) struct Claim {
    bytes: usize,
}

impl Claim {
    /// Claims this many bytes until the claim is dropped.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system might not give all claimed memory.
    pub(crate) fn new(bytes: u64) -> Result<Self, OutOfMemory> {
        let bytes = usize::try_from(bytes).map_err(|_| OutOfMemory)?;
        let mut claimed = claimed();
        let all = claimed.checked_add(bytes).ok_or(OutOfMemory)?;
        leave_room(all)?;
        *claimed = all;
        Ok(Self { bytes })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        *claimed() -= self.bytes;
    }
}

/// Returns the bytes of all claims. A large allocation holds the guard, so that it cannot take the
/// memory of a claim.
fn claimed() -> MutexGuard<'static, usize> {
    static CLAIMED: Mutex<usize> = Mutex::new(0);
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks that the system would give these bytes, and memory for the rest of the process.
fn leave_room(claimed: usize) -> Result<(), OutOfMemory> {
    let bytes = claimed.checked_add(ROOM_FOR_THE_REST).ok_or(OutOfMemory)?;
    if system::gives(bytes) { Ok(()) } else { Err(OutOfMemory) }
}

/// Memory from the system.
struct Mapping {
    start: NonNull<Block>,
    bytes: usize,
    /// Returns the memory to the system when dropped.
    _memory: system::Memory,
}

// SAFETY: a mapping is memory that nothing else points to; which thread uses or frees it does not
// matter.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        let (memory, start) = system::Memory::new(bytes)?;
        Ok(Self { start: start.cast(), bytes, _memory: memory })
    }

    fn blocks(&self) -> &[Block] {
        // SAFETY: `start` is the first of `bytes` bytes that are initialised (the system gives
        // zeroes), aligned to a page, ours alone, and mapped until `self` is dropped.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.bytes / BYTES) }
    }

    fn blocks_mut(&mut self) -> &mut [Block] {
        // SAFETY: as in `blocks`, and `self` is borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes / BYTES) }
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use core::ffi::c_void;
    use core::ptr::{self, NonNull};

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    use super::{HUGE_PAGE_BYTES, OutOfMemory, POPULATED_BYTES, claimed, leave_room};

    /// An anonymous mapping, with room to begin on a huge page.
    pub(super) struct Memory {
        mapped: *mut c_void,
        mapped_bytes: usize,
    }

    impl Memory {
        pub(super) fn new(bytes: usize) -> Result<(Self, NonNull<u8>), OutOfMemory> {
            let mapped_bytes = bytes.checked_add(HUGE_PAGE_BYTES).ok_or(OutOfMemory)?;
            let claimed = claimed();
            let memory = Self::map(mapped_bytes)?;
            leave_room(*claimed)?;
            drop(claimed);
            let mapped = memory.mapped;
            let start = mapped.cast::<u8>();
            // SAFETY: at most one huge page on, which is what was mapped beyond `bytes`.
            let start = unsafe { start.add(start.align_offset(HUGE_PAGE_BYTES)) };
            // The system may refuse this advice (no huge pages; Linux before 5.14). Then pages are
            // small, or come one by one.
            // SAFETY: the advised bytes are inside the mapping, which is not in use yet.
            let _ = unsafe { madvise(start.cast(), bytes, Advice::LinuxHugepage) };
            // Piece by piece: a call holds the lock of the address space until it ends, and other
            // threads wait for that lock when their allocator grows. Beyond the first pieces the
            // pages come as the hash reaches them, so that its first slice is not much longer than
            // any other.
            for piece in (0..bytes.min(POPULATED_BYTES)).step_by(HUGE_PAGE_BYTES) {
                let length = HUGE_PAGE_BYTES.min(bytes - piece);
                // SAFETY: as above; the piece is within `bytes`.
                let _ = unsafe { madvise(start.add(piece).cast(), length, Advice::LinuxPopulateWrite) };
            }
            let start = NonNull::new(start).ok_or(OutOfMemory)?;
            Ok((memory, start))
        }

        fn map(mapped_bytes: usize) -> Result<Self, OutOfMemory> {
            // SAFETY: a new mapping at an address of the system's choice touches no other memory.
            let mapped = unsafe {
                mmap_anonymous(
                    ptr::null_mut(),
                    mapped_bytes,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::PRIVATE,
                )
            };
            Ok(Self { mapped: mapped.map_err(|_| OutOfMemory)?, mapped_bytes })
        }
    }

    /// Whether the system gives a mapping of this size. It uses no memory.
    pub(super) fn gives(bytes: usize) -> bool {
        Memory::map(bytes).is_ok()
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: exactly what was mapped, and with `self` the last use of it ends.
            let unmapped = unsafe { munmap(self.mapped, self.mapped_bytes) };
            debug_assert!(unmapped.is_ok());
        }
    }
}

/// Memory without `mmap`: under Miri, and on systems that are used for development only.
#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    use core::ptr::NonNull;
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::{OutOfMemory, PAGE_BYTES};

    pub(super) struct Memory {
        start: NonNull<u8>,
        layout: Layout,
    }

    impl Memory {
        pub(super) fn new(bytes: usize) -> Result<(Self, NonNull<u8>), OutOfMemory> {
            let layout = Layout::from_size_align(bytes, PAGE_BYTES).map_err(|_| OutOfMemory)?;
            // SAFETY: no hash has zero bytes of memory.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(OutOfMemory)?;
            Ok((Self { start, layout }, start))
        }
    }

    /// Such a system is used for development only, so it is not asked.
    pub(super) fn gives(_bytes: usize) -> bool {
        true
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: what was allocated, by its own layout.
            unsafe { dealloc(self.start.as_ptr(), self.layout) }
        }
    }
}

/// Memory that every large allocation leaves for all small ones: requests, answers, stacks, and the
/// state of hashes beside their main memory.
const ROOM_FOR_THE_REST: usize = 32 << 20;

/// The memory that a hash gets before it begins. One call of the system for many pages is quicker
/// than a fault for each, if the system has no huge pages: 0.75 times the time on a Xeon. It takes
/// some ten milliseconds, in which no other lane of the core goes on.
#[cfg(all(target_os = "linux", not(miri)))]
const POPULATED_BYTES: usize = 32 << 20;

/// The size of a huge page on x86-64, and on aarch64 with pages of 4 KiB.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The size of the smallest page.
const PAGE_BYTES: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_leaves_the_memory_wiped() {
        let arena = Arena::new(MIB);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            fill_all(&mut arena.lend(100).unwrap());
            let mut memory = arena.lend(100).unwrap();
            fill_all(&mut memory);
            panic!("in the middle of a hash");
        }));
        assert!(panicked.is_err());
        assert!(arena.resident_bytes() > 0 && arena.is_wiped());
    }

    #[test]
    fn a_claim_that_might_not_be_given_is_refused() {
        assert_eq!(Claim::new(u64::MAX).err(), Some(OutOfMemory));
        // 2^50 bytes: more than any address space.
        assert!(cfg!(miri) || cfg!(not(target_os = "linux")) || Claim::new(1 << 50).is_err());
        drop(Claim::new(MIB).unwrap());
    }

    #[test]
    fn memory_is_kept_and_grown() {
        let arena = Arena::new(4 * MIB);
        fill_all(&mut arena.lend(3000).unwrap());
        let first = arena.lend(3000).unwrap().as_ptr();
        assert_eq!(arena.resident_bytes(), 4 * MIB);
        let mut again = arena.lend(2500).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (first, 2500));
        assert!(again.iter().all(|block| block.0 == Block::ZERO.0));
        fill_all(&mut again);
        drop(again);
        fill_all(&mut arena.lend(10).unwrap());
        assert_eq!(arena.resident_bytes(), 2 * MIB, "another size takes the place of the first");
        fill_all(&mut arena.lend(4096).unwrap());
        assert_eq!(arena.resident_bytes(), 4 * MIB);
        assert!(arena.is_wiped());
    }

    #[test]
    fn memory_above_the_budget_is_released() {
        // A budget of a fractional number of huge pages is fully usable, and is never exceeded.
        let arena = Arena::new(3 * MIB);
        fill_all(&mut arena.lend(3 * 1024).unwrap());
        assert_eq!(arena.resident_bytes(), 3 * MIB);
        fill_all(&mut arena.lend(3 * 1024 + 1).unwrap());
        assert_eq!(arena.resident_bytes(), 0);
        fill_all(&mut arena.lend(8).unwrap());
        assert_eq!(arena.resident_bytes(), 2 * MIB);
        arena.release();
        assert_eq!(arena.resident_bytes(), 0);
    }

    /// The clones are those of the two workers of a core.
    #[test]
    fn several_hashes_share_one_budget() {
        let arena = Arena::new(6 * MIB);
        let mut lent: Vec<_> = (0..3).map(|_| arena.clone().lend(2048).unwrap()).collect();
        for blocks in &mut lent {
            fill_all(blocks);
        }
        assert_eq!(arena.resident_bytes(), 6 * MIB);
        lent.truncate(1);
        assert_eq!(arena.resident_bytes(), 6 * MIB, "returned memory is kept");
        assert!(arena.is_wiped());
        fill_all(&mut arena.lend(3000).unwrap());
        assert_eq!(arena.resident_bytes(), 6 * MIB, "and makes room for another size");
        fill_all(&mut arena.lend(7 * 1024).unwrap());
        assert_eq!(arena.resident_bytes(), 2 * MIB, "a hash beyond the budget leaves nothing");
        arena.release();
        assert_eq!(arena.resident_bytes(), 2 * MIB, "memory in use is not released");
        drop(lent);
        assert_eq!(arena.resident_bytes(), 2 * MIB);
        assert!(arena.is_wiped());
    }

    /// As that of yescrypt, which a crate takes.
    #[test]
    fn memory_elsewhere_is_within_the_budget() {
        let arena = Arena::new(8 * MIB);
        fill_all(&mut arena.lend(2048).unwrap());
        let elsewhere = arena.lend_elsewhere(4 * MIB);
        assert_eq!(arena.resident_bytes(), 4 * MIB, "kept memory is released");
        fill_all(&mut arena.lend(2048).unwrap());
        assert_eq!(arena.resident_bytes(), 6 * MIB);
        fill_all(&mut arena.lend(4096).unwrap());
        assert_eq!(arena.resident_bytes(), 8 * MIB, "another size takes the place of the first");
        drop(elsewhere);
        assert_eq!(arena.resident_bytes(), 4 * MIB);
        assert!(arena.lend_elsewhere(0).is_none() && arena.is_wiped());
    }

    #[test]
    fn missing_memory_is_an_error() {
        let arena = Arena::new(u64::MAX);
        assert!(arena.lend(usize::MAX).is_err());
        assert!(arena.lend(usize::MAX / BYTES).is_err());
        // 2^60 bytes: more than any address space. (Miri stops if an allocation fails.)
        assert!(cfg!(miri) || arena.lend(1 << 50).is_err());
        assert_eq!(arena.resident_bytes(), 0);
        assert!(arena.lend(8).is_ok());
    }

    /// Compares the system's count of this process's memory before, during and after.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn release_gives_memory_back_to_the_system() {
        let arena = Arena::new(u64::MAX);
        let before = resident_bytes_of_this_process();
        fill_all(&mut arena.lend(256 * 1024).unwrap());
        let with = resident_bytes_of_this_process();
        arena.release();
        let after = resident_bytes_of_this_process();
        // Other tests use memory at the same time: half of this size is a safe margin.
        assert!(with > before + 128 * MIB, "{before} {with}");
        assert!(after + 128 * MIB < with, "{with} {after}");
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn resident_bytes_of_this_process() -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
        pages * rustix::param::page_size() as u64
    }

    fn fill_all(blocks: &mut [Block]) {
        for block in blocks {
            block.0 = [u64::MAX; _];
        }
    }

    const MIB: u64 = 1 << 20;
}
