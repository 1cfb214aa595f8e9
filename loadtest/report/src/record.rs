//! Reads the metrics of every operation in the form of k6 (`--out json`) and keeps the figures of
//! each second.

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
};

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// A run, measured by its callers.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Series {
    pub(crate) started_at_unix_ms: i64,
    pub(crate) seconds: Vec<Second>,
    /// All seconds together.
    pub(crate) totals: Second,
}

/// One second. An operation counts as requested in its first second, and its result in its last.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct Second {
    pub(crate) requested: u64,
    pub(crate) right: u64,
    /// The right answers that a backend's client computed itself.
    pub(crate) local: u64,
    /// Operations without the right answer, by their kind in `lib/answers.ts`.
    pub(crate) failed: BTreeMap<String, u64>,
    /// Times of right answers.
    pub(crate) ms: Option<Percentiles>,
    /// Times of `/hello`, if the script sends it.
    pub(crate) hello_ms: Option<Percentiles>,
    /// Iterations that k6 dropped.
    pub(crate) dropped: u64,
}

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
}

/// Reads all lines. Most lines have other metrics and are not parsed.
///
/// Calls `progress` with a line of text every few seconds of the run.
///
/// # Errors
/// If reading fails or a line is not in k6's format.
pub(crate) fn record(lines: impl BufRead, mut progress: impl FnMut(&str)) -> io::Result<Series> {
    let mut run = Run::default();
    let mut reported = None;
    for line in lines.lines() {
        let line = line?;
        if METRICS.iter().any(|metric| line.contains(metric)) {
            let point: Point = serde_json::from_str(&line).map_err(io::Error::other)?;
            let Some(ended) = run.add(&point)? else { continue };
            let from = *reported.get_or_insert(ended);
            if ended >= from + PROGRESS_SECONDS {
                progress(&run.in_words(from, ended));
                reported = Some(ended);
            }
        }
    }
    Ok(run.series())
}

/// A line of k6. A line that declares a metric has no value.
#[derive(Deserialize)]
struct Point<'line> {
    metric: &'line str,
    #[serde(borrow)]
    data: Data<'line>,
}

#[derive(Deserialize)]
struct Data<'line> {
    time: Option<&'line str>,
    value: Option<f64>,
    #[serde(borrow)]
    tags: Option<Tags<'line>>,
}

#[derive(Deserialize)]
struct Tags<'line> {
    kind: Option<&'line str>,
    /// The side that answered, if it was not the service.
    origin: Option<&'line str>,
}

#[derive(Default)]
struct Run {
    seconds: BTreeMap<i64, Gathered>,
}

/// The measurements of a second, or of several seconds.
#[derive(Default)]
struct Gathered {
    requested: u64,
    local: u64,
    failed: BTreeMap<String, u64>,
    ms: Vec<f64>,
    hello_ms: Vec<f64>,
    dropped: u64,
}

impl Run {
    /// Counts a point and returns the second of its measurement.
    fn add(&mut self, point: &Point<'_>) -> io::Result<Option<i64>> {
        let (Some(time), Some(value)) = (point.data.time, point.data.value) else { return Ok(None) };
        let ended = OffsetDateTime::parse(time, &Rfc3339).map_err(io::Error::other)?;
        let second = ended.unix_timestamp();
        match point.metric {
            "operation_ms" => {
                let started = ended - Duration::seconds_f64(value.max(0.0) / MS_PER_SECOND);
                self.at(started.unix_timestamp()).requested += 1;
                let gathered = self.at(second);
                let tags = point.data.tags.as_ref();
                match tags.and_then(|tags| tags.kind).unwrap_or_default() {
                    RIGHT => {
                        gathered.ms.push(value);
                        gathered.local += u64::from(tags.and_then(|tags| tags.origin) == Some(LOCAL));
                    }
                    kind => *gathered.failed.entry(kind.to_owned()).or_default() += 1,
                }
            }
            "hello_ms" => self.at(second).hello_ms.push(value),
            "dropped_iterations" if value > 0.0 => self.at(second).dropped += count(value),
            _ => return Ok(None),
        }
        Ok(Some(second))
    }

    fn at(&mut self, second: i64) -> &mut Gathered {
        self.seconds.entry(second).or_default()
    }

    /// Describes the seconds from `from` until `to`, without `to`. Operations that have not ended
    /// are left out.
    fn in_words(&self, from: i64, to: i64) -> String {
        let mut all = Gathered::default();
        for (_, second) in self.seconds.range(from..to) {
            all.add(second);
        }
        let at = self.seconds.first_key_value().map_or(0, |(first, _)| to - first);
        let rate = all.ms.len() / usize::try_from(to - from).unwrap_or(1).max(1);
        let p90 = |values: &mut [f64]| percentiles(values).map_or(0.0, |ms| ms.p90);
        let failed = match all.failed.values().sum::<u64>() {
            0 => "none failed".to_owned(),
            _ => all
                .failed
                .iter()
                .map(|(kind, count)| format!("{count} {kind}"))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let hello = if all.hello_ms.is_empty() {
            String::new()
        } else {
            format!("; /hello p90 {:.0} ms", p90(&mut all.hello_ms))
        };
        format!("{at:>5} s  {rate:>5} logins a second, p90 {:>5.0} ms, {failed}{hello}", p90(&mut all.ms))
    }

    fn series(self) -> Series {
        let Some((&first, _)) = self.seconds.first_key_value() else { return Series::default() };
        let mut all = Gathered::default();
        let mut seconds = Vec::new();
        for (at, gathered) in self.seconds {
            // Adds the seconds without a measurement.
            seconds.resize_with(usize::try_from(at - first).unwrap_or(seconds.len()), Second::default);
            all.add(&gathered);
            seconds.push(gathered.second());
        }
        Series { started_at_unix_ms: first * 1000, seconds, totals: all.second() }
    }
}

impl Gathered {
    fn add(&mut self, other: &Self) {
        self.requested += other.requested;
        self.local += other.local;
        self.dropped += other.dropped;
        for (kind, count) in &other.failed {
            *self.failed.entry(kind.clone()).or_default() += count;
        }
        self.ms.extend(&other.ms);
        self.hello_ms.extend(&other.hello_ms);
    }

