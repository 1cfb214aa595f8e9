//! Memory in huge pages that exist before it is used.
#![allow(unsafe_code, reason = "prefetches")]

use std::io;

use memmap2::{Advice, MmapMut};

/// Returns so many bytes of zeros.
pub(crate) fn huge_pages(bytes: usize) -> io::Result<MmapMut> {
    let mut memory = MmapMut::map_anon(bytes)?;
    memory.advise(Advice::HugePage)?;
    memory.fill(0);
    Ok(memory)
}

/// Lets the core fetch these bytes into its second cache. Other architectures are left to themselves.
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on caches.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
