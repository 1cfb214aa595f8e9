//! `saltern-fleet`: a model of AWS Lambda, behind a real HTTP door and in simulated time.
//!
//! [`fleet`] is the model. `door` drives it in real time, `simulation` in simulated time. Both count
//! time as a [`Duration`](core::time::Duration) since the start of the model.

#![forbid(unsafe_code)]

mod arguments;
mod assumptions;
mod bucket;
mod demand;
mod documents;
mod door;
mod fleet;
mod function;
mod larger;
mod latencies;
mod limits;
mod number;
mod plan;
mod platform;
mod shape;
mod simulation;
mod spread;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use saltern_server::Failure;

fn main() -> ExitCode {
    run().map_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")), |()| ExitCode::SUCCESS)
}

fn run() -> Result<(), Failure> {
    match saltern_server::read::<Arguments>()?.command {
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Serve(arguments) => door::run(&arguments),
    }
}
