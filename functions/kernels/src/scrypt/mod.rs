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
