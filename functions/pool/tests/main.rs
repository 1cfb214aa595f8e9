//! Tests of the crate from outside. `cancelled` measures time, so it is another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod little_memory;
mod one_core;
mod pool;
