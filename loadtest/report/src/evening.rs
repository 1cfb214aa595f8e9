//! One evening, as its run left it in a directory.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::record::Series;

pub(crate) struct Evening {
    pub(crate) about: About,
    /// What k6 says of the run.
    pub(crate) summary: Summary,
    /// What the callers saw.
    pub(crate) callers: Series,
    /// What the function saw, where it was fleet's.
    pub(crate) fleet: Option<Fleet>,
    /// The same evening in simulated time.
    pub(crate) plan: Option<Planned>,
    /// An hour at the highest rate, in simulated time.
    pub(crate) hour: Option<Planned>,
}

/// `evening.json`: what whoever ran it says of it. Without one the directory gives the name, and the evening is to hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    pub(crate) title: String,
    /// A few words, for the head of a column.
    pub(crate) short: String,
    pub(crate) story: String,
    pub(crate) expected: Expected,
}

/// What the evening is there to show.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    /// That it holds.
    Holds,
    /// How it falls.
    Falls,
}

/// `summary.json`, by `lib/summary.ts`.
#[derive(Deserialize)]
pub(crate) struct Summary {
    pub(crate) script: String,
    pub(crate) knobs: BTreeMap<String, Value>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) broken: Vec<String>,
}

/// The rate goes to this one, within so many seconds.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Piece {
    pub(crate) per_second: f64,
    pub(crate) seconds: f64,
}

/// `fleet.json`, by `saltern-fleet serve --series`.
#[derive(Deserialize)]
pub(crate) struct Fleet {
    pub(crate) function: Value,
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) started_at_unix_ms: i64,
    pub(crate) seconds: Vec<FleetSecond>,
    pub(crate) totals: FleetTotals,
}

#[derive(Deserialize)]
pub(crate) struct Assumption {
    pub(crate) what: String,
    pub(crate) value: Value,
    pub(crate) unit: String,
    pub(crate) label: String,
    pub(crate) source: String,
}

#[derive(Deserialize)]
pub(crate) struct FleetSecond {
    pub(crate) second: i64,
    pub(crate) concurrency: u64,
    pub(crate) environments: u64,
}

#[derive(Deserialize)]
pub(crate) struct FleetTotals {
    pub(crate) throttled: BTreeMap<String, u64>,
    pub(crate) concurrency: u64,
    pub(crate) cold_starts: u64,
    pub(crate) spillover: u64,
    pub(crate) usd: f64,
}

/// `plan.json` and `hour.json`, by `saltern-fleet plan --json`.
#[derive(Deserialize)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) series: PlannedSeries,
}

#[derive(Deserialize)]
pub(crate) struct Plan {
    pub(crate) is_extrapolated: bool,
    pub(crate) logins: u64,
    pub(crate) throttled_logins: u64,
    pub(crate) concurrency_most: u64,
    pub(crate) cold_starts: u64,
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p90_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) usd: f64,
    pub(crate) usd_per_million: f64,
}

#[derive(Deserialize)]
pub(crate) struct PlannedSeries {
    pub(crate) seconds: Vec<FleetSecond>,
}

impl About {
    fn of(directory: &Path, summary: &Summary) -> Self {
        let name = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let target = summary.knobs.get("LOAD_URL").and_then(Value::as_str).unwrap_or_default();
        Self {
            title: format!("{name}: {}.ts", summary.script),
            short: name,
            story: format!("Asked of {target}."),
            expected: Expected::Holds,
        }
    }
}

impl Evening {
    pub(crate) fn read(directory: &Path) -> io::Result<Self> {
        let file = |name: &str| directory.join(name);
        let summary: Summary = read(&file("summary.json"))?;
        let about = read_if_there(&file("evening.json"))?;
        Ok(Self {
            about: about.unwrap_or_else(|| About::of(directory, &summary)),
            summary,
            callers: read(&file("callers.json"))?,
            fleet: read_if_there(&file("fleet.json"))?,
            plan: read_if_there(&file("plan.json"))?,
            hour: read_if_there(&file("hour.json"))?,
        })
    }

    /// The highest rate that was asked for.
    pub(crate) fn peak(&self) -> f64 {
        self.summary.pieces.iter().map(|piece| piece.per_second).fold(0.0, f64::max)
    }

    /// How many operations travelled as one request.
    pub(crate) fn batch(&self) -> f64 {
        self.knob("LOAD_BATCH_OPERATIONS").unwrap_or(1.0)
    }

    pub(crate) fn knob(&self, name: &str) -> Option<f64> {
        self.summary.knobs.get(name).and_then(Value::as_f64)
    }
}

pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> io::Result<T> {
    let wrong = |error: &dyn core::fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
    let text = fs::read(file).map_err(|error| wrong(&error))?;
    serde_json::from_slice(&text).map_err(|error| wrong(&error))
}

fn read_if_there<T: DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    if file.exists() { read(file).map(Some) } else { Ok(None) }
}
