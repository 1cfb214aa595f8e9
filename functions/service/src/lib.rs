//! The HTTP contract: [`Service::answer`] takes a request and returns an answer. It never fails.
//!
//! The files, in the order of a request:
//!
//! 1. A front door (`saltern serve` or the Lambda function) reads a request of at most
//!    [`Service::body_limit`] bytes and calls [`Service::answer`]. If the front door itself rejects
//!    the request, it calls [`Service::refuse`].
//! 2. `route` and `request` turn the request into a `Command`. They check route, method, content
//!    type, size and deadline, in this order. `json` then reads the body.
//! 3. `execute` admits each task through `saltern-policy`, submits it to the pool of
//!    `saltern-algorithm`, awaits the output and asks the policies for a verdict. Each failure is a
//!    [`Problem`].
//! 4. `response` writes the answer. `log` and `metrics` both read its [`Outcome`].
//!
//! This crate opens no socket, reads no settings, checks no tokens and implements no algorithm.

#![forbid(unsafe_code)]

mod arrival;
mod body;
mod caller;
mod command;
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
mod seal;
mod service;
mod trace;

pub use arrival::{Arrival, NotAfter, PeerAddress};
pub use body::Body;
pub use caller::{Caller, Identity, Scope};
pub use log::{LineClass, LogLine, install_panic_hook, log_measured_lanes};
pub use outcome::{End, Operation, Outcome, Rehash, Step, Timing};
pub use problem::{Code, Problem};
pub use request::{DEADLINE_HEADER, DEFAULT_BUDGET_MS, MAX_BUDGET_MS, MAX_HEAD_BYTES, MAX_OPERATIONS};
pub use request_id::RequestId;
pub use response::Answer;
pub use route::{Route, body_limit};
pub use service::Service;
pub use trace::{TRACEPARENT, Trace};

/// The OpenAPI 3.1 document, as `GET /openapi.json` serves it.
///
/// `cargo xtask generate` writes the file from the code.
pub const OPENAPI: &str = include_str!("../openapi.json");
