//! Tests of the binary `saltern`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod commands;
mod price;
mod serve;
