//! The one line that a request leaves behind.

use std::{panic, time::Duration};

use crate::{Outcome, Step};

impl Outcome {
    /// Writes the request's line. The front door calls it once, when the answer has gone out or nobody wants it.
    pub fn log(&self) {
        let timing = self.timing().unwrap_or_default();
        tracing::info!(
            operation = self.operation.name(),
            policy = shared(&self.steps, |step| step.policy.as_deref()),
            algorithm = shared(&self.steps, |step| step.algorithm),
            outcome = self.end.name(),
            operations = self.steps.len(),
            failed = self.steps.iter().filter(|step| step.has_failed()).count(),
            rehashed = self.steps.iter().filter(|step| step.rehashed).count(),
            total_ms = milliseconds(self.total),
            queue_ms = milliseconds(timing.queued),
            hash_ms = milliseconds(timing.hashed),
            request_id = self.request_id.as_str(),
        );
    }
}

/// Replaces the message of every panic with its place: a message may quote what it failed on, and what this
/// process handles is secret. Each binary calls it first.
pub fn say_only_where_a_panic_was() {
    panic::set_hook(Box::new(|panic| {
        let (file, line) = panic.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
        tracing::error!(file, line, "a panic");
    }));
}

/// What all steps have in common.
fn shared<'a>(steps: &'a [Step], of: impl Fn(&'a Step) -> Option<&'a str>) -> &'a str {
    let mut values = steps.iter().map(|step| of(step).unwrap_or(NONE));
    let Some(first) = values.next() else { return NONE };
    if values.all(|value| value == first) { first } else { "several" }
}

/// To the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Where there is no policy or algorithm.
pub(crate) const NONE: &str = "none";
