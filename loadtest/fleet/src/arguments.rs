//! The command line, as it was written.

use core::time::Duration;
use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, error::ErrorKind};
use saltern_capacity::{Architecture, Durations, FUNCTION_MEMORY_MB, Lanes, Limits, Parameters};

use crate::{
    assumptions,
    client::Client,
    failure::Failure,
    function::{Function, ManagedInstances, ProvisionedConcurrency},
    shape::Shape,
};

/// Reads the command line.
pub(crate) fn read() -> Result<Command, Failure> {
    Arguments::try_parse().map(|arguments| arguments.command).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Failure::Explained(error.to_string()),
        _ => Failure::configuration(error.to_string().trim_start_matches("error: ").trim_end()),
    })
}

#[derive(Debug, Parser)]
#[command(
    name = "saltern-fleet",
    version,
    about = "A model of AWS Lambda behind a real HTTP door, and in simulated time"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan an evening: concurrency, throttles, percentiles and cost, in simulated time
    Plan(Box<PlanArguments>),
    /// Make users with real hashes
    Pool(PoolArguments),
    /// Answer as a deployed function would
    Serve(Box<ServeArguments>),
    /// Measure how much one hash's time varies on this machine
    Spread(SpreadArguments),
    /// Plan many evenings: cost per million logins against p90
    Sweep(SweepArguments),
    /// Hold the model against real processes on this machine
    Validate(ValidateArguments),
}

/// How the function is set up.
#[derive(Args, Debug)]
pub(crate) struct FunctionArguments {
    /// The function's memory; 1,769 MB are one virtual CPU
    #[arg(long, value_name = "MB", default_value_t = Durations::documented().reference_memory_mb(), value_parser = clap::value_parser!(u64).range(FUNCTION_MEMORY_MB))]
    pub(crate) memory_mb: u64,
    #[arg(long, alias = "arch", value_enum, default_value_t = ArchitectureName::Arm64)]
    pub(crate) architecture: ArchitectureName,
    /// Whether the hashes of a batch are computed side by side
    #[arg(long, value_enum, default_value_t = Kernels::Lanes)]
    pub(crate) kernels: Kernels,
    /// The account's quota in the region; 1,000 is Lambda's default
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=MOST_ENVIRONMENTS))]
    pub(crate) account_concurrency: u64,
    /// Reserved concurrency of the function
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(..=MOST_ENVIRONMENTS))]
    pub(crate) reserved: Option<u64>,
    /// Provisioned concurrency
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MOST_ENVIRONMENTS))]
    pub(crate) provisioned: u64,
    /// When it is asked for, from the start; it takes two minutes and more to come
    #[arg(long, value_name = "SECONDS", default_value_t = -900, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-A_DAY_SECONDS..=A_DAY_SECONDS))]
    pub(crate) provisioned_at_seconds: i64,
    /// From a request that needs a new environment to its first instruction
    #[arg(long, value_name = "MS", default_value_t = assumptions::ENVIRONMENT_MS + assumptions::INIT_MS, value_parser = clap::value_parser!(u64).range(..=SLOWEST_START_MS))]
    pub(crate) cold_start_ms: u64,
    /// Managed Instances in place of classic Lambda: so many environments, all there from the start
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=MOST_ENVIRONMENTS))]
    pub(crate) managed_environments: u64,
    /// Requests at once in one managed environment
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1600))]
    pub(crate) managed_requests: u64,
    /// Virtual CPUs of one managed environment
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=192))]
    pub(crate) managed_vcpus: u64,
    /// What EC2 asks for one managed environment's share of an instance
    #[arg(long, value_name = "USD", default_value_t = 0.0, value_parser = usd_per_hour)]
    pub(crate) managed_ec2_usd_per_hour: f64,
}

