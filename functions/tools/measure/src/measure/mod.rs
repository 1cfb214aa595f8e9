//! Measures how long a hash takes on this machine, with the kernels of the service.
//!
//! A [`Meter`] measures one admitted setting, [alone](Meter::one) or [in lanes](Meter::in_lanes).
//! The figures:
//!
//! - A **call** computes one hash, or one hash for each lane of a full worker. A **sample** is the
//!   time of one call. If a call is shorter than a millisecond, a sample is the mean of as many
//!   calls as take one. The first call does not count, because it includes the cost of fresh
//!   memory. If a call takes all the available time, it is the only sample; with much memory it is
//!   the second call.
//! - [`Measured::wall_ms`] is wall-clock time: the time that a caller waits. [`Measured::cpu_ms`]
//!   is the processor time of this program. On an idle machine they are equal. The difference is
//!   the time of other programs or of a quota ([`Measured::core_share`]). With Argon2's `p` above
//!   1, several threads run, and processor time is larger.
//! - [`Measured::hash_cpu_ms`] is the median processor time of a call, divided by its hashes. In
//!   lanes each hash takes the time of the whole call, which is longer.
//! - [`Spread`] has the median and the quartiles of the samples: half of the samples lie between
//!   the quartiles.
//! - A [`Limit`] is what the machine allows: the rate of its memory, or of its core's cycles.

mod clock;
mod limit;
mod machine;
mod memory;
mod meter;
mod spread;

pub(crate) use clock::process_time;
#[cfg(feature = "peers")]
pub(crate) use clock::thread_time;
#[cfg(feature = "peers")]
pub(crate) use limit::RANDOM_BLOCKS;
pub(crate) use limit::{Limit, Reached};
pub(crate) use machine::Machine;
#[cfg(feature = "peers")]
pub(crate) use memory::huge_pages;
pub(crate) use meter::{Effort, Measured, Meter};
pub(crate) use spread::{Spread, median};

#[allow(clippy::cast_precision_loss, reason = "costs, works and steps here stay below 2^53")]
pub(crate) fn as_f64(number: u64) -> f64 {
    number as f64
}
