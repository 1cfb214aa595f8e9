//! `saltern`: the service as one binary on any machine.

#![forbid(unsafe_code)]

mod arguments;
mod aws;
mod bench;
mod calibrate;
mod column;
mod completions;
mod failure;
mod hash;
mod inspect;
mod man;
mod migrate_plan;
mod number;
mod one_hash;
mod policies;
mod process;
mod report;
mod serve;
mod terminal;
mod verify;
mod wrap;

use std::{alloc::System, process::ExitCode};

use arguments::{Command, PoliciesCommand};
use failure::Failure;
use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer that is freed: a request passes through buffers of the HTTP and TLS crates, which do not.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_service::install_panic_hook("saltern");
    run().unwrap_or_else(|failure| failure.tell())
}

fn run() -> Result<ExitCode, Failure> {
    match arguments::read()? {
        Command::Bench(arguments) => bench::run(&arguments)?,
        Command::Calibrate(arguments) => calibrate::run(&arguments)?,
        Command::Completions(arguments) => completions::run(&arguments)?,
        Command::Hash(arguments) => hash::run(&arguments)?,
        Command::Inspect(arguments) => inspect::run(&arguments)?,
        Command::Man(arguments) => man::run(&arguments)?,
        Command::MigratePlan(arguments) => migrate_plan::run(&arguments)?,
        Command::Policies(PoliciesCommand::Check(arguments)) => policies::check(&arguments)?,
        Command::Report(arguments) => report::run(&arguments)?,
        Command::Serve(arguments) => serve::run(&arguments)?,
        Command::Verify(arguments) => return verify::run(&arguments),
        Command::Wrap(arguments) => wrap::run(&arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
