//! Tests that make a kernel or a worker panic, in every program that hashes.
//!
//! This crate enables the feature `fault-injection`, so it is not among the workspace's default
//! members: `cargo test` builds the other crates without that feature, as they are released.
//! `cargo test --package saltern-faults` runs these tests.

pub use saltern_algorithm::fault::{PANICS, PANICS_AT_THE_END, PANICS_IN_THE_WORKER};
