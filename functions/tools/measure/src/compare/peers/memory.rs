//! Memory in huge pages that exist before it is used.
#![allow(unsafe_code, reason = "advises the system, and initialises a vector in place")]

use rustix::mm::{Advice, madvise};

/// A huge page of x86-64, at its place in memory.
#[repr(C, align(0x20_0000))]
pub(crate) struct HugePage(pub(crate) [u8; 2 << 20]);

/// Returns at least so many bytes of zeros.
pub(crate) fn huge_pages(bytes: usize) -> Result<Vec<HugePage>, rustix::io::Errno> {
    let count = bytes.div_ceil(size_of::<HugePage>());
    let mut pages = Vec::<HugePage>::with_capacity(count);
    let start = pages.as_mut_ptr();
    // SAFETY: the advice keeps the content of the memory, which is this vector's.
    unsafe { madvise(start.cast(), count * size_of::<HugePage>(), Advice::LinuxHugepage)? };
    // SAFETY: the capacity is at least `count`, and a page of zeros is valid.
    unsafe {
        start.write_bytes(0, count);
        pages.set_len(count);
    }
    Ok(pages)
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
