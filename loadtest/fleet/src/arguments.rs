//! The command line.

use core::time::Duration;
use std::{net::SocketAddr, path::PathBuf};

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use saltern_algorithm::Kernels;
use saltern_capacity::{Architecture, Durations, FUNCTION_MEMORY_MB, Limits, params_named};
use saltern_encoded::Params;
use saltern_program::Failure;

use crate::{
    assumptions,
    client::Client,
    function::{Function, ManagedInstances, ProvisionedConcurrency},
    shape::Shape,
};

/// Reads the command line.
pub(crate) fn read() -> Result<Command, Failure> {
    saltern_program::read::<Arguments>().map(|arguments| arguments.command)
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
    /// Plan an evening in simulated time: concurrency, throttles, percentiles and cost
    Plan(Box<PlanArguments>),
    /// Make users with real hashes
    Pool(PoolArguments),
    /// Answer as a deployed function does
    Serve(Box<ServeArguments>),
    /// Measure how much the time of a hash varies on this machine
    Spread(SpreadArguments),
    /// Plan many evenings: cost per million logins against p90
    Sweep(SweepArguments),
    /// Compare the model with real processes on this machine
    Validate(ValidateArguments),
}

/// The configuration of the function.
#[derive(Args, Debug)]
pub(crate) struct FunctionArguments {
    /// The memory of the function; 1,769 MB are one virtual CPU
    #[arg(long, value_name = "MB", default_value_t = Durations::documented().reference_memory_mb(), value_parser = clap::value_parser!(u64).range(FUNCTION_MEMORY_MB))]
    pub(crate) memory_mb: u64,
    #[arg(long, alias = "arch", default_value = Architecture::Arm64.name(), value_parser = PossibleValuesParser::new(Architecture::ALL.map(Architecture::name)).try_map(|name| name.parse::<Architecture>()))]
    pub(crate) architecture: Architecture,
    /// The kernels; with `lanes` the hashes of a batch run in parallel
    #[arg(long, default_value = Kernels::default().name(), value_parser = PossibleValuesParser::new(Kernels::ALL.map(Kernels::name)).try_map(|name| name.parse::<Kernels>()))]
    pub(crate) kernels: Kernels,
    /// The concurrency quota of the account in the region; 1,000 is the default of Lambda
    #[arg(long, value_name = "COUNT", default_value_t = Limits::documented().account_concurrency_default, value_parser = clap::value_parser!(u64).range(1..=MOST_ENVIRONMENTS))]
    pub(crate) account_concurrency: u64,
    /// Reserved concurrency of the function
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(..=MOST_ENVIRONMENTS))]
    pub(crate) reserved: Option<u64>,
    /// Provisioned concurrency
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MOST_ENVIRONMENTS))]
    pub(crate) provisioned: u64,
    /// The time of the order of provisioned concurrency, from the start; it is ready after two
    /// minutes or more
    #[arg(long, value_name = "SECONDS", default_value_t = -900, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-A_DAY_SECONDS..=A_DAY_SECONDS))]
    pub(crate) provisioned_at_seconds: i64,
    /// The time from a request for a new environment to its first instruction
    #[arg(long, value_name = "MS", default_value_t = assumptions::ENVIRONMENT_MS + assumptions::INIT_MS, value_parser = clap::value_parser!(u64).range(..=SLOWEST_START_MS))]
    pub(crate) cold_start_ms: u64,
    /// The number of environments on Managed Instances, in place of classic Lambda; all exist from
    /// the start
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=MOST_ENVIRONMENTS))]
    pub(crate) managed_environments: u64,
    /// Concurrent requests in a managed environment
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1600))]
    pub(crate) managed_requests: u64,
    /// Virtual CPUs of a managed environment
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=192))]
    pub(crate) managed_vcpus: u64,
    /// The EC2 price of the share of an instance that a managed environment uses
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
            architecture: self.architecture,
            kernels: self.kernels,
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

/// How the backends batch logins into requests.
#[derive(Args, Debug)]
pub(crate) struct ClientArguments {
    /// The largest number of logins in a request; 1 sends each login alone
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) batch: u16,
    /// The longest wait of a login for other logins while a request of its backend is in flight;
    /// the Scala client waits 2 ms
    #[arg(long, value_name = "MS", default_value_t = 2.0, value_parser = batch_wait_ms)]
    pub(crate) batch_wait_ms: f64,
    /// The number of backends that share the logins
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_BACKENDS))]
    pub(crate) backends: u32,
}

