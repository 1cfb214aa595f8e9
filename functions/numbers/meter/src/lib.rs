//! How long a hash takes on this machine, with the kernels that serve.
//!
//! A [`Meter`] measures one admitted setting, [by itself](Meter::one) or [in lanes](Meter::in_lanes). What each figure
//! means:
//!
//! - A **call** computes one hash, or as many as a full worker has in lanes. A **sample** is a call, or where one is shorter
//!   than a millisecond, the mean of as many calls as take one. The first call is not counted, since it pays for fresh memory;
//!   where it alone takes all the time that there is, it is the one sample.
//! - [`Measured::wall_ms`] is time by the clock on the wall: what somebody waits for. [`Measured::cpu_ms`] is the time that
//!   this whole program had a processor meanwhile. On an idle machine they are equal; what is missing is what other programs,
//!   or a quota, took ([`Measured::core_share`]). With Argon2's `p` above 1 there are more threads, and the second is larger.
//! - [`Measured::hash_ms`] is the median call over the hashes in it, by the clock on the wall, and
//!   [`Measured::hashes_per_second`] its inverse: what one core does as long as it has nothing else to do.
//!   [`Measured::hash_cpu_ms`] is the same by the processor's clock. In lanes each hash waits for the whole call, which is
//!   longer.
//! - [`Spread`] has the median and the quartiles over the samples: half of the samples lie between the quartiles.
//! - [`Line`] is time over work in the algorithm's own unit ([`Admitted::work`](saltern_algorithm::Admitted::work)), in which
//!   time is linear. It tells what was not measured, and how far it is off where something was.
//!
//! What this crate does not do: it admits nothing (whoever measures brings [`Admitted`](saltern_algorithm::Admitted) settings
//! and so the ceilings), and what answers requests does not use it.
//!
//! Whatever else measures here (`saltern-bench`, `saltern-fleet`) takes its clocks, [`median`], [`quantile`] and [`Machine`] from it.

#![forbid(unsafe_code)]

mod clock;
mod line;
mod machine;
mod meter;
pub mod remote;
mod spread;

pub use clock::{process_time, thread_time};
pub use line::Line;
pub use machine::Machine;
pub use meter::{Effort, Measured, Meter, SHORTEST_SAMPLE};
pub use spread::{Spread, median, quantile};
