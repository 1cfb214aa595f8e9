use core::time::Duration;

use crate::moment::Moment;

/// A quota with a continuous refill and a fixed capacity.
///
/// Its only state is the moment when it would be full again. So it computes in whole nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// The time between two units of the refill.
    every: Duration,
    /// The time to refill it from empty.
    to_fill: Duration,
    full_at: Moment,
}

impl Bucket {
    /// Returns a full quota of `units / scale` units, which refill in `refilled_in`. The pace of
    /// the refill is exact, even if the quotient is not a whole number.
    pub(crate) fn new(units: u64, refilled_in: Duration, scale: u64) -> Self {
        let every = refilled_in.as_nanos() * u128::from(scale) / u128::from(units.max(1));
        let every = Duration::from_nanos(u64::try_from(every).unwrap_or(u64::MAX));
        let to_fill = if units == 0 { Duration::ZERO } else { refilled_in };
        Self { every, to_fill, full_at: Moment::START - refilled_in }
    }

    /// Takes a unit. Returns whether one was available.
    pub(crate) fn take(&mut self, now: Moment) -> bool {
        let full_at = self.full_at.max(now) + self.every;
        let is_available = full_at.since(now) <= self.to_fill;
        if is_available {
            self.full_at = full_at;
        }
        is_available
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &mut Bucket, at: Moment) -> usize {
        (0..10_000).take_while(|_| bucket.take(at)).count()
    }

    #[test]
    fn the_refill_is_continuous_and_never_exceeds_the_capacity() {
        let mut bucket = Bucket::new(1000, Duration::from_secs(10), 1);
        assert_eq!(taken(&mut bucket, Moment::START), 1000);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_millis(9)), 0);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_millis(10)), 1);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_secs(1)), 99);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_hours(1)), 1000);
    }

    #[test]
    fn a_scaled_quota_never_gives_more_than_its_share() {
        let mut bucket = Bucket::new(1000, Duration::from_secs(10), 3);
        assert_eq!(taken(&mut bucket, Moment::START), 333);
        let later: usize =
            (1..=1000).map(|at| taken(&mut bucket, Moment::START + Duration::from_millis(10 * at))).sum();
        assert_eq!(later, 333);
    }

    #[test]
    fn a_quota_of_zero_gives_no_unit() {
        assert_eq!(taken(&mut Bucket::new(0, Duration::from_secs(1), 1), Moment::START), 0);
    }
}
