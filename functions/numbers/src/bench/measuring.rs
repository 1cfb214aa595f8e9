//! Measures each table, from the cheapest cost to the most expensive. Costs that would take too
//! long get the time of the most expensive measured cost, in proportion to their work.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use crate::measure::{Effort, Measured, Meter};
use indicatif::ProgressBar;
use saltern_algorithm::{Admitted, PoolSettings};

use super::{
    benchmark::Benchmark,
    results::{Figure, Row, Series, Table, as_f64},
    tables::{PlannedRow, PlannedSeries},
};
use crate::progress::progress_bar;
use saltern_program::{Failure, number::in_words, process};

/// The limits of a run.
pub(super) struct Pace {
    effort: Effort,
    /// The longest time of one hash that is measured.
    longest_one: Duration,
    /// The longest time of all hashes in lanes that is measured.
    longest_lanes: Duration,
    /// Time for all tables. Each series has a share. After its share, only its first costs are
    /// measured.
    all: Duration,
}

impl Pace {
    /// All costs of the published tables, in less than five minutes on a current machine.
    pub(super) const FULL: Self = Self {
        effort: Effort { fewest_samples: 3, most_samples: 50, time: Duration::from_millis(600) },
        longest_one: Duration::from_secs(20),
        longest_lanes: Duration::from_secs(4),
        all: Duration::from_mins(20),
    };

    /// The cheaper costs, in less than half a minute.
    pub(super) const QUICK: Self = Self {
        effort: Effort { fewest_samples: 3, most_samples: 25, time: Duration::from_millis(60) },
        longest_one: Duration::from_millis(120),
        longest_lanes: Duration::from_millis(220),
        all: Duration::from_secs(22),
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
        began: Instant::now(),
        share: Duration::ZERO,
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
    began: Instant,
    /// Time from the beginning to the end of the current series' share.
    share: Duration,
    memory_bytes: u64,
    bar: ProgressBar,
}

#[derive(Clone, Copy)]
enum Way {
    One,
    Lanes,
}

/// The measurements of a series in one way: work and time.
type Points = Vec<(u64, Measured)>;

impl Run<'_> {
    fn table(&mut self, benchmark: &'static Benchmark, plan: Vec<PlannedSeries>) -> Result<Table, Failure> {
        let series = plan.into_iter().map(|series| self.series(benchmark, series));
        Ok(Table { benchmark, series: series.collect::<Result<_, _>>()? })
    }

    fn series(&mut self, benchmark: &Benchmark, planned: PlannedSeries) -> Result<Series, Failure> {
        let rows_then = self.bar.position() + planned.rows.len() as u64;
        self.share =
            self.pace.all.mul_f64(as_f64(rows_then) / as_f64(self.bar.length().unwrap_or(rows_then)));
        let lanes = lanes(&self.meter, &planned.rows);
        let (mut one, mut in_lanes) = (Points::new(), Points::new());
        for (row, &lanes) in planned.rows.iter().zip(&lanes) {
            self.measured(benchmark, row, Way::One, &mut one);
            if lanes > 1 {
                self.measured(benchmark, row, Way::Lanes, &mut in_lanes);
            }
            self.bar.inc(1);
        }
        let rows = planned.rows.iter().zip(&lanes).map(|(row, &lanes)| {
            Some(Row {
                cost: row.cost,
                work: row.work,
                one: figure(&one, row.work, 1)?,
                lanes: figure(&in_lanes, row.work, lanes).filter(|_| lanes > 1),
            })
        });
        let rows: Option<_> = rows.collect();
        let rows = rows.ok_or_else(|| {
            Failure::system(format!(
                "{} could not be measured: give the process more memory",
                benchmark.title
            ))
        })?;
        Ok(Series { name: planned.name, rows })
    }

    /// Measures a row if memory and time allow it.
    fn measured(&mut self, benchmark: &Benchmark, row: &PlannedRow, way: Way, points: &mut Points) {
        let Some(admitted) = row.admitted.as_ref().filter(|admitted| self.is_worth_it(admitted, way, points))
        else {
            return;
        };
        let expected = expected(points, row.work);
        let about = if expected > FELT { format!(", about {}", in_words(expected)) } else { String::new() };
        let cost = benchmark.cost;
        self.bar.set_message(format!(
            "{} {} {}{about}",
            benchmark.title,
            cost.heading(),
            cost.label(row.cost)
        ));
        let effort = &self.pace.effort;
        let measured = match way {
            Way::One => self.meter.one(admitted, effort),
            Way::Lanes => self.meter.in_lanes(admitted, effort),
        };
        // Without enough memory the row gets a scaled time.
        points.extend(measured.ok().map(|measured| (row.work, measured)));
    }

