//! One evening: the files that its run wrote into a directory.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::record::{Series, whole};

pub(crate) struct Evening {
    pub(crate) about: About,
    /// The summary of the run.
    pub(crate) summary: Summary,
    /// The measurements of the callers.
    pub(crate) callers: Series,
    /// The series of fleet, if fleet was the target.
    pub(crate) fleet: Option<Fleet>,
    /// The plan of an hour at the highest rate, in simulated time.
    pub(crate) hour: Option<Plan>,
}

/// `evening.json`: the description of the evening. Without this file the directory gives the name,
/// and the evening should hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    pub(crate) title: String,
    /// The head of its column.
    pub(crate) short: String,
    pub(crate) story: String,
    pub(crate) expected: Expected,
    /// The causes of an expected fall: kinds of `lib/answers.ts`, or `hello_p99` for a broken budget
    /// of `/hello`. At least one must occur. Without causes any broken budget is enough.
    #[serde(default)]
    pub(crate) falls_by: Vec<String>,
}

/// The expected result of the evening.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    /// It keeps all budgets.
    Holds,
    /// It breaks a budget.
    Falls,
}

/// `summary.json`, by `lib/summary.ts` or by a program that sends the load.
#[derive(Deserialize)]
pub(crate) struct Summary {
    pub(crate) script: String,
    pub(crate) knobs: BTreeMap<String, Value>,
    /// The schedule. Empty if the script has none.
    #[serde(default)]
    pub(crate) pieces: Vec<Piece>,
    pub(crate) broken: Vec<String>,
    /// The cost that the script estimated before the run, by list prices.
    #[serde(default, rename = "costUsd")]
    pub(crate) cost_usd: Option<f64>,
}

/// A piece of the schedule: the rate moves to `per_second` within `seconds`.
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
    pub(crate) started_at_unix_ms: i64,
    pub(crate) seconds: Vec<FleetSecond>,
    pub(crate) totals: FleetTotals,
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

/// `hour.json`, by `saltern-fleet plan --json`.
#[derive(Deserialize)]
struct Planned {
    plan: Plan,
}

#[derive(Deserialize)]
pub(crate) struct Plan {
    pub(crate) is_extrapolated: bool,
    pub(crate) usd: f64,
    pub(crate) usd_per_million: f64,
}

impl About {
    fn of(directory: &Path, summary: &Summary) -> Self {
        let name = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let target = summary.knobs.get("LOAD_URL").and_then(Value::as_str).unwrap_or_default();
        Self {
            title: format!("{name}: {}", summary.script),
            short: name,
            story: format!("The target is {target}."),
            expected: Expected::Holds,
            falls_by: Vec::new(),
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
            hour: read_if_there::<Planned>(&file("hour.json"))?.map(|planned| planned.plan),
        })
    }

    /// Returns the highest scheduled rate. Without a schedule, or if the run ended long before it, it
    /// is the most logins sent in a second.
    pub(crate) fn peak(&self) -> f64 {
        let pieces = || self.summary.pieces.iter();
        let scheduled_seconds: f64 = pieces().map(|piece| piece.seconds).sum();
        let seconds = whole(self.callers.seconds.len() as u64);
        let sent = self.callers.seconds.iter().map(|second| second.requested).max().unwrap_or_default();
        let scheduled = pieces().map(|piece| piece.per_second).reduce(f64::max);
        let has_run = seconds + AT_THE_ENDS >= ENDED * scheduled_seconds;
        scheduled.filter(|_| has_run).unwrap_or_else(|| whole(sent))
    }

    /// Returns whether the plan uses durations that were not measured on Lambda.
    pub(crate) fn is_extrapolated(&self) -> bool {
        self.hour.as_ref().is_some_and(|hour| hour.is_extrapolated)
    }

    /// Returns the head of its column and the name of its bars. The name marks extrapolated
    /// durations.
    pub(crate) fn name(&self) -> String {
        let extrapolated = if self.is_extrapolated() { " (extrapolated)" } else { "" };
        format!("{}{extrapolated}", self.about.short)
    }

    pub(crate) fn knob(&self, name: &str) -> Option<f64> {
        self.summary.knobs.get(name).and_then(Value::as_f64)
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> io::Result<T> {
    let wrong = |error: &dyn core::fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
    let text = fs::read(file).map_err(|error| wrong(&error))?;
    serde_json::from_slice(&text).map_err(|error| wrong(&error))
}

fn read_if_there<T: DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    if file.exists() { read(file).map(Some) } else { Ok(None) }
}

/// A run that lasted less than this share of its schedule ended early.
const ENDED: f64 = 0.9;

