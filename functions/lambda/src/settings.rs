//! The settings of the function, from its environment variables.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, Write as _},
    num::NonZeroUsize,
    ops::RangeInclusive,
    str::FromStr,
    thread,
    time::Duration,
};

use saltern_policy::{FirebaseProject, Limits, Policies};
use saltern_pool::{Argon2Lanes, PoolSettings, QueueLimits};
use saltern_service::{Blocklist, Upgrades};
use tracing::level_filters::STATIC_MAX_LEVEL;

use crate::{FunctionSize, fatal_error::FatalError, policies};

/// The checked settings.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) policies: Policies,
    pub(crate) pool: PoolSettings,
    pub(crate) upgrades: Upgrades,
    pub(crate) blocklist: Option<Blocklist>,
    /// The function's name, which is a dimension of its metrics.
    pub(crate) function: String,
    /// Whether a request waits for this start. Provisioned environments and Managed Instances start
    /// before their first request.
    pub(crate) starts_cold: bool,
    /// Whether the environment is never frozen, as on Managed Instances.
    pub(crate) is_always_awake: bool,
    pub(crate) distributions: Distributions,
    source: String,
}

/// The destination of distributions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Distributions {
    /// CloudWatch's API.
    Sent { region: String, interval: Duration },
    /// The log, together with the counts.
    Printed,
}

impl Settings {
    /// Reads the variables and the policy document.
    ///
    /// # Errors
    /// [`FatalError`] if one of them is invalid.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<OsString>,
        firebase_project: Option<FirebaseProject>,
    ) -> Result<Self, FatalError> {
        let machine = Machine::read(&variable)?;
        let limits = Limits {
            workers: machine.workers().get(),
            memory_budget_bytes: machine.memory_budget_bytes()?,
            shares_memory: false,
            lowered_ceilings: parsed(&variable, CEILINGS)?.unwrap_or_default(),
            accepted_weak: parsed(&variable, ACCEPT_WEAK)?.unwrap_or_default(),
            firebase_project,
        };
        let document = policies::find(&variable)?;
        let policies = Policies::load(&document.bytes, &limits)
            .map_err(|error| FatalError::new(format!("{}: {error}", document.source)))?;
        let kernels = parsed(&variable, KERNELS)?.unwrap_or_default();
        let holders = policies.holders();
        let pool = PoolSettings {
            kernels,
            holders,
            queue: machine.queue(),
            argon2_lanes: parsed(&variable, ARGON2_LANES)?.or_else(|| machine.argon2_lanes()),
            kept_bytes: limits.memory_budget_bytes / holders.get() as u64,
            ..PoolSettings::new(machine.workers())
        };
        Ok(Self {
            policies,
            pool,
            upgrades: parsed(&variable, UPGRADES)?.unwrap_or_default(),
            blocklist: text(&variable, BLOCKLIST)?
                .map(|file| Blocklist::open(file.as_ref()).map_err(FatalError::new))
                .transpose()?,
            function: text(&variable, FUNCTION)?.unwrap_or_default(),
            starts_cold: text(&variable, INITIALIZATION)?.is_none_or(|how| how == ON_DEMAND),
            is_always_awake: machine.is_concurrent(),
            distributions: Distributions::read(&variable)?,
            source: document.source,
        })
    }

    /// Prints the settings on the standard output.
    pub(crate) fn describe(&self) -> Result<(), FatalError> {
        let policies = &self.policies;
        writeln!(
            io::stdout(),
            "{}: valid, {} policies, current {}, decoy {}, {}; workers {}, kernels {}, log {}",
            self.source,
            policies.list().len(),
            policies.current().id(),
            policies.decoy().id(),
            policies.digest(),
            self.pool.workers,
            self.pool.kernels.name(),
            STATIC_MAX_LEVEL,
        )
        .map_err(|error| FatalError::new(format!("the result cannot be written ({error})")))
    }
}

