//! What the evenings of a load test were like.
//!
//! `record` stands behind k6 during a run and keeps a line for every second. `page` puts the runs of one or several evenings
//! side by side, writes one HTML file, and ends well only where every evening went as it was expected to.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod evening;
mod judge;
mod page;
mod record;
mod sustained;

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
    /// Reads k6's `--out json` from the standard input, says how it goes, and prints the run second by second as JSON
    Record,
    /// Writes the page, and says the verdict
    Page {
        /// The page
        #[arg(long)]
        out: PathBuf,
        /// Each with an evening as `loadtest/record` left it
        #[arg(required = true)]
        evenings: Vec<PathBuf>,
    },
    /// Prints how k6 and fleet carried a steady rate, and where the time went, as Markdown
    Sustained {
        /// Each with a run as `loadtest/sustained` left it
        #[arg(required = true)]
        runs: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Record => record().map(|()| true),
        Command::Page { out, evenings } => page(&out, &evenings),
        Command::Sustained { runs } => sustained::tell(&runs),
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

/// Returns whether everything went as expected.
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

/// sysexits.h: the input is not what it should be.
const EX_DATAERR: u8 = 65;
