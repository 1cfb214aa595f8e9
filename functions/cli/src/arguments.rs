//! The command line and the environment, as they were written. `serve::settings` makes sense of them.

use std::{
    net::SocketAddr,
    num::{NonZeroU64, NonZeroUsize},
    ops::RangeInclusive,
    path::PathBuf,
    time::Duration,
};

use clap::{
    Args, CommandFactory as _, Parser, Subcommand, ValueEnum,
    builder::{FalseyValueParser, NonEmptyStringValueParser},
    error::ErrorKind,
};
use saltern_algorithm::{Kernels, MOST_BCRYPT_LANES};
use saltern_capacity::Architecture;
use saltern_encoded::Scheme;
use saltern_policy::AcceptedWeak;
use time::OffsetDateTime;

use crate::{
    Failure,
    bench::{self, Out},
    calibrate::{ladder::Algorithm, target},
    failure::EXIT_CODES,
    report::window,
};

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    Arguments::try_parse().map(|arguments| arguments.command).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Failure::Explained(error.to_string()),
        _ => Failure::configuration(error.to_string().trim_start_matches("error: ").trim_end()),
    })
}

/// The whole command line: for completions and the manual.
pub(crate) fn definition() -> clap::Command {
    Arguments::command()
}

/// How the program is called.
pub(crate) const NAME: &str = "saltern";

#[derive(Debug, Parser)]
#[command(name = NAME, version, about = "Hashes and verifies passwords over HTTP", after_help = exit_codes())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure how long hashes take on this machine, in the tables of the well-known benchmarks
    Bench(BenchArguments),
    /// Find the strongest parameters that stay within a time, here or on Lambda
    Calibrate(Box<CalibrateArguments>),
    /// Print what a shell needs to complete this command line
    Completions(CompletionsArguments),
    /// Make a hash of a password, read without echo or from standard input
    Hash(HashArguments),
    /// Explain a stored hash field by field
    Inspect(InspectArguments),
    /// Print the manual, or write it, a page for each command
    Man(ManArguments),
    /// Count what a table of hashes holds, and what moving it takes
    MigratePlan(MigratePlanArguments),
    /// Look after policy documents
    #[command(subcommand)]
    Policies(PoliciesCommand),
    /// Write a page about a function on Lambda: what it did in a window of time, from CloudWatch
    Report(Box<ReportArguments>),
    /// Serve the HTTP contract from this machine
    Serve(Box<ServeArguments>),
    /// Compare a password, read without echo or from standard input, with a stored hash
    ///
    /// Ends with 0 where it matches and with 1 where it does not.
    Verify(VerifyArguments),
    /// Put argon2id over weak hashes, without their passwords
    Wrap(WrapArguments),
}

/// The exit codes, as `--help` ends with them.
fn exit_codes() -> String {
    let lines = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code:>2}  {meaning}\n"));
    format!("Exit codes:\n{}", lines.collect::<String>().trim_end())
}

