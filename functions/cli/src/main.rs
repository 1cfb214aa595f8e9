//! `saltern`: the server and the commands for stored hashes, in one binary.

#![forbid(unsafe_code)]

mod command;
mod convert;
mod hash;
mod hash_clear;
mod inspect;
mod keys;
mod migrate_plan;
mod one_hash;
mod policies;
mod seal;
mod table;
mod terminal;
mod time_of_one;
mod try_value;
mod verify;
mod version;
mod wrap;

use std::{alloc::System, process::ExitCode};

use command::Command;
use zeroizing_alloc::ZeroAlloc;

/// Wipes every freed buffer, because the HTTP and TLS crates do not wipe theirs.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_service::install_panic_hook("saltern");
    command::read().and_then(Command::run).unwrap_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")))
}
