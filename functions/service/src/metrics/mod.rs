//! Metrics: `table` lists them, `sample` makes the samples of a request from its outcome, and sinks
//! receive the samples.

mod prometheus;
mod sample;
mod table;

use core::fmt;

use crate::Outcome;

pub use prometheus::DroppedLines;
pub(crate) use prometheus::Prometheus;
pub(crate) use sample::of as samples;
#[cfg(test)]
pub(crate) use sample::tests;
pub use sample::{Labels, Sample};
pub use table::{
    ALARM_MINUTES, ALARMS, ALL_SEALS, ANSWER, ARENA, ARGON2_LANES, Above, Alarm, BATCH_OPERATIONS,
    COLD_STARTS, DROPPED_LINES, HASH, Kind, LANES, Label, MATCHES_BY_KEY, METRICS, Metric, NAMESPACE,
    OPERATIONS, ProcessCount, ProcessGauge, QUEUE, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS, SEALS,
    SERVICE, Severity, Unit, VERIFICATIONS,
};

/// Receives the samples of each request. The request waits for the sink, so a sink must not block.
pub trait Sink: fmt::Debug + Send + Sync {
    /// Records the samples of one request.
    fn record(&self, outcome: &Outcome, samples: &[Sample]);
}
