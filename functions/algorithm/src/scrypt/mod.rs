#![allow(clippy::inline_always, reason = "a row is a register only where its functions are not called")]

pub(crate) mod kernel;
mod mix;
pub(crate) mod reference;
mod row;
