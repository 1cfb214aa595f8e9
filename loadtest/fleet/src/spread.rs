use std::sync::LazyLock;

use fastrand::Rng;
use serde::Deserialize;

/// The distribution of the time of a hash around its median.
#[derive(Debug, Deserialize)]
pub(crate) struct Spread {
    /// The percentiles 0 to 100, relative to the median.
    times_of_median: Vec<f64>,
}

impl Spread {
    /// Returns the measurement of `spread.json`.
    #[expect(clippy::expect_used, reason = "the file is part of the build; a test reads it")]
    pub(crate) fn measured() -> &'static Self {
        static MEASURED: LazyLock<Spread> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../spread.json")).expect("spread.json is a spread")
        });
        &MEASURED
    }

    /// Draws a time relative to the median, uniformly between two percentiles.
    pub(crate) fn draw(&self, random: &mut Rng) -> f64 {
        let below = random.usize(..self.times_of_median.len() - 1);
        let (low, high) = (self.times_of_median[below], self.times_of_median[below + 1]);
        low + (high - low) * random.f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_percentiles_rise_around_a_median_of_one() {
        let times = &Spread::measured().times_of_median;
        assert!(times.len() == 101 && times.is_sorted());
        assert!((times[50] - 1.0).abs() < 1e-9);
        let mut random = Rng::with_seed(3);
        let mut drawn: Vec<f64> = (0..10_001).map(|_| Spread::measured().draw(&mut random)).collect();
        drawn.sort_by(f64::total_cmp);
        for percent in [10, 50, 90] {
            let (got, wanted) = (drawn[100 * percent], times[percent]);
            assert!((got / wanted - 1.0).abs() < 0.005, "{percent} %: {got} for {wanted}");
        }
    }
}
