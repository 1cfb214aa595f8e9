use core::{
    ops::{Add, Sub},
    time::Duration,
};

/// A point in the model's time: nanoseconds from its start, negative before it.
///
/// The door's is the clock's; in simulated time it is whatever the next event says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(i64);

impl Moment {
    /// The start of the model.
    pub(crate) const START: Self = Self(0);

    /// After everything.
    pub(crate) const END: Self = Self(i64::MAX);

    pub(crate) fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// Whole seconds since the start; 0 before it.
    pub(crate) fn second(self) -> usize {
        usize::try_from(self.0 / NANOS_PER_SECOND).unwrap_or(0)
    }

    /// From an earlier moment; none from a later one.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanos(duration)))
    }
}

impl Sub<Duration> for Moment {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(duration)))
    }
}

/// Two centuries fit.
fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;
