use core::{
    ops::{Add, Sub},
    time::Duration,
};

/// A point in the time of the model: nanoseconds from its start, negative before it.
///
/// The door uses the real clock. In the simulation the next event sets the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(i64);

impl Moment {
    /// The start of the model.
    pub(crate) const START: Self = Self(0);

    /// Later than every other moment.
    pub(crate) const END: Self = Self(i64::MAX);

    pub(crate) fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// Returns the whole seconds since the start, or 0 before it.
    pub(crate) fn second(self) -> usize {
        usize::try_from(self.0 / NANOS_PER_SECOND).unwrap_or(0)
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
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

/// 64 bits hold more than two centuries.
fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;
