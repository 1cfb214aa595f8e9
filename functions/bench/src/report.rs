use std::{fs, io, path::Path};

use serde::Serialize;

use crate::{measure::Measurement, summary::cpu};

/// All that one run measured, and on what.
#[derive(Serialize)]
pub(crate) struct Report {
    /// As the kernel names it.
    cpu: String,
    measurements: Vec<Measurement>,
}

impl Report {
    pub(crate) fn new(measurements: Vec<Measurement>) -> Self {
        Self { cpu: cpu(), measurements }
    }

    /// A table a measurement, on standard output.
    #[allow(clippy::print_stdout, reason = "this program is its output")]
    pub(crate) fn print(&self) {
        println!("CPU: {}", self.cpu);
        for Measurement { title, rounds, rows } in &self.measurements {
            println!("\n{title}: medians of {rounds} interleaved rounds, compared to the first row");
            println!(
                "{:<30} {:>7} {:>10} {:>10} {:>10} {:>12} {:>12}",
                "", "at once", "call ms", "hash ms", "call time", "hashes/core", "by fastest"
            );
            for row in rows {
                println!(
                    "{:<30} {:>7} {:>10.2} {:>10.2} {:>9.3}x {:>11.2}x {:>11.2}x",
                    row.name,
                    row.at_once,
                    row.call_ms,
                    row.hash_ms,
                    row.call_time_ratio,
                    row.hashes_per_core_ratio,
                    row.fastest_hashes_per_core_ratio
                );
            }
        }
    }

    /// The same as JSON.
    pub(crate) fn write_json(&self, file: &Path) -> io::Result<()> {
        let mut json = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        json.push('\n');
        fs::write(file, json)
    }
}
