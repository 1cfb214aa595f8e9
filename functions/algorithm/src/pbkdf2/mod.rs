#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod chain;
#[cfg_attr(
    not(any(test, feature = "bench-kernels")),
    expect(dead_code, reason = "the worker that will call it is still to come")
)]
pub(crate) mod lanes;
pub(crate) mod reference;
mod rounds;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
mod streams;
