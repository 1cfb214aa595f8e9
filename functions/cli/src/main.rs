//! `saltern`: the service as one binary on any machine.

#![forbid(unsafe_code)]

mod algorithm;
mod arguments;
mod aws;
mod bench;
mod calibrate;
mod column;
mod command;
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
mod scale;
mod serve;
mod terminal;
mod verify;
mod wrap;

use std::{alloc::System, process::ExitCode};

use command::Command;
use failure::Failure;
use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer that is freed: a request passes through buffers of the HTTP and TLS crates, which do not.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_service::install_panic_hook("saltern");
    command::read().and_then(Command::run).unwrap_or_else(|failure| failure.tell())
}
