//! `saltern`: the server and the commands for stored hashes, in one binary.

#![forbid(unsafe_code)]

use std::{alloc::System, process::ExitCode};

use zeroizing_alloc::ZeroAlloc;

/// Wipes every freed buffer, because the HTTP and TLS crates do not wipe theirs.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_service::install_panic_hook("saltern");
    saltern_cli::run().unwrap_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")))
}
