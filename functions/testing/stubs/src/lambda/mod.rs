//! A stand-in for AWS Lambda's Runtime API and Extensions API, for tests and load models.
//!
//! [`RuntimeApi`] is the server that a function polls; [`Environment`] is a process that polls it, started as Lambda
//! starts `bootstrap`. Threads and blocking calls throughout: the events of a whole fleet are few enough, and a test
//! reads from top to bottom.
//!
//! What Lambda does and this does not: it freezes a process only where a test says so, it puts no bound on sizes, and
//! it does not end a function whose deadline has passed.

mod api;
mod environment;

pub use api::{Ended, Invocation, Pending, RuntimeApi};
pub use environment::{Environment, Output};
