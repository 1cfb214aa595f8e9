//! Where the lines go. What they say is decided where they are written; below INFO nothing is compiled in.

use tracing::level_filters::LevelFilter;

use crate::arguments::LogFormat;

/// Starts writing lines to the standard output. No environment variable changes the level: what other crates say
/// below INFO may hold what they were given.
pub(super) fn start(format: LogFormat) {
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::INFO).with_target(false);
    match format {
        LogFormat::Json => subscriber.json().flatten_event(true).with_current_span(false).init(),
        LogFormat::Text => subscriber.with_ansi(false).init(),
    }
}
