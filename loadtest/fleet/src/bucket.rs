use core::time::Duration;

/// A quota with a continuous refill and a fixed capacity.
///
/// Its only state is the time when it would be full again. So it computes in whole nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// The time between two units of the refill.
    every: Duration,
    /// The time to refill it from empty.
    to_fill: Duration,
    full_at: Duration,
}

impl Bucket {
    /// Returns a full quota of `units`, at least one, which refill in `refilled_in`.
    pub(crate) fn new(units: u64, refilled_in: Duration) -> Self {
        let every = refilled_in / u32::try_from(units).unwrap_or(u32::MAX);
        Self { every, to_fill: refilled_in, full_at: Duration::ZERO }
    }

    /// Takes a unit. Returns whether one was available.
    pub(crate) fn take(&mut self, now: Duration) -> bool {
        let full_at = self.full_at.max(now) + self.every;
        let is_available = full_at <= now + self.to_fill;
        if is_available {
            self.full_at = full_at;
        }
        is_available
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refill_is_continuous_and_never_exceeds_the_capacity() {
        let mut bucket = Bucket::new(1000, Duration::from_secs(10));
        for (milliseconds, available) in [(0, 1000), (9, 0), (10, 1), (1000, 99), (3_600_000, 1000)] {
            let at = Duration::from_millis(milliseconds);
            let taken = (0..10_000).take_while(|_| bucket.take(at)).count();
            assert_eq!(taken, available, "after {milliseconds} ms");
        }
    }
}
