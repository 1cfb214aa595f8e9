//! Tests of the binary `saltern-measure`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod calibrate;
mod commands;
mod report;
