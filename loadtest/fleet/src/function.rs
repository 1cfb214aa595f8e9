//! The configuration of the function on Lambda, as the command line has it.

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use saltern_capacity::{Architecture, Durations, FUNCTION_MEMORY_MB, Planned, name_of};
use saltern_encoded::Params;
use saltern_kernels::Kernels;
use saltern_server::Failure;
use serde::Serialize;

use crate::limits::Limits;

#[derive(Args, Clone, Debug, Serialize)]
pub(crate) struct Function {
    /// The memory of the function; 1,769 MB are one virtual CPU
    #[arg(long, value_name = "MB", default_value_t = Durations::documented().reference_memory_mb(), value_parser = clap::value_parser!(u64).range(FUNCTION_MEMORY_MB))]
    pub(crate) memory_mb: u64,
    #[arg(long, default_value = Architecture::Arm64.name(), value_parser = PossibleValuesParser::new(Architecture::ALL.map(Architecture::name)).try_map(|name| name.parse::<Architecture>()))]
    pub(crate) architecture: Architecture,
    /// The concurrency quota of the account in the region; 1,000 is the default of Lambda
    #[arg(long, value_name = "COUNT", default_value_t = Limits::documented().account_concurrency_default, value_parser = clap::value_parser!(u64).range(1..=MOST_ENVIRONMENTS))]
    pub(crate) account_concurrency: u64,
    /// Provisioned concurrency, ready before the start: it was ordered a quarter of an hour before
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MOST_ENVIRONMENTS))]
    pub(crate) provisioned: u64,
}

impl Function {
    /// Rejects a configuration that Lambda rejects.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let unreserved = Limits::documented().concurrency_left_unreserved;
        let most = self.account_concurrency.saturating_sub(unreserved);
        if self.provisioned > most {
            return Err(Failure::configuration(format!(
                "--provisioned {} is more than the account allows, which is {most}, because {unreserved} of its {} always stay unreserved: raise --account-concurrency",
                self.provisioned, self.account_concurrency
            )));
        }
        Ok(())
    }

    /// Returns the median time of a request with `hashes` hashes.
    ///
    /// # Errors
    /// [`Failure`] if no duration is known for the parameters.
    pub(crate) fn planned(
        &self,
        durations: &Durations,
        params: Params,
        hashes: u64,
    ) -> Result<Planned, Failure> {
        durations.batch(params, self.architecture, self.memory_mb, hashes, Kernels::default()).ok_or_else(
            || {
                Failure::configuration(format!(
                    "no duration on Lambda is known for {}: add it to a file of durations",
                    name_of(params)
                ))
            },
        )
    }
}

/// More than any AWS quota. So many provisioned environments are ready after the lead of an event.
pub(crate) const MOST_ENVIRONMENTS: u64 = 78_000;
