//! The commands of `saltern`, and what the tools use of them: the manual, completions, numbers in
//! sentences, progress bars, and the [`price`] of a guess.

#![forbid(unsafe_code)]

mod blocklist;
mod command;
pub mod completions;
mod convert;
mod hash;
mod hash_clear;
mod inspect;
mod keys;
pub mod man;
mod migrate_plan;
pub mod number;
mod one_hash;
mod policies;
pub mod price;
#[cfg(test)]
mod sample;
mod seal;
mod table;
mod terminal;
mod time_of_one;
mod try_value;
mod verify;
mod version;
mod wrap;

use std::process::ExitCode;

use saltern_server::Failure;

pub use completions::CompletionsArguments;
pub use man::ManArguments;
pub use terminal::progress_bar;

/// Reads the command line and the environment, and runs the command.
///
/// # Errors
/// [`Failure`], with what to do next.
pub fn run() -> Result<ExitCode, Failure> {
    command::read().and_then(command::Command::run)
}
