//! Tests of the crate from outside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod document;
mod floors;
mod foreign;
mod prepared;
mod support;
mod verdict;
mod weak;
