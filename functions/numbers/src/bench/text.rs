//! The results on the terminal, and as Markdown.

use std::{fmt::Write as _, time::Duration};

use super::{
    results::Results,
    sheet::{self, LEGEND, Sheet},
};
use saltern_program::number::in_words;

/// For the terminal.
pub(super) fn text(results: &Results) -> String {
    let mut out = format!("{}\n{LEGEND}\n", about(results).join("\n"));
    for sheet in sheets(results) {
        let _infallible = write!(out, "\n{}\n", sheet.caption);
        let head = sheet.columns.iter().map(|(heading, _)| heading.clone()).collect::<Vec<_>>();
        let rows: Vec<_> = [&head].into_iter().chain(&sheet.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &rows {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let width = width(column);
                if sheet.columns[column].1 { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            out.push('\n');
        }
        for note in &sheet.notes {
            let _infallible = writeln!(out, "{note}");
        }
    }
    out
}

/// For a repository or an issue.
pub(super) fn markdown(results: &Results) -> String {
    let mut out = format!("# saltern-numbers bench\n\n{}\n\n{LEGEND}\n", about(results).join(" "));
    for sheet in sheets(results) {
        let _infallible = write!(out, "\n## {}\n\n|", sheet.caption);
        for (heading, _) in &sheet.columns {
            let _infallible = write!(out, " {heading} |");
        }
        out.push_str("\n|");
        for (_, is_number) in &sheet.columns {
            out.push_str(if *is_number { "---:|" } else { "---|" });
        }
        out.push('\n');
        for row in &sheet.rows {
            let _infallible = writeln!(out, "| {} |", row.join(" | "));
        }
        for note in &sheet.notes {
            let _infallible = write!(out, "\n{note}\n");
        }
    }
    out
}

fn sheets(results: &Results) -> impl Iterator<Item = Sheet> {
    results.tables.iter().flat_map(sheet::of_table).chain([sheet::bought(results)])
}

/// What was measured on, how, and how quiet it was.
pub(super) fn about(results: &Results) -> Vec<String> {
    let machine = &results.machine;
    let took = in_words(Duration::try_from_secs_f64(results.took_seconds).unwrap_or(Duration::MAX));
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let mut about = vec![
        format!(
            "{}, {}, {} {cores} for this program, of which one computed. Kernels of Saltern {}.",
            machine.cpu, machine.architecture, machine.cores, results.version
        ),
        format!("Began {}, took {took}.", results.began),
    ];
    if results.quick {
        about.push("A quick look: only the cheaper costs were measured.".to_owned());
    }
    let share = results.least_core_share();
    if share < BUSY {
        about.push(format!(
            "The machine was busy: at one cost other programs or a CPU quota had {:.0} % of the core. That is not in the times: by \
             the clock it took {:.1} times as long. Caches and clock are shared too: measure again when it is idle. Under a \
             quota it stays so.",
            (1.0 - share) * 100.0,
            1.0 / share
        ));
    }
    about
}

/// Below this share of a core others disturb what is measured.
const BUSY: f64 = 0.9;
