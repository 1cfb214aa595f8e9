//! Lambda's quotas, of the file that Terraform also reads.

use std::{sync::LazyLock, time::Duration};

use saltern_capacity::Sourced;
use serde::{Deserialize, Deserializer};

/// Lambda's quotas, and the reserve for capacity plans.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Limits {
    /// The concurrency quota of an account in a region that has requested no other.
    #[serde(deserialize_with = "number")]
    pub(crate) account_concurrency_default: u64,
    /// The concurrency quota of an account in a region that plans of large events assume.
    #[serde(deserialize_with = "number")]
    pub(crate) account_concurrency_raised: u64,
    /// Requests a second for each unit of concurrency, of the account or of the function's reserved
    /// concurrency.
    #[serde(deserialize_with = "number")]
    pub(crate) requests_per_second_per_concurrency: u64,
    /// New environments of a function in ten seconds.
    #[serde(deserialize_with = "number")]
    pub(crate) environments_per_ten_seconds: u64,
    /// Concurrency of the account that no function may reserve.
    #[serde(deserialize_with = "number")]
    pub(crate) concurrency_left_unreserved: u64,
    /// New provisioned environments in a minute.
    #[serde(deserialize_with = "number")]
    pub(crate) provisioned_environments_per_minute: u64,
    /// The time until the first provisioned environment.
    #[serde(rename = "provisioned_start_minutes", deserialize_with = "minutes")]
    pub(crate) provisioned_start: Duration,
    /// Calls of CloudWatch's `PutMetricData` a second, of an account in a region.
    #[serde(deserialize_with = "number")]
    pub(crate) put_metric_data_per_second: u64,
    /// The time from the request for an event's capacity to the start of the event.
    #[serde(rename = "event_lead_minutes", deserialize_with = "minutes")]
    pub(crate) event_lead: Duration,
    /// The share of the provisioned concurrency in use, in percent.
    #[serde(deserialize_with = "number")]
    pub(crate) target_utilisation_percent: u64,
}

impl Limits {
    /// Returns the limits of `infra/modules/password-hasher/limits.json`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub(crate) fn documented() -> &'static Self {
        static DOCUMENTED: LazyLock<Limits> =
            LazyLock::new(|| serde_json::from_str(DOCUMENT).expect("limits.json has the limits"));
        &DOCUMENTED
    }
}

const DOCUMENT: &str = include_str!("../../../infra/modules/password-hasher/limits.json");

fn number<'de, D: Deserializer<'de>>(file: D) -> Result<u64, D::Error> {
    Sourced::deserialize(file).map(|number| number.value)
}

fn minutes<'de, D: Deserializer<'de>>(file: D) -> Result<Duration, D::Error> {
    number(file).map(Duration::from_mins)
}