    fn second(mut self) -> Second {
        Second {
            requested: self.requested,
            right: self.ms.len() as u64,
            local: self.local,
            ms: percentiles(&mut self.ms),
            hello_ms: percentiles(&mut self.hello_ms),
            failed: self.failed,
            dropped: self.dropped,
        }
    }
}

/// Returns percentiles by the nearest rank, or `None` if there are no values.
fn percentiles(values: &mut [f64]) -> Option<Percentiles> {
    values.sort_unstable_by(f64::total_cmp);
    let rank = |percent: usize| values.get((values.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    Some(Percentiles { p50: rank(50)?, p90: rank(90)?, p99: rank(99)? })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of iterations")]
fn count(value: f64) -> u64 {
    value as u64
}

#[allow(clippy::cast_precision_loss, reason = "counts of a run are far below 2^52")]
pub(crate) fn whole(count: u64) -> f64 {
    count as f64
}

/// The metrics with their quotes, as k6 writes them.
const METRICS: [&str; 3] = ["\"operation_ms\"", "\"hello_ms\"", "\"dropped_iterations\""];

/// The kind of a right answer.
const RIGHT: &str = "right";

/// The origin of an answer that a client computed itself.
const LOCAL: &str = "local";

const MS_PER_SECOND: f64 = 1000.0;

/// Seconds between two lines of progress.
const PROGRESS_SECONDS: i64 = 5;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn point(metric: &str, second: &str, value: f64, kind: &str) -> String {
        format!(
            r#"{{"metric":"{metric}","type":"Point","data":{{"time":"2026-11-21T12:00:{second}Z","value":{value},"tags":{{"doing":"login","kind":"{kind}"}}}}}}"#
        )
    }

    fn recorded(lines: &[String]) -> Series {
        record(lines.join("\n").as_bytes(), |_| {}).unwrap()
    }

    #[test]
    fn requests_count_in_their_first_second_and_results_in_their_last() {
        let series = recorded(&[
            r#"{"type":"Metric","data":{"name":"operation_ms","type":"trend","contains":"time"},"metric":"operation_ms"}"#.to_owned(),
            point("operation_ms", "01.5", 100.0, "right"),
            point("operation_ms", "02.5", 1000.0, "throttled"),
            point("operation_ms", "05.1", 100.0, "right"),
            point("http_req_duration", "02.5", 1000.0, ""),
        ]);
        let counts: Vec<_> =
            series.seconds.iter().map(|s| (s.requested, s.right, s.failed.values().sum::<u64>())).collect();
        assert_eq!(counts, [(2, 1, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0), (1, 1, 0)]);
        assert_eq!((series.totals.requested, series.totals.right), (3, 2));
        assert_eq!(series.totals.failed["throttled"], 1);
        assert_eq!(series.started_at_unix_ms, 1_795_262_401_000);
    }

    #[test]
    fn answers_of_a_client_itself_are_counted_apart() {
        let here = point("operation_ms", "01.5", 100.0, "right");
        let local = here.replace(r#""kind":"right""#, r#""kind":"right","origin":"local""#);
        let series = recorded(&[here, local]);
        assert_eq!((series.totals.right, series.totals.local, series.seconds[0].local), (2, 1, 1));
    }

    #[test]
    fn progress_is_reported_every_five_seconds() {
        let lines: Vec<_> =
            (0..13).map(|s| point("operation_ms", &format!("{s:02}"), 80.0, "right")).collect();
        let mut reported = Vec::new();
        record(lines.join("\n").as_bytes(), |line| reported.push(line.to_owned())).unwrap();
        assert_eq!(reported.len(), 2);
        assert!(reported[0].contains("1 logins a second, p90    80 ms, none failed"), "{}", reported[0]);
    }

    #[test]
    fn percentiles_are_measured_values() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let of_hundred = percentiles(&mut values).unwrap();
        assert_eq!(of_hundred, Percentiles { p50: 50.0, p90: 90.0, p99: 99.0 });
        assert_eq!(percentiles(&mut [7.0]).unwrap(), Percentiles { p50: 7.0, p90: 7.0, p99: 7.0 });
        assert_eq!(percentiles(&mut []), None);
    }

    #[test]
    fn the_time_zone_of_a_caller_does_not_change_the_second() {
        let here = point("operation_ms", "01.5", 100.0, "right");
        assert_eq!(
            recorded(core::slice::from_ref(&here)),
            recorded(&[here.replace("T12", "T14").replace('Z', "+02:00")])
        );
    }

    #[test]
    fn dropped_iterations_are_counted() {
        assert_eq!(recorded(&[point("dropped_iterations", "01", 3.0, "")]).totals.dropped, 3);
    }

    #[test]
    fn an_empty_input_is_an_empty_series() {
        assert_eq!(recorded(&[]), Series::default());
    }
}
