//! The capacity of AWS Lambda that an audience needs, and its cost.
//!
//! [`Demand::capacity`] is the formula. [`Durations`] has the times of requests, [`Prices`] the
//! prices, and [`Limits`] Lambda's quotas. [`Scale`] estimates the time of a hash on Lambda from its
//! time on this machine. All numbers are in the JSON files of `infra/modules/password-hasher`, which
//! Terraform also reads.

mod demand;
mod durations;
mod file;
mod limits;
mod name;
mod prices;
mod scale;

pub use demand::{Capacity, Demand};
pub use durations::{Architecture, Durations, Planned, work};
pub use file::Unreadable;
pub use limits::{FUNCTION_MEMORY_MB, Limits};
pub use name::{UnknownName, name_of, params_named};
pub use prices::{Prices, Usage, billed, gb_seconds};
pub use scale::{Reference, Scale, Size};
