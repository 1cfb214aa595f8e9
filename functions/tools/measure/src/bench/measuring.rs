//! Measures each table, from the cheapest cost to the most expensive. Costs that would take too
//! long get the time of the most expensive measured cost, in proportion to their work.

use std::{num::NonZeroUsize, time::Duration};

use crate::measure::{Effort, Limit, Measured, Meter, as_f64};
use indicatif::ProgressBar;
use saltern_cli::progress_bar;
use saltern_pool::PoolSettings;

use super::{
    benchmark::Benchmark,
    results::{Figure, Row, Series, Table},
    tables::{PlannedRow, PlannedSeries},
};
use saltern_server::{Failure, process};

/// The limits of a run.
pub(super) struct Pace {
    effort: Effort,
    /// The longest time of one hash that is measured.
    longest_one: Duration,
    /// The longest time of all hashes in lanes that is measured.
    longest_lanes: Duration,
}

impl Pace {
    /// All costs of the published tables, in less than five minutes on a current machine.
    pub(super) const FULL: Self = Self {
        effort: Effort { fewest_samples: 3, most_samples: 50, time: Duration::from_millis(600) },
        longest_one: Duration::from_secs(20),
        longest_lanes: Duration::from_secs(4),
    };

    /// The cheaper costs, in less than half a minute.
    pub(super) const QUICK: Self = Self {
        effort: Effort { fewest_samples: 3, most_samples: 25, time: Duration::from_millis(60) },
        longest_one: Duration::from_millis(100),
        longest_lanes: Duration::from_millis(150),
    };
}

/// Measures the tables, with a progress bar on a terminal.
pub(super) fn measure(benchmarks: &[&'static Benchmark], pace: &Pace) -> Result<Vec<Table>, Failure> {
    let plan: Vec<_> = benchmarks.iter().map(|&benchmark| (benchmark, (benchmark.plan)())).collect();
    let rows: usize = plan.iter().flat_map(|(_, series)| series).map(|series| series.rows.len()).sum();
    let memory_bytes = process::usable_bytes() / SHARE_FOR_A_HASH;
    // As a server with one worker, keep memory between hashes: otherwise the time of fresh memory
    // would count.
    let worker = PoolSettings { kept_bytes: memory_bytes, ..PoolSettings::new(NonZeroUsize::MIN) };
    let mut run = Run {
        meter: Meter::of_worker(&worker),
        pace,
        memory_bytes,
        bar: progress_bar(Some(rows as u64), "{bar:40} {percent} %  {elapsed}  {msg}"),
    };
    let tables = plan.into_iter().map(|(benchmark, series)| run.table(benchmark, series)).collect();
    run.bar.finish_and_clear();
    tables
}

struct Run<'a> {
    meter: Meter,
    pace: &'a Pace,
    memory_bytes: u64,
    bar: ProgressBar,
}

/// The measurements of a series in one way: work and time.
type Points = Vec<(u64, Measured)>;

impl Run<'_> {
    fn table(&mut self, benchmark: &'static Benchmark, plan: Vec<PlannedSeries>) -> Result<Table, Failure> {
        let series = plan.into_iter().map(|series| self.series(benchmark, series));
        Ok(Table { benchmark, series: series.collect::<Result<_, _>>()? })
    }

    fn series(&mut self, benchmark: &Benchmark, planned: PlannedSeries) -> Result<Series, Failure> {
        let (mut one, mut in_lanes) = (Points::new(), Points::new());
        let rows = planned.rows.iter().map(|row| {
            self.bar.set_message(format!("{} {} {}", benchmark.title(), benchmark.cost, row.cost));
            let one = self.figure(row, 1, &mut one)?;
            // Small Argon2 hashes have one lane, and large ones as many as the memory holds.
            let lanes = self.meter.lanes(&row.admitted);
            let lanes = (lanes > 1).then(|| self.figure(row, lanes, &mut in_lanes)).flatten();
            // A scaled time beside a measured limit would say nothing.
            let limit = Limit::of(row.admitted.setting()).filter(|_| one.is_measured());
            let limit = limit.and_then(|limit| limit.measured(row.admitted.memory_bytes()));
            self.bar.inc(1);
            Some(Row { cost: row.cost, one, lanes, limit })
        });
        let rows: Option<_> = rows.collect();
        let rows = rows.ok_or_else(|| {
            Failure::system(format!(
                "{} could not be measured: give the process more memory",
                benchmark.title()
            ))
        })?;
        Ok(Series { name: planned.name, rows })
    }

    /// Measures a row if memory and time allow it. Otherwise its time is the last measured one in
    /// proportion to the work.
    fn figure(&mut self, row: &PlannedRow, at_once: usize, points: &mut Points) -> Option<Figure> {
        let (admitted, effort, work) = (&row.admitted, &self.pace.effort, row.admitted.work());
        let longest = if at_once == 1 { self.pace.longest_one } else { self.pace.longest_lanes };
        let is_in_time = points.len() < FIRST_COSTS || expected(points, work) <= longest;
        if is_in_time && admitted.memory_bytes() <= self.memory_bytes {
            let measured = match at_once {
                1 => self.meter.one(admitted, effort),
                _ => self.meter.in_lanes(admitted, effort),
            };
            // Without enough memory the row gets a scaled time.
            if let Ok(measured) = measured {
                points.push((work, measured));
                return Some(Figure::measured(&measured));
            }
        }
        let (measured_work, measured) = points.last()?;
        Some(Figure::scaled(measured, as_f64(work) / as_f64(*measured_work), at_once))
    }
}

