//! The HTTP contract, pure and total: request in, answer out.

#![forbid(unsafe_code)]

mod body;
mod log;
mod outcome;
mod problem;
mod request_id;
mod response;
mod service;

use core::fmt;

use http::Response;

pub use body::Body;
pub use log::say_only_where_a_panic_was;
pub use outcome::{End, Operation, Outcome, Step, Timing};
pub use problem::{Code, Problem};
pub use request_id::RequestId;
pub use service::{Arrival, Service};

/// What goes back, and what it was. The body is absent from `Debug`.
pub struct Answer {
    /// What goes back.
    pub response: Response<Body>,
    /// What it was; [`Outcome::log`] writes the line.
    pub outcome: Outcome,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.response.status())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
