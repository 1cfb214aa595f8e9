//! Measured figures and their bounds.

use core::fmt;

use crate::measure::median;
use saltern_page::Table;
use serde::Serialize;
use serde_json::{Value, json};

/// A measured figure with its bound.
#[derive(Serialize)]
pub(crate) struct Figure {
    what: String,
    /// The median of the samples, one for each round.
    measured: Option<f64>,
    must: Bound,
    pub(super) verdict: Verdict,
    note: String,
}

impl Figure {
    /// A ratio that was measured once in each round.
    pub(crate) fn new(what: String, must: Bound, samples: &[f64], note: String) -> Self {
        let measured = (!samples.is_empty()).then(|| median(samples));
        let verdict = match measured {
            None => Verdict::NotMeasured,
            Some(measured) if must.holds(measured) => Verdict::Reached,
            Some(_) => Verdict::NotReached,
        };
        let measured = measured.map(to_three_decimals);
        Self { what, measured, must, verdict, note }
    }
}

pub(crate) fn table(figures: &[Figure]) -> Table {
    let cells = |Figure { what, measured, must, verdict, note }: &Figure| {
        let measured = measured.map_or_else(|| "–".to_owned(), |measured| format!("{measured:.3} ×"));
        [what.clone(), measured, must.to_string(), verdict.to_string(), note.clone()]
    };
    let heads = ["what", "measured", "must", "verdict", "note"];
    heads.into_iter().fold(Table::new(""), Table::words).rows(figures.iter().map(cells))
}

/// Returns JSON with a figure on each line, so that two runs are compared line by line.
pub(crate) fn one_a_line(of_run: &Value, figures: &[Figure]) -> String {
    let figures: Vec<_> = figures.iter().map(|figure| json!(figure).to_string()).collect();
    format!("{{\n\"run\": {of_run},\n\"figures\": [\n{}\n]\n}}\n", figures.join(",\n"))
}

/// More digits would differ between two runs.
pub(crate) fn to_three_decimals(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, measured: f64) -> bool {
        match self {
            Self::AtLeast(bound) => measured >= bound,
            Self::AtMost(bound) => measured <= bound,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Reached,
    NotReached,
    NotMeasured,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reached => "reached",
            Self::NotReached => "NOT REACHED",
            Self::NotMeasured => "not measured",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides_the_verdict() {
        let verdict =
            |must, samples: &[f64]| Figure::new(String::new(), must, samples, String::new()).verdict;
        assert_eq!(verdict(Bound::AtLeast(0.9), &[0.1, 0.9, 1.0]), Verdict::Reached);
        assert_eq!(verdict(Bound::AtLeast(0.9), &[0.1, 0.89, 1.0]), Verdict::NotReached);
        assert_eq!(verdict(Bound::AtMost(5.0), &[5.0]), Verdict::Reached);
        assert_eq!(verdict(Bound::AtMost(5.0), &[]), Verdict::NotMeasured);
        assert_eq!(verdict(Bound::AtMost(5.0), &[f64::NAN]), Verdict::NotReached);
    }

    #[test]
    fn each_figure_is_a_line_of_the_document() {
        let figure = |what: &str| Figure::new(what.to_owned(), Bound::AtMost(1.0), &[0.5], String::new());
        let text = one_a_line(&json!({"rounds": 5}), &[figure("one"), figure("two")]);
        assert_eq!(text.lines().filter(|line| line.contains("measured")).count(), 2);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["run"]["rounds"], &read["figures"][1]["what"]), (&json!(5), &json!("two")));
    }
}
