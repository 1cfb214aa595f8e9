//! What was measured, as it is written to JSON and read again.

use saltern_meter::{Line, Machine, Measured, Spread};
use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Results {
    /// The form of this document; another number is another form.
    pub(super) form: u32,
    /// The version of Saltern whose kernels were measured.
    pub(super) version: String,
    pub(super) machine: Machine,
    /// When it began, RFC 3339.
    pub(super) began: String,
    /// How long it took, in seconds.
    pub(super) took_seconds: f64,
    /// Fewer costs were measured, and more read off the line.
    pub(super) quick: bool,
    pub(super) tables: Vec<Table>,
}

/// The form that this version writes and reads.
pub(super) const FORM: u32 = 1;

/// The table of an algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) algorithm: Algorithm,
    pub(super) series: Vec<Series>,
}

/// Rows that differ in nothing but the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Series {
    /// What holds for all its rows; empty where that is nothing.
    pub(super) name: String,
    pub(super) rows: Vec<Row>,
    /// Through the measured times of one hash by itself.
    pub(super) one_line: Option<Fit>,
    /// Through the measured times of a hash in lanes; `None` for what has no lanes.
    pub(super) lanes_line: Option<Fit>,
}

/// One cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) cost: u64,
    /// In the unit in which time is linear.
    pub(super) work: u64,
    pub(super) one: Figure,
    /// `None` for what has no lanes.
    pub(super) lanes: Option<Figure>,
}

/// A line, and how far it is off where something was measured.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Fit {
    #[serde(flatten)]
    pub(super) line: Line,
    /// A share of what was measured.
    pub(super) worst_error: f64,
    /// Costs that it goes through. Two of them make a line that is never off.
    pub(super) points: usize,
}

/// How long a hash takes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Figure {
    pub(super) source: Source,
    /// Hashes that were computed at once.
    pub(super) at_once: usize,
    /// Processor time of a call over the hashes in it, in milliseconds: every setting here computes on one thread, and what
    /// others take of the machine meanwhile is not its cost.
    pub(super) hash_ms: f64,
    /// One core's.
    pub(super) hashes_per_second: f64,
    /// The calls that were measured, by the processor's clock.
    pub(super) cpu_ms: Option<Spread>,
    /// The same, by the clock on the wall.
    pub(super) wall_ms: Option<Spread>,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The line through what was measured.
    Line,
    /// This cost itself.
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

    pub(super) fn read_off(line: &Line, work: u64, at_once: usize) -> Self {
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

    /// Until all that are computed at once are done, in milliseconds.
    pub(super) fn call_ms(&self) -> f64 {
        self.hash_ms * as_f64(self.at_once as u64)
    }
}

impl Results {
    /// Processor time over wall-clock time, where it was least: below 1 others took the core meanwhile.
    pub(super) fn least_core_share(&self) -> f64 {
        let rows = self.tables.iter().flat_map(|table| &table.series).flat_map(|series| &series.rows);
        let figures = rows.flat_map(|row| [Some(row.one), row.lanes]).flatten();
        let shares = figures.filter_map(|figure| Some(figure.cpu_ms?.median / figure.wall_ms?.median));
        shares.fold(1.0, f64::min)
    }

    /// Whether it can be drawn: what was read from a file may have been changed, or have lost a part.
    pub(super) fn is_whole(&self) -> bool {
        self.took_seconds >= 0.0 && self.tables.iter().all(Table::is_whole)
    }

    pub(super) fn table(&self, algorithm: Algorithm) -> Option<&Table> {
        self.tables.iter().find(|table| table.algorithm == algorithm)
    }
}

impl Table {
    fn is_whole(&self) -> bool {
        !self.series.is_empty() && self.series.iter().all(Series::is_whole)
    }
}

impl Series {
    /// No cost is below 1, and lanes are a column of all rows or of none.
    fn is_whole(&self) -> bool {
        let Some(first) = self.rows.first() else { return false };
        self.rows.iter().all(|row| row.cost > 0 && row.lanes.is_some() == first.lanes.is_some())
    }
}

const MS_PER_SECOND: f64 = 1e3;

#[allow(clippy::cast_precision_loss, reason = "costs and works here stay below 2^53")]
pub(super) fn as_f64(number: u64) -> f64 {
    number as f64
}
