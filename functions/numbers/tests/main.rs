//! Tests of the binary `saltern-numbers`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod calibrate;
mod commands;
mod report;
