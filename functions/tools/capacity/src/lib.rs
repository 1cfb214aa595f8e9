//! What logins cost on AWS Lambda.
//!
//! [`Durations`] has the times of requests, and [`Prices`] the prices. All numbers are in the JSON
//! files of `infra/modules/password-hasher`, which Terraform also reads.

#![forbid(unsafe_code)]

mod durations;
mod file;
mod name;
mod prices;

use core::ops::RangeInclusive;

pub use durations::{Architecture, Durations, Planned, work};
pub use file::Sourced;
pub use name::{name_of, params_named};
pub use prices::{Prices, Usage, billed, gb_seconds};

/// The size of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Memory in MB as AWS writes it, which are MiB.
    pub memory_mb: u64,
    /// The processor architecture.
    pub architecture: Architecture,
}

/// The range of a function's memory in MB (Lambda developer guide, "Lambda quotas").
pub const FUNCTION_MEMORY_MB: RangeInclusive<u64> = 128..=10_240;
