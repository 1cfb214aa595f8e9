//! The result of a steady rate through k6 and fleet.

use std::{io, path::Path};

use serde::Deserialize;

use crate::evening::{Summary, read};

/// The files of a run of `sustained.ts`.
struct Run {
    summary: Summary,
    /// Processor seconds of k6.
    k6: f64,
    /// Processor seconds of fleet.
    fleet: f64,
}

#[derive(Deserialize)]
struct Cpu {
    user_seconds: f64,
    system_seconds: f64,
}

#[derive(Deserialize)]
struct Fleet {
    totals: Totals,
}

#[derive(Deserialize)]
struct Totals {
    cpu_seconds: f64,
}

/// Prints a table of all runs as Markdown. Returns whether the best run kept its budgets.
pub(crate) fn print(directories: &[impl AsRef<Path>]) -> io::Result<bool> {
    let runs =
        directories.iter().map(|directory| Run::read(directory.as_ref())).collect::<io::Result<Vec<_>>>()?;
    let Some(best) = runs.iter().min_by(|one, other| one.order().total_cmp(&other.order())) else {
        return Ok(false);
    };
    println!("| run | requests | seconds | dropped | beyond the model: p50 | p90 | p99 | budgets |");
    println!("|---|---|---|---|---|---|---|---|");
    for (run, number) in runs.iter().zip(1..) {
        let name = if core::ptr::eq(run, best) { format!("{number}, the best") } else { number.to_string() };
        println!("{}", run.row(&name));
    }
    println!("\nIn the best run {}.", best.time_in_words());
    Ok(best.summary.broken.is_empty())
}

impl Run {
    fn read(directory: &Path) -> io::Result<Self> {
        let cpu: Cpu = read(&directory.join("cpu.json"))?;
        let fleet: Fleet = read(&directory.join("fleet.json"))?;
        Ok(Self {
            summary: read(&directory.join("summary.json"))?,
            k6: cpu.user_seconds + cpu.system_seconds,
            fleet: fleet.totals.cpu_seconds,
        })
    }

    fn value(&self, metric: &str, figure: &str) -> f64 {
        let metric = self.summary.metrics.get(metric);
        metric.and_then(|metric| metric.values.get(figure).copied()?).unwrap_or(f64::NAN)
    }

    /// Returns the sort key: runs that kept their budgets first, then by the time beyond the model.
    fn order(&self) -> f64 {
        let penalty = if self.summary.broken.is_empty() { 0.0 } else { A_BROKEN_BUDGET_MS };
        penalty + self.value(BEYOND, "p(99)")
    }

    fn row(&self, name: &str) -> String {
        let verdict =
            if self.summary.broken.is_empty() { "kept".to_owned() } else { self.summary.broken.join("; ") };
        format!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.1} ms | {:.1} ms | {:.1} ms | {verdict} |",
            self.requests(),
            self.summary.seconds,
            self.value("dropped_iterations", "count"),
            self.value(BEYOND, "med"),
            self.value(BEYOND, "p(90)"),
            self.value(BEYOND, "p(99)"),
        )
    }

    fn time_in_words(&self) -> String {
        let per_request = |seconds: f64| 1e6 * seconds / self.requests();
        let p99 = |metric: &str| self.value(metric, "p(99)");
        format!(
            "k6 used {:.0} µs of processor time for a request and fleet {:.0} µs: {:.2} and {:.2} processors. \
             The p99 beyond the model is {:.1} ms. The wait for a connection takes up to {:.1} ms of it, sending {:.1} ms \
             and receiving {:.1} ms (p99 each). The rest is timers and the wait for a processor",
            per_request(self.k6),
            per_request(self.fleet),
            self.k6 / self.summary.seconds,
            self.fleet / self.summary.seconds,
            p99(BEYOND),
            p99("http_req_blocked"),
            p99("http_req_sending"),
            p99("http_req_receiving"),
        )
    }

    fn requests(&self) -> f64 {
        self.value("http_reqs", "count")
    }
}

const BEYOND: &str = "beyond_model_ms";

/// Larger than any percentile of a run of a minute.
const A_BROKEN_BUDGET_MS: f64 = 1e6;
