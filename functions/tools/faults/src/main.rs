//! `saltern serve`, or without arguments `bootstrap`, as they are released but for the workers.

use std::{env, io, process::ExitCode};

use clap::Parser;
use saltern_faults::Faulting;
use saltern_pool::{Pool, PoolSettings};
use saltern_server::ServeArguments;

#[derive(Debug, Parser)]
enum Arguments {
    Serve(Box<ServeArguments>),
}

fn main() -> ExitCode {
    let start = |settings: &PoolSettings| -> io::Result<Faulting> { Pool::start(settings).map(Faulting) };
    if env::args_os().len() == 1 {
        return saltern_lambda::run_with(start);
    }
    saltern_service::install_panic_hook("saltern");
    let served = saltern_server::read::<Arguments>()
        .and_then(|Arguments::Serve(arguments)| saltern_server::run_with(&arguments, start));
    served.map_or_else(|failure| failure.print(env!("CARGO_BIN_NAME")), |()| ExitCode::SUCCESS)
}
