//! What the environment says, made sense of.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, Write as _},
    num::NonZeroUsize,
    ops::RangeInclusive,
    path::Path,
    str::FromStr,
    thread,
    time::Duration,
};

use saltern_algorithm::{PoolSettings, QueueLimits};
use saltern_capacity::FunctionSize;
use saltern_policy::{FirebaseProject, Limits, Policies};
use tracing::level_filters::STATIC_MAX_LEVEL;

use crate::{fatal_error::FatalError as Refusal, policies};

/// What the function is made from.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) policies: Policies,
    pub(crate) pool: PoolSettings,
    /// The function's name, under which its metrics are.
    pub(crate) function: String,
    /// Whether a request is waiting for this start; provisioned environments and Managed Instances start ahead.
    pub(crate) starts_cold: bool,
    /// Whether the environment is never frozen, as on Managed Instances.
    pub(crate) is_always_awake: bool,
    pub(crate) distributions: Distributions,
    /// Whether calibrate events are answered.
    pub(crate) answers_calibrate: bool,
    /// The function's memory, in MB as AWS writes it.
    pub(crate) memory_mb: u64,
    source: String,
}

/// Where distributions go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Distributions {
    /// To CloudWatch, by its API.
    Sent { region: String, interval: Duration },
    /// Into the log, with all that is counted.
    Printed,
}

impl Settings {
    /// Reads the environment and the policy document that it leads to.
    ///
    /// # Errors
    /// [`Refusal`], one sentence that says what to do.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Refusal> {
        let machine = Machine::read(&variable)?;
        let firebase_project = text(&variable, FIREBASE_PROJECT)?
            .map(|file| FirebaseProject::read(Path::new(&file)))
            .transpose();
        let limits = Limits {
            workers: machine.workers().get(),
            memory_budget_bytes: machine.memory_budget_bytes()?,
            lowered_ceilings: parsed(&variable, CEILINGS)?.unwrap_or_default(),
            accepted_weak: parsed(&variable, ACCEPT_WEAK)?.unwrap_or_default(),
            firebase_project: firebase_project.map_err(|error| Refusal::new(error.to_string()))?,
        };
        let document = policies::find(&variable)?;
        let policies = Policies::load(&document.bytes, &limits)
            .map_err(|error| Refusal::new(format!("{}: {error}", document.source)))?;
        let kernels = parsed(&variable, KERNELS)?.unwrap_or_default();
        let pool = PoolSettings { kernels, queue: machine.queue(), ..PoolSettings::new(machine.workers()) };
        Ok(Self {
            policies,
            pool,
            function: text(&variable, FUNCTION)?.unwrap_or_default(),
            starts_cold: text(&variable, INITIALIZATION)?.is_none_or(|how| how == ON_DEMAND),
            is_always_awake: machine.is_concurrent(),
            distributions: Distributions::read(&variable)?,
            answers_calibrate: answers_calibrate(&variable)?,
            memory_mb: machine.size.memory_mib,
            source: document.source,
        })
    }

    /// Says on the standard output what was read.
    pub(crate) fn describe(&self) -> Result<(), Refusal> {
        let policies = &self.policies;
        writeln!(
            io::stdout(),
            "{}: consistent, {} policies, current {}, decoy {}, {}; workers {}, kernels {}, log {}",
            self.source,
            policies.list().len(),
            policies.current().id(),
            policies.decoy().id(),
            policies.digest(),
            self.pool.workers,
            self.pool.kernels.name(),
            STATIC_MAX_LEVEL,
        )
        .map_err(|error| Refusal::new(format!("the result cannot be written ({error})")))
    }
}

impl Distributions {
    fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Refusal> {
        let seconds = number(&variable, INTERVAL)?.unwrap_or(DEFAULT_INTERVAL_SECONDS);
        if !INTERVAL_SECONDS.contains(&seconds) {
            return Err(Refusal::new(format!(
                "{INTERVAL} is `{seconds}`: write {} to {}",
                INTERVAL_SECONDS.start(),
                INTERVAL_SECONDS.end()
            )));
        }
        let interval = Duration::from_secs(seconds);
        match text(&variable, DISTRIBUTIONS)?.as_deref() {
            // Lambda always names the region; what stands in for it may not.
            None | Some("cloudwatch") => {
                Ok(text(&variable, REGION)?.map_or(Self::Printed, |region| Self::Sent { region, interval }))
            }
            Some("printed") => Ok(Self::Printed),
            Some(given) => {
                Err(Refusal::new(format!("{DISTRIBUTIONS} is `{given}`: write cloudwatch or printed")))
            }
        }
    }
}

/// What the function was given to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Machine {
    size: FunctionSize,
    cores: NonZeroUsize,
}

impl Machine {
    fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Refusal> {
        for name in WANTED_BY_THE_RUNTIME {
            text(&variable, name)?.ok_or_else(|| {
                Refusal::new(format!(
                    "{name} is not set: this program runs on AWS Lambda or under `cargo lambda watch`; elsewhere use `saltern serve`"
                ))
            })?;
        }
        let cores = thread::available_parallelism()
            .map_err(|error| Refusal::new(format!("the cores cannot be counted ({error})")))?;
        let size = FunctionSize {
            memory_mib: number(&variable, MEMORY)?.unwrap_or_default(),
            concurrency: number(&variable, CONCURRENCY)?.unwrap_or(1).max(1),
        };
        Ok(Self { size, cores })
    }

