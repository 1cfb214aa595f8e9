//! A program for the tests of the manual and of the completions.

/// Returns the definition of the program.
pub(crate) fn definition() -> clap::Command {
    <Sample as clap::CommandFactory>::command()
}

/// A program with commands below commands, flags with and without values, and positional arguments.
#[derive(clap::Parser)]
#[command(name = "saltern")]
struct Sample {
    #[command(subcommand)]
    command: SampleCommand,
}

#[derive(clap::Subcommand)]
enum SampleCommand {
    /// Writes the manual
    Man(crate::man::ManArguments),
    /// Works on documents
    #[command(subcommand)]
    Policies(SamplePolicies),
}

#[derive(clap::Subcommand)]
enum SamplePolicies {
    /// Checks a document
    Check(saltern_server::MachineArguments),
    /// Verifies a password
    Verify(saltern_server::DocumentArguments),
}
