//! What was asked for, and what was measured.

use core::fmt;

use serde::Serialize;

use saltern_meter::median;

/// One row of what issues 2, 3 and 9 ask for.
#[derive(Serialize)]
pub(crate) struct Figure {
    issue: u8,
    pub(crate) what: String,
    unit: Unit,
    must: Bound,
    /// What the issue hopes for, where it says so; in the direction of `must`.
    goal: Option<f64>,
    /// The median of `samples`.
    measured: Option<f64>,
    pub(crate) verdict: Verdict,
    /// One a round.
    samples: Vec<f64>,
    /// The same from CPU time instead of wall time, where it can be told: what others on the machine took is left out
    /// on both sides. No verdict hangs on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples_by_cpu_time: Vec<f64>,
    /// What other programs took of all cores meanwhile, 0 to 1, where it was watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<f64>,
    note: String,
}

/// What to measure: everything of a figure but the measurement.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) issue: u8,
    pub(crate) unit: Unit,
    pub(crate) must: Bound,
    pub(crate) goal: Option<f64>,
}

impl Wanted {
    /// A ratio.
    pub(crate) const fn times(issue: u8, must: Bound) -> Self {
        Self { issue, unit: Unit::Times, must, goal: None }
    }

    /// Something with a unit.
    pub(crate) const fn of(issue: u8, unit: Unit, must: Bound) -> Self {
        Self { issue, unit, must, goal: None }
    }

    pub(crate) const fn with_goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }
}

impl Figure {
    /// One that was measured once a round.
    pub(crate) fn new(what: impl Into<String>, wanted: Wanted, samples: Vec<f64>) -> Self {
        let Wanted { issue, unit, must, goal } = wanted;
        let measured = (!samples.is_empty()).then(|| median(&samples));
        let verdict = match measured {
            None => Verdict::NotMeasured,
            Some(measured) if must.holds(measured) => Verdict::Reached,
            Some(_) => Verdict::NotReached,
        };
        Self {
            issue,
            what: what.into(),
            unit,
            must,
            goal,
            measured,
            verdict,
            samples,
            samples_by_cpu_time: vec![],
            others: None,
            note: String::new(),
        }
    }

    /// One that cannot be measured here.
    pub(crate) fn not_measured(what: impl Into<String>, wanted: Wanted, why: &str) -> Self {
        Self::new(what, wanted, vec![]).with_note(why)
    }

    pub(crate) fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    pub(crate) fn by_cpu_time(self, samples_by_cpu_time: Vec<f64>) -> Self {
        Self { samples_by_cpu_time, ..self }
    }

    pub(crate) fn issue(&self) -> u8 {
        self.issue
    }

    /// One measured beside other programs, which took so much of all cores. Where they took more than a little, it is
    /// of no use: against a bare loop of two threads a service of many gets more than its share.
    pub(crate) fn beside(mut self, others: f64) -> Self {
        if others > MOST_FOR_OTHERS {
            self.verdict = Verdict::Disturbed;
        }
        self.others = Some(others);
        self
    }

    /// Issue, what, measured, must, goal, verdict, note.
    pub(crate) fn columns(&self) -> [String; 7] {
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
            self.issue.to_string(),
            self.what.clone(),
            self.measured.map_or_else(|| "–".to_owned(), value),
            self.must.show(self.must.value()),
            self.goal.map_or_else(String::new, |goal| self.must.show(goal)),
            self.verdict.to_string(),
            note,
        ]
    }
}

/// The heads of [`Figure::columns`].
pub(crate) const HEADS: [&str; 7] = ["issue", "what", "measured", "must", "goal", "verdict", "note"];

/// An idle system's own programs take less.
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
pub(crate) enum Verdict {
    Reached,
    NotReached,
    NotMeasured,
    /// By other programs.
    Disturbed,
}

impl fmt::Display for Verdict {
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
    fn the_verdict_is_the_medians() {
        let verdict = |must, samples: &[f64]| Figure::new("", Wanted::times(2, must), samples.into()).verdict;
        assert_eq!(verdict(Bound::AtLeast(0.9), &[0.1, 0.9, 1.0]), Verdict::Reached);
        assert_eq!(verdict(Bound::AtLeast(0.9), &[0.1, 0.89, 1.0]), Verdict::NotReached);
        assert_eq!(verdict(Bound::AtMost(5.0), &[5.0]), Verdict::Reached);
        assert_eq!(verdict(Bound::Below(5.0), &[5.0]), Verdict::NotReached);
        assert_eq!(verdict(Bound::Below(5.0), &[]), Verdict::NotMeasured);
    }

    #[test]
    fn a_disturbed_measurement_is_no_success() {
        let figure = || Figure::new("", Wanted::times(2, Bound::AtLeast(0.9)), vec![1.0]);
        assert_eq!(figure().beside(0.01).verdict, Verdict::Reached);
        assert_eq!(figure().beside(0.2).verdict, Verdict::Disturbed);
    }

    #[test]
    fn no_number_is_no_success() {
        let figure = Figure::new("", Wanted::times(2, Bound::AtMost(5.0)), vec![f64::NAN]);
        assert_eq!(figure.verdict, Verdict::NotReached);
    }
}
