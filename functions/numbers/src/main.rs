//! `saltern-numbers`: measures hashes, finds parameters that fit a time, and reports on a function.

#![forbid(unsafe_code)]

mod algorithm;
mod arguments;
mod aws;
mod bench;
mod calibrate;
mod command;
mod report;

use std::process::ExitCode;

use command::Command;

fn main() -> ExitCode {
    command::read().and_then(Command::run).unwrap_or_else(|failure| failure.print())
}
