//! Measures the kernels beside the best code of others, in one run, so that only ratios within a run are compared.
//!
//! `saltern-bench all [--results DIRECTORY]` measures everything that was asked for and gives a verdict on each figure;
//! `saltern-bench kernels` and `saltern-bench http` look closer at a part ([`USAGE`]).

#![allow(clippy::expect_used, reason = "a measurement that cannot be made ends the program")]

mod all;
mod argon2_c;
mod arguments;
mod chart;
mod figure;
mod http;
mod kernels;
mod libxcrypt;
mod measure;
mod migrate;
mod report;
mod summary;

use std::{env, process::ExitCode};

use arguments::{Arguments, Command, HttpArguments, USAGE};
use report::Report;
use summary::{Progress, Summary};

#[allow(clippy::print_stderr, reason = "this program is its output")]
fn main() -> ExitCode {
    let Some(command) = Command::parse(env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(EXIT_USAGE);
    };
    let measured = match &command {
        Command::All(arguments) => all::run(arguments),
        Command::Http(arguments) => http(arguments),
        Command::Kernels(arguments) => kernels(arguments),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("saltern-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn http(arguments: &HttpArguments) -> Result<(), Box<dyn core::error::Error>> {
    let figures = http::figures(arguments, &Progress::start())?;
    let summary = Summary::new(arguments.rounds, arguments.seconds, figures, vec![]);
    summary.print();
    if let Some(file) = &arguments.json {
        summary.write_json(file)?;
    }
    Ok(())
}

fn kernels(arguments: &Arguments) -> Result<(), Box<dyn core::error::Error>> {
    let measurements = match arguments.kernel.as_deref() {
        Some("bcrypt") => kernels::bcrypt::measure(arguments)?,
        Some("pbkdf2") => kernels::pbkdf2::measure(arguments)?,
        Some("argon2") => kernels::argon2::measure(arguments)?,
        Some("crypt") => kernels::crypt::measure(arguments)?,
        Some(other) => {
            return Err(
                format!("no kernel is called {other}; there are: bcrypt, pbkdf2, argon2, crypt").into()
            );
        }
        None => [
            kernels::bcrypt::measure(arguments)?,
            kernels::pbkdf2::measure(arguments)?,
            kernels::argon2::measure(arguments)?,
            kernels::crypt::measure(arguments)?,
        ]
        .concat(),
    };
    let report = Report::new(measurements);
    report.print();
    if let Some(file) = &arguments.json {
        report.write_json(file)?;
    }
    Ok(())
}

/// `EX_USAGE` of `sysexits.h`.
const EXIT_USAGE: u8 = 64;
