//! Where the lines go: JSON on the standard output, which Lambda sends to CloudWatch.

use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer as _, filter::filter_fn, fmt, layer::SubscriberExt as _, registry, util::SubscriberInitExt as _,
};

/// Starts writing lines. No environment variable changes the level; Lambda drops what is below the function's
/// application log level by the `level` of each line.
pub(crate) fn start() {
    let lines = fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false);
    registry().with(lines.with_filter(filter_fn(is_safe)).with_filter(LevelFilter::INFO)).init();
}

/// The Lambda runtime writes raw events at TRACE, which release builds do not have, and at ERROR what serde says of headers that callers control. Of
/// its lines only those remain that say how its calls to the Runtime API went.
fn is_safe(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    !target.starts_with(RUNTIME) || target.starts_with(RUNTIME_CALLS)
}

const RUNTIME: &str = "lambda_runtime";
const RUNTIME_CALLS: &str = "lambda_runtime::layers::api_client";
