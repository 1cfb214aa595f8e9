#![allow(clippy::inline_always, reason = "a row is a register only where its functions are not called")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod lanes;
mod mix;
#[cfg(target_arch = "aarch64")]
mod neon;
mod path;
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable;
pub(crate) mod reference;
mod rows;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub(crate) use self::mix::STATES;
pub(crate) use self::path::{MOST_SIDE_BY_SIDE, Path};

/// Returns the work of a hash in units of `N·r·p`, with that of PBKDF2 at both ends. Of a hash with a
/// small N the ends are nearly all of its time.
///
/// `other_blocks` are the blocks of 128 bytes beside the memory, `(p + 2)·r`.
pub(crate) fn with_ends(n_r_p: u64, other_blocks: u64) -> u64 {
    n_r_p.saturating_add(WORK_OF_A_BLOCK.saturating_mul(other_blocks))
}

/// What PBKDF2 takes for a block: 0.9 µs on an Intel Xeon with AMX, where a unit takes 0.15 µs, by the
/// `Server-Timing` of `ln=1,r=4096,p=30` and of `ln=14,r=8,p=1`.
const WORK_OF_A_BLOCK: u64 = 6;