    /// A small function sees more cores than it may use, and a large one may see fewer than it pays for.
    fn workers(self) -> NonZeroUsize {
        self.size.workers().min(self.cores)
    }

    fn memory_budget_bytes(self) -> Result<u64, Refusal> {
        self.size.memory_budget_bytes().ok_or_else(|| {
            Refusal::new(format!(
                "the function's {} MB leave no memory to hash with after {} MB for the process and {} events at once: give it more, or lower its concurrency",
                self.size.memory_mib,
                self.size.head_room_mib(),
                self.size.concurrency,
            ))
        })
    }

    /// Classic Lambda sends one request at a time, so what waits is one batch, bounded by its count and deadline.
    fn queue(self) -> Option<QueueLimits> {
        self.is_concurrent().then(QueueLimits::default)
    }

    fn is_concurrent(self) -> bool {
        self.size.concurrency > 1
    }
}

/// `SALTERN_CALIBRATE`: `on` or `off`.
fn answers_calibrate(variable: impl Fn(&str) -> Option<OsString>) -> Result<bool, Refusal> {
    match text(variable, CALIBRATE)?.as_deref() {
        None | Some("off") => Ok(false),
        Some("on") => Ok(true),
        Some(given) => Err(Refusal::new(format!("{CALIBRATE} is `{given}`: write on or off"))),
    }
}

/// Reads a setting that `saltern serve` has too, by the same parser.
fn parsed<T: FromStr<Err: Display>>(
    variable: impl Fn(&str) -> Option<OsString>,
    name: &str,
) -> Result<Option<T>, Refusal> {
    let Some(given) = text(variable, name)? else { return Ok(None) };
    let parsed = given.parse::<T>().map_err(|error| Refusal::new(format!("{name} is `{given}`: {error}")))?;
    Ok(Some(parsed))
}

fn number(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(given) = text(variable, name)? else { return Ok(None) };
    let number =
        given.parse().map_err(|_| Refusal::new(format!("{name} is `{given}`: write a whole number")))?;
    Ok(Some(number))
}

/// A variable's text; one that is set to nothing counts as not set.
fn text(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<String>, Refusal> {
    let given = variable(name).filter(|given| !given.is_empty()).map(OsString::into_string).transpose();
    given.map_err(|_| Refusal::new(format!("{name} is not UTF-8")))
}

/// Set by Lambda; `lambda_runtime` panics without them.
const WANTED_BY_THE_RUNTIME: [&str; 4] =
    ["AWS_LAMBDA_RUNTIME_API", FUNCTION, "AWS_LAMBDA_FUNCTION_VERSION", MEMORY];

/// The function's name.
const FUNCTION: &str = "AWS_LAMBDA_FUNCTION_NAME";

/// Where the function runs.
const REGION: &str = "AWS_REGION";

/// How the environment came to be started (Lambda developer guide, "Defined runtime environment variables").
const INITIALIZATION: &str = "AWS_LAMBDA_INITIALIZATION_TYPE";
const ON_DEMAND: &str = "on-demand";

/// The function's memory. AWS writes MB and means MiB.
const MEMORY: &str = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";

/// Events at once; set on Managed Instances.
const CONCURRENCY: &str = "AWS_LAMBDA_MAX_CONCURRENCY";

/// Which code computes.
const KERNELS: &str = "SALTERN_KERNELS";

/// Unsalted and fast schemes that are verified all the same.
const ACCEPT_WEAK: &str = "SALTERN_ACCEPT_WEAK";

/// The Firebase project whose hashes are verified.
const FIREBASE_PROJECT: &str = "SALTERN_FIREBASE_PROJECT";

/// Whether `saltern-numbers calibrate --on-lambda` gets an answer.
const CALIBRATE: &str = "SALTERN_CALIBRATE";

/// Ceilings of the policy document, lowered.
const CEILINGS: &str = "SALTERN_CEILINGS";

/// Where distributions go: `cloudwatch` or `printed`.
const DISTRIBUTIONS: &str = "SALTERN_DISTRIBUTIONS";

/// How often they are sent, at the most, in seconds.
const INTERVAL: &str = "SALTERN_DISTRIBUTIONS_SECONDS";
const INTERVAL_SECONDS: RangeInclusive<u64> = 1..=300;

/// A thousand environments that send every 30 s or so make 25 calls a second, of the 500 that a region takes.
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
    fn distributions_are_sent_unless_told_otherwise() {
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
    fn calibrate_events_are_refused_unless_it_is_said() {
        let read = |text: &'static str| answers_calibrate(move |_| Some(text.into()));
        assert_eq!(answers_calibrate(|_| None), Ok(false));
        assert_eq!((read(""), read("off"), read("on")), (Ok(false), Ok(false), Ok(true)));
        for wrong in ["true", "1", "ON", "on "] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_variable_that_lambda_sets_is_missed_by_name() {
        let refusal = Settings::read(|_| None).unwrap_err();
        assert!(format!("{refusal:?}").contains("AWS_LAMBDA_RUNTIME_API is not set"), "{refusal:?}");
    }
}
