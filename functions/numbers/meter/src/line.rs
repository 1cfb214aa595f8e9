use serde::{Deserialize, Serialize};

use crate::spread::median;

/// Time as a line over work: `intercept + slope × work`.
///
/// Fitted so that a single sample that was interrupted, and even a quarter of all, hardly moves it: the slope is the median of
/// the slopes between all pairs of points (Theil, 1950; Sen, 1968). The intercept is the median of what the points leave over,
/// each weighted by the inverse of its time: costs reach over five decades, and what a long hash is off by must not decide
/// about a short one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Milliseconds that a hash takes without any work. May be a little below 0, where it cannot be told from 0.
    pub intercept_ms: f64,
    /// Milliseconds for a unit of work ([`Admitted::work`](saltern_algorithm::Admitted::work)).
    pub slope_ms: f64,
}

impl Line {
    /// The line through points of work and milliseconds; `None` without two different works.
    #[must_use]
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let pairs = points.iter().enumerate().flat_map(|(at, one)| {
            points[..at]
                .iter()
                .filter(|other| other.0.total_cmp(&one.0).is_ne())
                .map(move |other| (one, other))
        });
        let slopes: Vec<f64> = pairs.map(|(one, other)| (one.1 - other.1) / (one.0 - other.0)).collect();
        if slopes.is_empty() {
            return None;
        }
        let slope_ms = median(&slopes);
        let left_over: Vec<(f64, f64)> =
            points.iter().map(|&(work, ms)| (ms - slope_ms * work, 1.0 / ms)).collect();
        Some(Self { intercept_ms: weighted_median(left_over), slope_ms })
    }

    /// The time of so much work, in milliseconds; never below 0.
    #[must_use]
    pub fn at(&self, work: f64) -> f64 {
        (self.intercept_ms + self.slope_ms * work).max(0.0)
    }

    /// The work that takes so many milliseconds; never below 0.
    #[must_use]
    pub fn work_in(&self, ms: f64) -> f64 {
        ((ms - self.intercept_ms) / self.slope_ms).max(0.0)
    }

    /// How far the line is off at the point where it is off the most, as a share of what was measured there.
    #[must_use]
    pub fn worst_error(&self, points: &[(f64, f64)]) -> f64 {
        points.iter().map(|&(work, ms)| (self.at(work) - ms).abs() / ms).fold(0.0, f64::max)
    }
}

/// The value at which half of the weight is reached.
fn weighted_median(mut weighted: Vec<(f64, f64)>) -> f64 {
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = weighted.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut reached = 0.0;
    let at_half = weighted.iter().find(|(_, weight)| {
        reached += weight;
        reached >= half
    });
    at_half.map_or(0.0, |(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// bcrypt's costs, at a tenth of a millisecond an expansion and a little before it.
    fn bcrypt() -> Vec<(f64, f64)> {
        (4..=14).map(|cost| 2_f64.powi(cost)).map(|work| (work, 0.02 + 0.1 * work)).collect()
    }

    fn least_squares(points: &[(f64, f64)]) -> f64 {
        let count = f64::from(u32::try_from(points.len()).unwrap());
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        covariance / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
    }

    #[test]
    fn points_on_a_line_give_that_line() {
        let line = Line::fit(&bcrypt()).unwrap();
        assert!((line.slope_ms - 0.1).abs() < 1e-9, "{line:?}");
        assert!((line.intercept_ms - 0.02).abs() < 1e-6, "{line:?}");
        assert!(line.worst_error(&bcrypt()) < 1e-6);
        assert!((line.work_in(line.at(1000.0)) - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn cost_31_is_8192_times_cost_18() {
        let line = Line::fit(&bcrypt()).unwrap();
        let ratio = line.at(2_f64.powi(31)) / line.at(2_f64.powi(18));
        assert!((ratio / 8192.0 - 1.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn an_interrupted_sample_does_not_turn_the_line() {
        // Where it hurts most: the longest hash, which was measured once.
        let mut points = bcrypt();
        points.last_mut().unwrap().1 *= 2.0;
        let line = Line::fit(&points).unwrap();
        assert!((line.slope_ms / 0.1 - 1.0).abs() < 0.01, "{line:?}");
        assert!((line.at(16.0) / 1.62 - 1.0).abs() < 0.01, "{line:?}");
        // The ordinary fit would be off by most of it.
        assert!(least_squares(&points) > 0.18, "{}", least_squares(&points));
    }

    #[test]
    fn noise_of_a_percent_stays_a_percent_at_both_ends() {
        let noise = [1.004, 0.993, 1.009, 1.001, 0.996, 1.01, 0.99, 1.003, 0.998, 1.006, 0.994];
        let points: Vec<_> =
            bcrypt().iter().zip(noise).map(|(&(work, ms), noise)| (work, ms * noise)).collect();
        let line = Line::fit(&points).unwrap();
        assert!(line.worst_error(&points) < 0.02, "{}", line.worst_error(&points));
        assert!((line.slope_ms / 0.1 - 1.0).abs() < 0.01, "{line:?}");
    }

    #[test]
    fn one_iteration_is_told_as_well_as_900_001() {
        let points: Vec<_> = (0..10)
            .map(|step| f64::from(step) * 100_000.0 + 1.0)
            .map(|work| (work, 0.0015 + 0.0007 * work * (1.0 + 1e-3 * (work % 7.0))))
            .collect();
        let line = Line::fit(&points).unwrap();
        assert!((line.at(1.0) / points[0].1 - 1.0).abs() < 0.01, "{line:?}");
    }

    #[test]
    fn one_point_is_no_line() {
        assert_eq!(Line::fit(&[(1.0, 1.0)]), None);
        assert_eq!(Line::fit(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
