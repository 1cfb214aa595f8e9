//! Faults on demand, for the tests that prove that a panic costs one request and no worker. Test builds only.

#[cfg(not(debug_assertions))]
compile_error!(
    "`fault-injection` is for tests in debug builds: a release with it would panic for a known password"
);

/// A password that starts with these bytes makes the kernel panic.
pub const PANICS: &str = "\u{1}saltern-fault-injection\u{1}";

/// One that starts with these makes a lane panic at its end.
pub const PANICS_AT_THE_END: &str = "\u{1}saltern-fault-injection-at-the-end\u{1}";

/// And with these the worker that takes it, outside every kernel.
pub const PANICS_IN_THE_WORKER: &str = "\u{1}saltern-fault-injection-in-the-worker\u{1}";

/// Panics for a password that asks for it by starting so. The message quotes the password, as the worst panic would.
pub(crate) fn strike(asks_for_it: &str, password: &[u8]) {
    assert!(!password.starts_with(asks_for_it.as_bytes()), "injected: {}", String::from_utf8_lossy(password));
}
