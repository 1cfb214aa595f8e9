//! `saltern-numbers bench`: the tables of well-known benchmarks, measured on this machine.
//!
//! 1. `benchmark` lists the algorithms. `tables` plans their rows, under the bench's own
//!    `ceilings`. `measuring` measures them into `results`.
//! 2. `sheets` makes tables of text, for the terminal and as Markdown. `page` makes a page, beside
//!    the `published` times of others.

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

use self::{
    benchmark::Benchmark,
    measuring::Pace,
    results::{FORM, Results},
};
use saltern_program::{Failure, say};

#[derive(Args, Debug)]
#[command(
    after_help = "Measured are bcrypt with cost 4 to 18, PBKDF2 with 1 to 900,001 iterations, sha512-crypt with 1,000 to\n\
                  1,000,000 rounds, argon2id with 7 to 256 MiB and 1 to 5 passes, scrypt with N from 2^10 to 2^18 (r = 8, p = 1).\n\n\
                  Measure on an idle machine. A full run takes three to five minutes of one core, with --quick less than half a\n\
                  minute. The time of bcrypt 31 is not measured: it is extrapolated from the last measured cost, and marked with ≈."
)]
pub(crate) struct BenchArguments {
    /// Measure only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',', value_parser = Benchmark::parser())]
    pub(crate) benchmarks: Vec<&'static Benchmark>,
    /// Measure only the cheaper costs, and extrapolate the others
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a page (.html), Markdown (.md) or JSON (.json); may be repeated
    #[arg(long, value_name = "FILE", value_parser = Out::parse)]
    pub(crate) out: Vec<Out>,
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<(), Failure> {
    // A file that cannot be written must fail before minutes of measuring.
    arguments.out.iter().try_for_each(Out::probe)?;
    let results = measure(&benchmarks(&arguments.benchmarks), arguments.quick)?;
    for out in &arguments.out {
        out.write(&results)?;
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
        form: FORM,
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

/// A file to write. Its extension chooses the format.
#[derive(Clone, Debug)]
pub(crate) struct Out {
    file: PathBuf,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Html,
    Json,
    Markdown,
}

impl Out {
    /// Reads the argument.
    pub(crate) fn parse(argument: &str) -> Result<Self, String> {
        let file = PathBuf::from(argument);
        let form = match file.extension().and_then(|extension| extension.to_str()) {
            Some("html") => Form::Html,
            Some("json") => Form::Json,
            Some("md") => Form::Markdown,
            _ => {
                return Err("name a file that ends in .html, .json or .md: the extension chooses the format"
                    .to_owned());
            }
        };
        Ok(Self { file, form })
    }

    /// Checks that the file can be written, without changing its content.
    fn probe(&self) -> Result<(), Failure> {
        let opened = fs::OpenOptions::new().append(true).create(true).open(&self.file);
        opened.map(drop).map_err(|error| self.cannot(&error))
    }

    fn write(&self, results: &Results) -> Result<(), Failure> {
        let text = match self.form {
            Form::Html => page::html(results),
            Form::Json => json(results)?,
            Form::Markdown => sheets::markdown(results),
        };
        fs::write(&self.file, text).map_err(|error| self.cannot(&error))
    }

    fn cannot(&self, error: &std::io::Error) -> Failure {
        Failure::configuration(format!(
            "{} cannot be written ({error}): name a file in a directory that exists",
            self.file.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_a_file_chooses_its_format() {
        for (name, form) in [("a.html", Form::Html), ("a.b.json", Form::Json), ("x/y.md", Form::Markdown)] {
            assert_eq!(Out::parse(name).unwrap().form, form);
        }
        for wrong in ["", "html", "a.txt", "a.HTML.gz", ".md"] {
            assert!(Out::parse(wrong).is_err(), "{wrong}");
        }
    }
}
