//! `bootstrap`: the program that Lambda starts.

#![forbid(unsafe_code)]

use std::{alloc::System, process::ExitCode};

use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer that is freed. The HTTP client and the Lambda runtime copy events into
/// buffers that they do not wipe.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_lambda::run()
}
