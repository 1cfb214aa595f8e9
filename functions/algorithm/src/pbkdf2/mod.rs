#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod chain;
#[allow(dead_code, reason = "the worker that holds lanes calls it")]
pub(crate) mod lanes;
pub(crate) mod reference;
mod rounds;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
mod streams;
