//! The command line: every command, and the code that runs it.

use std::process::ExitCode;

use crate::{CompletionsArguments, ManArguments, completions, man};
use clap::{CommandFactory as _, Parser, Subcommand, builder::Resettable};
use saltern_server::{Failure, exit_codes};
use saltern_server::{HealthArguments, ServeArguments};

use crate::{
    blocklist::{self, BlocklistCommand},
    convert::{self, ConvertArguments},
    hash::{self, HashArguments},
    hash_clear::{self, HashClearArguments},
    inspect::{self, InspectArguments},
    keys::KeysCommand,
    migrate_plan::{self, MigratePlanArguments},
    policies::{self, PoliciesCommand},
    seal::{self, Change, SealArguments},
    try_value::{self, TryArguments},
    verify::{self, VerifyArguments},
    version::VERSION,
    wrap::{self, WrapArguments},
};

/// Reads the command line and the environment.
pub(crate) fn read() -> Result<Command, Failure> {
    saltern_server::read::<Arguments>().map(|arguments| arguments.command)
}

#[derive(Debug, Parser)]
#[command(
    name = "saltern",
    version,
    long_version = VERSION.as_str(),
    about = "Hashes and verifies passwords over HTTP",
    after_help = exit_codes()
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make lists of breached passwords, which get no new hash
    #[command(subcommand)]
    Blocklist(BlocklistCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Write hashes that a site made itself in a form that Saltern reads
    Convert(Box<ConvertArguments>),
    /// Make a hash of a password, read without echo or from standard input
    Hash(HashArguments),
    /// Hash a table of passwords in clear. A value that may be a hash is left
    HashClear(HashClearArguments),
    /// Ask a running server for its health, as a container's health check
    Health(HealthArguments),
    /// Explain a stored hash field by field
    Inspect(InspectArguments),
    /// Make and change the keys of sealed hashes
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Print the manual, or write one page for each command
    Man(ManArguments),
    /// Count the hashes of a table, and compute the cost of moving them
    MigratePlan(MigratePlanArguments),
    /// Check policy documents
    #[command(subcommand)]
    Policies(PoliciesCommand),
    /// Seal the hashes of a table anew under the current key
    Reseal(SealArguments),
    /// Seal the hashes of a table, without their passwords
    Seal(SealArguments),
    /// Serve the HTTP contract from this machine
    Serve(Box<ServeArguments>),
    /// Find out how a site made a hash, with one known password
    ///
    /// The exit code is 0 if a way fits and 1 if none does.
    Try(TryArguments),
    /// Take the seals off a table: the result has the hashes as they were
    Unseal(SealArguments),
    /// Compare a password, read without echo or from standard input, with a stored hash
    ///
    /// The exit code is 0 for a match and 1 for a mismatch.
    Verify(VerifyArguments),
    /// Put argon2id over weak hashes, without their passwords
    Wrap(WrapArguments),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Blocklist(BlocklistCommand::Build(arguments)) => blocklist::build(&arguments)?,
            Self::Completions(arguments) => completions::run(&arguments, Arguments::command())?,
            Self::Convert(arguments) => convert::run(&arguments)?,
            Self::Hash(arguments) => hash::run(&arguments)?,
            Self::HashClear(arguments) => hash_clear::run(&arguments)?,
            Self::Health(arguments) => saltern_server::health(&arguments)?,
            Self::Inspect(arguments) => inspect::run(&arguments)?,
            Self::Keys(command) => command.run()?,
            // The pages are the same on every machine.
            Self::Man(arguments) => {
                man::run(&arguments, Arguments::command().long_version(Resettable::Reset))?;
            }
            Self::MigratePlan(arguments) => migrate_plan::run(&arguments)?,
            Self::Policies(PoliciesCommand::Check(arguments)) => policies::check(&arguments)?,
            Self::Reseal(arguments) => seal::run(&arguments, Change::Reseal)?,
            Self::Seal(arguments) => seal::run(&arguments, Change::Seal)?,
            Self::Serve(arguments) => saltern_server::run(&arguments)?,
            Self::Try(arguments) => return try_value::run(&arguments),
            Self::Unseal(arguments) => seal::run(&arguments, Change::Unseal)?,
            Self::Verify(arguments) => return verify::run(&arguments),
            Self::Wrap(arguments) => wrap::run(&arguments)?,
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
}
