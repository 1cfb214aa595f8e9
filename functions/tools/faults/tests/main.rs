//! A panic costs one request, and no output has the password.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod function;
mod saltern;

const SALTERN: &str = env!("CARGO_BIN_EXE_saltern-with-faults");

/// Part of every password here.
const MARK: &str = "mArKeD-pAsSwOrD";
