use core::time::Duration;
use std::collections::BTreeMap;

/// A histogram of times in tenths of a millisecond. It gives exact percentiles of millions of
/// times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    counts: BTreeMap<u32, u64>,
    total: u64,
}

impl Latencies {
    pub(crate) fn record(&mut self, latency: Duration) {
        let tenth = u32::try_from(latency.as_micros() / TENTH_OF_A_MS).unwrap_or(u32::MAX);
        *self.counts.entry(tenth).or_default() += 1;
        self.total += 1;
    }

    /// Returns a percentile in milliseconds, or `None` without times.
    pub(crate) fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = (self.total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let at = self.counts.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        at.map(|(tenth, _)| f64::from(*tenth) / 10.0)
    }
}

const TENTH_OF_A_MS: u128 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_smallest_time_that_bounds_its_share() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(50), None);
        (1..=100).for_each(|ms| latencies.record(Duration::from_millis(ms)));
        let percentiles = [1, 50, 90, 99, 100].map(|percent| latencies.percentile(percent).unwrap());
        assert_eq!(percentiles.map(|ms| format!("{ms}")), ["1", "50", "90", "99", "100"]);
    }
}
