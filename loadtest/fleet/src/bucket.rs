use core::time::Duration;

use crate::moment::Moment;

/// A quota that is refilled continuously and never holds more than it began with.
///
/// It keeps one moment: when it would be full again if nothing more were taken. So it computes in whole nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// Between two units of the refill.
    every: Duration,
    /// To refill it from empty.
    to_fill: Duration,
    full_at: Moment,
}

impl Bucket {
    /// Holds so many units divided by `scale`, and refills them in so long. It is refilled at exactly that part of the
    /// pace, whether or not the part is a whole number.
    pub(crate) fn new(units: u64, refilled_in: Duration, scale: u64) -> Self {
        let every = refilled_in.as_nanos() * u128::from(scale) / u128::from(units.max(1));
        let every = Duration::from_nanos(u64::try_from(every).unwrap_or(u64::MAX));
        let to_fill = if units == 0 { Duration::ZERO } else { refilled_in };
        Self { every, to_fill, full_at: Moment::START - refilled_in }
    }

    /// Takes a unit if there is one.
    pub(crate) fn take(&mut self, now: Moment) -> bool {
        let full_at = self.full_at.max(now) + self.every;
        let there_is_one = full_at.since(now) <= self.to_fill;
        if there_is_one {
            self.full_at = full_at;
        }
        there_is_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &mut Bucket, at: Moment) -> usize {
        (0..10_000).take_while(|_| bucket.take(at)).count()
    }

    #[test]
    fn it_is_refilled_continuously_and_saves_nothing_up() {
        let mut bucket = Bucket::new(1000, Duration::from_secs(10), 1);
        assert_eq!(taken(&mut bucket, Moment::START), 1000);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_millis(9)), 0);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_millis(10)), 1);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_secs(1)), 99);
        assert_eq!(taken(&mut bucket, Moment::START + Duration::from_hours(1)), 1000);
    }

    #[test]
    fn a_part_never_gives_more_than_its_part() {
        let mut bucket = Bucket::new(1000, Duration::from_secs(10), 3);
        assert_eq!(taken(&mut bucket, Moment::START), 333);
        let later: usize =
            (1..=1000).map(|at| taken(&mut bucket, Moment::START + Duration::from_millis(10 * at))).sum();
        assert_eq!(later, 333);
    }

    #[test]
    fn an_empty_quota_gives_nothing() {
        assert_eq!(taken(&mut Bucket::new(0, Duration::from_secs(1), 1), Moment::START), 0);
    }
}
