#![allow(
    clippy::inline_always,
    reason = "what is not inlined into the function with the target feature is compiled without the feature"
)]

pub(crate) mod block;
#[cfg(target_arch = "x86_64")]
mod compress_avx2;
#[cfg(target_arch = "x86_64")]
mod compress_avx512;
#[cfg(target_arch = "aarch64")]
mod compress_neon;
mod compress_portable;
mod fill;
pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod reference;
mod segment;
