#[cfg_attr(
    not(any(test, feature = "bench-kernels")),
    expect(dead_code, reason = "the worker that will call it is still to come")
)]
pub(crate) mod lanes;
pub(crate) mod reference;
mod tables;