impl FunctionArguments {
    pub(crate) fn function(&self) -> Result<Function, Failure> {
        let managed = (self.managed_environments > 0).then_some(ManagedInstances {
            environments: self.managed_environments,
            requests_at_once: self.managed_requests,
            vcpus: self.managed_vcpus,
            ec2_usd_per_hour: self.managed_ec2_usd_per_hour,
        });
        let provisioned = (self.provisioned > 0).then_some(ProvisionedConcurrency {
            environments: self.provisioned,
            asked_at_seconds: self.provisioned_at_seconds,
        });
        let function = Function {
            memory_mb: self.memory_mb,
            architecture: self.architecture.into(),
            lanes: self.kernels.into(),
            account_concurrency: self.account_concurrency,
            reserved: self.reserved,
            provisioned,
            managed,
            cold_start_ms: self.cold_start_ms,
        };
        function.check(Limits::documented())?;
        Ok(function)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ArchitectureName {
    Arm64,
    #[value(name = "x86_64")]
    X86_64,
}

impl From<ArchitectureName> for Architecture {
    fn from(name: ArchitectureName) -> Self {
        match name {
            ArchitectureName::Arm64 => Self::Arm64,
            ArchitectureName::X86_64 => Self::X86_64,
        }
    }
}

/// As `SALTERN_KERNELS` names them.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kernels {
    Lanes,
    Crates,
}

impl From<Kernels> for Lanes {
    fn from(kernels: Kernels) -> Self {
        match kernels {
            Kernels::Lanes => Self::SideBySide,
            Kernels::Crates => Self::OneByOne,
        }
    }
}

/// How the backends send what they are asked.
#[derive(Args, Debug)]
pub(crate) struct ClientArguments {
    /// The most logins of a request; 1 sends each by itself
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) batch: u16,
    /// How long a login waits for company while others of its backend are in flight; 2 ms is the Scala client's
    #[arg(long, value_name = "MS", default_value_t = 2.0, value_parser = batch_wait_ms)]
    pub(crate) batch_wait_ms: f64,
    /// Backends among which the logins are spread
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_BACKENDS))]
    pub(crate) backends: u32,
}

impl ClientArguments {
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let wait = Duration::try_from_secs_f64(self.batch_wait_ms / 1e3)
            .map_err(|_| Failure::configuration("--batch-wait-ms is no time to wait"))?;
        let backends = usize::try_from(self.backends).unwrap_or(usize::MAX);
        Ok(Client { backends, batch: usize::from(self.batch), wait })
    }
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    /// Logins a second, for as long as --minutes says
    #[arg(long, value_name = "COUNT", default_value_t = 3000.0, conflicts_with = "stages")]
    pub(crate) rate: f64,
    #[arg(long, value_name = "COUNT", default_value_t = 60.0, conflicts_with = "stages")]
    pub(crate) minutes: f64,
    /// Another shape, as k6 writes it: SECONDS:RATE for each stage, such as 60:100,10:3000,60:3000
    #[arg(long, value_name = "STAGES")]
    pub(crate) stages: Option<Shape>,
    /// What is hashed: bcrypt-11, argon2id-19456-2-1, pbkdf2-sha512-100000 or other parameters
    #[arg(long, default_value = "bcrypt-11")]
    pub(crate) policy: Parameters,
    #[command(flatten)]
    pub(crate) function: FunctionArguments,
    #[command(flatten)]
    pub(crate) client: ClientArguments,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    /// Prints JSON: the plan, and the series that `serve` writes too
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Logins that are simulated one by one; of more, each stands for several
    #[arg(long, value_name = "COUNT", default_value_t = 20_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at_most: u64,
}

#[derive(Args, Debug)]
pub(crate) struct PoolArguments {
    /// The policy document
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,
    /// Of each policy
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    pub(crate) users: u32,
}

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// Where the function answers
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9100")]
    pub(crate) listen: SocketAddr,
    /// Where `GET /series` is answered
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9101")]
    pub(crate) control: SocketAddr,
    /// Where the series is written when a signal ends the door
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    /// Users with real hashes, which are answered by lookup
    #[arg(long, value_name = "FILE")]
    pub(crate) pool: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) function: FunctionArguments,
    /// Whether requests must be signed
    #[arg(long, value_enum, default_value_t = Auth::None)]
    pub(crate) auth: Auth,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Real processes of this `bootstrap` answer, one for each environment
    #[arg(long, value_name = "FILE")]
    pub(crate) real: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Auth {
    /// Anybody may ask
    None,
    /// A well-formed signature of AWS is wanted; it is not verified
    Sigv4,
}

