//! The command line as a whole: every command, and the code that runs it.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use saltern_program::{CompletionsArguments, Failure, ManArguments, completions, exit_codes, man};

use crate::{
    bench::{self, BenchArguments},
    calibrate::{self, CalibrateArguments},
    report::{self, ReportArguments},
};

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    saltern_program::read::<Arguments>().map(|arguments| arguments.command)
}

#[derive(Debug, Parser)]
#[command(name = "saltern-numbers", version, about = "Measures hashes, finds policies that fit, and reports on a function", after_help = exit_codes())]
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
    /// Print the manual, or write it, a page for each command
    Man(ManArguments),
    /// Write a page about a function on Lambda: what it did in a window of time, from CloudWatch
    Report(Box<ReportArguments>),
}

impl Command {
    /// Runs it to its end.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Bench(arguments) => bench::run(&arguments)?,
            Self::Calibrate(arguments) => calibrate::run(&arguments)?,
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
    fn a_function_s_size_is_written_alike_in_every_command() {
        let calibrate = ["saltern-numbers", "calibrate", "--target", "250ms"];
        let report = ["saltern-numbers", "report", "--function", "logins", "--out", "page.html", "--from"];
        let times = ["2026-11-21T19:00:00Z", "--to", "2026-11-21T20:00:00Z"];
        let report = [&report[..], &times].concat();
        for command in [&calibrate[..], &report] {
            let reads =
                |size: &[&str]| Arguments::command().try_get_matches_from([command, size].concat()).is_ok();
            for architecture in ["--arch", "--architecture"] {
                assert!(reads(&[architecture, "arm64"]) && !reads(&[architecture, "arm"]), "{command:?}");
            }
            for (memory_mb, is_one) in [("127", false), ("128", true), ("10240", true), ("10241", false)] {
                assert_eq!(reads(&["--memory-mb", memory_mb]), is_one, "{command:?} {memory_mb}");
            }
        }
    }
}
