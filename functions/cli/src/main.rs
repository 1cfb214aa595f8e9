//! `saltern`: the service as one binary on any machine.

#![forbid(unsafe_code)]

mod arguments;
mod failure;
mod policies;
mod process;
mod report;
mod serve;

use std::{alloc::System, process::ExitCode};

use arguments::{Command, PoliciesCommand};
use failure::Failure;
use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer that is freed: a request passes through buffers of the HTTP and TLS crates, which do not.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    run().map_or_else(|failure| failure.tell(), |()| ExitCode::SUCCESS)
}

fn run() -> Result<(), Failure> {
    match arguments::read()? {
        Command::Policies(PoliciesCommand::Check(arguments)) => policies::check(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
    }
}