#[derive(Args, Debug)]
pub(crate) struct SpreadArguments {
    /// The policy document
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,
    /// Its policy whose hashes are timed
    #[arg(long, value_name = "ID")]
    pub(crate) policy: String,
    #[arg(long, value_name = "COUNT", default_value_t = 300)]
    pub(crate) samples: usize,
}

#[derive(Args, Debug)]
pub(crate) struct SweepArguments {
    /// Logins a second
    #[arg(long, value_name = "COUNT", default_value_t = 3000.0)]
    pub(crate) rate: f64,
    #[arg(long, value_name = "COUNT", default_value_t = 10.0)]
    pub(crate) minutes: f64,
    /// Backends among which the logins are spread
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_BACKENDS))]
    pub(crate) backends: u32,
    /// The account's quota in the region; the default is enough for what the other defaults ask
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=MOST_ENVIRONMENTS))]
    pub(crate) account_concurrency: u64,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    /// Where the chart and the data go
    #[arg(long, value_name = "DIRECTORY", default_value = "target/fleet/sweep")]
    pub(crate) results: PathBuf,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
pub(crate) struct ValidateArguments {
    /// The real thing: a release build of `bootstrap`
    #[arg(long, value_name = "FILE", default_value = "target/release/bootstrap")]
    pub(crate) real: PathBuf,
    /// The policy document
    #[arg(long, value_name = "FILE", default_value = "loadtest/policies.json")]
    pub(crate) policies: PathBuf,
    /// Users with real hashes
    #[arg(long, value_name = "FILE", default_value = "loadtest/pool.json")]
    pub(crate) pool: PathBuf,
    /// Whose hashes are verified
    #[arg(long, value_name = "ID", default_value = "bcrypt-10-2019")]
    pub(crate) policy: String,
    /// Of each turn, for either side
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    pub(crate) seconds: u64,
    /// Turns of one load, real and model after each other; the median of their ratios counts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub(crate) rounds: u64,
}

fn usd_per_hour(text: &str) -> Result<f64, String> {
    number_up_to(DEAREST_USD_PER_HOUR, text)
}

fn batch_wait_ms(text: &str) -> Result<f64, String> {
    number_up_to(LONGEST_BATCH_WAIT_MS, text)
}

fn number_up_to(most: f64, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("write a number from 0 to {most}"))
}

/// Above the dearest instance that EC2 has.
const DEAREST_USD_PER_HOUR: f64 = 1000.0;

/// HTTP contract: `Saltern-Deadline-Ms` is at most a minute. Who waited longer for company would never be answered.
const LONGEST_BATCH_WAIT_MS: f64 = 60_000.0;

/// The same for a cold start.
const SLOWEST_START_MS: u64 = 60_000;

/// As far from the start as any plan is long.
const A_DAY_SECONDS: i64 = 86_400;

/// Few enough to keep a list of.
const MOST_BACKENDS: i64 = 1_000_000;

/// More than AWS gives anybody, and few enough to keep a list of.
const MOST_ENVIRONMENTS: u64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn is_taken(flags: &[&str]) -> bool {
        Arguments::try_parse_from(["saltern-fleet", "plan"].iter().chain(flags)).is_ok()
    }

    #[test]
    fn numbers_that_make_no_plan_are_refused() {
        assert!(is_taken(&[]));
        assert!(is_taken(&[
            "--managed-ec2-usd-per-hour=0.17",
            "--cold-start-ms=0",
            "--provisioned-at-seconds=-900"
        ]));
        for flag in [
            "--managed-ec2-usd-per-hour=-5",
            "--managed-ec2-usd-per-hour=nan",
            "--managed-ec2-usd-per-hour=inf",
            "--cold-start-ms=99999999999999",
            "--batch-wait-ms=-1",
            "--batch-wait-ms=1e300",
            "--backends=0",
            "--at-most=0",
            "--stages=0:5",
            "--provisioned=99999999999999",
            "--provisioned-at-seconds=-9999999999",
        ] {
            assert!(!is_taken(&[flag]), "{flag}");
        }
    }
}
