//! What is measured: `table` has every name, `sample` makes the figures of a request from its outcome, and sinks take
//! them.

mod prometheus;
mod sample;
mod table;

use core::fmt;

use crate::Outcome;

pub use prometheus::DroppedLines;
pub(crate) use prometheus::Prometheus;
pub(crate) use sample::of as samples;
pub use sample::{Labels, Sample};
pub use table::{
    ANSWER, ARENA, BATCH_OPERATIONS, COLD_STARTS, DROPPED_LINES, HASH, Kind, LANES, Label, METRICS, Metric,
    NAMESPACE, OPERATIONS, ProcessCount, QUEUE, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS, SERVICE,
    Unit,
};

/// Takes the figures of each request. It is on the path of the request: it does not wait.
pub trait Sink: fmt::Debug + Send + Sync {
    /// Takes what came of one request.
    fn record(&self, outcome: &Outcome, samples: &[Sample]);
}
