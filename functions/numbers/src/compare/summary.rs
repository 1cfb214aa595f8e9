//! The results of one run, and the machine: as text and as JSON.

use std::{
    fs,
    num::{NonZeroU64, NonZeroUsize},
    time::Instant,
};

use crate::measure::median;
use saltern_page::Table;
use serde::Serialize;
use serde_json::to_string;

use super::{
    contenders::{LIBXCRYPT, lanes},
    figure::{Figure, HEADS, Verdict, to_three_decimals},
    rounds::Measurement,
};

pub(super) struct Summary {
    pub(super) machine: ThisMachine,
    /// Rounds of every figure, which is the median over them.
    pub(super) rounds: NonZeroUsize,
    /// Length of one measurement over HTTP; `None` if nothing was measured over HTTP.
    pub(super) seconds: Option<NonZeroU64>,
    pub(super) figures: Vec<Figure>,
    /// All contenders of the kernels.
    pub(super) kernels: Vec<Measurement>,
}

impl Summary {
    /// Returns the measurements and the figures for the terminal.
    pub(super) fn text(&self) -> String {
        let ThisMachine { machine, l1d_kib, instructions } = &self.machine;
        let cache = l1d_kib.map_or_else(String::new, |kib| format!(", {kib} KiB L1d a core"));
        let heading = format!(
            "CPU: {}, {} cores{cache}, {}. Medians of {} interleaved rounds; the load generator runs on the same \
             cores.",
            machine.cpu,
            machine.cores,
            instructions.join(" "),
            self.rounds
        );
        let figures = HEADS.into_iter().fold(Table::new(""), Table::words);
        let figures = figures.rows(self.figures.iter().map(Figure::cells));
        let tables = self.kernels.iter().map(Measurement::table);
        let tables = tables.chain((!self.figures.is_empty()).then_some(figures));
        let tables: Vec<_> = tables.map(|table| table.text()).collect();
        let count = |verdict| self.figures.iter().filter(|own| own.verdict == verdict).count();
        let ending = format!(
            "{} reached, {} not reached, {} not measured.",
            count(Verdict::Reached),
            count(Verdict::NotReached),
            count(Verdict::NotMeasured)
        );
        format!("{heading}\n\n{}\n{ending}\n", tables.join("\n"))
    }

    /// Returns the lanes of bcrypt-10, if they were measured.
    fn lanes(&self) -> Option<Lanes> {
        let bcrypt = self.kernels.iter().find(|measurement| measurement.setting == "bcrypt-10")?;
        let libxcrypt = bcrypt.row(LIBXCRYPT)?;
        let ratio = |at_once| {
            let ratios = bcrypt.row(&lanes(at_once))?.hashes_per_core_against(libxcrypt);
            Some(to_three_decimals(median(&ratios)))
        };
        let libxcrypt_ms = to_three_decimals(libxcrypt.hash_ms());
        Some(Lanes { libxcrypt_ms, ratios: (1..).map_while(ratio).collect() })
    }

    /// Returns what documents quote as JSON, with a figure in each line.
    pub(super) fn quoted(&self) -> serde_json::Result<String> {
        let figures: Result<Vec<_>, _> = self.figures.iter().map(to_string).collect();
        Ok(format!(
            "{{\n\"machine\": {},\n\"rounds\": {},\n\"seconds\": {},\n\"bcrypt_10_lanes\": {},\n\"figures\": [\n{}\n]\n}}\n",
            to_string(&self.machine)?,
            self.rounds,
            to_string(&self.seconds)?,
            to_string(&self.lanes())?,
            figures?.join(",\n"),
        ))
    }
}

/// The hashes per core in lanes.
#[derive(Serialize)]
struct Lanes {
    /// The milliseconds of a hash by libxcrypt, one after the other.
    libxcrypt_ms: f64,
    /// With one lane, two and so on: how many times libxcrypt's rate.
    ratios: Vec<f64>,
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
pub(super) struct ThisMachine {
    #[serde(flatten)]
    pub(super) machine: crate::measure::Machine,
    l1d_kib: Option<u64>,
    /// Instruction sets by which the kernels are chosen.
    instructions: Vec<&'static str>,
}

impl ThisMachine {
    pub(super) fn this() -> Self {
        let flags = of_first_cpu("flags").or_else(|| of_first_cpu("Features")).unwrap_or_default();
        let has = |name: &&str| flags.split_whitespace().any(|flag| flag == *name);
        let size = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index0/size").ok();
        Self {
            machine: crate::measure::Machine::this(),
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
