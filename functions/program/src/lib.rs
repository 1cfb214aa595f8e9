//! Common parts of `saltern`, `saltern-numbers` and `saltern-fleet`: arguments, the policy
//! document, exit codes, manual pages and completions.

#![forbid(unsafe_code)]

mod arguments;
pub mod completions;
pub mod document;
mod failure;
pub mod man;
pub mod number;
mod output;
pub mod process;
#[cfg(test)]
mod sample;

pub use arguments::{DocumentArguments, KernelArguments, MachineArguments};
pub use completions::CompletionsArguments;
pub use failure::{EXIT_CODES, Failure, MISMATCH, exit_codes, read};
pub use man::ManArguments;
pub use output::say;
