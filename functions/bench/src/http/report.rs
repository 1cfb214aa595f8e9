use std::{fs, io, path::Path};

use serde::Serialize;

use crate::{arguments::HttpArguments, measure::median, report::cpu};

/// All that one run measured, and on what.
#[derive(Serialize)]
pub(crate) struct Report {
    cpu: String,
    cores: usize,
    rounds: usize,
    seconds: u64,
    rows: Vec<Row>,
}

/// One figure.
#[derive(Serialize)]
pub(crate) struct Row {
    what: String,
    /// The median over the rounds.
    measured: f64,
    unit: &'static str,
    must: Must,
    reached: bool,
    rounds: Vec<f64>,
    note: String,
}

/// What issues 2 and 3 ask for.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Must {
    AtLeast(f64),
    AtMost(f64),
}

impl Row {
    pub(crate) fn new(what: &str, rounds: Vec<f64>, unit: &'static str, must: Must, note: String) -> Self {
        let measured = median(&rounds);
        let reached = match must {
            Must::AtLeast(least) => measured >= least,
            Must::AtMost(most) => measured <= most,
        };
        Self { what: what.to_owned(), measured, unit, must, reached, rounds, note }
    }
}

impl Report {
    pub(crate) fn new(arguments: &HttpArguments, rows: impl IntoIterator<Item = Row>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            cpu: cpu(),
            cores,
            rounds: arguments.rounds,
            seconds: arguments.seconds,
            rows: rows.into_iter().collect(),
        }
    }

    /// A table, on standard output.
    #[allow(clippy::print_stdout)]
    pub(crate) fn print(&self) {
        println!(
            "CPU: {}, {} cores; medians of {} interleaved rounds of {} s, load generator included",
            self.cpu, self.cores, self.rounds, self.seconds
        );
        for row in &self.rows {
            let must = match row.must {
                Must::AtLeast(least) => format!("at least {least}"),
                Must::AtMost(most) => format!("at most {most}"),
            };
            let reached = if row.reached { "" } else { "  NOT REACHED" };
            println!(
                "{:<54} {:>8.3} {:<3}  {must:<13}{reached}  {}",
                row.what, row.measured, row.unit, row.note
            );
        }
    }

    /// The same as JSON.
    pub(crate) fn write_json(&self, file: &Path) -> io::Result<()> {
        let mut json = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        json.push('\n');
        fs::write(file, json)
    }
}
