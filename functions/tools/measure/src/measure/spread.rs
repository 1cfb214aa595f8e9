use serde::Serialize;

/// The distribution of samples, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// The number of samples. A single sample has no spread.
    pub samples: usize,
    /// A quarter of the samples are at most this value.
    pub lower_quartile: f64,
    /// The middle sample.
    pub median: f64,
    /// A quarter of the samples are at least this value.
    pub upper_quartile: f64,
}

impl Spread {
    /// Returns the spread of the samples. Without samples every figure is NaN.
    #[must_use]
    pub(crate) fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            samples: sorted.len(),
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
        }
    }

    /// Returns half the distance between the quartiles, as a share of the median. 0.01 means that
    /// half of the samples are within about 1 % of the median.
    #[must_use]
    pub(crate) fn relative(&self) -> f64 {
        (self.upper_quartile - self.lower_quartile) / 2.0 / self.median
    }
}

/// Returns the middle value, or the mean of the middle two. Without values it is NaN.
#[must_use]
pub(crate) fn median(values: &[f64]) -> f64 {
    Spread::of(values).median
}

/// Returns the value below which this share (0 to 1) of the sorted values lies. It is interpolated
/// between the two nearest values (Hyndman and Fan, 1996, definition 7). Without values it is NaN.
#[must_use]
#[inline]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    #[expect(clippy::cast_precision_loss, reason = "an index of an array is far below 2^52")]
    let place = share.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last index"
    )]
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "exact in binary")]
    fn quartiles_are_those_of_the_textbook() {
        let spread = Spread::of(&[7.0, 1.0, 5.0, 3.0, 9.0]);
        let expected = Spread { samples: 5, lower_quartile: 3.0, median: 5.0, upper_quartile: 7.0 };
        assert_eq!(spread, expected);
        let even = Spread::of(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!((even.lower_quartile, even.median, even.upper_quartile), (1.75, 2.5, 3.25));
        assert_eq!(spread.relative(), 0.4);
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "one sample is all of them")]
    fn one_sample_is_every_figure_and_no_sample_is_nan() {
        let spread = Spread::of(&[2.5]);
        assert_eq!((spread.lower_quartile, spread.median, spread.upper_quartile), (2.5, 2.5, 2.5));
        assert!(Spread::of(&[]).median.is_nan() && quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        assert!((quantile(&[1.0, 2.0, 4.0], 0.75) - 3.0).abs() < 1e-12);
        assert!((quantile(&[5.0], 0.9) - 5.0).abs() < 1e-12);
        assert!((quantile(&[1.0, 2.0, 4.0], 1.0) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn one_interrupted_sample_does_not_move_the_median() {
        let quiet = Spread::of(&[10.0, 10.1, 10.2, 10.1, 10.0]);
        let disturbed = Spread::of(&[10.0, 10.1, 10.2, 10.1, 50.0]);
        assert!((quiet.median - disturbed.median).abs() < 0.11);
    }
}