/// Seconds without an operation at the ends of a short schedule.
const AT_THE_ENDS: f64 = 3.0;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::record::{Percentiles, Second};

    /// Returns an evening of four seconds at 100 logins a second.
    pub(crate) fn evening(short: &str, expected: Expected, broken: &[&str]) -> Evening {
        let ms = Some(Percentiles { p50: 160.0, p90: 180.0, p99: 220.0 });
        let second = Second { requested: 100, right: 100, ms, ..Second::default() };
        let totals = Second { requested: 400, right: 400, ms, ..Second::default() };
        let knobs = json!({"LOAD_BATCH_OPERATIONS": 4, "LOAD_P90_BUDGET_MS": 300, "LOAD_MIX_PERCENT": {"login": 100}});
        Evening {
            about: About {
                title: format!("Evening {short}"),
                short: short.to_owned(),
                story: "<A story>".to_owned(),
                expected,
                falls_by: Vec::new(),
            },
            summary: Summary {
                script: "live-event.ts".to_owned(),
                knobs: serde_json::from_value(knobs).unwrap(),
                pieces: vec![
                    Piece { per_second: 50.0, seconds: 1.0 },
                    Piece { per_second: 100.0, seconds: 3.0 },
                ],
                broken: broken.iter().map(ToString::to_string).collect(),
                cost_usd: None,
            },
            callers: Series { started_at_unix_ms: 1_795_262_400_000, seconds: vec![second; 4], totals },
            fleet: None,
            hour: None,
        }
    }

    /// Returns the same evening through fleet, with a planned hour.
    pub(crate) fn through_fleet(short: &str, expected: Expected, broken: &[&str]) -> Evening {
        let seconds = json!([{"second": 0, "concurrency": 12, "environments": 40}, {"second": 4, "concurrency": 17, "environments": 40}]);
        let fleet = json!({
            "function": {"memory_mb": 1769, "account_concurrency": 20},
            "started_at_unix_ms": 1_795_262_398_000_i64,
            "seconds": seconds,
            "totals": {"throttled": {}, "concurrency": 17, "cold_starts": 3, "spillover": 2, "usd": 0.25},
        });
        let hour = json!({"is_extrapolated": true, "usd": 0.5, "usd_per_million": 1250.0});
        Evening {
            fleet: Some(serde_json::from_value(fleet).unwrap()),
            hour: Some(serde_json::from_value(hour).unwrap()),
            ..evening(short, expected, broken)
        }
    }

    /// Returns an evening whose run failed.
    pub(crate) fn spoilt(dropped: u64, wrong: u64) -> Evening {
        let mut evening = evening("spoilt", Expected::Falls, &["dropped_iterations: count==0"]);
        evening.callers.totals.dropped = dropped;
        evening.callers.totals.failed = BTreeMap::from([("wrong".to_owned(), wrong)]);
        evening.callers.totals.failed.retain(|_, count| *count > 0);
        evening
    }

    #[test]
    fn the_peak_of_a_run_that_ended_early_is_the_most_that_was_sent() {
        let mut early = evening("early", Expected::Holds, &["operations_failed: rate<=0.05 (is 0.2)"]);
        early.summary.pieces.push(Piece { per_second: 5000.0, seconds: 600.0 });
        assert!((early.peak() - 100.0).abs() < 1e-9, "{}", early.peak());
    }

    #[test]
    fn an_evening_without_a_description_has_the_name_of_its_directory_and_should_hold() {
        let directory =
            std::env::temp_dir().join(format!("saltern-load-report-{}", std::process::id())).join("mine");
        fs::create_dir_all(&directory).unwrap();
        let summary = json!({
            "script": "soak.ts", "knobs": {"LOAD_URL": "https://x.example"}, "broken": [], "costUsd": 0.5,
            "metrics": {"hello_ms": {"type": "trend", "values": {"max": null}}},
        });
        fs::write(directory.join("summary.json"), summary.to_string()).unwrap();
        fs::write(directory.join("callers.json"), serde_json::to_string(&Series::default()).unwrap())
            .unwrap();
        let evening = Evening::read(&directory).unwrap();
        assert_eq!((evening.about.short.as_str(), evening.about.title.as_str()), ("mine", "mine: soak.ts"));
        assert_eq!(evening.about.expected, Expected::Holds);
        assert_eq!((evening.summary.pieces.len(), evening.summary.cost_usd), (0, Some(0.5)));
        let about = json!({"title": "t", "short": "s", "story": "", "expected": "falls", "falls_by": ["hello_p99", "timeout"]});
        fs::write(directory.join("evening.json"), about.to_string()).unwrap();
        assert_eq!(Evening::read(&directory).unwrap().about.falls_by, ["hello_p99", "timeout"]);
        fs::write(directory.join("callers.json"), "[").unwrap();
        let refused = Evening::read(&directory).err().unwrap().to_string();
        assert!(refused.contains("mine/callers.json: EOF"), "{refused}");
        fs::remove_dir_all(directory.parent().unwrap()).unwrap();
    }
}
