//! A stub of AWS Lambda's Runtime API and Extensions API, for tests and load models.
//!
//! [`RuntimeApi`] is the server that a function polls. [`Environment`] is a process that polls it,
//! started as Lambda starts `bootstrap`. The stub uses threads and blocking calls: a fleet has few
//! enough events for that, and a test reads from top to bottom.
//!
//! Unlike Lambda, the stub freezes a process only when a test calls for it. It limits no sizes, and
//! it does not end a function after its deadline.

mod api;
mod environment;

pub use api::{Ended, Invocation, Pending, RuntimeApi};
pub use environment::{Environment, Output};
