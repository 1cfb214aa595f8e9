//! Writes the log to standard output. Levels below INFO are not compiled in.

use std::{
    io::{self, Stdout, Write},
    time::Duration,
};

use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
use saltern_service::{
    Outcome,
    metrics::{DroppedLines, Sample, Sink},
};
use tracing::level_filters::LevelFilter;

use crate::Failure;
use crate::arguments::LogFormat;

use super::lines::Lines;

/// Starts to write lines to standard output.
///
/// No environment variable changes the level: lines of other crates below INFO may hold their
/// input.
pub(super) fn start(format: LogFormat) -> Result<Log, Failure> {
    let dropped = DroppedLines::default();
    let lines = Lines::start(output(io::stdout()), dropped.clone()).map_err(|error| {
        Failure::system(format!("cannot start the thread of the log ({error}): raise the limit on threads"))
    })?;
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::INFO)
        .with_target(false)
        // Else it would report a failed write to standard error, and panic if that fails too.
        .log_internal_errors(false)
        .with_writer(writer);
    match format {
        LogFormat::Json => subscriber.json().flatten_event(true).with_current_span(false).init(),
        LogFormat::Text => subscriber.with_ansi(false).init(),
    }
    Ok(Log { lines, dropped })
}

/// Returns an output that fails if this one was closed at the start: the standard library has opened
/// `/dev/null` in its place, for reading and writing, and a line written there would count as
/// written.
fn output(stdout: Stdout) -> Box<dyn Write + Send> {
    let is_null =
        fstat(&stdout).ok().zip(stat("/dev/null").ok()).is_some_and(|(a, b)| a.st_rdev == b.st_rdev);
    let was_closed = is_null && fcntl_getfl(&stdout).is_ok_and(|flags| flags.contains(OFlags::RDWR));
    if was_closed { Box::new(<&mut [u8]>::default()) } else { Box::new(stdout) }
}

/// The log. Dropping it writes the waiting lines, if the reader takes them in time.
pub(super) struct Log {
    lines: Lines,
    /// The count of lost lines.
    pub(super) dropped: DroppedLines,
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines.flush_within(LONGEST_FLUSH);
    }
}

/// Writes the log line of each request.
#[derive(Debug)]
pub(super) struct RequestLines;

impl Sink for RequestLines {
    fn record(&self, outcome: &Outcome, _: &[Sample]) {
        outcome.log();
    }
}

/// The longest delay of the end of the process.
const LONGEST_FLUSH: Duration = Duration::from_secs(1);
