//! Tests of the crate from outside. The subscriber of `secrets` belongs to a process, so it is another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod seals;
mod support;
mod vectors;
