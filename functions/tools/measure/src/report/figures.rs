//! The data from CloudWatch.

use std::collections::BTreeMap;

use saltern_service::metrics::Metric;

use super::{questions::own_id, window::Window};

/// All series, by the id of the question and by the label.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    series: BTreeMap<(String, String), BTreeMap<i64, f64>>,
    /// CloudWatch's messages about its response.
    pub(crate) notes: Vec<String>,
}

impl Figures {
    /// Adds a part of a series: pages can divide a series.
    pub(crate) fn add(&mut self, id: &str, label: &str, points: impl Iterator<Item = (i64, f64)>) {
        let series = self.series.entry((id.to_owned(), label.to_owned())).or_default();
        series.extend(points.filter(|(_, value)| value.is_finite()));
    }

    pub(crate) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether no series has a point.
    pub(crate) fn is_empty(&self) -> bool {
        self.series.values().all(BTreeMap::is_empty)
    }

    /// Returns a series of Lambda.
    pub(crate) fn lambda(&self, id: &str) -> Series<'_> {
        let found = self.series.range((id.to_owned(), String::new())..).next();
        Series(found.filter(|((found, _), _)| found == id).map(|(_, points)| points))
    }

    /// Returns the series of one of Saltern's metrics, each with its labels.
    pub(crate) fn own<'a>(&'a self, metric: &Metric) -> Vec<(&'a str, Series<'a>)> {
        let id = own_id(metric);
        let of_id = self.series.iter().filter(|((found, _), points)| *found == id && !points.is_empty());
        of_id.map(|((_, label), points)| (label.as_str(), Series(Some(points)))).collect()
    }
}

/// A series over time, possibly empty.
#[derive(Clone, Copy, Default)]
pub(crate) struct Series<'a>(Option<&'a BTreeMap<i64, f64>>);

impl Series<'_> {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.0.into_iter().flat_map(|points| points.values().copied())
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_none_or(BTreeMap::is_empty)
    }

    pub(crate) fn sum(self) -> f64 {
        self.values().sum()
    }

    pub(crate) fn highest(self) -> Option<f64> {
        self.values().max_by(f64::total_cmp)
    }

    pub(crate) fn at(self, time: i64) -> Option<f64> {
        self.0?.get(&time).copied()
    }

    /// Returns a point for each period of the window, in seconds since its beginning. `missing`
    /// replaces absent figures.
    pub(crate) fn over(self, window: Window, missing: f64) -> Vec<(f64, f64)> {
        let point =
            |time: i64| (super::window::seconds(time - window.from), self.at(time).unwrap_or(missing));
        window.periods().map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_series_are_joined() {
        let mut figures = Figures::default();
        figures.add("errors", "Errors", [(120, 2.0)].into_iter());
        figures.add("errors", "Errors", [(60, 1.0), (180, f64::NAN)].into_iter());
        let errors = figures.lambda("errors");
        assert_eq!((errors.sum(), errors.highest(), errors.at(60)), (3.0, Some(2.0), Some(1.0)));
        let window = Window { from: 0, to: 180, period: 60 };
        assert_eq!(errors.over(window, 0.0), [(0.0, 0.0), (60.0, 1.0), (120.0, 2.0)]);
        assert!(figures.lambda("error").is_empty() && figures.lambda("throttles").highest().is_none());
    }
}
