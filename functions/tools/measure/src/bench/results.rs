//! The results of a run, as JSON has them.

use crate::measure::{Machine, Measured, Reached, Spread};
use serde::Serialize;

use super::benchmark::Benchmark;

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Results {
    /// The version of Saltern whose kernels were measured.
    pub(super) version: String,
    pub(super) machine: Machine,
    /// The start of the run, RFC 3339.
    pub(super) began: String,
    /// The duration of the run in seconds.
    pub(super) took_seconds: f64,
    /// Whether only the cheaper costs were measured.
    pub(super) quick: bool,
    pub(super) tables: Vec<Table>,
}

/// The table of an algorithm.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Table {
    #[serde(rename = "algorithm")]
    pub(super) benchmark: &'static Benchmark,
    pub(super) series: Vec<Series>,
}

/// Rows that differ only in the cost.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Series {
    /// The parameters of all its rows; empty if the cost is the only parameter.
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
}

/// One cost.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) cost: u64,
    pub(super) one: Figure,
    /// `None` for a cost without lanes.
    pub(super) lanes: Option<Figure>,
    /// What this machine allows; `None` if it bounds no hash of the algorithm, or was not measured.
    pub(super) limit: Option<Reached>,
}

/// The time of a hash.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Figure {
    /// Hashes that were computed at once.
    pub(super) at_once: usize,
    /// Processor time of a call, divided by its hashes, in milliseconds. It excludes the time of
    /// other programs. Every setting here computes on one thread.
    pub(super) hash_ms: f64,
    /// Processor time of the measured calls; `None` for a scaled time.
    pub(super) cpu_ms: Option<Spread>,
    /// Wall-clock time of the measured calls; `None` for a scaled time.
    pub(super) wall_ms: Option<Spread>,
}

impl Figure {
    pub(super) fn measured(measured: &Measured) -> Self {
        let (cpu_ms, wall_ms) = (Some(measured.cpu_ms), Some(measured.wall_ms));
        Self { at_once: measured.at_once, hash_ms: measured.hash_cpu_ms(), cpu_ms, wall_ms }
    }

    /// Returns the time of a cost with `times` the work.
    pub(super) fn scaled(measured: &Measured, times: f64, at_once: usize) -> Self {
        Self { at_once, hash_ms: measured.hash_cpu_ms() * times, cpu_ms: None, wall_ms: None }
    }

    pub(super) fn is_measured(&self) -> bool {
        self.cpu_ms.is_some()
    }
}

impl Results {
    /// Returns the smallest ratio of processor time to wall-clock time: below 1, other programs
    /// took the core.
    pub(super) fn least_core_share(&self) -> f64 {
        let rows = self.tables.iter().flat_map(|table| &table.series).flat_map(|series| &series.rows);
        let figures = rows.flat_map(|row| [Some(row.one), row.lanes]).flatten();
        let shares = figures.filter_map(|figure| Some(figure.cpu_ms?.median / figure.wall_ms?.median));
        shares.fold(1.0, f64::min)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::measure::as_f64;

    /// Returns a measurement of a hash that had half a core.
    pub(in super::super) fn on_half_a_core(hash_ms: f64, at_once: usize) -> Measured {
        let call_ms = hash_ms * as_f64(at_once as u64);
        Measured { at_once, cpu_ms: Spread::of(&[call_ms; 3]), wall_ms: Spread::of(&[2.0 * call_ms; 3]) }
    }

    /// Returns bcrypt with a measured cost 10 and a cost 12 that was not measured, and PBKDF2 with an
    /// output of two blocks.
    pub(in super::super) fn results() -> Results {
        let (one, lanes) = (on_half_a_core(51.2, 1), on_half_a_core(12.8, 8));
        let row = |cost, one, lanes| Row { cost, one, lanes, limit: None };
        let bcrypt = vec![
            row(10, Figure::measured(&one), Some(Figure::measured(&lanes))),
            row(12, Figure::scaled(&one, 4.0, 1), Some(Figure::scaled(&lanes, 4.0, 8))),
        ];
        let pbkdf2 = vec![row(100_001, Figure::measured(&one), None)];
        let table = |name, series: &str, rows| Table {
            benchmark: Benchmark::named(name).unwrap(),
            series: vec![Series { name: series.to_owned(), rows }],
        };
        Results {
            version: "0.1.0".to_owned(),
            machine: Machine { cpu: "a CPU".to_owned(), architecture: "x86_64".to_owned(), cores: 2 },
            began: "2026-11-01T00:00:00Z".to_owned(),
            took_seconds: 10.0,
            quick: true,
            tables: vec![
                table("bcrypt", "", bcrypt),
                table("pbkdf2-sha1", "40 bytes of output (2 blocks)", pbkdf2),
            ],
        }
    }
}
