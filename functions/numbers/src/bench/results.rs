//! The results of a run, as JSON has them.

use saltern_encoded::Algorithm;
use saltern_meter::{Line, Machine, Measured, Spread};
use serde::{Deserialize, Serialize};

use super::benchmark::Benchmark;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Results {
    /// The version of this format.
    pub(super) form: u32,
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

/// The format that this version writes and reads.
pub(super) const FORM: u32 = 1;

/// The table of an algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Table {
    #[serde(rename = "algorithm")]
    pub(super) benchmark: &'static Benchmark,
    pub(super) series: Vec<Series>,
}

/// Rows that differ only in the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Series {
    /// The parameters of all its rows; empty if the cost is the only parameter.
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
    /// The line through the measured times of one hash alone.
    pub(super) one_line: Option<Fit>,
    /// The line through the measured times of a hash in lanes; `None` for an algorithm without
    /// lanes.
    pub(super) lanes_line: Option<Fit>,
}

/// One cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) cost: u64,
    /// In the unit in which time is linear ([`Admitted::work`](saltern_algorithm::Admitted::work)).
    pub(super) work: u64,
    pub(super) one: Figure,
    /// `None` for a cost without lanes.
    pub(super) lanes: Option<Figure>,
}

/// A line with its largest error.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Fit {
    #[serde(flatten)]
    pub(super) line: Line,
    /// The largest error at a measured cost, as a share of the measured time.
    pub(super) worst_error: f64,
    /// The number of measured costs. A line through two costs has no error at them.
    pub(super) points: usize,
}

impl Fit {
    /// Whether times from the line would be wrong: its error at a measured cost is large.
    pub(super) fn is_bad(&self) -> bool {
        self.worst_error > BAD_FIT
    }
}

/// The time of a hash.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Figure {
    pub(super) source: Source,
    /// Hashes that were computed at once.
    pub(super) at_once: usize,
    /// Processor time of a call, divided by its hashes, in milliseconds. It excludes the time of
    /// other programs. Every setting here computes on one thread.
    pub(super) hash_ms: f64,
    /// Hashes that one core computes in a second.
    pub(super) hashes_per_second: f64,
    /// Processor time of the measured calls; `None` for a time from the line.
    pub(super) cpu_ms: Option<Spread>,
    /// Wall-clock time of the measured calls; `None` for a time from the line.
    pub(super) wall_ms: Option<Spread>,
}

/// The source of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The line through the measured costs.
    Line,
    /// A measurement of this cost.
    Measured,
}

impl Figure {
    pub(super) fn measured(measured: &Measured) -> Self {
        Self {
            source: Source::Measured,
            at_once: measured.at_once,
            hash_ms: measured.hash_cpu_ms(),
            hashes_per_second: MS_PER_SECOND / measured.hash_cpu_ms(),
            wall_ms: Some(measured.wall_ms),
            cpu_ms: Some(measured.cpu_ms),
        }
    }

    pub(super) fn from_line(line: &Line, work: u64, at_once: usize) -> Self {
        let hash_ms = line.at(as_f64(work));
        Self {
            source: Source::Line,
            at_once,
            hash_ms,
            hashes_per_second: MS_PER_SECOND / hash_ms,
            wall_ms: None,
            cpu_ms: None,
        }
    }

    pub(super) fn is_measured(&self) -> bool {
        self.source == Source::Measured
    }

    /// Returns the time until all hashes of a call are done, in milliseconds.
    pub(super) fn call_ms(&self) -> f64 {
        self.hash_ms * as_f64(self.at_once as u64)
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

    /// Whether the results are complete: a file can have lost a part.
    pub(super) fn is_whole(&self) -> bool {
        self.took_seconds >= 0.0 && self.tables.iter().all(Table::is_whole)
    }

    pub(super) fn table(&self, algorithm: Algorithm) -> Option<&Table> {
        self.tables.iter().find(|table| table.benchmark.algorithm == algorithm)
    }
}

impl Table {
    pub(super) fn has_times(&self, way: Way) -> bool {
        self.series.iter().any(|series| series.rows.iter().any(|row| way(series, row).is_some()))
    }

    fn is_whole(&self) -> bool {
        !self.series.is_empty() && self.series.iter().all(Series::is_whole)
    }
}

/// A time of a row, alone or in lanes: [`Series::one`] or [`Series::lanes`].
pub(super) type Way = fn(&Series, &Row) -> Option<Figure>;

impl Series {
    /// Returns the time of one hash alone; `None` if only a bad line gives it.
    pub(super) fn one(&self, row: &Row) -> Option<Figure> {
        trusted(Some(row.one), self.one_line.as_ref())
    }

    /// Returns the time of a hash in lanes; `None` if only a bad line gives it, or without lanes.
    pub(super) fn lanes(&self, row: &Row) -> Option<Figure> {
        trusted(row.lanes, self.lanes_line.as_ref())
    }

    /// Whether there are rows, every cost is at least 1, and a line for lanes has rows with lanes.
    fn is_whole(&self) -> bool {
        let has_lanes = self.rows.iter().any(|row| row.lanes.is_some());
        !self.rows.is_empty()
            && self.rows.iter().all(|row| row.cost > 0)
            && has_lanes == self.lanes_line.is_some()
    }
}

/// A line that is off at measured costs is more so beyond them.
fn trusted(figure: Option<Figure>, line: Option<&Fit>) -> Option<Figure> {
    figure.filter(|figure| figure.is_measured() || line.is_some_and(|line| !line.is_bad()))
}

/// A line with a larger error, as a share of the measured time, is a bad fit.
const BAD_FIT: f64 = 0.1;

const MS_PER_SECOND: f64 = 1e3;

#[allow(clippy::cast_precision_loss, reason = "costs and works here stay below 2^53")]
pub(super) fn as_f64(number: u64) -> f64 {
    number as f64
}
