//! The log line of a request.

use std::{
    io::{self, Write as _},
    panic,
    time::Duration,
};

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use crate::{Caller, Operation, Outcome, Step, outcome::NONE};

/// Writes a line with a constant target.
macro_rules! write_line {
    ($target:expr, $line:expr) => {
        tracing::info!(
            target: $target,
            operation = $line.operation,
            policy = $line.policy,
            algorithm = $line.algorithm,
            outcome = $line.outcome,
            operations = $line.operations,
            failed = $line.failed,
            rehashed = $line.rehashed,
            total_ms = $line.total_ms,
            queue_ms = $line.queue_ms,
            hash_ms = $line.hash_ms,
            request_id = $line.request_id,
            trace_id = $line.trace_id,
            xray_trace_id = $line.xray_trace_id,
            caller = $line.caller,
            peer = $line.peer,
            seal_key = $line.seal_key,
        )
    };
}

impl Outcome {
    /// Writes the request's log line. The server's sink calls it once, when the answer is ready or the
    /// caller has closed the connection. On Lambda another sink prints the fields of [`LogLine`] with
    /// the metrics.
    pub fn log(&self) {
        let line = LogLine::of(self);
        // The target of a line is constant.
        match self.line_class() {
            LineClass::Caller => write_line!(OF_CALLERS, line),
            LineClass::Unauthenticated => write_line!(UNAUTHENTICATED, line),
        }
    }

    /// Anyone can ask `/health` and send requests without a token. Without tokens every caller is
    /// known.
    fn line_class(&self) -> LineClass {
        match (&self.caller, self.operation) {
            (Caller::Named(_), _) => LineClass::Caller,
            (Caller::Anyone, operation) if operation != Operation::Health => LineClass::Caller,
            (Caller::Anyone | Caller::Expired(_) | Caller::Foreign | Caller::Unknown, _) => {
                LineClass::Unauthenticated
            }
        }
    }
}

/// The class of a line of the log. A line of one class never takes the place of another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum LineClass {
    /// Lines of requests with a known caller, and of the process itself.
    Caller,
    /// Lines that anyone who reaches the port can cause.
    Unauthenticated,
}

impl LineClass {
    /// All classes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The class of a line with this target. Lines of other crates may be about any connection.
    pub fn of_target(target: &str) -> Self {
        let is_ours = target != UNAUTHENTICATED && target.starts_with(OURS);
        if is_ours { Self::Caller } else { Self::Unauthenticated }
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
    /// Only if the service has keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    seal_key: Option<&'a str>,
}

impl<'a> LogLine<'a> {
    /// The line of a request with this outcome.
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
            request_id: outcome.ids.request_id.as_str(),
            trace_id: outcome.ids.trace.id(),
            xray_trace_id: outcome.ids.trace.xray_id(),
            caller: outcome.caller.name(),
            peer: outcome.peer.map(|peer| peer.to_string()),
            seal_key: outcome
                .steps
                .iter()
                .any(|step| step.key_label().is_some())
                .then(|| shared(&outcome.steps, |step| step.key_label().unwrap_or(NONE))),
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

/// The target of lines of [`LineClass::Caller`].
const OF_CALLERS: &str = "saltern_service::log::callers";

/// The target of lines of [`LineClass::Unauthenticated`].
const UNAUTHENTICATED: &str = "saltern_service::log::unauthenticated";

/// The beginning of the targets of Saltern's own crates.
const OURS: &str = "saltern";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Identity, metrics::tests::outcome};

    use super::*;

    #[test]
    fn lines_that_anyone_can_cause_are_a_class_of_their_own() {
        let identity = || Arc::new(Identity { name: "shop".to_owned(), key: 1, scopes: Vec::new() });
        let class = |caller, operation| Outcome { operation, caller, ..outcome() }.line_class();
        assert_eq!(class(Caller::Named(identity()), Operation::Health), LineClass::Caller);
        assert_eq!(class(Caller::Anyone, Operation::None), LineClass::Caller);
        assert_eq!(class(Caller::Anyone, Operation::Health), LineClass::Unauthenticated);
        assert_eq!(class(Caller::Unknown, Operation::Hash), LineClass::Unauthenticated);
        assert_eq!(class(Caller::Foreign, Operation::Hash), LineClass::Unauthenticated);
        assert_eq!(class(Caller::Expired(identity()), Operation::Hash), LineClass::Unauthenticated);
        for (target, class) in [
            (OF_CALLERS, LineClass::Caller),
            ("saltern_server::listener", LineClass::Caller),
            (UNAUTHENTICATED, LineClass::Unauthenticated),
            ("h2::server", LineClass::Unauthenticated),
        ] {
            assert_eq!(LineClass::of_target(target), class, "{target}");
        }
    }
}
