//! The memory of one body that is being received.

use std::io;

use memmap2::MmapOptions;
use saltern_service::Body;
use zeroize::{Zeroize as _, Zeroizing};

use super::bounds::USUAL_BODY_BYTES;

/// Bytes up to a bound, wiped when dropped.
pub(super) enum Buffer {
    Usual(Zeroizing<Vec<u8>>),
    Large(Mapping),
}

impl Buffer {
    /// A buffer for at most this many bytes.
    ///
    /// # Errors
    /// Those of `mmap(2)`: the system gives no more memory to this process.
    pub(super) fn new(most: usize) -> io::Result<Self> {
        if most <= USUAL_BODY_BYTES {
            return Ok(Self::Usual(Zeroizing::new(Vec::with_capacity(most))));
        }
        let memory = MmapOptions::new().len(most).no_reserve_swap().map_anon()?;
        // A huge page holds memory that no byte has reached. An old system may refuse this advice.
        #[cfg(target_os = "linux")]
        let _refused = memory.advise(memmap2::Advice::NoHugePage);
        Ok(Self::Large(Mapping { memory, len: 0 }))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Usual(bytes) => bytes.len(),
            Self::Large(mapping) => mapping.len,
        }
    }

    /// Adds bytes. The caller keeps to the bound.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        match self {
            Self::Usual(all) => all.extend_from_slice(bytes),
            Self::Large(mapping) => {
                let end = mapping.len + bytes.len();
                mapping.memory[mapping.len..end].copy_from_slice(bytes);
                mapping.len = end;
            }
        }
    }
}

impl From<Buffer> for Body {
    fn from(buffer: Buffer) -> Self {
        match buffer {
            Buffer::Usual(bytes) => bytes.into(),
            Buffer::Large(mapping) => mapping.memory[..mapping.len].to_vec().into(),
        }
    }
}

/// Memory of its own, of which the system has only given what bytes have reached, and gets all back
/// at once. An allocator may keep what was freed between other allocations: that of glibc kept
/// 88 MiB after some rounds of 64 MiB.
pub(super) struct Mapping {
    memory: memmap2::MmapMut,
    len: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.memory[..self.len].zeroize();
    }
}
