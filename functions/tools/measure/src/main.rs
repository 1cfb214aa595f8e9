//! `saltern-measure`: measures hashes, finds parameters for a time, and reports on a function.

mod arguments;
mod aws;
mod bench;
mod calibrate;
mod command;
#[cfg(feature = "peers")]
mod compare;
mod measure;
mod report;

use std::process::ExitCode;

use command::Command;

fn main() -> ExitCode {
    command::read().and_then(Command::run).unwrap_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")))
}