impl Distributions {
    fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, FatalError> {
        let seconds = number(&variable, INTERVAL)?.unwrap_or(DEFAULT_INTERVAL_SECONDS);
        if !INTERVAL_SECONDS.contains(&seconds) {
            return Err(FatalError::new(format!(
                "{INTERVAL} is `{seconds}`: use {} to {}",
                INTERVAL_SECONDS.start(),
                INTERVAL_SECONDS.end()
            )));
        }
        let interval = Duration::from_secs(seconds);
        match text(&variable, DISTRIBUTIONS)?.as_deref() {
            // Lambda always sets the region. `cargo lambda watch` may not.
            None | Some("cloudwatch") => {
                Ok(text(&variable, REGION)?.map_or(Self::Printed, |region| Self::Sent { region, interval }))
            }
            Some("printed") => Ok(Self::Printed),
            Some(given) => {
                Err(FatalError::new(format!("{DISTRIBUTIONS} is `{given}`: use cloudwatch or printed")))
            }
        }
    }
}

/// The memory, concurrency and cores of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Machine {
    size: FunctionSize,
    cores: NonZeroUsize,
}

impl Machine {
    fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, FatalError> {
        for name in REQUIRED {
            text(&variable, name)?.ok_or_else(|| {
                FatalError::new(format!(
                    "{name} is not set: this program runs on AWS Lambda or under `cargo lambda watch`; elsewhere use `saltern serve`"
                ))
            })?;
        }
        let cores = thread::available_parallelism()
            .map_err(|error| FatalError::new(format!("the cores cannot be counted ({error})")))?;
        let size = FunctionSize {
            memory_mib: number(&variable, MEMORY)?.unwrap_or_default(),
            concurrency: number(&variable, CONCURRENCY)?.unwrap_or(1).max(1),
        };
        Ok(Self { size, cores })
    }

    /// A small function sees more cores than it may use. A large function may see fewer cores than
    /// its memory size includes.
    fn workers(self) -> NonZeroUsize {
        self.size.workers().min(self.cores)
    }

    fn memory_budget_bytes(self) -> Result<u64, FatalError> {
        self.size.memory_budget_bytes().ok_or_else(|| {
            FatalError::new(format!(
                "the function's {} MB leave no memory for hashes: the process and {} concurrent events need {} MB. Increase the memory or decrease the concurrency",
                self.size.memory_mib,
                self.size.concurrency,
                self.size.head_room_mib(),
            ))
        })
    }

    /// Classic Lambda needs no limits: it sends one request at a time. Only the operations of its
    /// batch can wait, and their number and deadline are bounded.
    fn queue(self) -> Option<QueueLimits> {
        self.is_concurrent().then(QueueLimits::default)
    }

    /// Classic Lambda ends too soon to learn the lanes.
    fn argon2_lanes(self) -> Option<Argon2Lanes> {
        (!self.is_concurrent()).then(Argon2Lanes::default)
    }

    fn is_concurrent(self) -> bool {
        self.size.concurrency > 1
    }
}

/// Reads a setting that `saltern serve` has too, by the same parser.
fn parsed<T: FromStr<Err: Display>>(
    variable: impl Fn(&str) -> Option<OsString>,
    name: &str,
) -> Result<Option<T>, FatalError> {
    let Some(given) = text(variable, name)? else { return Ok(None) };
    let parsed =
        given.parse::<T>().map_err(|error| FatalError::new(format!("{name} is `{given}`: {error}")))?;
    Ok(Some(parsed))
}

