//! How the function is set up, as far as Lambda and its bill care.

use core::time::Duration;

use saltern_capacity::{Architecture, Durations, Lanes, Limits, Parameters, Planned};
use serde::Serialize;

use crate::failure::Failure;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Function {
    pub(crate) memory_mb: u64,
    pub(crate) architecture: Architecture,
    pub(crate) lanes: Lanes,
    pub(crate) account_concurrency: u64,
    pub(crate) reserved: Option<u64>,
    pub(crate) provisioned: Option<ProvisionedConcurrency>,
    pub(crate) managed: Option<ManagedInstances>,
    pub(crate) cold_start_ms: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ProvisionedConcurrency {
    pub(crate) environments: u64,
    /// From the start of the model; before it where negative.
    pub(crate) asked_at_seconds: i64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ManagedInstances {
    pub(crate) environments: u64,
    /// Of one environment.
    pub(crate) requests_at_once: u64,
    /// Of one environment.
    pub(crate) vcpus: u64,
    /// Of one environment, its share of an instance: no file of ours has prices of EC2.
    pub(crate) ec2_usd_per_hour: f64,
}

#[cfg(test)]
impl Function {
    /// As Lambda gives it to whoever asks for nothing, with one virtual CPU: where the tests begin.
    pub(crate) fn unprepared() -> Self {
        Self {
            memory_mb: Durations::documented().reference_memory_mb(),
            architecture: Architecture::Arm64,
            lanes: Lanes::SideBySide,
            account_concurrency: 1000,
            reserved: None,
            provisioned: None,
            managed: None,
            cold_start_ms: 164,
        }
    }
}

impl Function {
    /// Refuses what Lambda would.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Failure> {
        let to_give = self.account_concurrency.saturating_sub(limits.concurrency_left_unreserved);
        let refuse = |sentence: String| Err(Failure::configuration(sentence));
        if let Some(reserved) = self.reserved.filter(|&reserved| reserved > to_give) {
            return refuse(format!(
                "--reserved {reserved} is more than the account has: {} of its {} always stay unreserved; raise --account-concurrency",
                limits.concurrency_left_unreserved, self.account_concurrency
            ));
        }
        let provisioned = self.provisioned.map_or(0, |provisioned| provisioned.environments);
        let most = self.reserved.unwrap_or(to_give);
        if provisioned > most {
            return refuse(format!(
                "--provisioned {provisioned} is more than the function may have, which is {most}: raise {}",
                if self.reserved.is_some() { "--reserved" } else { "--account-concurrency" }
            ));
        }
        if self.managed.is_some() && (self.reserved.is_some() || self.provisioned.is_some()) {
            return refuse("Managed Instances have neither reserved nor provisioned concurrency: leave --reserved and --provisioned out".to_owned());
        }
        Ok(())
    }

    /// The smallest of the numbers of environments that decide who is served.
    pub(crate) fn fewest_environments(&self) -> u64 {
        if let Some(managed) = self.managed {
            return managed.environments;
        }
        let quota = self.reserved.unwrap_or(self.account_concurrency);
        self.provisioned.map_or(quota, |provisioned| quota.min(provisioned.environments))
    }

    /// How long so many hashes of one request take in the median, with so many such requests in one environment.
    pub(crate) fn planned(
        &self,
        durations: &Durations,
        parameters: Parameters,
        hashes: u64,
        company: u64,
    ) -> Result<Planned, Failure> {
        // On Managed Instances memory and virtual CPUs are bought apart.
        let memory_mb =
            self.managed.map_or(self.memory_mb, |managed| managed.vcpus * durations.reference_memory_mb());
        durations
            .batch(parameters, self.architecture, memory_mb, hashes * company, self.lanes)
            .ok_or_else(|| Failure::configuration(format!("no duration on Lambda is known for {parameters}")))
    }

    pub(crate) fn cold_start(&self) -> Duration {
        Duration::from_millis(self.cold_start_ms)
    }
}
