//! The results of one run, and the machine: as text, as Markdown, as JSON.

use std::{
    fs,
    num::{NonZeroU64, NonZeroUsize},
    time::Instant,
};

use saltern_page::Table;
use serde::Serialize;
use serde_json::to_string;

use super::{
    chart::Lanes,
    figure::{Figure, HEADS, Status},
    rounds::Measurement,
};

#[derive(Serialize)]
pub(super) struct Summary {
    machine: ThisMachine,
    /// Rounds of every figure, which is the median over them.
    rounds: NonZeroUsize,
    /// Length of one measurement over HTTP; `None` if nothing was measured over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<NonZeroU64>,
    figures: Vec<Figure>,
    /// All contenders of the kernels.
    kernels: Vec<Measurement>,
}

impl Summary {
    pub(super) fn new(
        rounds: NonZeroUsize,
        seconds: Option<NonZeroU64>,
        figures: Vec<Figure>,
        kernels: Vec<Measurement>,
    ) -> Self {
        Self { machine: ThisMachine::this(), rounds, seconds, figures, kernels }
    }

    /// Returns the figures for the terminal.
    pub(super) fn text(&self) -> String {
        format!("{}\n\n{}\n{}\n", self.heading(), self.table().text(), self.ending())
    }

    /// Returns the measurements of the kernels for the terminal.
    pub(super) fn kernels_text(&self) -> String {
        let tables: Vec<_> = self.kernels.iter().map(|measurement| measurement.table().text()).collect();
        format!("{}\n\n{}", self.heading(), tables.join("\n"))
    }

    /// Returns what documents quote as JSON, with a figure in each line.
    pub(super) fn quoted(&self, lanes: Option<&Lanes>) -> serde_json::Result<String> {
        let Self { machine, rounds, seconds, figures, .. } = self;
        let figures: Result<Vec<_>, _> = figures.iter().map(|figure| to_string(&figure.quoted())).collect();
        Ok(format!(
            "{{\n\"machine\": {},\n\"rounds\": {rounds},\n\"seconds\": {},\n\"bcrypt_10_lanes\": {},\n\"figures\": [\n{}\n]\n}}\n",
            to_string(machine)?,
            to_string(seconds)?,
            to_string(&lanes)?,
            figures?.join(",\n"),
        ))
    }

    /// Returns everything as JSON, with every sample.
    pub(super) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    fn table(&self) -> Table {
        let table = HEADS.into_iter().fold(Table::new(""), Table::words);
        table.rows(self.figures.iter().map(Figure::columns))
    }

    fn heading(&self) -> String {
        let ThisMachine { machine, l1d_kib, instructions } = &self.machine;
        let cache = l1d_kib.map_or_else(String::new, |kib| format!(", {kib} KiB L1d a core"));
        let (cpu, cores) = (&machine.cpu, machine.cores);
        let instructions = instructions.join(" ");
        let rounds = self.rounds;
        format!(
            "CPU: {cpu}, {cores} cores{cache}, {instructions}. Medians of {rounds} interleaved rounds; the load \
             generator runs on the same cores."
        )
    }

    fn ending(&self) -> String {
        let count = |status| self.figures.iter().filter(|figure| figure.status == status).count();
        format!(
            "{} reached, {} not reached, {} not measured, {} disturbed by other programs.",
            count(Status::Reached),
            count(Status::NotReached),
            count(Status::NotMeasured),
            count(Status::Disturbed)
        )
    }
}

/// Prints on standard error what is measured, with the time since the start.
pub(super) struct Progress(Instant);

impl Progress {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    #[allow(clippy::print_stderr, reason = "the command's progress")]
    pub(super) fn print(&self, part: &str) {
        let seconds = self.0.elapsed().as_secs();
        eprintln!("{:>2}:{:02} {part}", seconds / 60, seconds % 60);
    }
}

#[derive(Serialize)]
struct ThisMachine {
    #[serde(flatten)]
    machine: saltern_meter::Machine,
    l1d_kib: Option<u64>,
    /// Instruction sets by which the kernels are chosen.
    instructions: Vec<&'static str>,
}

impl ThisMachine {
    fn this() -> Self {
        let flags = of_first_cpu("flags").or_else(|| of_first_cpu("Features")).unwrap_or_default();
        let has = |name: &&str| flags.split_whitespace().any(|flag| flag == *name);
        let size = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index0/size").ok();
        Self {
            machine: saltern_meter::Machine::this(),
            l1d_kib: size.and_then(|size| size.trim().strip_suffix('K')?.parse().ok()),
            instructions: INSTRUCTIONS.into_iter().filter(has).collect(),
        }
    }
}

/// Returns a field of the first CPU in `/proc/cpuinfo`.
fn of_first_cpu(name: &str) -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    info.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(": ")?.1.to_owned()))
}

/// As Linux writes them.
const INSTRUCTIONS: [&str; 8] = ["avx2", "avx512f", "avx512vl", "sha_ni", "asimd", "sha1", "sha2", "sha512"];
