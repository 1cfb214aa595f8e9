use std::time::Duration;

use crate::Limits;

/// What comes, and what there is.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Logins, registrations and resets: hashes a second.
    pub logins_per_second: u64,
    /// One request, with its whole batch.
    pub per_request: Duration,
    /// Hashes of one request, at least 1.
    pub batch: u64,
    /// The account's quota of concurrency in the region.
    pub account_concurrency: u64,
}

/// What that needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Environments at work at once, on average.
    pub environments: u64,
    /// Provisioned concurrency to ask for: the environments, and head room for what comes unevenly. Below some hundred
    /// environments chance swings wider than that room now and then, and a few requests spill over to cold ones.
    pub provisioned: u64,
    /// Concurrency that the account, and the function's reservation if it has one, must have: for the provisioned
    /// environments, and for so many requests a second. More of it than of environments costs nothing.
    pub concurrency: u64,
    /// How long Lambda takes to start the environments from none, at its documented pace: the first thousand at once.
    pub from_cold: Duration,
    /// Whether the account has so much concurrency to give.
    pub fits_account: bool,
}

impl Demand {
    /// The capacity formula. In integers: in floating point some results come out one too high.
    ///
    /// The environments are the work, requests a second × seconds, rounded up. The quota on requests a second is one on
    /// their total, so it asks for concurrency and not for environments.
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
