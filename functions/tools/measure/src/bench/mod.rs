//! `saltern-measure bench`: the tables of well-known benchmarks, measured on this machine.
//!
//! 1. `benchmark` lists the algorithms. `tables` plans their rows, under the bench's own
//!    `ceilings`. `measuring` measures them into `results`.
//! 2. `sheets` makes tables, for the terminal and the page. `page` has the charts too, beside the
//!    `published` times of others.

mod benchmark;
mod ceilings;
mod measuring;
mod page;
mod published;
mod results;
mod sheets;
mod tables;

use std::{fs, path::PathBuf, time::Instant};

use crate::measure::Machine;
use clap::Args;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use self::{benchmark::Benchmark, measuring::Pace, results::Results};
use saltern_server::{Failure, say};

#[derive(Args, Debug)]
pub(crate) struct BenchArguments {
    /// Measure only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',', value_parser = Benchmark::parser())]
    pub(crate) benchmarks: Vec<&'static Benchmark>,
    /// Measure only the cheaper costs, and extrapolate the others: less than half a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a page with charts (HTML), beside published times
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<(), Failure> {
    let cannot = |error| {
        Failure::configuration(format!(
            "the page cannot be written ({error}): name a file in a directory that exists"
        ))
    };
    // A file that cannot be written must fail before minutes of measuring.
    if let Some(file) = &arguments.out {
        fs::OpenOptions::new().append(true).create(true).open(file).map_err(cannot)?;
    }
    let results = measure(&benchmarks(&arguments.benchmarks), arguments.quick)?;
    if let Some(file) = &arguments.out {
        fs::write(file, page::html(&results)).map_err(cannot)?;
    }
    say(&if arguments.json { json(&results)? } else { sheets::text(&results) })
}

/// Returns the chosen benchmarks in the order of their list.
fn benchmarks(asked: &[&'static Benchmark]) -> Vec<&'static Benchmark> {
    let is_asked = |one: &Benchmark| asked.iter().any(|asked| asked.algorithm == one.algorithm);
    benchmark::ALL.iter().filter(|one| asked.is_empty() || is_asked(one)).collect()
}

fn measure(benchmarks: &[&'static Benchmark], quick: bool) -> Result<Results, Failure> {
    let began = OffsetDateTime::now_utc();
    let started = Instant::now();
    let tables = measuring::measure(benchmarks, if quick { &Pace::QUICK } else { &Pace::FULL })?;
    Ok(Results {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: Machine::this(),
        began: began.replace_nanosecond(0).unwrap_or(began).format(&Rfc3339).unwrap_or_default(),
        took_seconds: started.elapsed().as_secs_f64(),
        quick,
        tables,
    })
}

fn json(results: &Results) -> Result<String, Failure> {
    serde_json::to_string_pretty(results)
        .map(|json| json + "\n")
        .map_err(|error| Failure::system(format!("the results cannot be written as JSON ({error})")))
}
