//! The capacity that an audience needs. Terraform computes the same.

use std::time::Duration;

use crate::limits::Limits;

/// The load and the account's quota.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Hashes a second, for logins, registrations and resets.
    pub(crate) logins_per_second: u64,
    /// The time of one request with its whole batch.
    pub(crate) per_request: Duration,
    /// Hashes of one request, at least 1.
    pub(crate) batch: u64,
    /// The account's quota of concurrent executions in the region.
    pub(crate) account_concurrency: u64,
}

/// The capacity for a [`Demand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// The average number of environments in use.
    pub(crate) environments: u64,
    /// The provisioned concurrency: the environments and a reserve for uneven load. Below about a
    /// hundred environments random variation sometimes exceeds the reserve, and a few requests go
    /// to cold environments.
    pub(crate) provisioned: u64,
    /// The concurrency that the account and the function's reservation, if any, must have for the
    /// provisioned environments and for the rate of requests. Unused concurrency costs nothing.
    pub(crate) concurrency: u64,
    /// The time in which Lambda starts all environments at its documented rate, the first thousand
    /// at once.
    pub(crate) from_cold: Duration,
    /// Whether the account's quota allows this concurrency.
    pub(crate) fits_account: bool,
}

impl Demand {
    /// Computes the capacity, in integers: in floating point some results are one too high.
    ///
    /// The number of environments is requests a second × seconds, rounded up. The quota on requests
    /// a second needs concurrency, not environments.
    #[must_use]
    pub(crate) fn capacity(&self, limits: &Limits) -> Capacity {
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Terraform's tests and `infra/capacity-table` read the same table.
    #[test]
    fn the_formula_gives_every_row_of_the_table() {
        let table: Value =
            serde_json::from_str(include_str!("../../../infra/modules/password-hasher/capacity-table.json"))
                .unwrap();
        let rows = table["rows"].as_array().unwrap();
        assert!(rows.len() >= 24, "only {} rows", rows.len());
        for row in rows {
            let number = |value: &Value| value.as_u64().unwrap();
            let demand = Demand {
                logins_per_second: number(&row["logins_per_second"]),
                per_request: Duration::from_millis(number(&row["milliseconds_per_request"])),
                batch: number(&row["batch"]),
                account_concurrency: number(&row["account_concurrency"]),
            };
            let capacity = demand.capacity(Limits::documented());
            let expected = &row["expected"];
            assert_eq!(
                (
                    capacity.environments,
                    capacity.provisioned,
                    capacity.concurrency,
                    capacity.from_cold,
                    capacity.fits_account
                ),
                (
                    number(&expected["environments"]),
                    number(&expected["provisioned"]),
                    number(&expected["concurrency"]),
                    Duration::from_millis(number(&expected["milliseconds_from_cold"])),
                    expected["fits_account"].as_bool().unwrap(),
                ),
                "{}",
                row["name"]
            );
        }
    }
}
