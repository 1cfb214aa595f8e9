//! The command line and the environment, as they were written. `serve::settings` makes sense of them.

use std::{net::SocketAddr, num::NonZeroU64, num::NonZeroUsize, path::PathBuf};

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{FalseyValueParser, NonEmptyStringValueParser},
    error::ErrorKind,
};
use saltern_algorithm::MOST_BCRYPT_LANES;

use crate::Failure;

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    Arguments::try_parse().map(|arguments| arguments.command).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Failure::Explained(error.to_string()),
        _ => Failure::configuration(error.to_string().trim_start_matches("error: ").trim_end()),
    })
}

#[derive(Debug, Parser)]
#[command(name = "saltern", version, about = "Hashes and verifies passwords over HTTP")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look after policy documents
    #[command(subcommand)]
    Policies(PoliciesCommand),
    /// Serve the HTTP contract from this machine
    Serve(Box<ServeArguments>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum PoliciesCommand {
    /// Hold a policy document against its rules and this machine, as `serve` does when it starts
    Check(CheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) document: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// What the machine gives, and how far the operator lowers what a document allows.
#[derive(Args, Debug)]
pub(crate) struct MachineArguments {
    /// Hashing threads [default: the cores that this process may use]
    #[arg(long, env = "SALTERN_WORKERS", value_name = "COUNT")]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Memory that all hashes together may take [default: half of what this process may use]
    #[arg(long, env = "SALTERN_MEMORY_BUDGET_MIB", value_name = "MIB")]
    pub(crate) memory_budget_mib: Option<NonZeroU64>,
    /// Lower a ceiling of the policy document; may be repeated
    #[arg(
        long = "ceiling",
        env = "SALTERN_CEILINGS",
        value_name = "NAME=VALUE",
        value_delimiter = ',',
        value_parser = ceiling
    )]
    pub(crate) ceilings: Vec<(String, u64)>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Bearer tokens may also come from the environment: SALTERN_TOKENS, separated by commas.\n\
                  On SIGHUP the tokens and the certificate are read again. On SIGTERM what was accepted is answered."
)]
pub(crate) struct ServeArguments {
    /// Where to listen
    #[arg(long, env = "SALTERN_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000")]
    pub(crate) listen: SocketAddr,
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, env = "SALTERN_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    #[command(flatten)]
    pub(crate) kernels: KernelArguments,
    #[command(flatten)]
    pub(crate) access: AccessArguments,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
    #[command(flatten)]
    pub(crate) cloudwatch: CloudWatchArguments,
    /// How long a SIGTERM waits for what was accepted
    #[arg(long, env = "SALTERN_DRAIN_SECONDS", value_name = "SECONDS", default_value_t = 30)]
    pub(crate) drain_seconds: u64,
    /// How to write the log [default: text on a terminal, else json]
    #[arg(long, env = "SALTERN_LOG_FORMAT", value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
}

/// Which code computes, and how wide.
#[derive(Args, Debug)]
pub(crate) struct KernelArguments {
    /// Whose code computes
    #[arg(long, env = "SALTERN_KERNELS", value_name = "KERNELS", default_value = "lanes")]
    pub(crate) kernels: KernelsArgument,
    /// bcrypt hashes at once on each core, 1 to 8 [default: as many as the L1 data cache holds]
    #[arg(long, env = "SALTERN_BCRYPT_LANES", value_name = "COUNT", value_parser = bcrypt_lanes)]
    pub(crate) bcrypt_lanes: Option<NonZeroUsize>,
}

#[derive(Args, Debug)]
pub(crate) struct AccessArguments {
    /// Bearer tokens, one a line, all valid at once; lines with # are comments
    #[arg(long, env = "SALTERN_TOKENS_FILE", value_name = "FILE")]
    pub(crate) tokens_file: Option<PathBuf>,
    /// The certificate chain, in PEM
    #[arg(long, env = "SALTERN_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, env = "SALTERN_TLS_KEY", value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Beyond loopback, do without TLS: a proxy in front ends it
    #[arg(long, env = "SALTERN_BEHIND_TLS_PROXY", value_parser = FalseyValueParser::new())]
    pub(crate) behind_tls_proxy: bool,
    /// Beyond loopback, do without TLS and without tokens: whoever reaches the port may hash, and read passwords on the way
    #[arg(long, env = "SALTERN_INSECURE", value_parser = FalseyValueParser::new())]
    pub(crate) insecure: bool,
}

/// Bounds on connections. The defaults and their reasons stand in `serve::bounds`.
#[derive(Args, Debug)]
pub(crate) struct BoundsArguments {
    /// Connections at once [default: 4096]
    #[arg(long, env = "SALTERN_CONNECTIONS", value_name = "COUNT")]
    pub(crate) connections: Option<NonZeroUsize>,
    /// Longest time for the head of a request, and for a TLS handshake [default: 10000]
    #[arg(long, env = "SALTERN_HEADER_TIMEOUT_MS", value_name = "MS")]
    pub(crate) header_timeout_ms: Option<NonZeroU64>,
    /// Longest time for the body of a request [default: 10000]
    #[arg(long, env = "SALTERN_BODY_TIMEOUT_MS", value_name = "MS")]
    pub(crate) body_timeout_ms: Option<NonZeroU64>,
    /// Longest time without a request on a kept connection [default: 75000]
    #[arg(long, env = "SALTERN_IDLE_TIMEOUT_MS", value_name = "MS")]
    pub(crate) idle_timeout_ms: Option<NonZeroU64>,
}

/// Where distributions go beside `GET /metrics`.
#[derive(Args, Debug)]
#[expect(clippy::struct_field_names, reason = "the fields name the arguments")]
pub(crate) struct CloudWatchArguments {
    /// Send distributions to CloudWatch in this region; credentials come from where the AWS SDK looks for them
    #[arg(long, env = "SALTERN_CLOUDWATCH_REGION", value_name = "REGION", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) cloudwatch_region: Option<String>,
    /// The value of their dimension `Service`
    #[arg(
        long,
        env = "SALTERN_CLOUDWATCH_SERVICE",
        value_name = "NAME",
        default_value = "saltern",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) cloudwatch_service: String,
    /// How often they are sent, at the most, 1 to 300
    #[arg(
        long,
        env = "SALTERN_CLOUDWATCH_SECONDS",
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=300)
    )]
    pub(crate) cloudwatch_seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelsArgument {
    /// Our own: many hashes at once on each core
    Lanes,
    /// The crates bcrypt, argon2, pbkdf2 and scrypt, one hash at a time
    Crates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object a line
    Json,
    /// For people
    Text,
}

fn bcrypt_lanes(argument: &str) -> Result<NonZeroUsize, String> {
    let lanes: Option<NonZeroUsize> = argument.parse().ok();
    lanes
        .filter(|lanes| lanes.get() <= MOST_BCRYPT_LANES)
        .ok_or_else(|| format!("give a whole number from 1 to {MOST_BCRYPT_LANES}"))
}

fn ceiling(argument: &str) -> Result<(String, u64), String> {
    let (name, value) = argument.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| "the value of a ceiling is a whole number")?;
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_ceiling_has_a_name_and_a_number() {
        assert_eq!(ceiling("bcrypt_cost=12"), Ok(("bcrypt_cost".to_owned(), 12)));
        for wrong in ["bcrypt_cost", "bcrypt_cost=", "bcrypt_cost=-1", "bcrypt_cost=twelve"] {
            assert!(ceiling(wrong).is_err(), "{wrong}");
        }
    }
}