/// Predicts the time of a call from the last measurement; zero without one.
fn expected(points: &Points, work: u64) -> Duration {
    points.last().map_or(Duration::ZERO, |(measured_work, measured)| {
        let ms = measured.wall_ms.median * as_f64(work) / as_f64(*measured_work);
        Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX)
    })
}

/// The first costs are always measured: the cheapest is too cheap to predict the next.
const FIRST_COSTS: usize = 2;

/// A hash takes at most one part in this many of the usable memory.
const SHARE_FOR_A_HASH: u64 = 2;

#[cfg(test)]
mod tests {
    use crate::measure::Spread;

    use super::super::tables::{argon2_series, bcrypt_series};
    use super::*;

    #[test]
    fn each_row_has_its_own_lanes() {
        let mib = 1 << 20;
        let worker = |kept_bytes| PoolSettings { kept_bytes, ..PoolSettings::new(NonZeroUsize::MIN) };
        let lanes = |meter: &Meter, series: &PlannedSeries| -> Vec<usize> {
            series.rows.iter().map(|row| meter.lanes(&row.admitted)).collect()
        };
        let series = argon2_series().remove(3);
        let of = |kept_bytes| lanes(&Meter::of_worker(&worker(kept_bytes)), &series);
        // 7, 64, 128 and 256 MiB.
        assert_eq!([0, 5, 6, 7].map(|row| of(1024 * mib)[row]), [1, 4, 4, 4]);
        assert_eq!([0, 5, 6, 7].map(|row| of(256 * mib)[row]), [1, 4, 2, 1]);
        let bcrypt = lanes(&Meter::new(), &bcrypt_series()[0]);
        assert!(bcrypt[0] > 1 && bcrypt.iter().all(|lanes| *lanes == bcrypt[0]), "{bcrypt:?}");
    }

    #[test]
    fn a_measured_row_keeps_its_time_and_other_rows_are_scaled_from_the_last() {
        // No time is left for the third row.
        let none = Effort { fewest_samples: 1, most_samples: 1, time: Duration::ZERO };
        let pace = Pace { effort: none, longest_one: Duration::ZERO, longest_lanes: Duration::ZERO };
        let bcrypt = Benchmark::named("bcrypt").unwrap();
        let table = measure(&[bcrypt], &pace).unwrap().remove(0);
        let rows = &table.series[0].rows;
        assert!(rows[..2].iter().all(|row| row.one.is_measured()));
        assert!(rows[2..].iter().all(|row| !row.one.is_measured() && row.one.wall_ms.is_none()));
        // Each step of bcrypt doubles the work.
        assert!((rows[9].one.hash_ms / (rows[1].one.hash_ms * 256.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_expected_time_grows_with_the_work() {
        let ms = Spread::of(&[4.0]);
        let points = vec![(32, Measured { at_once: 1, wall_ms: ms, cpu_ms: ms })];
        assert_eq!(expected(&points, 320), Duration::from_millis(40));
        assert_eq!(expected(&Points::new(), 320), Duration::ZERO);
    }
}
