//! The HTTP contract, pure and total: request in, answer out.
//!
//! The data path, file by file:
//!
//! 1. A front door (`saltern serve`, the Lambda) reads a request of at most [`Service::body_limit`] bytes and calls
//!    [`Service::answer`]. What it refuses itself it gives to [`Service::refuse`].
//! 2. `route` and `request` turn it into a `Command`: route, method, content type, size, deadline, then the body,
//!    which `json` reads.
//! 3. `execute` admits each task through `saltern-policy`, submits it to `saltern-algorithm`'s pool, awaits it and
//!    lets the policies judge. Every refusal on the way is a [`Problem`].
//! 4. `response` writes the answer; one [`Outcome`] is made of it, which `log` and `metrics` both read.
//!
//! What this crate does not do: it opens no socket, reads no settings, checks no token, and knows no algorithm.

#![forbid(unsafe_code)]

mod body;
mod command;
#[cfg(any(test, feature = "documents"))]
pub mod documents;
mod execute;
mod json;
mod log;
pub mod metrics;
mod outcome;
mod problem;
mod request;
mod request_id;
mod response;
mod route;
mod service;
mod trace;

pub use body::Body;
pub use log::{LogLine, install_panic_hook};
pub use outcome::{End, Operation, Outcome, Step, Timing, Upgrade};
pub use problem::{Code, Problem};
pub use request::MAX_HEAD_BYTES;
pub use request_id::RequestId;
pub use response::Answer;
pub use service::{Arrival, NotAfter, Service};
pub use trace::Trace;

/// The OpenAPI 3.1 document, as `GET /openapi.json` serves it.
///
/// `cargo xtask generate` writes it from the code, and a test compares both.
pub const OPENAPI: &str = include_str!("../openapi.json");
