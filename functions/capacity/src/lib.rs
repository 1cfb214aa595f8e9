//! How much of AWS Lambda an audience needs, and what it costs.
//!
//! [`Demand::capacity`] is the formula, [`Durations`] says how long a request takes, [`Prices`] what it costs, [`Limits`]
//! what Lambda bounds, and [`FunctionSize`] what a function has for its hashes. Their numbers stand in the JSON files of `infra/modules/password-hasher`, which Terraform reads
//! too, and nowhere else.
//!
//! What this crate does not do: it knows no policy document and computes no hash.

#![forbid(unsafe_code)]

mod demand;
mod durations;
mod file;
mod function_size;
mod limits;
mod prices;

pub use demand::{Capacity, Demand};
pub use durations::{Architecture, Durations, Lanes, NotParameters, Parameters, Planned};
pub use file::Unreadable;
pub use function_size::FunctionSize;
pub use limits::{FUNCTION_MEMORY_MB, Limits};
pub use prices::{Prices, Usage, billed, gb_seconds};
