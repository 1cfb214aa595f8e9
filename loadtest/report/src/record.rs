//! Reads what k6 says of every operation (`--out json`) and keeps a line for every second.

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
};

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// A run as its callers saw it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Series {
    pub(crate) started_at_unix_ms: i64,
    pub(crate) seconds: Vec<Second>,
    pub(crate) totals: Totals,
}

/// One second. What was asked counts where it was asked, what came of it where it came.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Second {
    pub(crate) requested: u64,
    pub(crate) right: u64,
    /// Operations that waited for their answers, on average over the second.
    pub(crate) under_way: f64,
    /// Operations without the right answer, by kind (`lib/answers.ts` has the kinds).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) failed: BTreeMap<String, u64>,
    /// Of right answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ms: Option<Percentiles>,
    /// `/hello` of a backend, where one was watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hello_ms: Option<Percentiles>,
    /// What came on top of the time that fleet's model gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) beyond_model_ms: Option<Percentiles>,
    /// Iterations that k6 could not begin.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) dropped: u64,
}

/// All seconds together.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Totals {
    pub(crate) requested: u64,
    pub(crate) right: u64,
    pub(crate) failed: BTreeMap<String, u64>,
    pub(crate) ms: Option<Percentiles>,
    pub(crate) hello_ms: Option<Percentiles>,
    pub(crate) beyond_model_ms: Option<Percentiles>,
    pub(crate) dropped: u64,
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

/// Reads lines to their end. Lines of other metrics are most of them, and are not looked into.
///
/// Every few seconds of the run `progress` is told how it goes.
pub(crate) fn record(lines: impl BufRead, mut progress: impl FnMut(&str)) -> io::Result<Series> {
    let mut run = Run::default();
    let mut told = None;
    for line in lines.lines() {
        let line = line?;
        if METRICS.iter().any(|metric| line.contains(metric)) {
            let point: Point = serde_json::from_str(&line).map_err(io::Error::other)?;
            let Some(ended) = run.add(&point)? else { continue };
            let from = *told.get_or_insert(ended);
            if ended >= from + PROGRESS_SECONDS {
                progress(&run.in_words(from, ended));
                told = Some(ended);
            }
        }
    }
    Ok(run.series())
}

/// A line of k6's. `Metric` lines, which declare one, have no value.
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
}

#[derive(Default)]
struct Run {
    seconds: BTreeMap<i64, Gathered>,
}

/// A second that is not yet counted out, or several.
#[derive(Default)]
struct Gathered {
    requested: u64,
    under_way: f64,
    failed: BTreeMap<String, u64>,
    ms: Vec<f64>,
    hello_ms: Vec<f64>,
    beyond_model_ms: Vec<f64>,
    dropped: u64,
}

impl Run {
    /// Counts a point, and returns the second in which it was measured.
    fn add(&mut self, point: &Point<'_>) -> io::Result<Option<i64>> {
        let (Some(time), Some(value)) = (point.data.time, point.data.value) else { return Ok(None) };
        let ended = OffsetDateTime::parse(time, &Rfc3339).map_err(io::Error::other)?;
        let second = ended.unix_timestamp();
        match point.metric {
            "operation_ms" => {
                let started = ended - Duration::seconds_f64(value.max(0.0) / MS_PER_SECOND);
                self.spread(started, ended);
                let gathered = self.at(second);
                match point.data.tags.as_ref().and_then(|tags| tags.kind).unwrap_or_default() {
                    RIGHT => gathered.ms.push(value),
                    kind => *gathered.failed.entry(kind.to_owned()).or_default() += 1,
                }
            }
            "hello_ms" => self.at(second).hello_ms.push(value),
            "beyond_model_ms" => self.at(second).beyond_model_ms.push(value),
            "dropped_iterations" if value > 0.0 => self.at(second).dropped += count(value),
            _ => return Ok(None),
        }
        Ok(Some(second))
    }

    /// An operation counts as asked in its first second, and as under way for its part of each.
    fn spread(&mut self, started: OffsetDateTime, ended: OffsetDateTime) {
        let first = started.unix_timestamp();
        self.at(first).requested += 1;
        for second in first..=ended.unix_timestamp() {
            let begin = OffsetDateTime::UNIX_EPOCH + Duration::seconds(second);
            let within = ended.min(begin + Duration::SECOND) - started.max(begin);
            self.at(second).under_way += within.as_seconds_f64();
        }
    }

    fn at(&mut self, second: i64) -> &mut Gathered {
        self.seconds.entry(second).or_default()
    }

