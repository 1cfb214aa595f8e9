//! What the model takes for granted that nobody has promised, each with where it comes from.

use serde::Serialize;

/// Until the first request runs in a new environment: to start it and to fetch the zip. Then comes [`INIT_MS`].
pub(crate) const ENVIRONMENT_MS: u64 = 150;

/// `bootstrap`'s own start.
pub(crate) const INIT_MS: u64 = 14;

/// An idle environment is kept so long.
pub(crate) const IDLE_LIFE_MINUTES: u64 = 5;

/// One of them, for the reader of a report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Assumption {
    what: &'static str,
    value: u64,
    unit: &'static str,
    label: &'static str,
    source: &'static str,
}

/// All of them.
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
        source: "maxday/lambda-perf, 22 August 2026: Rust on provided.al2023, zip, arm64, 13.6 ms on average for a program that only says hello; AWS's own bcrypt sample 19 to 28 ms.",
    },
    Assumption {
        what: "life of an idle environment",
        value: IDLE_LIFE_MINUTES,
        unit: "minutes",
        label: "unverified",
        source: "Lambda promises nothing; minutes are commonly seen.",
    },
    Assumption {
        what: "burst of the request-rate quota",
        value: 1,
        unit: "seconds' worth",
        label: "unverified",
        source: "The quota is documented as requests a second; how it is metered within the second is not.",
    },
];
