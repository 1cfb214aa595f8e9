//! The command line as a whole: every command, and which code runs it.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, error::ErrorKind};

use crate::{
    Failure,
    arguments::ServeArguments,
    bench::{self, BenchArguments},
    calibrate::{self, CalibrateArguments},
    completions::{self, CompletionsArguments},
    failure::EXIT_CODES,
    hash::{self, HashArguments},
    inspect::{self, InspectArguments},
    man::{self, ManArguments},
    migrate_plan::{self, MigratePlanArguments},
    policies::{self, PoliciesCommand},
    report::{self, ReportArguments},
    serve,
    verify::{self, VerifyArguments},
    wrap::{self, WrapArguments},
};

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    Arguments::try_parse().map(|arguments| arguments.command).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Failure::Explained(error.to_string()),
        _ => Failure::configuration(error.to_string().trim_start_matches("error: ").trim_end()),
    })
}

/// How the program is called.
const NAME: &str = "saltern";

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

impl Command {
    /// Runs it to its end.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Bench(arguments) => bench::run(&arguments)?,
            Self::Calibrate(arguments) => calibrate::run(&arguments)?,
            Self::Completions(arguments) => completions::run(&arguments, Arguments::command())?,
            Self::Hash(arguments) => hash::run(&arguments)?,
            Self::Inspect(arguments) => inspect::run(&arguments)?,
            Self::Man(arguments) => man::run(&arguments, Arguments::command())?,
            Self::MigratePlan(arguments) => migrate_plan::run(&arguments)?,
            Self::Policies(PoliciesCommand::Check(arguments)) => policies::check(&arguments)?,
            Self::Report(arguments) => report::run(&arguments)?,
            Self::Serve(arguments) => serve::run(&arguments)?,
            Self::Verify(arguments) => return verify::run(&arguments),
            Self::Wrap(arguments) => wrap::run(&arguments)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The exit codes, as `--help` ends with them.
fn exit_codes() -> String {
    let lines = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code:>2}  {meaning}\n"));
    format!("Exit codes:\n{}", lines.collect::<String>().trim_end())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The whole command line, for the tests of those who explain it.
    pub(crate) fn definition() -> clap::Command {
        Arguments::command()
    }

    #[test]
    fn the_arguments_are_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn a_function_s_size_is_written_alike_in_every_command() {
        let calibrate = ["saltern", "calibrate", "--target", "250ms"];
        let report = ["saltern", "report", "--function", "logins", "--out", "page.html", "--from"];
        let times = ["2026-11-21T19:00:00Z", "--to", "2026-11-21T20:00:00Z"];
        let report = [&report[..], &times].concat();
        for command in [&calibrate[..], &report] {
            let reads = |size: &[&str]| definition().try_get_matches_from([command, size].concat()).is_ok();
            for architecture in ["--arch", "--architecture"] {
                assert!(reads(&[architecture, "arm64"]) && !reads(&[architecture, "arm"]), "{command:?}");
            }
            for (memory_mb, is_one) in [("127", false), ("128", true), ("10240", true), ("10241", false)] {
                assert_eq!(reads(&["--memory-mb", memory_mb]), is_one, "{command:?} {memory_mb}");
            }
        }
    }
}
