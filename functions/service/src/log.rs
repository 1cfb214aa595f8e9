//! The one line that a request leaves behind.

use crate::Outcome;

impl Outcome {
    /// Writes the request's line. The front door calls it once, when the answer has gone out or nobody wants it.
    pub fn log(&self) {
        tracing::info!(
            operation = self.operation.name(),
            outcome = self.end.name(),
            request_id = self.request_id.as_str(),
        );
    }
}

/// Replaces the message of every panic with its place: a message may quote what it failed on, and what this
/// process handles is secret. Each binary calls it first.
pub fn say_only_where_a_panic_was() {
    std::panic::set_hook(Box::new(|panic| {
        let (file, line) = panic.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
        tracing::error!(file, line, "a panic");
    }));
}
