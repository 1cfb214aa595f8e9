//! `saltern-numbers compare`: the kernels and the service beside the fastest other libraries.
//!
//! Each comparison measures both sides in one run, and only ratios within a run are compared. The
//! command needs the feature `peers`, which builds the other libraries; some are in C.
//!
//! 1. [`rounds`] measures contenders in interleaved rounds; [`kernels`] has the contenders of each
//!    algorithm.
//! 2. [`http`] measures the service under load, its start and its memory; [`migrate`] measures
//!    `migrate-plan`.
//! 3. [`figure`] compares each measurement with its bound; [`summary`] and [`chart`] write the
//!    results.

#![allow(clippy::expect_used, reason = "a measurement that fails ends the program")]

mod arguments;
mod chart;
mod figure;
mod http;
mod kernels;
mod migrate;
mod peers;
mod rounds;
mod summary;

use core::error::Error;
use std::{fs, thread};

use saltern_meter::Machine;
use saltern_program::{Failure, say};

pub(crate) use self::arguments::CompareArguments;
use self::{
    arguments::{AllArguments, HttpArguments, Kernel, KernelsArguments, Part},
    chart::Lanes,
    rounds::Measurement,
    summary::{Progress, Summary},
};

pub(crate) fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let text = match &arguments.part {
        Part::All(arguments) => all(arguments),
        Part::Http(arguments) => http(arguments),
        Part::Kernels(arguments) => kernels(arguments),
    };
    say(&text.map_err(|error| Failure::system(error.to_string()))?)
}

fn all(arguments: &AllArguments) -> Result<String, Box<dyn Error>> {
    let progress = Progress::start();
    let service = &arguments.service;
    let kernels = KernelsArguments::with_rounds(service.rounds);
    progress.print("bcrypt kernels");
    let bcrypt = kernels::bcrypt::measure(&kernels)?;
    progress.print("PBKDF2 kernels");
    let pbkdf2 = kernels::pbkdf2::measure(&kernels)?;
    progress.print("argon2id kernels");
    let argon2 = kernels::argon2::measure(&kernels)?;
    progress.print("scrypt kernels");
    let scrypt = kernels::scrypt::measure(&kernels)?;
    progress.print("schemes of crypt(3)");
    let crypt = kernels::crypt::measure(&kernels)?;
    let mut figures: Vec<_> = bcrypt.iter().flat_map(kernels::bcrypt::figures).collect();
    figures.extend(kernels::pbkdf2::figures(&pbkdf2));
    figures.extend(kernels::argon2::figures(&argon2));
    figures.extend(kernels::scrypt::figures(&scrypt));
    figures.extend(kernels::crypt::figures(&crypt));
    figures.extend(http::figures(service, &progress)?);
    progress.print("migrate-plan");
    figures.extend(migrate::figures(service)?);
    progress.print("done");

    let lanes = bcrypt.first().and_then(Lanes::of);
    let kernels = [bcrypt, pbkdf2, argon2, scrypt, crypt].concat();
    let summary = Summary::new(service.rounds, Some(service.seconds), figures, kernels);
    if let Some(directory) = &arguments.results {
        fs::create_dir_all(directory)?;
        if let Some(lanes) = &lanes {
            fs::write(directory.join("lanes.svg"), lanes.svg(&Machine::this().cpu))?;
        }
        fs::write(directory.join("figures.json"), summary.quoted(lanes.as_ref())?)?;
    }
    Ok(summary.text())
}

fn http(arguments: &HttpArguments) -> Result<String, Box<dyn Error>> {
    let service = &arguments.service;
    let figures = http::figures(service, &Progress::start())?;
    let summary = Summary::new(service.rounds, Some(service.seconds), figures, vec![]);
    if let Some(file) = &arguments.json {
        fs::write(file, summary.json()?)?;
    }
    Ok(summary.text())
}

fn kernels(arguments: &KernelsArguments) -> Result<String, Box<dyn Error>> {
    let mut measurements: Vec<Measurement> = Vec::new();
    for (kernel, measure) in KERNELS {
        if arguments.kernel.is_none_or(|only| only == kernel) {
            measurements.extend(measure(arguments)?);
        }
    }
    let summary = Summary::new(arguments.rounds, None, vec![], measurements);
    if let Some(file) = &arguments.json {
        fs::write(file, summary.json()?)?;
    }
    Ok(summary.kernels_text())
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

type Measure = fn(&KernelsArguments) -> Result<Vec<Measurement>, Box<dyn Error>>;

const KERNELS: [(Kernel, Measure); 5] = [
    (Kernel::Bcrypt, kernels::bcrypt::measure),
    (Kernel::Pbkdf2, kernels::pbkdf2::measure),
    (Kernel::Argon2, kernels::argon2::measure),
    (Kernel::Scrypt, kernels::scrypt::measure),
    (Kernel::Crypt, kernels::crypt::measure),
];
