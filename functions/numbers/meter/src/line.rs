use serde::{Deserialize, Serialize};

use crate::spread::median;

/// Time as a line over work: `intercept + slope × work`.
///
/// Interrupted samples hardly move the line, even if a quarter of all samples is interrupted. The
/// slope is the median of the slopes between all pairs of points (Theil, 1950; Sen, 1968). The
/// intercept is the median of the residuals, each weighted by the inverse of its time. Costs span
/// five decades, so without weights the error of a long hash would decide the intercept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Milliseconds of a hash without work. Noise can make it slightly negative.
    pub intercept_ms: f64,
    /// Milliseconds for each unit of work ([`Admitted::work`](saltern_algorithm::Admitted::work)).
    pub slope_ms: f64,
}

impl Line {
    /// Fits the line to points of work and milliseconds. Returns `None` without two different
    /// works.
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
        let residuals: Vec<(f64, f64)> =
            points.iter().map(|&(work, ms)| (ms - slope_ms * work, 1.0 / ms)).collect();
        Some(Self { intercept_ms: weighted_median(residuals), slope_ms })
    }

    /// Returns the time of this work in milliseconds, at least 0.
    #[must_use]
    pub fn at(&self, work: f64) -> f64 {
        (self.intercept_ms + self.slope_ms * work).max(0.0)
    }

    /// Returns the work that takes this time, at least 0.
    #[must_use]
    pub fn work_in(&self, ms: f64) -> f64 {
        ((ms - self.intercept_ms) / self.slope_ms).max(0.0)
    }

    /// Returns the largest error of the line at these points, as a share of the measured time.
    #[must_use]
    pub fn worst_error(&self, points: &[(f64, f64)]) -> f64 {
        points.iter().map(|&(work, ms)| (self.at(work) - ms).abs() / ms).fold(0.0, f64::max)
    }
}

/// Returns the value at half of the total weight.
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

    /// The costs of bcrypt, at 0.1 ms for each expansion, with an intercept of 0.02 ms.
    fn bcrypt() -> Vec<(f64, f64)> {
        (4..=14).map(|cost| 2_f64.powi(cost)).map(|work| (work, 0.02 + 0.1 * work)).collect()
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
    fn an_interrupted_sample_does_not_change_the_slope() {
        // The worst case: the longest hash, which was measured once.
        let mut points = bcrypt();
        points.last_mut().unwrap().1 *= 2.0;
        let line = Line::fit(&points).unwrap();
        assert!((line.slope_ms / 0.1 - 1.0).abs() < 0.01, "{line:?}");
        assert!((line.at(16.0) / 1.62 - 1.0).abs() < 0.01, "{line:?}");
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
    fn the_line_is_right_for_one_iteration_and_for_900_001() {
        let points: Vec<_> = (0..10)
            .map(|step| f64::from(step) * 100_000.0 + 1.0)
            .map(|work| (work, 0.0015 + 0.0007 * work * (1.0 + 1e-3 * (work % 7.0))))
            .collect();
        let line = Line::fit(&points).unwrap();
        assert!((line.at(1.0) / points[0].1 - 1.0).abs() < 0.01, "{line:?}");
    }

    #[test]
    fn one_point_makes_no_line() {
        assert_eq!(Line::fit(&[(1.0, 1.0)]), None);
        assert_eq!(Line::fit(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
