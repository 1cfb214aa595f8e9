//! Assumptions of the model about undocumented behaviour of Lambda, each with its source.

use core::time::Duration;

/// The time from a request for a new environment to its first instruction. Unverified: 150 ms are an
/// estimate, because Lambda publishes no figure for starting an environment and fetching a zip of a
/// few MB.
pub(crate) const COLD_START: Duration = INIT.saturating_add(Duration::from_millis(150));

/// The start of `bootstrap`. From a secondary source: maxday/lambda-perf, 22 August 2026: Rust on
/// provided.al2023, zip, arm64, 13.6 ms on average for a minimal program; AWS's own bcrypt sample 19
/// to 28 ms.
pub(crate) const INIT: Duration = Duration::from_millis(14);

/// The time that Lambda keeps an idle environment. Unverified: Lambda documents no value, and
/// observations show minutes.
pub(crate) const IDLE_LIFE: Duration = Duration::from_mins(5);

/// The burst of the quota of requests a second. Unverified: the metering within a second is not
/// documented.
pub(crate) const REQUEST_BURST: Duration = Duration::from_secs(1);
