//! How much of AWS Lambda an audience needs, and what it costs.
//!
//! [`Demand::capacity`] is the formula, [`Durations`] says how long a request takes, [`Prices`] what it costs, [`Limits`]
//! what Lambda bounds, and [`FunctionSize`] what a function has for its hashes. [`Scale`] estimates the time of a
//! hash on Lambda from its time on this machine. Their numbers stand in the JSON files of `infra/modules/password-hasher`, which Terraform reads
//! too, and nowhere else.
//!
//! This crate reads no setting and answers no request.

#![forbid(unsafe_code)]

mod demand;
mod durations;
mod file;
mod function_size;
mod limits;
mod prices;
mod scale;

pub use demand::{Capacity, Demand};
pub use durations::{Architecture, Durations, Lanes, NotParameters, Parameters, Planned};
pub use file::Unreadable;
pub use function_size::FunctionSize;
pub use limits::{FUNCTION_MEMORY_MB, Limits};
pub use prices::{Prices, Usage, billed, gb_seconds};
pub use scale::{Reference, Scale, Size};
