//! Tests of the crate from outside. `residue` searches the memory of its process, so it is another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cost;
mod document;
mod vectors;
