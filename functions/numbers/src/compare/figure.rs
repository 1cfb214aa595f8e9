//! Measured figures and their bounds.

use core::fmt;

use serde::Serialize;

use saltern_meter::median;

/// A measured figure with its bound.
#[derive(Serialize)]
pub(crate) struct Figure {
    what: String,
    unit: Unit,
    must: Bound,
    /// A stricter bound in the direction of `must`, for some figures.
    goal: Option<f64>,
    /// The median of `samples`.
    measured: Option<f64>,
    #[serde(rename = "verdict")]
    pub(super) status: Status,
    /// One for each round.
    samples: Vec<f64>,
    /// The same figure from CPU time instead of wall time, without the time of other programs. The
    /// status does not depend on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples_by_cpu_time: Vec<f64>,
    /// The share of all cores that other programs took meanwhile, 0 to 1, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<f64>,
    note: String,
}

/// The bounds of a figure.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) unit: Unit,
    pub(crate) must: Bound,
    pub(crate) goal: Option<f64>,
}

impl Wanted {
    /// A ratio.
    pub(crate) const fn times(must: Bound) -> Self {
        Self { unit: Unit::Times, must, goal: None }
    }

    /// A quantity with a unit.
    pub(crate) const fn of(unit: Unit, must: Bound) -> Self {
        Self { unit, must, goal: None }
    }

    pub(crate) const fn with_goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }
}

impl Figure {
    /// A figure that was measured once in each round.
    pub(crate) fn new(what: impl Into<String>, wanted: Wanted, samples: Vec<f64>) -> Self {
        let Wanted { unit, must, goal } = wanted;
        let measured = (!samples.is_empty()).then(|| median(&samples));
        let status = match measured {
            None => Status::NotMeasured,
            Some(measured) if must.holds(measured) => Status::Reached,
            Some(_) => Status::NotReached,
        };
        Self {
            what: what.into(),
            unit,
            must,
            goal,
            measured,
            status,
            samples,
            samples_by_cpu_time: vec![],
            others: None,
            note: String::new(),
        }
    }

    /// A figure that cannot be measured here, with the reason.
    pub(crate) fn not_measured(what: impl Into<String>, wanted: Wanted, why: &str) -> Self {
        Self::new(what, wanted, vec![]).with_note(why)
    }

    pub(crate) fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    pub(crate) fn by_cpu_time(self, samples_by_cpu_time: Vec<f64>) -> Self {
        Self { samples_by_cpu_time, ..self }
    }

    /// Adds the share of all cores that other programs took, 0 to 1. Above [`MOST_FOR_OTHERS`] the
    /// figure is disturbed: beside other programs, a service with many threads gets more than a
    /// bare loop with two.
    pub(crate) fn beside(mut self, others: f64) -> Self {
        if others > MOST_FOR_OTHERS {
            self.status = Status::Disturbed;
        }
        self.others = Some(others);
        self
    }

    /// Returns what a document quotes.
    pub(crate) fn quoted(&self) -> Quoted<'_> {
        let measured = self.measured.map(to_three_decimals);
        Quoted {
            what: &self.what,
            measured,
            unit: self.unit,
            must: self.must,
            verdict: self.status,
            note: &self.note,
        }
    }

    /// Returns the cells below [`HEADS`].
    pub(crate) fn columns(&self) -> [String; 6] {
        let value = |value: f64| self.unit.show(value);
        let mut note = self.note.clone();
        if !self.samples_by_cpu_time.is_empty() {
            let by_cpu_time = value(median(&self.samples_by_cpu_time));
            let comma = if note.is_empty() { "" } else { ", " };
            note = format!("{note}{comma}{by_cpu_time} by CPU time");
        }
        if let Some(others) = self.others.filter(|others| *others > MOST_FOR_OTHERS) {
            note = format!("{note}; other programs took {:.0} % of the machine", others * 100.0);
        }
        [
            self.what.clone(),
            self.measured.map_or_else(|| "–".to_owned(), value),
            self.must.show(self.must.value()),
            self.goal.map_or_else(String::new, |goal| self.must.show(goal)),
            self.status.to_string(),
            note,
        ]
    }
}

/// A figure without its samples.
#[derive(Serialize)]
pub(crate) struct Quoted<'a> {
    what: &'a str,
    measured: Option<f64>,
    unit: Unit,
    must: Bound,
    verdict: Status,
    note: &'a str,
}

/// More digits would differ between two runs.
pub(crate) fn to_three_decimals(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The headings of [`Figure::columns`].
pub(crate) const HEADS: [&str; 6] = ["what", "measured", "must", "goal", "verdict", "note"];

/// The programs of an idle system take less.
const MOST_FOR_OTHERS: f64 = 0.05;

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

impl Bound {
    fn holds(self, measured: f64) -> bool {
        match self {
            Self::AtLeast(bound) => measured >= bound,
            Self::AtMost(bound) => measured <= bound,
            Self::Below(bound) => measured < bound,
        }
    }

    fn value(self) -> f64 {
        match self {
            Self::AtLeast(bound) | Self::AtMost(bound) | Self::Below(bound) => bound,
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::AtLeast(_) => format!("≥ {value}"),
            Self::AtMost(_) => format!("≤ {value}"),
            Self::Below(_) => format!("< {value}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Reached,
    NotReached,
    NotMeasured,
    /// Other programs took too much of the machine.
    Disturbed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reached => "reached",
            Self::NotReached => "NOT REACHED",
            Self::NotMeasured => "not measured",
            Self::Disturbed => "disturbed",
        })
    }
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Times,
    Ms,
    /// 2^20 bytes.
    MiB,
    /// 10^6 bytes.
    Mb,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Times => format!("{value:.3} ×"),
            Self::Ms => format!("{value:.2} ms"),
            Self::MiB => format!("{value:.1} MiB"),
            Self::Mb => format!("{value:.2} MB"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides_the_status() {
        let status = |must, samples: &[f64]| Figure::new("", Wanted::times(must), samples.into()).status;
        assert_eq!(status(Bound::AtLeast(0.9), &[0.1, 0.9, 1.0]), Status::Reached);
        assert_eq!(status(Bound::AtLeast(0.9), &[0.1, 0.89, 1.0]), Status::NotReached);
        assert_eq!(status(Bound::AtMost(5.0), &[5.0]), Status::Reached);
        assert_eq!(status(Bound::Below(5.0), &[5.0]), Status::NotReached);
        assert_eq!(status(Bound::Below(5.0), &[]), Status::NotMeasured);
    }

    #[test]
    fn a_disturbed_measurement_is_not_reached() {
        let figure = || Figure::new("", Wanted::times(Bound::AtLeast(0.9)), vec![1.0]);
        assert_eq!(figure().beside(0.01).status, Status::Reached);
        assert_eq!(figure().beside(0.2).status, Status::Disturbed);
    }

    #[test]
    fn a_figure_that_is_not_a_number_is_not_reached() {
        let figure = Figure::new("", Wanted::times(Bound::AtMost(5.0)), vec![f64::NAN]);
        assert_eq!(figure.status, Status::NotReached);
    }
}
