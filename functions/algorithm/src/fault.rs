//! Panics on demand: for the tests that prove that a panic costs one request and no worker.
//!
//! Only `saltern-faults` enables the feature `fault-injection`. No shipped binary contains this
//! module; a check searches the built binaries for [`MARKER`].

use std::cell::Cell;

/// A password that starts with this text makes the kernel panic.
pub const PANICS: &str = "\u{1}panic-in-the-kernel\u{1}";

/// A password that starts with this text makes its lane panic when the lane finishes.
pub const PANICS_AT_THE_END: &str = "\u{1}panic-at-the-end\u{1}";

/// A password that starts with this text makes the worker panic, outside every kernel.
pub const PANICS_IN_THE_WORKER: &str = "\u{1}panic-in-the-worker\u{1}";

/// Adds the panic that the password demands to a part of a hash, which runs under a guard.
///
/// A worker calls this once for a hash that is computed whole. It calls this twice for a hash in a
/// lane: when the lane starts and when it finishes.
pub(crate) fn injected<T>(password: &[u8], run: impl FnOnce() -> T) -> impl FnOnce() -> T {
    thread_local! {
        static STARTED: Cell<bool> = const { Cell::new(false) };
    }
    strike(PANICS_IN_THE_WORKER, password);
    let finishes = password.starts_with(PANICS_AT_THE_END.as_bytes()) && STARTED.replace(!STARTED.get());
    move || {
        strike(PANICS, password);
        if finishes {
            strike(PANICS_AT_THE_END, password);
        }
        run()
    }
}

/// Panics if the password demands this fault. The message quotes the password, as the worst panic
/// would.
fn strike(fault: &str, password: &[u8]) {
    assert!(!password.starts_with(fault.as_bytes()), "{MARKER}: {}", String::from_utf8_lossy(password));
}

/// The text by which a check finds this module in a binary.
const MARKER: &str = "saltern-test-only: fault-injection";
