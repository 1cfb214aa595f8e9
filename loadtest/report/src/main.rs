//! The report of a load test.
//!
//! `record` reads the output of k6 during a run and keeps the figures of each second. `page`
//! compares the runs of several evenings in one HTML file. It succeeds only if every evening went
//! as expected.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod evening;
mod judge;
mod page;
mod record;

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::Parser;

use crate::{evening::Evening, judge::Judgement};

#[derive(Parser)]
#[command(about)]
enum Command {
    /// Read the output of `k6 --out json`, report progress, and print the figures of each second as
    /// JSON
    Record,
    /// Write the page and print the verdict
    Page {
        /// The HTML file to write
        #[arg(long)]
        out: PathBuf,
        /// Directories that `loadtest/record` wrote, one for each evening
        #[arg(required = true)]
        evenings: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Record => record().map(|()| true),
        Command::Page { out, evenings } => page(&out, &evenings),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("saltern-load-report: {error}");
            ExitCode::from(EX_DATAERR)
        }
    }
}

fn record() -> io::Result<()> {
    let series = record::record(io::stdin().lock(), |line| eprintln!("{line}"))?;
    let text = serde_json::to_string(&series).map_err(io::Error::other)?;
    io::stdout().write_all(text.as_bytes())
}

/// Returns whether every evening went as expected.
fn page(out: &PathBuf, directories: &[PathBuf]) -> io::Result<bool> {
    let evenings =
        directories.iter().map(|directory| Evening::read(directory)).collect::<io::Result<Vec<_>>>()?;
    let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
    fs::write(out, page::html(&evenings, &judgements)?)?;
    for (evening, judgement) in evenings.iter().zip(&judgements) {
        println!("{}: {}", evening.about.title, judgement.sentence);
    }
    println!("report: {}", out.display());
    Ok(judgements.iter().all(|judgement| judgement.as_expected))
}

/// sysexits.h: the input is invalid.
const EX_DATAERR: u8 = 65;
