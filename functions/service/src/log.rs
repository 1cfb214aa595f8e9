//! The log line of a request.

use std::{
    io::{self, Write as _},
    panic,
    time::Duration,
};

use serde::Serialize;

use crate::{Outcome, Step, outcome::NONE};

impl Outcome {
    /// Writes the request's log line. A front door calls it once, when the answer is ready or the
    /// caller has closed the connection. On Lambda the sink prints the fields of [`LogLine`] with
    /// the metrics instead.
    pub fn log(&self) {
        let line = LogLine::of(self);
        tracing::info!(
            operation = line.operation,
            policy = line.policy,
            algorithm = line.algorithm,
            outcome = line.outcome,
            operations = line.operations,
            failed = line.failed,
            rehashed = line.rehashed,
            total_ms = line.total_ms,
            queue_ms = line.queue_ms,
            hash_ms = line.hash_ms,
            request_id = line.request_id,
            trace_id = line.trace_id,
            xray_trace_id = line.xray_trace_id,
            caller = line.caller,
            peer = line.peer,
        );
    }
}

/// The fields of a request's log line.
#[derive(Serialize)]
pub struct LogLine<'a> {
    operation: &'static str,
    policy: &'a str,
    algorithm: &'a str,
    outcome: &'static str,
    operations: usize,
    failed: usize,
    rehashed: usize,
    total_ms: f64,
    queue_ms: f64,
    hash_ms: f64,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    xray_trace_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<String>,
}

impl<'a> LogLine<'a> {
    /// The line of a request with this outcome.
    #[must_use]
    pub fn of(outcome: &'a Outcome) -> Self {
        let timing = outcome.timing().unwrap_or_default();
        Self {
            operation: outcome.operation.name(),
            policy: shared(&outcome.steps, Step::policy_label),
            algorithm: shared(&outcome.steps, |step| step.algorithm_label()),
            outcome: outcome.end.name(),
            operations: outcome.steps.len(),
            failed: outcome.steps.iter().filter(|step| step.has_failed()).count(),
            rehashed: outcome.steps.iter().filter(|step| step.rehashed.is_some()).count(),
            total_ms: milliseconds(outcome.total),
            queue_ms: milliseconds(timing.queued),
            hash_ms: milliseconds(timing.hashed),
            request_id: outcome.request_id.as_str(),
            trace_id: outcome.trace.id(),
            xray_trace_id: outcome.trace.xray_id(),
            caller: outcome.caller.name(),
            peer: outcome.peer.map(|peer| peer.to_string()),
        }
    }
}

/// Installs a hook that reports the place of a panic and not its message, which may quote a secret.
/// Each binary calls it first, with its own name.
///
/// The hook writes to the log, or to the standard error before a subscriber is set. A panic inside
/// the hook would end the process: the subscriber must not panic if its output cannot be written.
pub fn install_panic_hook(program: &'static str) {
    panic::set_hook(Box::new(move |panic| {
        let (file, line) = panic.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
        if tracing::dispatcher::has_been_set() {
            tracing::error!(file, line, "a panic");
        } else {
            let _unwritten = writeln!(io::stderr(), "{program}: a panic at {file}:{line}");
        }
    }));
}

/// The value that all steps share, `several` if they differ, `none` without steps.
fn shared<'a>(steps: &'a [Step], of: impl Fn(&'a Step) -> &'a str) -> &'a str {
    let mut values = steps.iter().map(of);
    let Some(first) = values.next() else { return NONE };
    if values.all(|value| value == first) { first } else { "several" }
}

/// Milliseconds, rounded to three decimals.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