impl ClientArguments {
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let wait = Duration::try_from_secs_f64(self.batch_wait_ms / 1e3).map_err(|_| {
            Failure::configuration("--batch-wait-ms is not a time: write a number of milliseconds")
        })?;
        let backends = usize::try_from(self.backends).unwrap_or(usize::MAX);
        Ok(Client { backends, batch: usize::from(self.batch), wait })
    }
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    /// Logins a second, for the time of --minutes
    #[arg(long, value_name = "COUNT", default_value_t = 3000.0, conflicts_with = "stages")]
    pub(crate) rate: f64,
    #[arg(long, value_name = "COUNT", default_value_t = 60.0, conflicts_with = "stages")]
    pub(crate) minutes: f64,
    /// Another shape, in the form of k6: SECONDS:RATE for each stage, such as
    /// 60:100,10:3000,60:3000
    #[arg(long, value_name = "STAGES")]
    pub(crate) stages: Option<Shape>,
    /// The parameters of the hash, such as bcrypt-11, argon2id-19456-2-1 or pbkdf2-sha512-100000
    #[arg(long, default_value = "bcrypt-11", value_parser = params_named)]
    pub(crate) policy: Params,
    #[command(flatten)]
    pub(crate) function: FunctionArguments,
    #[command(flatten)]
    pub(crate) client: ClientArguments,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    /// Print JSON: the plan, and a series in the format of `serve`
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page about larger events in place of a plan: 3,000 to 1,000,000 logins a second,
    /// each alone and in batches
    #[arg(long, value_name = "FILE", conflicts_with_all = GIVEN_BY_THE_PAGE)]
    pub(crate) page: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The largest number of simulated logins; above it each simulated login stands for several
    #[arg(long, value_name = "COUNT", default_value_t = 20_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) at_most: u64,
}

#[derive(Args, Debug)]
pub(crate) struct PoolArguments {
    /// The policy document
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,
    /// The number of users of each policy
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    pub(crate) users: u32,
}

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// The address of the function
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9100")]
    pub(crate) listen: SocketAddr,
    /// The address of `GET /series`
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9101")]
    pub(crate) control: SocketAddr,
    /// The file for the series, written when a signal ends the process
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,
    /// The policy document [default: the shipped document]
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    /// Users with real hashes; their logins are answered by lookup
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
    /// A `bootstrap` program; a real process of it answers in each environment
    #[arg(long, value_name = "FILE")]
    pub(crate) real: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Auth {
    /// Requests need no signature
    None,
    /// Requests need a well-formed AWS signature; it is not verified
    Sigv4,
}

#[derive(Args, Debug)]
pub(crate) struct SpreadArguments {
    /// The policy document
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,
    /// The policy of the measured hashes
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
    /// The number of backends that share the logins
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_BACKENDS))]
    pub(crate) backends: u32,
    /// The concurrency quota of the account in the region; the default suffices for the other
    /// defaults
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=MOST_ENVIRONMENTS))]
    pub(crate) account_concurrency: u64,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    /// The directory for the chart and the data
    #[arg(long, value_name = "DIRECTORY", default_value = "target/fleet/sweep")]
    pub(crate) results: PathBuf,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
pub(crate) struct ValidateArguments {
    /// A release build of `bootstrap`
    #[arg(long, value_name = "FILE", default_value = "target/release/bootstrap")]
    pub(crate) real: PathBuf,
    /// The policy document
    #[arg(long, value_name = "FILE", default_value = "loadtest/policies.json")]
    pub(crate) policies: PathBuf,
    /// Users with real hashes
    #[arg(long, value_name = "FILE", default_value = "loadtest/pool.json")]
    pub(crate) pool: PathBuf,
    /// The policy of the verified hashes
    #[arg(long, value_name = "ID", default_value = "bcrypt-10-2019")]
    pub(crate) policy: String,
    /// The length of a turn, for each side
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    pub(crate) seconds: u64,
    /// The turns of a load, each on the real side and on the model; the median ratio counts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub(crate) rounds: u64,
}

/// The flags of a plan that the page of larger events varies itself.
const GIVEN_BY_THE_PAGE: [&str; 12] = [
    "account_concurrency",
    "at_most",
    "backends",
    "batch",
    "batch_wait_ms",
    "json",
    "managed_environments",
    "provisioned",
    "provisioned_at_seconds",
    "rate",
    "reserved",
    "stages",
];

fn usd_per_hour(text: &str) -> Result<f64, String> {
    number_up_to(HIGHEST_USD_PER_HOUR, text)
}

fn batch_wait_ms(text: &str) -> Result<f64, String> {
    number_up_to(LONGEST_BATCH_WAIT_MS, text)
}

fn number_up_to(most: f64, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("write a number from 0 to {most}"))
}

/// Above the price of every EC2 instance.
const HIGHEST_USD_PER_HOUR: f64 = 1000.0;

/// HTTP contract: `Saltern-Deadline-Ms` is at most a minute. A login that waits longer would never
/// get an answer.
const LONGEST_BATCH_WAIT_MS: f64 = 60_000.0;

/// The same limit for a cold start.
const SLOWEST_START_MS: u64 = 60_000;

/// The longest plan.
const A_DAY_SECONDS: i64 = 86_400;

/// The memory for a list of backends limits their number.
const MOST_BACKENDS: i64 = 1_000_000;

/// More than any AWS quota. The memory for a list of environments limits their number.
const MOST_ENVIRONMENTS: u64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(flags: &[&str]) -> bool {
        Arguments::try_parse_from(["saltern-fleet", "plan"].iter().chain(flags)).is_ok()
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        assert!(is_accepted(&[]));
        assert!(is_accepted(&[
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
            assert!(!is_accepted(&[flag]), "{flag}");
        }
    }

    #[test]
    fn the_page_of_larger_events_varies_its_own_flags() {
        assert!(is_accepted(&["--page=larger.html", "--policy=bcrypt-12", "--minutes=90"]));
        for flag in ["--rate=5", "--stages=60:100", "--json", "--batch=4", "--provisioned=9"] {
            assert!(!is_accepted(&["--page=larger.html", flag]), "{flag}");
        }
    }
}
