//! Assumptions of the model about undocumented behaviour of Lambda, each with its source.

use core::time::Duration;

use serde::Serialize;

/// The time to start an environment and to fetch the zip. [`INIT_MS`] follows.
const ENVIRONMENT_MS: u64 = 150;

/// The start of `bootstrap`.
pub(crate) const INIT_MS: u64 = 14;

/// The time from a request for a new environment to its first instruction.
pub(crate) const COLD_START: Duration = Duration::from_millis(ENVIRONMENT_MS + INIT_MS);

/// The time that Lambda keeps an idle environment.
pub(crate) const IDLE_LIFE_MINUTES: u64 = 5;

/// An assumption for the report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Assumption {
    what: &'static str,
    value: u64,
    unit: &'static str,
    label: &'static str,
    source: &'static str,
}

/// All assumptions.
pub(crate) const ALL: [Assumption; 4] = [
    Assumption {
        what: "a cold start, before the process starts",
        value: ENVIRONMENT_MS,
        unit: "ms",
        label: "unverified",
        source: "An estimate: Lambda publishes no figure for starting an environment and fetching a zip of a few MB.",
    },
    Assumption {
        what: "a cold start, the process itself",
        value: INIT_MS,
        unit: "ms",
        label: "secondary",
        source: "maxday/lambda-perf, 22 August 2026: Rust on provided.al2023, zip, arm64, 13.6 ms on average for a minimal program; AWS's own bcrypt sample 19 to 28 ms.",
    },
    Assumption {
        what: "life of an idle environment",
        value: IDLE_LIFE_MINUTES,
        unit: "minutes",
        label: "unverified",
        source: "Lambda documents no value. Observations show minutes.",
    },
    Assumption {
        what: "burst of the request-rate quota",
        value: 1,
        unit: "seconds' worth",
        label: "unverified",
        source: "The quota is documented as requests a second. The metering within a second is not documented.",
    },
];
