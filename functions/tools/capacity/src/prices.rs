use std::{sync::LazyLock, time::Duration};

use serde::Deserialize;

use super::{Architecture, file::Sourced};

/// List prices.
#[derive(Clone, Debug, Deserialize)]
pub struct Prices {
    arm64_on_demand_usd_per_gb_second: Sourced<f64>,
    arm64_provisioned_idle_usd_per_gb_second: Sourced<f64>,
    arm64_provisioned_run_usd_per_gb_second: Sourced<f64>,
    x86_64_on_demand_usd_per_gb_second: Sourced<f64>,
    x86_64_provisioned_idle_usd_per_gb_second: Sourced<f64>,
    x86_64_provisioned_run_usd_per_gb_second: Sourced<f64>,
    requests_usd_per_million: Sourced<f64>,
    provisioned_billed_minutes_at_least: Sourced<f64>,
}

/// US dollars for a GB-second.
#[derive(Clone, Copy, Debug)]
struct Compute {
    on_demand: f64,
    provisioned_idle: f64,
    provisioned_run: f64,
}

/// The billed usage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Requests that reached the function. Lambda does not bill its 429 responses.
    pub requests: u64,
    /// GB-seconds of environments on demand, cold starts included.
    pub on_demand_gb_seconds: f64,
    /// GB-seconds of provisioned concurrency, idle or in use.
    pub provisioned_gb_seconds: f64,
    /// GB-seconds of requests on provisioned concurrency.
    pub provisioned_run_gb_seconds: f64,
}

impl Prices {
    /// Returns the prices of `infra/modules/password-hasher/prices.json`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub fn listed() -> &'static Self {
        static LISTED: LazyLock<Prices> =
            LazyLock::new(|| serde_json::from_str(DOCUMENT).expect("prices.json has the prices"));
        &LISTED
    }

    /// Returns the cost of a usage in US dollars.
    #[must_use]
    pub fn usd(&self, architecture: Architecture, usage: &Usage) -> f64 {
        let compute = self.compute(architecture);
        usage.on_demand_gb_seconds * compute.on_demand
            + usage.provisioned_gb_seconds * compute.provisioned_idle
            + usage.provisioned_run_gb_seconds * compute.provisioned_run
            + count(usage.requests) * self.requests_usd_per_million.value / 1e6
    }

    /// Returns the cost of a million logins on demand in US dollars. Each request has a batch of
    /// logins.
    #[must_use]
    pub fn usd_per_million(
        &self,
        architecture: Architecture,
        memory_mb: u64,
        per_request: Duration,
        batch: u64,
    ) -> f64 {
        let requests = 1e6 / count(batch.max(1));
        let each = gb_seconds(memory_mb, billed(per_request)) * self.compute(architecture).on_demand;
        requests * (each + self.requests_usd_per_million.value / 1e6)
    }

    /// Returns the shortest billed time of provisioned concurrency.
    #[must_use]
    pub fn provisioned_billed_at_least(&self) -> Duration {
        Duration::from_secs_f64(60.0 * self.provisioned_billed_minutes_at_least.value)
    }

    fn compute(&self, architecture: Architecture) -> Compute {
        match architecture {
            Architecture::Arm64 => Compute {
                on_demand: self.arm64_on_demand_usd_per_gb_second.value,
                provisioned_idle: self.arm64_provisioned_idle_usd_per_gb_second.value,
                provisioned_run: self.arm64_provisioned_run_usd_per_gb_second.value,
            },
            Architecture::X86_64 => Compute {
                on_demand: self.x86_64_on_demand_usd_per_gb_second.value,
                provisioned_idle: self.x86_64_provisioned_idle_usd_per_gb_second.value,
                provisioned_run: self.x86_64_provisioned_run_usd_per_gb_second.value,
            },
        }
    }
}

const DOCUMENT: &str = include_str!("../../../../infra/modules/password-hasher/prices.json");

/// Returns GB-seconds. AWS writes MB for MiB; a GB has 1,024 of them.
#[must_use]
pub fn gb_seconds(memory_mb: u64, time: Duration) -> f64 {
    count(memory_mb) / 1024.0 * time.as_secs_f64()
}

/// Returns the billed time of a run, which is rounded up to milliseconds.
#[must_use]
pub fn billed(run: Duration) -> Duration {
    let ms = run.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(ms).unwrap_or(u64::MAX))
}

#[expect(clippy::cast_precision_loss, reason = "a bill has fewer than fifteen digits")]
fn count(number: u64) -> f64 {
    number as f64
}