#[derive(Args, Debug)]
#[command(
    after_help = "With --on-lambda, credentials and region come from the environment or a profile, as for the AWS tools. They\n\
                  need lambda:InvokeFunction, and the function needs SALTERN_CALIBRATE=on. A million invocations cost 0.20 USD\n\
                  beside their time; this takes some dozens. The function computes by its own SALTERN_KERNELS: --kernels and\n\
                  --bcrypt-lanes are for what is measured here."
)]
pub(crate) struct CalibrateArguments {
    /// The longest that one hash may take by itself, from 5ms to 5s
    #[arg(long, value_name = "TIME", value_parser = target::parse)]
    pub(crate) target: Duration,
    /// Only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',')]
    pub(crate) algorithms: Vec<Algorithm>,
    /// Estimate for a function on Lambda with this memory, 128 to 10240 [default with --arch: 1769]
    #[arg(
        long,
        value_name = "MB",
        value_parser = clap::value_parser!(u64).range(LAMBDA_MEMORY_MB),
        conflicts_with = "on_lambda"
    )]
    pub(crate) memory_mb: Option<u64>,
    /// Estimate for a function on Lambda of this architecture [default with --memory-mb: arm64]
    #[arg(long, value_name = "ARCHITECTURE", conflicts_with = "on_lambda")]
    pub(crate) arch: Option<ArchitectureArgument>,
    /// Measure in this function on Lambda
    #[arg(long, value_name = "FUNCTION", value_parser = aws_name)]
    pub(crate) on_lambda: Option<String>,
    /// The alias or version of the function [default: $LATEST]
    #[arg(long, value_name = "NAME", value_parser = aws_name, requires = "on_lambda")]
    pub(crate) alias: Option<String>,
    /// The function's region [default: that of the environment or the profile]
    #[arg(long, value_name = "REGION", requires = "on_lambda")]
    pub(crate) region: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) kernels: KernelArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Write every page into this directory, which is made [default: print the first page]
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Measure on an idle machine. In full it takes some three to five minutes of one core, with --quick less than \n\
                  half a minute. bcrypt 31 is never measured: it is read off the line through the others, and marked so."
)]
pub(crate) struct BenchArguments {
    /// Measure only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',')]
    pub(crate) algorithms: Vec<bench::Algorithm>,
    /// Measure only the cheaper costs, and read the others off the line
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page (.html), Markdown (.md) or JSON (.json) too; may be repeated
    #[arg(long, value_name = "FILE", value_parser = Out::parse)]
    pub(crate) out: Vec<Out>,
    /// Measure nothing, and write what an earlier run wrote as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithms", "quick"])]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct HashArguments {
    /// The policy to make it under [default: the current one]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    /// Print what POST /hash answers
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// The stored hash; `-` for the first line of standard input, with the password on the second
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Print what POST /verify answers
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArguments {
    /// The stored hash; `-` for the first line of standard input
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

#[derive(Args, Debug)]
pub(crate) struct MigratePlanArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
    /// Wrap hashes of these schemes [default: those that are unsalted or fast]
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',', value_parser = scheme)]
    pub(crate) schemes: Vec<Scheme>,
    /// The argon2id policy whose cost is put on top [default: the current one, where it is argon2id]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    /// Print the old hash too, in a column behind the others: what compare-and-swap compares with
    #[arg(long)]
    pub(crate) keep_old: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

/// Where a column of hashes stands.
#[derive(Args, Debug)]
pub(crate) struct ColumnArguments {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// The lines are records of CSV with this character between the fields, `\t` for a tab
    /// [default: a line is a hash, or `user:hash` as htpasswd writes it]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// Which field is the hash, from 1
    #[arg(long, value_name = "NUMBER", default_value = "1", requires = "delimiter")]
    pub(crate) column: NonZeroUsize,
    /// The first record names the fields
    #[arg(long, requires = "delimiter")]
    pub(crate) header: bool,
}

