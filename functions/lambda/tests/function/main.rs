//! Tests of the function from outside, with the real binary.
//!
//! `package --test` also runs these tests with the binaries in the zips.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "the tests print their measurements")]

mod answers;
mod disturbance;
mod metrics;
mod secrets;
mod start;
mod support;
