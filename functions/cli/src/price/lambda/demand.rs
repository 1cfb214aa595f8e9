use std::time::Duration;

use super::Limits;

/// The load and the account's quota.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Hashes a second, for logins, registrations and resets.
    pub logins_per_second: u64,
    /// The time of one request with its whole batch.
    pub per_request: Duration,
    /// Hashes of one request, at least 1.
    pub batch: u64,
    /// The account's quota of concurrent executions in the region.
    pub account_concurrency: u64,
}

/// The capacity for a [`Demand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The average number of environments in use.
    pub environments: u64,
    /// The provisioned concurrency: the environments and a reserve for uneven load. Below about a
    /// hundred environments random variation sometimes exceeds the reserve, and a few requests go
    /// to cold environments.
    pub provisioned: u64,
    /// The concurrency that the account and the function's reservation, if any, must have for the
    /// provisioned environments and for the rate of requests. Unused concurrency costs nothing.
    pub concurrency: u64,
    /// The time in which Lambda starts all environments at its documented rate, the first thousand
    /// at once.
    pub from_cold: Duration,
    /// Whether the account's quota allows this concurrency.
    pub fits_account: bool,
}

impl Demand {
    /// Computes the capacity, in integers: in floating point some results are one too high.
    ///
    /// The number of environments is requests a second × seconds, rounded up. The quota on requests
    /// a second needs concurrency, not environments.
    #[must_use]
    pub fn capacity(&self, limits: &Limits) -> Capacity {
        let logins = u128::from(self.logins_per_second);
        let batch = u128::from(self.batch.max(1));
        let environments = (logins * self.per_request.as_nanos()).div_ceil(batch * NANOS_PER_SECOND);
        let environments = u64::try_from(environments).unwrap_or(u64::MAX);
        let provisioned = environments.saturating_mul(100).div_ceil(limits.target_utilisation_percent);
        let by_rate = logins.div_ceil(batch * u128::from(limits.requests_per_second_per_concurrency));
        let concurrency = provisioned.max(u64::try_from(by_rate).unwrap_or(u64::MAX));
        let at_once = limits.environments_per_ten_seconds;
        let from_cold = Duration::from_secs(10).as_nanos() * u128::from(environments.saturating_sub(at_once))
            / u128::from(at_once);
        let to_give = self.account_concurrency.saturating_sub(limits.concurrency_left_unreserved);
        Capacity {
            environments,
            provisioned,
            concurrency,
            from_cold: Duration::from_nanos(u64::try_from(from_cold).unwrap_or(u64::MAX)),
            fits_account: concurrency <= to_give,
        }
    }
}

const NANOS_PER_SECOND: u128 = 1_000_000_000;
