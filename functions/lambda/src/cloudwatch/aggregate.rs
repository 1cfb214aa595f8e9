//! Counts values in buckets. The memory is bounded, since labels and buckets are closed sets.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, SystemTime},
};

use saltern_service::metrics::{Labels, Metric, Sample, Unit};

/// The collected values.
#[derive(Debug, Default)]
pub(crate) struct Aggregate(HashMap<Key, Buckets>);

impl Aggregate {
    pub(crate) fn add(&mut self, sample: &Sample, now: SystemTime) {
        let minute =
            now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() / MINUTE.as_secs();
        let key = (minute, sample.metric.cloudwatch, sample.labels.clone());
        let buckets =
            self.0.entry(key).or_insert_with(|| Buckets { metric: sample.metric, counts: BTreeMap::new() });
        *buckets.counts.entry(bucket(sample.metric.unit, sample.value)).or_default() += 1;
    }

    /// Whether more is collected than usual between two calls of [`Aggregate::take`].
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= MAX_SERIES
    }

    /// Removes and returns all values, in pieces that fit in one datum each.
    pub(crate) fn take(&mut self) -> Vec<Distribution> {
        let mut taken = Vec::with_capacity(self.0.len());
        for ((minute, _, labels), Buckets { metric, counts }) in self.0.drain() {
            let at =
                SystemTime::UNIX_EPOCH + MINUTE.saturating_mul(u32::try_from(minute).unwrap_or(u32::MAX));
            let values: Vec<_> =
                counts.into_iter().map(|(bucket, count)| (value(metric.unit, bucket), count)).collect();
            for values in values.chunks(MAX_VALUES) {
                taken.push(Distribution { metric, labels: labels.clone(), at, values: values.to_vec() });
            }
        }
        taken
    }
}

/// The counted values of one distribution in one minute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distribution {
    pub(crate) metric: &'static Metric,
    pub(crate) labels: Labels,
    /// The start of the minute.
    pub(crate) at: SystemTime,
    /// Each value, and how often it occurred.
    pub(crate) values: Vec<(f64, u64)>,
}

/// A distribution of one minute: minute, name of the metric, labels. The values of an environment
/// belong to the minutes before it was frozen.
type Key = (u64, &'static str, Labels);

#[derive(Debug)]
struct Buckets {
    metric: &'static Metric,
    counts: BTreeMap<u32, u64>,
}

/// Returns the bucket of a value. Numbers of things have a bucket each. The other buckets are each
/// 5 % wider than the one before, so their middle differs from a value by at most 2.5 %. A time
/// below a microsecond counts as 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range of buckets")]
fn bucket(unit: Unit, value: f64) -> u32 {
    match unit {
        Unit::Count => value.clamp(0.0, LAST_BUCKET) as u32,
        Unit::Bytes | Unit::Milliseconds if value < SMALLEST => 0,
        Unit::Bytes | Unit::Milliseconds => {
            let bucket = (value / SMALLEST).ln() / GROWTH.ln();
            1 + bucket.clamp(0.0, LAST_BUCKET) as u32
        }
    }
}

/// The value that represents a bucket: its middle.
fn value(unit: Unit, bucket: u32) -> f64 {
    match (unit, bucket) {
        (Unit::Count, bucket) => f64::from(bucket),
        (_, 0) => 0.0,
        (_, bucket) => SMALLEST * GROWTH.powf(f64::from(bucket) - 0.5),
    }
}

/// The ratio of the bounds of a bucket.
const GROWTH: f64 = 1.05;

/// The upper bound of the bucket of 0: a microsecond in milliseconds, and less than a byte.
const SMALLEST: f64 = 1e-3;

/// The last bucket, which holds all values of at least 10^18 units.
const LAST_BUCKET: f64 = 1_000.0;

/// "You can specify up to 150 unique values per datum" (`PutMetricData`, `Values`).
const MAX_VALUES: usize = 150;

/// The most distributions in memory. A large document has about 30 policies, so with the other
/// metrics a minute has about 50 distributions, and they are sent at least every five minutes.
const MAX_SERIES: usize = 1_024;

/// CloudWatch's resolution.
const MINUTE: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saltern_service::metrics::{HASH, LANES, QUEUE};

    use super::*;

    fn sample(metric: &'static Metric, value: f64) -> Sample {
        let labels = metric.labels.iter().map(|label| (*label, "x".into())).collect();
        Sample { metric, labels, value }
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    proptest! {
        #[test]
        fn the_value_of_a_bucket_is_near_its_values(value_of in 1e-3..1e16_f64) {
            let stands = value(Unit::Milliseconds, bucket(Unit::Milliseconds, value_of));
            prop_assert!((stands / value_of - 1.0).abs() < 0.025, "{stands} for {value_of}");
        }

        #[test]
        fn take_returns_every_value_once(values in prop::collection::vec((0.0..1e6_f64, 0_u64..600), 1..1_000)) {
            let mut aggregate = Aggregate::default();
            for &(value, second) in &values {
                aggregate.add(&sample(&HASH, value), at(second));
            }
            let taken = aggregate.take();
            prop_assert!(taken.iter().all(|one| one.values.len() <= 150));
            let count: u64 = taken.iter().flat_map(|one| &one.values).map(|(_, count)| count).sum();
            prop_assert_eq!(count, values.len() as u64);
            prop_assert!(aggregate.take().is_empty());
        }
    }

    #[test]
    fn numbers_are_exact_and_minutes_are_separate() {
        let mut aggregate = Aggregate::default();
        for (lanes, second) in [(8.0, 59), (8.0, 59), (3.0, 59), (1.0, 60)] {
            aggregate.add(&sample(&LANES, lanes), at(second));
        }
        let mut taken = aggregate.take();
        taken.sort_by_key(|one| one.at);
        assert_eq!((taken[0].at, &taken[0].values[..]), (at(0), &[(3.0, 1), (8.0, 2)][..]));
        assert_eq!((taken[1].at, &taken[1].values[..]), (at(60), &[(1.0, 1)][..]));
    }

    #[test]
    fn tiny_times_are_zero_and_no_value_is_out_of_range() {
        let mut aggregate = Aggregate::default();
        for value in [0.0, 1e-9, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
            aggregate.add(&sample(&QUEUE, value), at(0));
        }
        let [taken] = &aggregate.take()[..] else { panic!("one series") };
        assert_eq!(taken.values[0], (0.0, 3));
        assert_eq!(taken.values.iter().map(|(_, count)| count).sum::<u64>(), 6);
        assert!(taken.values.iter().all(|(value, _)| value.is_finite()));
    }

    #[test]
    fn memory_is_bounded() {
        let mut aggregate = Aggregate::default();
        let mut minute = 0;
        while !aggregate.is_full() {
            aggregate.add(&sample(&QUEUE, 1.0), at(60 * minute));
            minute += 1;
        }
        assert_eq!(minute, 1_024);
    }
}
