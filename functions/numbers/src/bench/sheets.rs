//! The results as text: tables with notes, the same for the terminal and the page.

use std::{fmt::Write as _, time::Duration};

use saltern_encoded::Algorithm;
use saltern_page::{Table as Grid, or_nothing, rounded};

use super::{
    benchmark::Benchmark,
    results::{Figure, Results, Row, Series, Table, WAYS, Way},
    tables::{CostName, PUBLISHED_OUTPUT_BYTES},
};
use saltern_program::number::in_words;

/// A table of text with notes.
pub(super) struct Sheet {
    pub(super) grid: Grid,
    /// The sentences below the table.
    pub(super) notes: Vec<String>,
}

/// The explanation of every table.
pub(super) const LEGEND: &str = "Times are medians of processor time on one core, in milliseconds. On an idle \
    core this is the time that a caller waits. ± is half the distance between the quartiles. ≈ was not measured: \
    it is the time of the most expensive measured cost, in proportion to the work. “once” was measured once because \
    it takes long; its spread is unknown.";

/// Returns the results for the terminal.
pub(super) fn text(results: &Results) -> String {
    let mut out = format!("{}\n{LEGEND}\n", about(results).join("\n"));
    for sheet in results.tables.iter().flat_map(of_table) {
        let _infallible = writeln!(out, "\n{}{}", sheet.grid.text(), sheet.notes.join("\n"));
    }
    out
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

/// The tables of an algorithm: one for each series, and for Argon2 first memory against passes.
pub(super) fn of_table(table: &Table) -> Vec<Sheet> {
    let matrices = WAYS.into_iter().filter(|_| table.benchmark.algorithm == Algorithm::Argon2id);
    let matrices = matrices.map(|(what, way)| matrix(table, what, way));
    matrices.chain(table.series.iter().map(|series| of_series(table.benchmark, series))).collect()
}

fn of_series(benchmark: &Benchmark, series: &Series) -> Sheet {
    let lanes = || series.rows.iter().filter_map(|row| row.lanes).map(|figure| figure.at_once);
    let lanes = lanes().min().zip(lanes().max());
    let mut grid = Grid::new(caption(benchmark, &series.name)).numbers_each([
        benchmark.cost.heading(),
        "one hash, ms",
        "±",
        "a second",
    ]);
    if let Some((fewest, most)) = lanes {
        let lanes = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
        grid = grid.numbers(format!("{lanes} lanes: wait, ms")).numbers_each([
            "±",
            "a hash, ms",
            "a second",
            "gain",
        ]);
    }
    let rows = series.rows.iter().map(|row| cells(benchmark.cost, row, lanes.is_some()));
    Sheet { grid: grid.rows(rows), notes: notes(benchmark, series, lanes.is_some()) }
}

fn notes(benchmark: &Benchmark, series: &Series, has_lanes: bool) -> Vec<String> {
    let held_at = match benchmark.algorithm {
        Algorithm::Argon2id => "With p = 1.",
        Algorithm::Scrypt => "With r = 8 and p = 1.",
        _ => "",
    };
    let without = match has_lanes {
        false => "This algorithm has no lanes.",
        true if series.rows.iter().any(|row| row.lanes.is_none()) => {
            "A cost without a time in lanes has none: its memory is too small or too large."
        }
        true => "",
    };
    // Work counts iterations × blocks.
    let has_second_block =
        benchmark.cost == CostName::Iterations && series.rows.iter().any(|row| row.work > row.cost);
    let second_block = format!(
        "{PUBLISHED_OUTPUT_BYTES} bytes, as in the published tables, are two blocks. The second block doubles your time \
         but not an attacker's, who compares the first block only. The page that --out FILE.html writes shows the \
         published tables with their sources."
    );
    let notes = [held_at, without, if has_second_block { &second_block } else { "" }];
    notes.into_iter().filter(|note| !note.is_empty()).map(str::to_owned).collect()
}

fn caption(benchmark: &Benchmark, series: &str) -> String {
    if series.is_empty() { benchmark.title.to_owned() } else { format!("{}, {series}", benchmark.title) }
}

fn cells(cost: CostName, row: &Row, has_lanes: bool) -> Vec<String> {
    let mut cells = vec![cost.label(row.cost), in_ms_and_words(&row.one), spread(&row.one), rate(&row.one)];
    if has_lanes {
        let wait = |lanes: &Figure| ms(lanes, lanes.call_ms());
        let gain = |lanes: &Figure| {
            let is_measured = lanes.is_measured() && row.one.is_measured();
            marked(is_measured, &format!("{:.2} ×", row.one.hash_ms / lanes.hash_ms))
        };
        let write: [&dyn Fn(&Figure) -> String; 5] = [&wait, &spread, &hash_ms, &rate, &gain];
        cells.extend(write.map(|write| or_nothing(row.lanes.as_ref(), write)));
    }
    cells
}

/// Returns the time of a hash: a row for each memory, a column for each number of passes.
fn matrix(table: &Table, what: &str, way: Way) -> Sheet {
    let cost = table.benchmark.cost;
    let grid = Grid::new(format!("{}, {what}: by memory and passes", table.benchmark.title))
        .numbers(cost.heading())
        .numbers_each(table.series.iter().map(|series| format!("{}, ms", series.name)));
    let memories = table.series.first().map(|series| series.rows.iter().map(|row| row.cost));
    let rows = memories.into_iter().flatten().map(|memory| {
        let figures = table.series.iter().map(|series| {
            let row = series.rows.iter().find(|row| row.cost == memory);
            or_nothing(row.and_then(way), |figure| hash_ms(&figure))
        });
        [cost.label(memory)].into_iter().chain(figures).collect::<Vec<_>>()
    });
    Sheet { grid: grid.rows(rows), notes: Vec::new() }
}

/// Returns the milliseconds of one hash, with a mark if they were not measured.
pub(super) fn hash_ms(figure: &Figure) -> String {
    ms(figure, figure.hash_ms)
}

fn ms(figure: &Figure, ms: f64) -> String {
    marked(figure.is_measured(), &rounded(if figure.is_measured() { ms } else { three_digits(ms) }))
}

/// Returns the time of one hash, also in words if it is very long.
fn in_ms_and_words(figure: &Figure) -> String {
    let text = hash_ms(figure);
    if figure.hash_ms < LONG_MS {
        return text;
    }
    let long = Duration::try_from_secs_f64(figure.hash_ms / MS_PER_SECOND).unwrap_or(Duration::MAX);
    format!("{text} ({})", in_words(long))
}

/// Returns hashes a second, with a mark if the figure was not measured.
pub(super) fn rate(figure: &Figure) -> String {
    let rate = figure.hashes_per_second;
    marked(figure.is_measured(), &rounded(if rate > 1000.0 { three_digits(rate) } else { rate }))
}

fn marked(is_measured: bool, value: &str) -> String {
    if is_measured { value.to_owned() } else { format!("≈ {value}") }
}

fn spread(figure: &Figure) -> String {
    match &figure.cpu_ms {
        None => "≈".to_owned(),
        Some(spread) if spread.samples == 1 => "once".to_owned(),
        Some(spread) => format!("{:.1} %", spread.relative() * 100.0),
    }
}

fn three_digits(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let scale = 10_f64.powf(value.abs().log10().floor() - 2.0);
    (value / scale).round() * scale
}

/// Below this share of a core, other programs disturb the measurement.
const BUSY: f64 = 0.9;

/// A longer time is also shown in words.
const LONG_MS: f64 = 60_000.0;

const MS_PER_SECOND: f64 = 1e3;

#[cfg(test)]
mod tests {
    use crate::measure::{Measured, Spread};

    use super::*;
    use crate::bench::results::tests::{on_half_a_core, results};

    #[test]
    fn a_scaled_time_has_a_mark_in_every_cell() {
        let extrapolated = Figure::scaled(&on_half_a_core(51.2, 1), f64::from(1 << 21), 8);
        let row = Row { cost: 31, work: 1 << 31, one: extrapolated, lanes: Some(extrapolated) };
        let cells = cells(CostName::Cost, &row, true);
        assert_eq!(cells[1], "≈ 107,000,000 (30 h)");
        assert!(cells[1..].iter().all(|cell| cell.contains('≈')), "{cells:?}");
    }

    #[test]
    fn a_measured_time_has_no_mark() {
        let of = |samples: &[f64]| {
            let spread = Spread::of(samples);
            let one = Figure::measured(&Measured { at_once: 1, wall_ms: spread, cpu_ms: spread });
            cells(CostName::Cost, &Row { cost: 10, work: 1 << 10, one, lanes: None }, false)
        };
        assert_eq!(of(&[50.0, 51.0, 52.0]), ["10", "51.0", "1.0 %", "19.6"]);
        assert_eq!(of(&[9000.0])[2], "once");
    }

    #[test]
    fn a_busy_machine_and_a_second_block_have_notes() {
        let text = text(&results());
        for part in
            ["CPU quota took 50 % of the core", "2.0 times as long", "The second block doubles your", "≈ 205"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