fn number(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<u64>, FatalError> {
    let Some(given) = text(variable, name)? else { return Ok(None) };
    let number =
        given.parse().map_err(|_| FatalError::new(format!("{name} is `{given}`: use a whole number")))?;
    Ok(Some(number))
}

/// Returns a variable as text. An empty variable counts as not set.
pub(crate) fn text(
    variable: impl Fn(&str) -> Option<OsString>,
    name: &str,
) -> Result<Option<String>, FatalError> {
    let given = variable(name).filter(|given| !given.is_empty()).map(OsString::into_string).transpose();
    given.map_err(|_| FatalError::new(format!("{name} is not UTF-8")))
}

/// Variables that Lambda sets. `lambda_runtime` panics without them.
const REQUIRED: [&str; 4] = ["AWS_LAMBDA_RUNTIME_API", FUNCTION, "AWS_LAMBDA_FUNCTION_VERSION", MEMORY];

/// The function's name.
pub(crate) const FUNCTION: &str = "AWS_LAMBDA_FUNCTION_NAME";

/// The AWS region of the function.
pub(crate) const REGION: &str = "AWS_REGION";

/// The reason for the start of the environment (Lambda developer guide, "Defined runtime
/// environment variables").
const INITIALIZATION: &str = "AWS_LAMBDA_INITIALIZATION_TYPE";
const ON_DEMAND: &str = "on-demand";

/// The function's memory in MiB, which AWS calls MB.
const MEMORY: &str = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";

/// The most concurrent events of the process. Lambda sets it on Managed Instances.
const CONCURRENCY: &str = "AWS_LAMBDA_MAX_CONCURRENCY";

/// Argon2 hashes at once on each core.
const ARGON2_LANES: &str = "SALTERN_ARGON2_LANES";

/// The kernels: `lanes` or `crates`.
const KERNELS: &str = "SALTERN_KERNELS";

/// Unsalted and fast schemes whose hashes are verified too.
const ACCEPT_WEAK: &str = "SALTERN_ACCEPT_WEAK";

/// The share of upgrades: `on`, `off` or `N%`.
const UPGRADES: &str = "SALTERN_UPGRADES";

/// The file with breached passwords, in a layer.
const BLOCKLIST: &str = "SALTERN_BLOCKLIST";

/// Lowered ceilings of the policy document.
const CEILINGS: &str = "SALTERN_CEILINGS";

/// The destination of distributions: `cloudwatch` or `printed`.
const DISTRIBUTIONS: &str = "SALTERN_DISTRIBUTIONS";

/// The shortest time between two calls of CloudWatch, in seconds.
const INTERVAL: &str = "SALTERN_DISTRIBUTIONS_SECONDS";
const INTERVAL_SECONDS: RangeInclusive<u64> = 1..=300;

/// With this interval a thousand environments make about 25 calls a second, and a region accepts
/// 500.
const DEFAULT_INTERVAL_SECONDS: u64 = 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(memory_mib: u64, cores: usize, concurrency: u64) -> Machine {
        let size = FunctionSize { memory_mib, concurrency };
        Machine { size, cores: NonZeroUsize::new(cores).unwrap() }
    }

    #[test]
    fn there_are_no_more_workers_than_cores() {
        for (memory_mib, cores, workers) in [(1769, 2, 1), (10_240, 6, 6), (8192, 2, 2)] {
            assert_eq!(machine(memory_mib, cores, 1).workers().get(), workers, "{memory_mib} MB");
        }
    }

    #[test]
    fn only_a_concurrent_function_has_a_queue() {
        assert!(machine(2048, 2, 1).queue().is_none());
        assert!(machine(2048, 2, 2).queue().is_some());
    }

    #[test]
    fn distributions_are_sent_by_default() {
        let read = |set: &'static [(&str, &str)]| {
            Distributions::read(|name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into()))
        };
        let sent = |seconds| Distributions::Sent {
            region: "eu-north-1".to_owned(),
            interval: Duration::from_secs(seconds),
        };
        assert_eq!(read(&[("AWS_REGION", "eu-north-1")]), Ok(sent(30)));
        assert_eq!(read(&[("AWS_REGION", "eu-north-1"), (INTERVAL, "1")]), Ok(sent(1)));
        assert_eq!(
            read(&[("AWS_REGION", "eu-north-1"), (DISTRIBUTIONS, "printed")]),
            Ok(Distributions::Printed)
        );
        assert_eq!(read(&[]), Ok(Distributions::Printed));
        for wrong in [(DISTRIBUTIONS, "statsd"), (INTERVAL, "0"), (INTERVAL, "301"), (INTERVAL, "soon")] {
            assert!(
                Distributions::read(|name| (name == wrong.0).then(|| wrong.1.into())).is_err(),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn the_error_names_a_missing_variable_of_lambda() {
        let error = Settings::read(|_| None, None).unwrap_err();
        assert!(format!("{error:?}").contains("AWS_LAMBDA_RUNTIME_API is not set"), "{error:?}");
    }
}
