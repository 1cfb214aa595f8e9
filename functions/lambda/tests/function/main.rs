//! The function from outside, through the real binary.
//!
//! `package --test` also runs these against the binaries in the zips.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "what is measured is shown")]

mod answers;
mod calibrate;
mod disturbance;
mod metrics;
mod start;
mod support;
