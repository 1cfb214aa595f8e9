#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod chain;
pub(crate) mod choice;
mod lane;
pub(crate) mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_sha;
pub(crate) mod reference;
mod rounds;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
mod streams;
