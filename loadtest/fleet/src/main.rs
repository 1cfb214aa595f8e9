//! `saltern-fleet`: a model of AWS Lambda, behind a real HTTP door and in simulated time.
//!
//! [`platform`] is the model. `door` drives it in real time, `simulation` in simulated time.

#![forbid(unsafe_code)]

mod arguments;
mod assumptions;
mod bucket;
mod caller;
mod client;
mod documents;
mod door;
mod function;
mod kernel;
mod larger;
mod latencies;
mod ledger;
mod moment;
mod plan;
mod platform;
mod pool;
mod progress;
mod random;
mod shape;
mod simulation;
mod spread;
mod sweep;
mod validate;

use std::process::ExitCode;

use arguments::Command;
use saltern_program::Failure;

fn main() -> ExitCode {
    run().map_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")), |()| ExitCode::SUCCESS)
}

fn run() -> Result<(), Failure> {
    match arguments::read()? {
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Pool(arguments) => pool::make(&arguments),
        Command::Serve(arguments) => door::run(&arguments),
        Command::Spread(arguments) => spread::measure(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
    }
}
