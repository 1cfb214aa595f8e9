//! All that one run measured, and on what: as a table, as Markdown, as JSON.

use core::fmt::Write as _;
use std::{fs, io, path::Path, time::Instant};

use serde::Serialize;

use crate::{
    figure::{Figure, HEADS, Verdict},
    measure::Measurement,
};

#[derive(Serialize)]
pub(crate) struct Summary {
    machine: Machine,
    /// Of every figure; it is the median over them.
    rounds: usize,
    /// Length of one measurement over HTTP.
    seconds: u64,
    figures: Vec<Figure>,
    /// Every contender of the kernels' figures, and others.
    kernels: Vec<Measurement>,
}

impl Summary {
    pub(crate) fn new(rounds: usize, seconds: u64, figures: Vec<Figure>, kernels: Vec<Measurement>) -> Self {
        let mut figures = figures;
        figures.sort_by_key(Figure::issue);
        Self { machine: Machine::this(), rounds, seconds, figures, kernels }
    }

    /// A table, on standard output.
    #[allow(clippy::print_stdout, reason = "this program is its output")]
    pub(crate) fn print(&self) {
        let rows: Vec<_> = std::iter::once(HEADS.map(str::to_owned))
            .chain(self.figures.iter().map(Figure::columns))
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; HEADS.len()] = std::array::from_fn(width);
        println!("\n{}\n", self.heading());
        for row in &rows {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        println!("\n{}", self.ending());
    }

    /// The same as Markdown.
    pub(crate) fn write_markdown(&self, file: &Path) -> io::Result<()> {
        let mut text = format!("{}\n\n", self.heading());
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        text += &line(&HEADS.map(str::to_owned));
        text += &line(&HEADS.map(|_| "---".to_owned()));
        for figure in &self.figures {
            text += &line(&figure.columns());
        }
        let _never_fails = writeln!(text, "\n{}", self.ending());
        fs::write(file, text)
    }

    /// The same as JSON, with every sample.
    pub(crate) fn write_json(&self, file: &Path) -> io::Result<()> {
        let mut json = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        json.push('\n');
        fs::write(file, json)
    }

    fn heading(&self) -> String {
        let Machine { cpu, cores, l1d_kib, instructions } = &self.machine;
        let cache = l1d_kib.map_or_else(String::new, |kib| format!(", {kib} KiB L1d a core"));
        format!(
            "CPU: {cpu}, {cores} cores{cache}, {}. Medians of {} interleaved rounds; load generator on the same cores.",
            instructions.join(" "),
            self.rounds
        )
    }

    fn ending(&self) -> String {
        let count = |verdict| self.figures.iter().filter(|figure| figure.verdict == verdict).count();
        format!(
            "{} reached, {} not reached, {} not measured, {} disturbed by other programs.",
            count(Verdict::Reached),
            count(Verdict::NotReached),
            count(Verdict::NotMeasured),
            count(Verdict::Disturbed)
        )
    }
}

/// Says on standard error what is being measured, and when.
pub(crate) struct Progress(Instant);

impl Progress {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    #[allow(clippy::print_stderr, reason = "this program is its output")]
    pub(crate) fn say(&self, what: &str) {
        let seconds = self.0.elapsed().as_secs();
        eprintln!("{:>2}:{:02} {what}", seconds / 60, seconds % 60);
    }
}

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    saltern_meter::Machine::this().cores
}

/// The CPU's name.
pub(crate) fn cpu() -> String {
    saltern_meter::Machine::this().cpu
}

#[derive(Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
    l1d_kib: Option<u64>,
    /// Of those that kernels here are chosen by.
    instructions: Vec<&'static str>,
}

impl Machine {
    fn this() -> Self {
        let flags = of_first_cpu("flags").or_else(|| of_first_cpu("Features")).unwrap_or_default();
        let has = |name: &&str| flags.split_whitespace().any(|flag| flag == *name);
        let size = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index0/size").ok();
        Self {
            cpu: cpu(),
            cores: cores(),
            l1d_kib: size.and_then(|size| size.trim().strip_suffix('K')?.parse().ok()),
            instructions: INSTRUCTIONS.into_iter().filter(has).collect(),
        }
    }
}

/// A line of `/proc/cpuinfo`.
fn of_first_cpu(name: &str) -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    info.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(": ")?.1.to_owned()))
}

/// As Linux writes them.
const INSTRUCTIONS: [&str; 8] = ["avx2", "avx512f", "avx512vl", "sha_ni", "asimd", "sha1", "sha2", "sha512"];
