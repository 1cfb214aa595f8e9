//! Tests of the crate from outside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod never_panics;
mod vectors;
