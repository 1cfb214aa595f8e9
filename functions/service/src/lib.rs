//! The HTTP contract: [`Service::answer`] takes a request and returns an answer. It never fails.
//!
//! The files, in the order of a request:
//!
//! 1. A front door (`saltern serve` or the Lambda function) reads the head of a request and makes
//!    one [`Incoming`] of it with [`Service::receive`], which checks the token's scope, the path, the
//!    method, the content type and the deadline. If the head is accepted, the door reads a body of
//!    at most [`Route::body_limit`] bytes and calls [`Service::answer`]. If the door itself rejects
//!    the request, it calls [`Service::refuse`].
//! 2. `request` and `json` turn the body into a `Command`.
//! 3. `execute` admits each task through `saltern-policy`, submits it to the pool of
//!    `saltern-pool`, awaits the output and asks the policies for a verdict. Each failure is a
//!    [`Problem`].
//! 4. `response` writes the answer. `log` and `metrics` both read its [`Outcome`].
//!
//! This crate opens no socket, reads no settings, checks no tokens and implements no algorithm.

#![forbid(unsafe_code)]

pub mod blocklist;
mod body;
mod caller;
mod command;
mod execute;
mod incoming;
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
mod upgrades;

pub use blocklist::Blocklist;
pub use body::Body;
pub use caller::{Caller, Identity, Scope};
pub use incoming::{
    Arrival, DEADLINE_HEADER, DEFAULT_BUDGET_MS, Ids, Incoming, MAX_BUDGET_MS, MAX_HEAD_BYTES, PeerAddress,
};
pub use log::{LineClass, LogLine, install_panic_hook};
pub use outcome::{End, Operation, Outcome, Rehash, Step, Timing};
pub use problem::{Code, Problem};
pub use request::MAX_OPERATIONS;
pub use request_id::{CallersId, RequestId};
pub use response::Answer;
pub use route::Route;
pub use service::Service;
pub use trace::{TRACEPARENT, Trace};
pub use upgrades::Upgrades;

/// The OpenAPI 3.1 document, as `GET /openapi.json` serves it.
///
/// `cargo xtask generate` writes the file from the code.
pub const OPENAPI: &str = include_str!("../openapi.json");
