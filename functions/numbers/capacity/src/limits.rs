use core::ops::RangeInclusive;
use std::{sync::LazyLock, time::Duration};

use serde::Deserialize;

use crate::file::{Sourced, Unreadable};

/// The range of a function's memory in MB (Lambda developer guide, "Lambda quotas").
pub const FUNCTION_MEMORY_MB: RangeInclusive<u64> = 128..=10_240;

/// Lambda's quotas, and the reserve for capacity plans.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests a second for each unit of concurrency, of the account or of the function's reserved
    /// concurrency.
    pub requests_per_second_per_concurrency: u64,
    /// New environments of a function in ten seconds.
    pub environments_per_ten_seconds: u64,
    /// Concurrency of the account that no function may reserve.
    pub concurrency_left_unreserved: u64,
    /// New provisioned environments in a minute.
    pub provisioned_environments_per_minute: u64,
    /// The time until the first provisioned environment.
    pub provisioned_start: Duration,
    /// The share of the provisioned concurrency in use, in percent.
    pub target_utilisation_percent: u64,
}

impl Limits {
    /// Returns the limits of `infra/modules/password-hasher/limits.json`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub fn documented() -> &'static Self {
        static DOCUMENTED: LazyLock<Limits> = LazyLock::new(|| {
            let text = include_str!("../../../../infra/modules/password-hasher/limits.json");
            Limits::read(text).expect("limits.json has the limits")
        });
        &DOCUMENTED
    }

    fn read(text: &str) -> Result<Self, Unreadable> {
        let file: File = serde_json::from_str(text).map_err(Unreadable::new)?;
        Ok(Self {
            requests_per_second_per_concurrency: file.requests_per_second_per_concurrency.value,
            environments_per_ten_seconds: file.environments_per_ten_seconds.value,
            concurrency_left_unreserved: file.concurrency_left_unreserved.value,
            provisioned_environments_per_minute: file.provisioned_environments_per_minute.value,
            provisioned_start: Duration::from_secs(60 * file.provisioned_start_minutes.value),
            target_utilisation_percent: file.target_utilisation_percent.value,
        })
    }
}

#[derive(Deserialize)]
struct File {
    requests_per_second_per_concurrency: Sourced<u64>,
    environments_per_ten_seconds: Sourced<u64>,
    concurrency_left_unreserved: Sourced<u64>,
    provisioned_environments_per_minute: Sourced<u64>,
    provisioned_start_minutes: Sourced<u64>,
    target_utilisation_percent: Sourced<u64>,
}
