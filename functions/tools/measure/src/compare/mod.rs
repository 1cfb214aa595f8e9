//! `saltern-measure compare`: the kernels and the service beside the fastest other libraries.
//!
//! Each comparison measures both sides in one run, and only ratios within a run are compared. The
//! command needs the feature `peers`, which builds the other libraries; some are in C.
//!
//! 1. [`bounds`] is the table of all figures. A [`figure`] is a measurement with its bound.
//! 2. [`kernels`] measures [`contenders`] in interleaved [`rounds`], and what the machine allows.
//! 3. [`http`] measures the service under load.

#![allow(clippy::expect_used, reason = "a measurement that fails ends the program")]

mod bounds;
mod contenders;
mod figure;
mod http;
mod kernels;
mod peers;
mod rounds;

use core::error::Error;
use std::{fs, num::NonZeroUsize, path::PathBuf, thread};

use clap::{Args, ValueEnum};
use saltern_page::Table;
use saltern_server::{Failure, say};
use serde_json::json;

use self::{figure::Verdict, rounds::Measurement};
use crate::measure::Machine;

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    /// Only this part
    #[arg(value_name = "PART")]
    part: Option<Part>,
    /// Rounds; a figure is the median over all rounds
    #[arg(long, value_name = "ROUNDS", default_value_t = DEFAULT_ROUNDS)]
    rounds: NonZeroUsize,
    /// Write the figures as JSON to this directory
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "part")]
    results: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Argon2,
    Bcrypt,
    /// sha256-crypt and sha512-crypt
    Crypt,
    /// The service over HTTP, by the program `saltern` beside this one
    Http,
    Pbkdf2,
    Scrypt,
}

pub(crate) fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let text = measure(arguments).map_err(|error| Failure::system(error.to_string()))?;
    say(&text)
}

fn measure(arguments: &CompareArguments) -> Result<String, Box<dyn Error>> {
    let (rounds, machine) = (arguments.rounds.get(), Machine::this());
    // Ratios between a service with many threads and a bare loop hold on an idle machine alone.
    let load = fs::read_to_string("/proc/loadavg")?;
    progress(&format!("load averages before the start: {}", load.trim_end()));
    let is_wanted = |part| arguments.part.is_none_or(|only| only == part);
    let mut kernels = Vec::new();
    for (_, name, measure) in kernels::ALGORITHMS.into_iter().filter(|(part, ..)| is_wanted(*part)) {
        progress(name);
        kernels.extend(measure(rounds)?);
    }
    let mut figures = kernels::figures(&kernels);
    if is_wanted(Part::Http) {
        figures.extend(http::figures(rounds)?);
    }
    if let Some(directory) = &arguments.results {
        let of_run = json!({
            "machine": machine,
            "load_before": load.trim_end(),
            "rounds": rounds,
            "bcrypt_10_lanes": kernels::bcrypt_10_lanes(&kernels),
        });
        fs::create_dir_all(directory)?;
        fs::write(directory.join("figures.json"), figure::one_a_line(&of_run, &figures))?;
    }
    let tables: Vec<_> = kernels.iter().map(Measurement::table).chain([figure::table(&figures)]).collect();
    let tables: Vec<_> = tables.iter().map(Table::text).collect();
    let count = |verdict| figures.iter().filter(|own| own.verdict == verdict).count();
    Ok(format!(
        "CPU: {}, {} cores. Medians of {rounds} interleaved rounds; the load generator runs on the same cores.\n\n\
         {}\n{} reached, {} not reached, {} not measured.\n",
        machine.cpu,
        machine.cores,
        tables.join("\n"),
        count(Verdict::Reached),
        count(Verdict::NotReached),
        count(Verdict::NotMeasured)
    ))
}

/// Prints on standard error what is measured.
#[allow(clippy::print_stderr, reason = "the command's progress")]
fn progress(part: &str) {
    eprintln!("{part}");
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The published figures are medians of five rounds.
const DEFAULT_ROUNDS: NonZeroUsize = NonZeroUsize::new(5).unwrap();