/// Which policies hold, and on what machine.
#[derive(Args, Debug)]
pub(crate) struct DocumentArguments {
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, env = "SALTERN_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
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
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Verify hashes of these unsalted or fast schemes too: names with commas between, or `all`
    #[arg(long = "accept-weak", env = "SALTERN_ACCEPT_WEAK", value_name = "SCHEMES")]
    pub(crate) accepted_weak: Option<AcceptedWeak>,
    /// The password hash parameters of the Firebase project whose hashes to verify, as its console shows them
    #[arg(long, env = "SALTERN_FIREBASE_PROJECT", value_name = "FILE")]
    pub(crate) firebase_project: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Credentials and region come from the environment or a profile, as for the AWS tools. They need\n\
                  cloudwatch:GetMetricData. A million metrics asked for cost 10 USD; a report asks for some dozens."
)]
pub(crate) struct ReportArguments {
    /// The function's name
    #[arg(long, value_name = "NAME", value_parser = aws_name)]
    pub(crate) function: String,
    /// The alias that callers use
    #[arg(long, value_name = "NAME", default_value = "live", value_parser = aws_name)]
    pub(crate) alias: String,
    /// From when, such as 2026-11-21T19:00:00Z
    #[arg(long, value_name = "TIME", value_parser = window::parse)]
    pub(crate) from: OffsetDateTime,
    /// Until when
    #[arg(long, value_name = "TIME", value_parser = window::parse)]
    pub(crate) to: OffsetDateTime,
    /// The function's region [default: that of the environment or the profile]
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// What k6 wrote about the same time; its budgets become the verdict
    #[arg(long, value_name = "FILE")]
    pub(crate) k6_summary: Option<PathBuf>,
    /// The function's memory, for the cost [default: what the k6 summary says]
    #[arg(long, value_name = "MB")]
    pub(crate) memory_mb: Option<NonZeroU64>,
    /// The function's architecture, for the cost [default: what the k6 summary says]
    #[arg(long, value_name = "ARCHITECTURE")]
    pub(crate) architecture: Option<ArchitectureArgument>,
    /// The page to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Bearer tokens may also come from the environment: SALTERN_TOKENS, separated by commas.\n\
                  On SIGHUP the tokens and the certificate are read again; the policies are read at the start only.\n\
                  On SIGTERM what was accepted is answered."
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
    /// Connections at once [default: 4096, or as many as may be open]
    #[arg(long, env = "SALTERN_CONNECTIONS", value_name = "COUNT")]
    pub(crate) connections: Option<NonZeroUsize>,
    /// Longest time for the head of a request from its first byte, and for a TLS handshake [default: 10000]
    #[arg(long, env = "SALTERN_HEADER_TIMEOUT_MS", value_name = "MS")]
    pub(crate) header_timeout_ms: Option<NonZeroU64>,
    /// Longest time for the body of a request [default: 10000]
    #[arg(long, env = "SALTERN_BODY_TIMEOUT_MS", value_name = "MS")]
    pub(crate) body_timeout_ms: Option<NonZeroU64>,
    /// Longest time to the first byte of a request, on a new connection or a kept one [default: 75000]
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
pub(crate) enum ArchitectureArgument {
    /// Graviton
    Arm64,
    /// Intel or AMD
    #[value(name = "x86_64")]
    X86_64,
}

impl From<ArchitectureArgument> for Architecture {
    fn from(argument: ArchitectureArgument) -> Self {
        match argument {
            ArchitectureArgument::Arm64 => Self::Arm64,
            ArchitectureArgument::X86_64 => Self::X86_64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelsArgument {
    /// Our own: many hashes at once on each core
    Lanes,
    /// The crates bcrypt, argon2, pbkdf2 and scrypt, one hash at a time
    Crates,
}

impl From<KernelsArgument> for Kernels {
    fn from(argument: KernelsArgument) -> Self {
        match argument {
            KernelsArgument::Lanes => Self::Lanes,
            KernelsArgument::Crates => Self::Crates,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object a line
    Json,
    /// For people
    Text,
}

/// What Lambda gives a function (Lambda developer guide, "Lambda quotas").
const LAMBDA_MEMORY_MB: RangeInclusive<u64> = 128..=10_240;

/// What Lambda takes for the name of a function or an alias. None of it means anything in a search of CloudWatch.
fn aws_name(argument: &str) -> Result<String, String> {
    let is_one = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=128).contains(&argument.len()) && argument.chars().all(is_one) {
        Ok(argument.to_owned())
    } else {
        Err("give a name, of letters, digits, - and _, and no ARN".into())
    }
}

fn bcrypt_lanes(argument: &str) -> Result<NonZeroUsize, String> {
    let lanes: Option<NonZeroUsize> = argument.parse().ok();
    lanes
        .filter(|lanes| lanes.get() <= MOST_BCRYPT_LANES)
        .ok_or_else(|| format!("give a whole number from 1 to {MOST_BCRYPT_LANES}"))
}

fn scheme(argument: &str) -> Result<Scheme, String> {
    let found = Scheme::ALL.iter().find(|scheme| scheme.name() == argument).copied();
    found.ok_or_else(|| {
        let names: Vec<_> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
        format!("no scheme has that name; there are: {}", names.join(", "))
    })
}

fn delimiter(argument: &str) -> Result<u8, String> {
    match argument.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("give one ASCII character".to_owned()),
    }
}

fn ceiling(argument: &str) -> Result<(String, u64), String> {
    let (name, value) = argument.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| "the value of a ceiling is a whole number")?;
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_function_is_named_without_quotes() {
        assert_eq!(aws_name("logins-2_b"), Ok("logins-2_b".to_owned()));
        for wrong in ["", "a\"b", "a'b", "arn:aws:lambda:eu-north-1:1:function:logins", "a b", "ä"] {
            assert!(aws_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ceiling_has_a_name_and_a_number() {
        assert_eq!(ceiling("bcrypt_cost=12"), Ok(("bcrypt_cost".to_owned(), 12)));
        for wrong in ["bcrypt_cost", "bcrypt_cost=", "bcrypt_cost=-1", "bcrypt_cost=twelve"] {
            assert!(ceiling(wrong).is_err(), "{wrong}");
        }
    }
}