    /// How the seconds from `from` to before `to` went. Of what was asked in them some may not have ended yet: it is not told.
    fn in_words(&self, from: i64, to: i64) -> String {
        let mut all = Gathered::default();
        for (_, second) in self.seconds.range(from..to) {
            all.ms.extend(&second.ms);
            all.hello_ms.extend(&second.hello_ms);
            for (kind, count) in &second.failed {
                *all.failed.entry(kind.clone()).or_default() += count;
            }
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
        for (at, mut gathered) in self.seconds {
            // Seconds in which nothing happened are seconds too.
            seconds.resize_with(usize::try_from(at - first).unwrap_or(seconds.len()), Second::default);
            all.requested += gathered.requested;
            all.dropped += gathered.dropped;
            for (kind, count) in &gathered.failed {
                *all.failed.entry(kind.clone()).or_default() += count;
            }
            seconds.push(Second {
                requested: gathered.requested,
                right: gathered.ms.len() as u64,
                under_way: (gathered.under_way * 100.0).round() / 100.0,
                ms: percentiles(&mut gathered.ms),
                hello_ms: percentiles(&mut gathered.hello_ms),
                beyond_model_ms: percentiles(&mut gathered.beyond_model_ms),
                failed: gathered.failed,
                dropped: gathered.dropped,
            });
            all.ms.append(&mut gathered.ms);
            all.hello_ms.append(&mut gathered.hello_ms);
            all.beyond_model_ms.append(&mut gathered.beyond_model_ms);
        }
        let totals = Totals {
            requested: all.requested,
            right: all.ms.len() as u64,
            failed: all.failed,
            ms: percentiles(&mut all.ms),
            hello_ms: percentiles(&mut all.hello_ms),
            beyond_model_ms: percentiles(&mut all.beyond_model_ms),
            dropped: all.dropped,
        };
        Series { started_at_unix_ms: first * 1000, seconds, totals }
    }
}

/// By nearest rank; `None` of nothing.
fn percentiles(values: &mut [f64]) -> Option<Percentiles> {
    values.sort_unstable_by(f64::total_cmp);
    let rank = |percent: usize| values.get((values.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    Some(Percentiles { p50: rank(50)?, p90: rank(90)?, p99: rank(99)?, max: *values.last()? })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of iterations")]
fn count(value: f64) -> u64 {
    value as u64
}

#[allow(clippy::cast_precision_loss, reason = "counts of a run are far below 2^52")]
pub(crate) fn whole(count: u64) -> f64 {
    count as f64
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// With their quotes, as they stand in a line.
const METRICS: [&str; 4] =
    ["\"operation_ms\"", "\"hello_ms\"", "\"beyond_model_ms\"", "\"dropped_iterations\""];

/// The kind that is no failure.
const RIGHT: &str = "right";

const MS_PER_SECOND: f64 = 1000.0;

/// Between two lines of progress.
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
    fn what_is_asked_counts_where_it_is_asked_and_what_came_where_it_came() {
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
    fn who_waits_is_under_way_in_each_second_for_his_part_of_it() {
        let series = recorded(&[
            point("operation_ms", "03.25", 2000.0, "right"),
            point("operation_ms", "01.5", 100.0, "right"),
        ]);
        let under_way: Vec<_> = series.seconds.iter().map(|second| second.under_way).collect();
        assert_eq!(under_way, [0.85, 1.0, 0.25]);
    }

    #[test]
    fn progress_is_told_every_five_seconds() {
        let lines: Vec<_> =
            (0..13).map(|s| point("operation_ms", &format!("{s:02}"), 80.0, "right")).collect();
        let mut told = Vec::new();
        record(lines.join("\n").as_bytes(), |line| told.push(line.to_owned())).unwrap();
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("1 logins a second, p90    80 ms, none failed"), "{}", told[0]);
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let of_hundred = percentiles(&mut values).unwrap();
        assert_eq!(of_hundred, Percentiles { p50: 50.0, p90: 90.0, p99: 99.0, max: 100.0 });
        assert_eq!(percentiles(&mut [7.0]).unwrap(), Percentiles { p50: 7.0, p90: 7.0, p99: 7.0, max: 7.0 });
        assert_eq!(percentiles(&mut []), None);
    }

    #[test]
    fn a_caller_in_another_time_zone_lives_in_the_same_second() {
        let here = point("operation_ms", "01.5", 100.0, "right");
        assert_eq!(
            recorded(core::slice::from_ref(&here)),
            recorded(&[here.replace("T12", "T14").replace('Z', "+02:00")])
        );
    }

    #[test]
    fn what_k6_could_not_begin_is_counted() {
        assert_eq!(recorded(&[point("dropped_iterations", "01", 3.0, "")]).totals.dropped, 3);
    }

    #[test]
    fn nothing_is_a_series_of_nothing() {
        assert_eq!(recorded(&[]), Series::default());
    }
}
