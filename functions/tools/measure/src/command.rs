//! The command line: every command and the code that runs it.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use saltern_cli::{CompletionsArguments, ManArguments, completions, man};
use saltern_server::{Failure, exit_codes};

#[cfg(feature = "peers")]
use crate::compare::{self, CompareArguments};
use crate::{
    bench::{self, BenchArguments},
    calibrate::{self, CalibrateArguments},
    report::{self, ReportArguments},
};

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    saltern_server::read::<Arguments>().map(|arguments| arguments.command)
}

#[derive(Debug, Parser)]
#[command(name = "saltern-measure", version, about = "Measures hashes, finds parameters for a time, and reports on a function", after_help = exit_codes())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure the time of hashes on this machine, in the tables of well-known benchmarks
    Bench(BenchArguments),
    /// Find the strongest parameters within a time, here or on Lambda
    Calibrate(Box<CalibrateArguments>),
    /// Compare the kernels and the service with the fastest other libraries, in one run
    #[cfg(feature = "peers")]
    Compare(CompareArguments),
    /// Print the completions of this command line for a shell
    Completions(CompletionsArguments),
    /// Print the manual, or write it with a page for each command
    Man(ManArguments),
    /// Write a page about a function on Lambda in a window of time, from CloudWatch
    Report(Box<ReportArguments>),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Bench(arguments) => bench::run(&arguments)?,
            Self::Calibrate(arguments) => calibrate::run(&arguments)?,
            #[cfg(feature = "peers")]
            Self::Compare(arguments) => compare::run(&arguments)?,
            Self::Completions(arguments) => completions::run(&arguments, Arguments::command())?,
            Self::Man(arguments) => man::run(&arguments, Arguments::command())?,
            Self::Report(arguments) => report::run(&arguments)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_the_same_options_for_the_size_of_a_function() {
        let calibrate = ["saltern-measure", "calibrate", "--target-ms", "250", "--on-lambda", "logins"];
        let report = ["saltern-measure", "report", "--function", "logins", "--out", "page.html", "--from"];
        let times = ["2026-11-21T19:00:00Z", "--to", "2026-11-21T20:00:00Z"];
        let report = [&report[..], &times].concat();
        for command in [&calibrate[..], &report] {
            let reads =
                |size: &[&str]| Arguments::command().try_get_matches_from([command, size].concat()).is_ok();
            for (name, is_one) in [("arm64", true), ("arm", false)] {
                for architecture in ["--arch", "--architecture"] {
                    assert_eq!(reads(&["--memory-mb", "128", architecture, name]), is_one, "{command:?}");
                }
            }
            for (memory_mb, is_one) in [("127", false), ("128", true), ("10240", true), ("10241", false)] {
                let size = ["--memory-mb", memory_mb, "--arch", "arm64"];
                assert_eq!(reads(&size), is_one, "{command:?} {memory_mb}");
            }
        }
        assert!(Arguments::try_parse_from(report).is_err(), "a report without a size");
    }
}
