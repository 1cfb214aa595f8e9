//! The results on the terminal, and as Markdown.

use std::{fmt::Write as _, time::Duration};

use super::{
    results::Results,
    sheets::{self, LEGEND, Sheet},
};
use saltern_program::number::in_words;

/// Returns the results for the terminal.
pub(super) fn text(results: &Results) -> String {
    let mut out = format!("{}\n{LEGEND}\n", about(results).join("\n"));
    for sheet in sheets(results) {
        let _infallible = writeln!(out, "\n{}{}", sheet.grid.text(), sheet.notes.join("\n"));
    }
    out
}

/// Returns the results as Markdown.
pub(super) fn markdown(results: &Results) -> String {
    let mut out = format!("# saltern-numbers bench\n\n{}\n\n{LEGEND}\n", about(results).join(" "));
    for sheet in sheets(results) {
        let _infallible = write!(out, "\n{}", sheet.grid.markdown());
        for note in &sheet.notes {
            let _infallible = write!(out, "\n{note}\n");
        }
    }
    out
}

fn sheets(results: &Results) -> impl Iterator<Item = Sheet> {
    results.tables.iter().flat_map(sheets::of_table).chain([sheets::bought(results)])
}

/// Describes the machine, the run, and the time that other programs took.
pub(super) fn about(results: &Results) -> Vec<String> {
    let machine = &results.machine;
    let took = in_words(Duration::try_from_secs_f64(results.took_seconds).unwrap_or(Duration::MAX));
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let mut about = vec![
        format!(
            "{}, {}, {} {cores} for this program, one of them in use. Kernels of Saltern {}.",
            machine.cpu, machine.architecture, machine.cores, results.version
        ),
        format!("Started {}, took {took}.", results.began),
    ];
    if results.quick {
        about.push("A quick run: only the cheaper costs were measured.".to_owned());
    }
    about.extend(busy(results));
    about
}

/// Warns of a machine that was busy during the run.
pub(super) fn busy(results: &Results) -> Option<String> {
    let share = results.least_core_share();
    (share < BUSY).then(|| {
        format!(
            "The machine was busy: at one cost, other programs or a CPU quota took {:.0} % of the core. The times exclude \
             this; by the clock, the hash took {:.1} times as long. Other programs also use caches and change the clock \
             frequency, so measure again on an idle machine. A quota does not end.",
            (1.0 - share) * 100.0,
            1.0 / share
        )
    })
}

/// Below this share of a core, other programs disturb the measurement.
const BUSY: f64 = 0.9;