    fn is_worth_it(&self, admitted: &Admitted, way: Way, points: &Points) -> bool {
        let longest = match way {
            Way::One => self.pace.longest_one,
            Way::Lanes => self.pace.longest_lanes,
        };
        let is_first = points.len() < FIRST_COSTS;
        let in_time = self.began.elapsed() < self.share && expected(points, admitted.work()) <= longest;
        admitted.memory_bytes() <= self.memory_bytes && (is_first || in_time)
    }
}

/// Returns the lanes of a full worker for each row. Small Argon2 hashes have one, and large ones as
/// many as the memory holds. A row above the bench's ceiling has those of the row before it.
fn lanes(meter: &Meter, rows: &[PlannedRow]) -> Vec<usize> {
    let lanes = rows.iter().scan(1, |lanes, row| {
        *lanes = row.admitted.as_ref().map_or(*lanes, |admitted| meter.lanes(admitted));
        Some(*lanes)
    });
    lanes.collect()
}

/// Predicts the time of a call from the last measurement; zero without one.
fn expected(points: &Points, work: u64) -> Duration {
    points.last().map_or(Duration::ZERO, |(measured_work, measured)| {
        let ms = measured.wall_ms.median * as_f64(work) / as_f64(*measured_work);
        Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX)
    })
}

/// Returns the measured time, or the last one in proportion to the work.
fn figure(points: &Points, work: u64, at_once: usize) -> Option<Figure> {
    let measured = points.iter().find(|(measured_work, _)| *measured_work == work);
    if let Some((_, measured)) = measured {
        return Some(Figure::measured(measured));
    }
    let (last_work, last) = points.last()?;
    Some(Figure::scaled(last, as_f64(work) / as_f64(*last_work), at_once))
}

/// The first costs are always measured: the cheapest is too cheap to predict the next.
const FIRST_COSTS: usize = 2;

/// The progress bar shows the expected time of a longer hash.
const FELT: Duration = Duration::from_secs(1);

/// A hash takes at most one part in this many of the usable memory.
const SHARE_FOR_A_HASH: u64 = 2;

#[cfg(test)]
mod tests {
    use crate::measure::Spread;

    use super::super::tables::{argon2_series, bcrypt_series};
    use super::*;

    fn point(work: u64, ms: f64) -> (u64, Measured) {
        let spread = Spread::of(&[ms]);
        (work, Measured { at_once: 1, wall_ms: spread, cpu_ms: spread })
    }

    #[test]
    fn each_row_has_its_own_lanes() {
        let mib = 1 << 20;
        let worker = |kept_bytes| PoolSettings { kept_bytes, ..PoolSettings::new(NonZeroUsize::MIN) };
        let series = argon2_series().remove(3);
        let of = |kept_bytes| lanes(&Meter::of_worker(&worker(kept_bytes)), &series.rows);
        // 7, 64, 128 and 256 MiB.
        assert_eq!([0, 5, 6, 7].map(|row| of(1024 * mib)[row]), [1, 4, 4, 4]);
        assert_eq!([0, 5, 6, 7].map(|row| of(256 * mib)[row]), [1, 4, 2, 1]);
        let bcrypt = lanes(&Meter::new(), &bcrypt_series()[0].rows);
        assert!(bcrypt[0] > 1 && bcrypt.iter().all(|lanes| *lanes == bcrypt[0]), "{bcrypt:?}");
    }

    #[test]
    fn a_measured_row_keeps_its_time_and_other_rows_are_scaled_from_the_last() {
        let points = vec![point(16, 2.0), point(32, 4.5)];
        assert!(figure(&points, 16, 1).unwrap().is_measured());
        let expensive = figure(&points, 1 << 31, 1).unwrap();
        assert!(!expensive.is_measured() && expensive.wall_ms.is_none());
        assert!((expensive.hash_ms / (4.5 * f64::from(1 << 26)) - 1.0).abs() < 1e-9);
        assert!(figure(&Points::new(), 16, 1).is_none());
    }

    #[test]
    fn the_expected_time_grows_with_the_work() {
        let points = vec![point(16, 2.0), point(32, 4.0)];
        assert_eq!(expected(&points, 320), Duration::from_millis(40));
        assert_eq!(expected(&Points::new(), 320), Duration::ZERO);
    }
}
