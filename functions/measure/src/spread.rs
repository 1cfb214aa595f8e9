use serde::{Deserialize, Serialize};

/// Where the samples lie, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there were; from one alone nothing is known about the others.
    pub samples: usize,
    /// The least.
    pub least: f64,
    /// A quarter of the samples are not above it.
    pub lower_quartile: f64,
    /// The middle one.
    pub median: f64,
    /// A quarter of the samples are not below it.
    pub upper_quartile: f64,
}

impl Spread {
    /// The spread of these samples; not a number everywhere where there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            samples: sorted.len(),
            least: quantile(&sorted, 0.0),
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
        }
    }

    /// Half the distance of the quartiles, as a share of the median: 0.01 says that half of the samples are within about one
    /// percent of it.
    #[must_use]
    pub fn relative(&self) -> f64 {
        (self.upper_quartile - self.lower_quartile) / 2.0 / self.median
    }
}

/// The middle value; of an even number of values the mean of the middle two; of none not a number.
pub(crate) fn median(values: &[f64]) -> f64 {
    Spread::of(values).median
}

/// On the line between the two samples that it falls between (Hyndman and Fan, 1996, definition 7).
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * f64::from(u32::try_from(last).unwrap_or(u32::MAX));
    // The first sample whose place is not below it, and the one before.
    let above = (0..=last).find(|&index| as_f64(index) >= place).unwrap_or(last);
    let below = above.saturating_sub(1);
    let way = (place - as_f64(below)).clamp(0.0, 1.0);
    sorted[below] + (sorted[above] - sorted[below]) * way
}

fn as_f64(index: usize) -> f64 {
    f64::from(u32::try_from(index).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "exact in binary")]
    fn quartiles_are_those_of_the_textbook() {
        let spread = Spread::of(&[7.0, 1.0, 5.0, 3.0, 9.0]);
        let expected =
            Spread { samples: 5, least: 1.0, lower_quartile: 3.0, median: 5.0, upper_quartile: 7.0 };
        assert_eq!(spread, expected);
        let even = Spread::of(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!((even.lower_quartile, even.median, even.upper_quartile), (1.75, 2.5, 3.25));
        assert_eq!(spread.relative(), 0.4);
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "one sample is all of them")]
    fn one_sample_is_every_figure_and_none_is_no_number() {
        let spread = Spread::of(&[2.5]);
        assert_eq!((spread.least, spread.median, spread.upper_quartile), (2.5, 2.5, 2.5));
        assert!(Spread::of(&[]).median.is_nan());
    }

    #[test]
    fn one_interrupted_sample_does_not_move_the_median() {
        let quiet = Spread::of(&[10.0, 10.1, 10.2, 10.1, 10.0]);
        let disturbed = Spread::of(&[10.0, 10.1, 10.2, 10.1, 50.0]);
        assert!((quiet.median - disturbed.median).abs() < 0.11);
    }
}
