//! The command line.

use core::time::Duration;
use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, builder::RangedU64ValueParser};
use saltern_capacity::params_named;
use saltern_encoded::Params;

use crate::{function::Function, shape::Shape};

#[derive(Debug, Parser)]
#[command(
    name = "saltern-fleet",
    version,
    about = "A model of AWS Lambda behind a real HTTP door, and in simulated time"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan an evening in simulated time: concurrency, throttles, percentiles and cost
    Plan(Box<PlanArguments>),
    /// Answer as a deployed function does
    Serve(Box<ServeArguments>),
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    /// Logins a second, for the time of --minutes
    #[arg(long, value_name = "COUNT", default_value_t = 3000, conflicts_with = "stages", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub(crate) rate: u32,
    #[arg(long, value_name = "COUNT", default_value_t = 60, conflicts_with = "stages", value_parser = clap::value_parser!(u64).range(1..=MINUTES_OF_A_DAY))]
    pub(crate) minutes: u64,
    /// Another shape, in the form of k6: SECONDS:RATE for each stage, such as
    /// 60:100,10:3000,60:3000
    #[arg(long, value_name = "STAGES")]
    pub(crate) stages: Option<Shape>,
    /// The parameters of the hash, such as bcrypt-11, argon2id-19456-2-1 or pbkdf2-sha512-100000
    #[arg(long, default_value = "bcrypt-11", value_parser = params_named)]
    pub(crate) policy: Params,
    #[command(flatten)]
    pub(crate) function: Function,
    #[command(flatten)]
    pub(crate) client: Client,
    /// Your own measurements, in the form of infra/modules/password-hasher/durations.json
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,
    /// Print JSON: the plan, and a series in the format of `serve`
    #[arg(long)]
    pub(crate) json: bool,
    /// Print in place of a plan what larger events need, from 3,000 to 1,000,000 logins a second,
    /// each alone and in batches, as a table in Markdown
    #[arg(long, conflicts_with_all = ["account_concurrency", "backends", "batch", "json", "provisioned", "rate", "stages"])]
    pub(crate) larger: bool,
}

impl PlanArguments {
    /// Returns the stages, or the constant rate.
    pub(crate) fn shape(&self) -> Shape {
        let constant = || Shape::constant(self.rate.into(), Duration::from_mins(self.minutes));
        self.stages.clone().unwrap_or_else(constant)
    }
}

/// How the backends batch logins into requests.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Client {
    /// The number of backends that share the logins, each with its own client
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) backends: usize,
    /// The largest number of logins in a request; 1 sends each login alone
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub(crate) batch: usize,
}

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// The address of the function
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9100")]
    pub(crate) listen: SocketAddr,
    /// The file for the series, written when a signal ends the process
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,
    /// The policy document
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: PathBuf,
    /// Users with real hashes; their logins are answered by lookup
    #[arg(long, value_name = "FILE")]
    pub(crate) pool: PathBuf,
    #[command(flatten)]
    pub(crate) function: Function,
}

const MINUTES_OF_A_DAY: u64 = 1440;

/// Reads flags of `saltern-fleet plan`, separated by spaces.
#[cfg(test)]
pub(crate) fn plan(flags: &str) -> Result<PlanArguments, clap::Error> {
    let all = ["saltern-fleet", "plan"].into_iter().chain(flags.split_whitespace());
    match Arguments::try_parse_from(all)?.command {
        Command::Plan(arguments) => Ok(*arguments),
        serve @ Command::Serve(_) => panic!("{serve:?}"),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn invalid_flags_are_rejected() {
        for flags in [
            "",
            "--batch=4 --backends=2 --provisioned=5",
            "--rate=0 --minutes=1440",
            "--larger --policy=bcrypt-12 --minutes=90 --memory-mb=3538 --architecture=x86_64",
        ] {
            assert!(plan(flags).is_ok(), "{flags}");
        }
        for flags in [
            "--backends=0",
            "--stages=0:5",
            "--rate=1000001",
            "--minutes=0",
            "--minutes=1441",
            "--provisioned=99999999999999",
            // The table of larger events has its own rates, quotas and batches.
            "--larger --rate=5",
            "--larger --stages=60:100",
            "--larger --json",
            "--larger --batch=4",
            "--larger --provisioned=9",
        ] {
            let error = plan(flags).unwrap_err();
            assert_ne!(error.kind(), ErrorKind::UnknownArgument, "{error}");
        }
    }
}
