//! The invariants of the tree, and tests of the scripts that print figures about it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod advisories;
mod lines;
mod pasted;
mod tables;
mod tree;
