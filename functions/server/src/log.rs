//! Where the lines go. What they say is decided where they are written; below INFO nothing is compiled in.

use std::time::Duration;

use saltern_service::metrics::DroppedLines;
use tracing::level_filters::LevelFilter;

use crate::arguments::LogFormat;
use saltern_program::Failure;

use super::lines::Lines;

/// Starts writing lines to the standard output. No environment variable changes the level: what other crates say
/// below INFO may hold what they were given.
pub(super) fn start(format: LogFormat) -> Result<Log, Failure> {
    let dropped = DroppedLines::default();
    let lines = Lines::start(std::io::stdout(), dropped.clone())
        .map_err(|error| Failure::system(format!("the system gives no thread to log on ({error})")))?;
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::INFO)
        .with_target(false)
        // Of a line that cannot be written it would tell the standard error, and panic where that cannot be written either.
        .log_internal_errors(false)
        .with_writer(move || writer.clone());
    match format {
        LogFormat::Json => subscriber.json().flatten_event(true).with_current_span(false).init(),
        LogFormat::Text => subscriber.with_ansi(false).init(),
    }
    Ok(Log { lines, dropped })
}

/// The lines on their way; when it is dropped, those that were taken are written, as far as somebody reads them in time.
pub(super) struct Log {
    lines: Lines,
    dropped: DroppedLines,
}

impl Log {
    /// How many were lost.
    pub(super) fn dropped(&self) -> &DroppedLines {
        &self.dropped
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines.flush_within(AT_THE_END_WITHIN);
    }
}

/// Whoever asked for the end waits for it.
const AT_THE_END_WITHIN: Duration = Duration::from_secs(1);
