use core::ops::RangeInclusive;
use std::{sync::LazyLock, time::Duration};

use serde::{Deserialize, Deserializer};

use crate::file::Sourced;

/// The range of a function's memory in MB (Lambda developer guide, "Lambda quotas").
pub const FUNCTION_MEMORY_MB: RangeInclusive<u64> = 128..=10_240;

/// Lambda's quotas, and the reserve for capacity plans.
#[derive(Clone, Debug, Deserialize)]
pub struct Limits {
    /// Requests a second for each unit of concurrency, of the account or of the function's reserved
    /// concurrency.
    #[serde(deserialize_with = "number")]
    pub requests_per_second_per_concurrency: u64,
    /// New environments of a function in ten seconds.
    #[serde(deserialize_with = "number")]
    pub environments_per_ten_seconds: u64,
    /// Concurrency of the account that no function may reserve.
    #[serde(deserialize_with = "number")]
    pub concurrency_left_unreserved: u64,
    /// New provisioned environments in a minute.
    #[serde(deserialize_with = "number")]
    pub provisioned_environments_per_minute: u64,
    /// The time until the first provisioned environment.
    #[serde(rename = "provisioned_start_minutes", deserialize_with = "minutes")]
    pub provisioned_start: Duration,
    /// The share of the provisioned concurrency in use, in percent.
    #[serde(deserialize_with = "number")]
    pub target_utilisation_percent: u64,
}

impl Limits {
    /// Returns the limits of `infra/modules/password-hasher/limits.json`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub fn documented() -> &'static Self {
        static DOCUMENTED: LazyLock<Limits> = LazyLock::new(|| {
            let text = include_str!("../../../../infra/modules/password-hasher/limits.json");
            serde_json::from_str(text).expect("limits.json has the limits")
        });
        &DOCUMENTED
    }
}

fn number<'de, D: Deserializer<'de>>(file: D) -> Result<u64, D::Error> {
    Sourced::deserialize(file).map(|number| number.value)
}

fn minutes<'de, D: Deserializer<'de>>(file: D) -> Result<Duration, D::Error> {
    number(file).map(Duration::from_mins)
}
