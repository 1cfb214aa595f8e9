//! Everything that has a figure to reach, in one run.

use core::error::Error;
use std::{fs, path::Path};

use crate::{
    arguments::{AllArguments, Arguments},
    chart, http, kernels, migrate,
    summary::{Progress, Summary},
};

pub(crate) fn run(arguments: &AllArguments) -> Result<(), Box<dyn Error>> {
    let progress = Progress::start();
    let kernel_arguments = Arguments { rounds: arguments.http.rounds, ..Arguments::default() };
    progress.say("bcrypt kernels");
    let bcrypt = kernels::bcrypt::measure(&kernel_arguments)?;
    progress.say("PBKDF2 kernels");
    let pbkdf2 = kernels::pbkdf2::measure(&kernel_arguments)?;
    progress.say("argon2id kernels");
    let argon2 = kernels::argon2::measure(&kernel_arguments)?;
    progress.say("what crypt(3) leaves behind");
    let crypt = kernels::crypt::measure(&kernel_arguments)?;
    let mut figures: Vec<_> = bcrypt.iter().flat_map(kernels::bcrypt::figures).collect();
    figures.extend(kernels::pbkdf2::figures(&pbkdf2));
    figures.extend(kernels::argon2::figures(&argon2));
    figures.extend(kernels::crypt::figures(&crypt));
    figures.extend(http::figures(&arguments.http, &progress)?);
    progress.say("migrate-plan");
    figures.extend(migrate::figures(&arguments.http)?);
    progress.say("done");

    if let Some(directory) = &arguments.results {
        fs::create_dir_all(directory)?;
        bcrypt.iter().try_for_each(|bcrypt| chart::write(bcrypt, &directory.join(CHART)))?;
    }
    let http = &arguments.http;
    let summary = Summary::new(http.rounds, http.seconds, figures, [bcrypt, pbkdf2, argon2, crypt].concat());
    summary.print();
    arguments.results.as_deref().map_or(Ok(()), |directory| write(&summary, directory))
}

fn write(summary: &Summary, directory: &Path) -> Result<(), Box<dyn Error>> {
    summary.write_json(&directory.join(JSON))?;
    summary.write_markdown(&directory.join(MARKDOWN))?;
    Ok(())
}

const CHART: &str = "lanes.svg";
const JSON: &str = "bench.json";
const MARKDOWN: &str = "bench.md";
