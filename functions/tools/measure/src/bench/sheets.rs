//! The results as text: the same tables for the terminal and the page.

use std::time::Duration;

use saltern_cli::number::{grouped, in_words};
use saltern_page::{Table as Grid, or_nothing, rounded};

use super::results::{Figure, Results, Row, Table};

/// The explanation of every table.
pub(super) const LEGEND: &str = "Times are medians of processor time on one core, in milliseconds. ± is half the \
    distance between the quartiles. ≈ was not measured: it is the time of the most expensive measured cost, in \
    proportion to the work.";

/// Returns the results for the terminal.
pub(super) fn text(results: &Results) -> String {
    let mut parts = about(results);
    parts.push(format!("{LEGEND}\n"));
    parts.extend(results.tables.iter().flat_map(of_table).map(|table| table.text()));
    parts.join("\n")
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
             this, but other programs also use caches and change the clock frequency: measure again on an idle machine.",
            (1.0 - share) * 100.0
        )
    })
}

/// The tables of an algorithm, one for each series.
pub(super) fn of_table(table: &Table) -> impl Iterator<Item = Grid> {
    table.series.iter().map(|series| {
        let limit = series.rows.iter().find_map(|row| row.limit);
        Grid::new([table.benchmark.title(), series.name.as_str()].join(" ").trim_end())
            .numbers_each([table.benchmark.cost, "one hash, ms", "±", "a second"])
            .numbers_each(["lanes", "a hash, ms", "a second"])
            .numbers_each(limit.into_iter().flat_map(|limit| [limit.heading(), "in lanes".to_owned()]))
            .rows(series.rows.iter().map(|row| cells(row, limit.is_some())))
    })
}

fn cells(row: &Row, has_limit: bool) -> Vec<String> {
    let lanes = row.lanes.as_ref();
    let near = |figure: Option<&Figure>| {
        or_nothing(row.limit.zip(figure), |(limit, figure)| limit.figure(figure.hash_ms))
    };
    let nearness = has_limit.then(|| [near(Some(&row.one)), near(lanes)]);
    let cells = [
        grouped(row.cost),
        hash_ms(&row.one),
        spread(&row.one),
        rate(&row.one),
        or_nothing(lanes, |lanes| lanes.at_once.to_string()),
        or_nothing(lanes, hash_ms),
        or_nothing(lanes, rate),
    ];
    cells.into_iter().chain(nearness.into_iter().flatten()).collect()
}

/// Returns the milliseconds of one hash, with a mark if they were not measured.
pub(super) fn hash_ms(figure: &Figure) -> String {
    marked(figure, figure.hash_ms)
}

/// Returns hashes a second, with a mark if the figure was not measured.
fn rate(figure: &Figure) -> String {
    marked(figure, MS_PER_SECOND / figure.hash_ms)
}

fn marked(figure: &Figure, value: f64) -> String {
    if figure.is_measured() { rounded(value) } else { format!("≈ {}", rounded(value)) }
}

fn spread(figure: &Figure) -> String {
    match &figure.cpu_ms {
        None => "≈".to_owned(),
        Some(spread) if spread.samples == 1 => "once".to_owned(),
        Some(spread) => format!("{:.1} %", spread.relative() * 100.0),
    }
}

/// Below this share of a core, other programs disturb the measurement.
const BUSY: f64 = 0.9;

const MS_PER_SECOND: f64 = 1e3;

#[cfg(test)]
mod tests {
    use crate::measure::{Measured, Spread};

    use super::*;
    use crate::bench::results::tests::{on_half_a_core, results};

    #[test]
    fn a_scaled_time_has_a_mark_in_every_cell() {
        let of = |at_once| Figure::scaled(&on_half_a_core(51.2, 1), 2.0, at_once);
        let cells = cells(&Row { cost: 11, one: of(1), lanes: Some(of(8)), limit: None }, false);
        assert_eq!(cells, ["11", "≈ 102", "≈", "≈ 9.77", "8", "≈ 102", "≈ 9.77"]);
    }

    #[test]
    fn a_measured_time_has_no_mark() {
        let of = |samples: &[f64]| {
            let spread = Spread::of(samples);
            let one = Figure::measured(&Measured { at_once: 1, wall_ms: spread, cpu_ms: spread });
            cells(&Row { cost: 100_001, one, lanes: None, limit: None }, false)
        };
        assert_eq!(of(&[50.0, 51.0, 52.0]), ["100,001", "51.0", "1.0 %", "19.6", "–", "–", "–"]);
        assert_eq!(of(&[9000.0])[2], "once");
    }

    #[test]
    fn a_busy_machine_has_a_note() {
        let text = text(&results());
        for part in ["CPU quota took 50 % of the core", "pbkdf2-sha1 40 bytes of output (2 blocks)", "≈ 205"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
