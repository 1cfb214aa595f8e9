//! The kernels without a worker around them, for `saltern-bench` only: one function an algorithm, and no promise.
//!
//! It takes [`Admitted`](crate::Admitted) settings like every other road to a kernel.
