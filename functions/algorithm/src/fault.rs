//! A fault on demand, for the tests that prove that a panic in a kernel costs one request. Test builds only.

#[cfg(not(debug_assertions))]
compile_error!(
    "`fault-injection` is for tests in debug builds: a release with it would panic for a known password"
);

/// A password that starts with these bytes makes the kernel panic.
pub const PANICS: &str = "\u{1}saltern-fault-injection\u{1}";

/// Panics for a password that asks for it. The message quotes the password, as the worst panic would.
pub(crate) fn strike(password: &[u8]) {
    assert!(!password.starts_with(PANICS.as_bytes()), "injected: {}", String::from_utf8_lossy(password));
}
