//! The configuration of the function on Lambda.

use core::time::Duration;

use saltern_algorithm::Kernels;
use saltern_capacity::{Architecture, Durations, Limits, Planned, name_of};
use saltern_encoded::Params;
use serde::{Serialize, Serializer};

use saltern_program::Failure;

use crate::assumptions;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Function {
    pub(crate) memory_mb: u64,
    pub(crate) architecture: Architecture,
    #[serde(rename = "lanes", serialize_with = "lanes")]
    pub(crate) kernels: Kernels,
    pub(crate) account_concurrency: u64,
    pub(crate) reserved: Option<u64>,
    pub(crate) provisioned: Option<ProvisionedConcurrency>,
    pub(crate) managed: Option<ManagedInstances>,
    pub(crate) cold_start_ms: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ProvisionedConcurrency {
    pub(crate) environments: u64,
    /// The time of the order, from the start of the model. Negative before it.
    pub(crate) asked_at_seconds: i64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ManagedInstances {
    pub(crate) environments: u64,
    /// Concurrent requests of one environment.
    pub(crate) requests_at_once: u64,
    /// Virtual CPUs of one environment.
    pub(crate) vcpus: u64,
    /// The price of the share of an instance that one environment uses. No file of this project has
    /// EC2 prices.
    pub(crate) ec2_usd_per_hour: f64,
}

impl Function {
    /// Returns a function with the defaults of Lambda and one virtual CPU.
    pub(crate) fn unprepared() -> Self {
        Self {
            memory_mb: Durations::documented().reference_memory_mb(),
            architecture: Architecture::Arm64,
            kernels: Kernels::default(),
            account_concurrency: Limits::documented().account_concurrency_default,
            reserved: None,
            provisioned: None,
            managed: None,
            cold_start_ms: assumptions::ENVIRONMENT_MS + assumptions::INIT_MS,
        }
    }

    /// Rejects a configuration that Lambda rejects.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Failure> {
        let reservable = self.account_concurrency.saturating_sub(limits.concurrency_left_unreserved);
        let refuse = |sentence: String| Err(Failure::configuration(sentence));
        if let Some(reserved) = self.reserved.filter(|&reserved| reserved > reservable) {
            return refuse(format!(
                "--reserved {reserved} is more than the account allows, because {} of its {} always stay unreserved: raise --account-concurrency",
                limits.concurrency_left_unreserved, self.account_concurrency
            ));
        }
        let provisioned = self.provisioned.map_or(0, |provisioned| provisioned.environments);
        let most = self.reserved.unwrap_or(reservable);
        if provisioned > most {
            return refuse(format!(
                "--provisioned {provisioned} is more than the limit of the function, which is {most}: raise {}",
                if self.reserved.is_some() { "--reserved" } else { "--account-concurrency" }
            ));
        }
        if self.managed.is_some() && (self.reserved.is_some() || self.provisioned.is_some()) {
            return refuse("Managed Instances have neither reserved nor provisioned concurrency: remove --reserved and --provisioned".to_owned());
        }
        Ok(())
    }

    /// Returns the smallest limit on environments.
    pub(crate) fn fewest_environments(&self) -> u64 {
        if let Some(managed) = self.managed {
            return managed.environments;
        }
        let quota = self.reserved.unwrap_or(self.account_concurrency);
        self.provisioned.map_or(quota, |provisioned| quota.min(provisioned.environments))
    }

    /// Returns the median time of a request with `hashes` hashes, with `company` such requests in
    /// the environment.
    ///
    /// # Errors
    /// [`Failure`] if no duration is known for the parameters.
    pub(crate) fn planned(
        &self,
        durations: &Durations,
        params: Params,
        hashes: u64,
        company: u64,
    ) -> Result<Planned, Failure> {
        // On Managed Instances memory and virtual CPUs are independent.
        let memory_mb =
            self.managed.map_or(self.memory_mb, |managed| managed.vcpus * durations.reference_memory_mb());
        durations.batch(params, self.architecture, memory_mb, hashes * company, self.kernels).ok_or_else(
            || {
                Failure::configuration(format!(
                    "no duration on Lambda is known for {}: add it to a file of durations",
                    name_of(params)
                ))
            },
        )
    }

    pub(crate) fn cold_start(&self) -> Duration {
        Duration::from_millis(self.cold_start_ms)
    }
}

/// Writes the kernels as the published series have them.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
fn lanes<S: Serializer>(kernels: &Kernels, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kernels {
        Kernels::Own => "side_by_side",
        Kernels::Crates => "one_by_one",
    })
}
