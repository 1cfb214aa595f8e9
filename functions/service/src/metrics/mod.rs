//! What is measured. `table` has every name.

#[cfg(test)]
mod documents;
mod prometheus;
mod table;

pub(crate) use prometheus::Metrics;
pub use table::{
    ANSWER, ARENA, BATCH_OPERATIONS, COLD_STARTS, HASH, Kind, LANES, Label, METRICS, Metric, NAMESPACE,
    OPERATIONS, QUEUE, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS, SERVICE, Unit,
};
