//! What logins cost on AWS Lambda.
//!
//! [`Durations`] has the times of requests, and [`Prices`] the prices. [`Scale`] estimates the time
//! of a hash on Lambda from its time on this machine. All numbers are in the JSON files of `infra/modules/password-hasher`, which
//! Terraform also reads.

mod durations;
mod file;
mod name;
mod prices;
mod scale;

pub use durations::{Architecture, Durations, Planned, work};
pub use file::{Sourced, Unreadable};
pub use name::{UnknownName, name_of, params_named};
pub use prices::{Prices, Usage, billed, gb_seconds};
pub use scale::{FUNCTION_MEMORY_MB, Reference, Scale, Size};
