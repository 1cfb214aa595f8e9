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
mod failure;
mod function;
mod kernel;
mod latencies;
mod ledger;
mod moment;
mod plan;
mod platform;
mod pool;
mod random;
mod say;
mod shape;
mod simulation;
mod spread;
mod sweep;
mod validate;

use std::process::ExitCode;

use arguments::Command;
use failure::Failure;

fn main() -> ExitCode {
    run().map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
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
