//! Logs JSON lines to the standard output, which Lambda sends to CloudWatch.

use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer as _, filter::filter_fn, fmt, layer::SubscriberExt as _, registry, util::SubscriberInitExt as _,
};

/// Starts logging. No environment variable changes the level. Lambda drops the lines whose `level`
/// is below the function's application log level.
pub(crate) fn start() {
    let lines = fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false);
    registry().with(lines.with_filter(filter_fn(is_safe)).with_filter(LevelFilter::INFO)).init();
}

/// Whether a line cannot contain data of callers.
///
/// The Lambda runtime logs raw events at TRACE, which release builds omit. It logs messages of
/// serde about the caller's headers at ERROR. So only its lines about calls to the Runtime API
/// remain.
fn is_safe(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    !target.starts_with(RUNTIME) || target.starts_with(RUNTIME_CALLS)
}

const RUNTIME: &str = "lambda_runtime";
const RUNTIME_CALLS: &str = "lambda_runtime::layers::api_client";
