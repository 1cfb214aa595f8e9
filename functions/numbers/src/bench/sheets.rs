//! The results as tables of text, the same for the terminal, Markdown and the page.

use std::time::Duration;

use saltern_encoded::Algorithm;
use saltern_page::{Table as Grid, or_nothing, rounded};

use super::{
    benchmark::Benchmark,
    results::{Figure, Fit, Results, Row, Series, Table, Way, as_f64},
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
    the fitted line below the table gives it. – was not measured, and the line has an error above 10 %. “once” was \
    measured once because it takes long; its spread is unknown.";

/// The tables of an algorithm: one for each series, and for Argon2 first memory against passes.
pub(super) fn of_table(table: &Table) -> Vec<Sheet> {
    let ways: [(_, Way); 2] = [("one hash", Series::one), ("a hash in lanes", Series::lanes)];
    let has_matrix = |way| table.benchmark.algorithm == Algorithm::Argon2id && table.has_times(way);
    let matrices = ways.into_iter().filter(|(_, way)| has_matrix(*way));
    let matrices = matrices.map(|(what, way)| matrix(table, what, way));
    matrices.chain(table.series.iter().map(|series| of_series(table.benchmark, series))).collect()
}

fn of_series(benchmark: &Benchmark, series: &Series) -> Sheet {
    let lanes = lanes_in_words(series);
    let mut grid = Grid::new(caption(benchmark, &series.name)).numbers_each([
        benchmark.cost.heading(),
        "one hash, ms",
        "±",
        "a second",
    ]);
    if let Some(lanes) = &lanes {
        let wait = format!("{lanes} lanes: wait, ms");
        grid = grid.numbers_each([wait.as_str(), "±", "a hash, ms", "a second", "gain"]);
    }
    let rows = series.rows.iter().map(|row| cells(benchmark.cost, series, row));
    let mut notes = vec![line_in_words(benchmark, "One hash", series.one_line.as_ref())];
    if lanes.is_some() {
        notes.push(line_in_words(benchmark, "A hash in lanes", series.lanes_line.as_ref()));
    }
    let without = match lanes {
        None => "This algorithm has no lanes.",
        Some(_) if series.rows.iter().any(|row| row.lanes.is_none()) => {
            "A cost without a time in lanes has none: its memory is too small or too large."
        }
        Some(_) => "",
    };
    let note = [held_at(benchmark), without].join(" ");
    notes.extend(Some(note.trim().to_owned()).filter(|note| !note.is_empty()));
    notes.extend(second_block(benchmark, series));
    Sheet { grid: grid.rows(rows), notes }
}

/// Returns the lanes of the rows that have lanes, such as `4` or `2 to 4`.
fn lanes_in_words(series: &Series) -> Option<String> {
    let lanes = || series.rows.iter().filter_map(|row| row.lanes).map(|figure| figure.at_once);
    let (fewest, most) = (lanes().min()?, lanes().max()?);
    Some(if fewest == most { most.to_string() } else { format!("{fewest} to {most}") })
}

/// Returns the note for outputs that are longer than the digest.
fn second_block(benchmark: &Benchmark, series: &Series) -> Option<String> {
    // Work counts iterations × blocks.
    let first = series.rows.first()?;
    if benchmark.cost != CostName::Iterations || first.work == first.cost {
        return None;
    }
    Some(format!(
        "{PUBLISHED_OUTPUT_BYTES} bytes, as in the published tables, are two blocks. The second block doubles your \
         time but not an attacker's, who compares the first block only. The page that --out FILE.html writes shows the \
         published tables with their sources."
    ))
}

/// Returns the note about parameters that all rows share, and about the rough line.
fn held_at(benchmark: &Benchmark) -> &'static str {
    match benchmark.algorithm {
        Algorithm::Argon2id => {
            "With p = 1. A KiB costs more when the memory exceeds the caches, so the line is rough."
        }
        Algorithm::Scrypt => {
            "With r = 8 and p = 1. A KiB costs more when the memory exceeds the caches, so the line is rough."
        }
        _ => "",
    }
}

fn caption(benchmark: &Benchmark, series: &str) -> String {
    if series.is_empty() { benchmark.title.to_owned() } else { format!("{}, {series}", benchmark.title) }
}

fn cells(cost: CostName, series: &Series, row: &Row) -> Vec<String> {
    let (one, lanes) = (series.one(row), series.lanes(row));
    let mut cells = vec![cost.label(row.cost)];
    cells.extend([in_ms_and_words, spread, rate].map(|write| or_nothing(one.as_ref(), write)));
    if series.lanes_line.is_some() {
        let wait = |lanes: &Figure| ms(lanes, lanes.call_ms());
        let each = |lanes: &Figure| ms(lanes, lanes.hash_ms);
        cells.extend([wait, spread, each, rate].map(|write| or_nothing(lanes.as_ref(), write)));
        cells.push(or_nothing(one.zip(lanes), |(one, lanes)| {
            let gain = format!("{:.2} ×", one.hash_ms / lanes.hash_ms);
            marked(lanes.is_measured() && one.is_measured(), &gain)
        }));
    }
    cells
}

/// Returns the time of a hash: a row for each memory, a column for each number of passes.
fn matrix(table: &Table, what: &str, way: Way) -> Sheet {
    let cost = table.benchmark.cost;
    let grid = Grid::new(format!("{}: {what} by memory and passes", table.benchmark.title))
        .numbers(cost.heading())
        .numbers_each(table.series.iter().map(|series| format!("{}, ms", series.name)));
    let memories = table.series.first().map(|series| series.rows.iter().map(|row| row.cost));
    let rows = memories.into_iter().flatten().map(|memory| {
        let figures = table.series.iter().map(|series| {
            let row = series.rows.iter().find(|row| row.cost == memory);
            or_nothing(row.and_then(|row| way(series, row)), |figure| ms(&figure, figure.hash_ms))
        });
        [cost.label(memory)].into_iter().chain(figures).collect::<Vec<_>>()
    });
    Sheet { grid: grid.rows(rows), notes: Vec::new() }
}

/// Returns the highest cost below each target time.
pub(super) fn bought(results: &Results) -> Sheet {
    let mut grid = Grid::new(
        "The highest cost below each time, one hash alone on a core of this machine; PBKDF2 at digest length",
    )
    .words("algorithm")
    .words("cost")
    .numbers_each(TARGETS_MS.map(|target| format!("{} ms", rounded(target))));
    let mut bad_fits = Vec::new();
    let mut notes = vec![format!(
        "Costs without a mark were measured, and so was the next cost. Costs between two measured costs are interpolated \
         (≈); costs outside the measured range are extrapolated ({EXTRAPOLATED})."
    )];
    for table in &results.tables {
        // PBKDF2 only at digest length: longer outputs cost more and protect no better.
        let passed_over = usize::from(table.benchmark.cost == CostName::Iterations);
        for series in &table.series[passed_over..] {
            let Some(fit) = &series.one_line else { continue };
            let costs = TARGETS_MS.map(|target| affordable(table.benchmark, series, fit, target));
            let name = if table.benchmark.algorithm == Algorithm::Argon2id {
                caption(table.benchmark, &series.name)
            } else {
                table.benchmark.title.to_owned()
            };
            let is_refused = costs.iter().any(|cost| cost.starts_with(['<', '>']));
            if is_refused {
                bad_fits.push(format!("{name}: {:.0} %", fit.worst_error * 100.0));
            }
            let names = [name, table.benchmark.cost.heading().to_owned()];
            grid = grid.row(names.into_iter().chain(costs));
        }
    }
    if !bad_fits.is_empty() {
        notes.push(format!(
            "Some lines have a large error at measured costs, because of the sizes of the caches: {}. Nothing is \
             extrapolated with them: > and < name the last measured cost.",
            bad_fits.join("; ")
        ));
    }
    Sheet { grid, notes }
}

/// Returns the highest cost below the target: interpolated between two measured rows, or
/// extrapolated with the line through all rows and marked.
fn affordable(benchmark: &Benchmark, series: &Series, fit: &Fit, target_ms: f64) -> String {
    let measured: Vec<&Row> = series.rows.iter().filter(|row| row.one.is_measured()).collect();
    let Some(row) = measured.last() else { return "–".to_owned() };
    let between = measured.array_windows().rev().find_map(|[below, above]| {
        let (low, high) = (below.one.hash_ms, above.one.hash_ms);
        (low <= target_ms && target_ms < high).then(|| {
            let way = (target_ms - low) / (high - low);
            as_f64(below.work) + way * (as_f64(above.work) - as_f64(below.work))
        })
    });
    if between.is_none() && fit.is_bad() {
        let (sign, row) = if target_ms >= row.one.hash_ms { (">", *row) } else { ("<", measured[0]) };
        return format!("{sign} {}", benchmark.cost.label(row.cost));
    }
    let work = between.unwrap_or_else(|| fit.line.work_in(target_ms));
    // Work is proportional to the cost, except for bcrypt: its cost is the logarithm of the work.
    let in_proportion = work * as_f64(row.cost) / as_f64(row.work);
    let cost = match benchmark.cost {
        CostName::Cost => work.log2().floor(),
        CostName::N => 2_f64.powf(in_proportion.log2().floor()),
        CostName::Iterations | CostName::Rounds | CostName::MemoryKib => in_proportion,
    };
    let text = match benchmark.cost {
        _ if cost.is_nan() || cost < 1.0 => return "–".to_owned(),
        CostName::Cost => format!("{cost:.0}"),
        CostName::N => format!("2^{:.0}", cost.log2()),
        CostName::MemoryKib if cost < 10.0 * KIB_PER_MIB => {
            format!("{:.1} MiB", two_digits(cost / KIB_PER_MIB))
        }
        CostName::MemoryKib if cost < 1000.0 * KIB_PER_MIB => {
            format!("{:.0} MiB", two_digits(cost / KIB_PER_MIB))
        }
        CostName::MemoryKib => format!("{} MiB", rounded(two_digits(cost / KIB_PER_MIB))),
        CostName::Iterations | CostName::Rounds => rounded(two_digits(cost)),
    };
    match (between, benchmark.cost) {
        (None, _) => format!("≈ {text} {EXTRAPOLATED}"),
        // Every power of two has a row, so this cost and the next were measured.
        (Some(_), CostName::Cost | CostName::N) => text,
        (Some(_), CostName::Iterations | CostName::Rounds | CostName::MemoryKib) => format!("≈ {text}"),
    }
}

/// Returns the error of a line in words, if it is large.
fn bad_fit(fit: &Fit) -> Option<String> {
    fit.is_bad().then(|| format!("{:.0} %", fit.worst_error * 100.0))
}

/// Rounds down to two significant digits: a line is not more precise.
fn two_digits(value: f64) -> f64 {
    let scale = 10_f64.powf(value.log10().floor() - 1.0);
    (value / scale).floor() * scale
}

fn line_in_words(benchmark: &Benchmark, what: &str, fit: Option<&Fit>) -> String {
    let Some(Fit { line, worst_error, points }) = fit else {
        return format!("{what}: not measured.");
    };
    let intercept = if line.intercept_ms < 0.0 { "−" } else { "" };
    let error = match fit.and_then(bad_fit) {
        _ if *points <= 2 => "the line has only two points, so its error is unknown".to_owned(),
        None => format!("the largest error at a measured cost is {} %", rounded_percent(*worst_error)),
        Some(error) => format!(
            "the largest error at a measured cost is {error}, which is a bad fit: time is not proportional to work when \
             the memory exceeds a cache. Use the measured rows"
        ),
    };
    format!(
        "{what}: {intercept}{} ms + {} ns for each {}; {error}.",
        significant(line.intercept_ms.abs()),
        significant(line.slope_ms * NS_PER_MS),
        benchmark.unit_of_work,
    )
}

/// Returns milliseconds, with a mark if the figure was not measured.
pub(super) fn ms(figure: &Figure, ms: f64) -> String {
    if figure.is_measured() { rounded(ms) } else { format!("≈ {}", rounded(three_digits(ms))) }
}

/// Returns the time of one hash, also in words if it is very long.
fn in_ms_and_words(figure: &Figure) -> String {
    let text = ms(figure, figure.hash_ms);
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
        Some(spread) => format!("{} %", rounded_percent(spread.relative())),
    }
}

fn rounded_percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn three_digits(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let scale = 10_f64.powf(value.abs().log10().floor() - 2.0);
    (value / scale).round() * scale
}

/// Formats with four significant digits: a time computed by hand is then as precise as the line.
fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let before = value.abs().log10().floor();
    let decimals = (0..=12).find(|&decimals| before + f64::from(decimals) >= 3.0).unwrap_or(12);
    format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
}

/// The mark of an extrapolated cost.
const EXTRAPOLATED: &str = "†";

/// Usual times of a login: RFC 9106, section 4, names half a second, OWASP less than one second.
const TARGETS_MS: [f64; 4] = [100.0, 250.0, 500.0, 1000.0];

/// A longer time is also shown in words.
const LONG_MS: f64 = 60_000.0;

const KIB_PER_MIB: f64 = 1024.0;
const NS_PER_MS: f64 = 1e6;
const MS_PER_SECOND: f64 = 1e3;

#[cfg(test)]
mod tests {
    use saltern_meter::{Line, Machine, Measured, Spread};

    use super::*;

    const LINE: Line = Line { intercept_ms: 0.0, slope_ms: 0.05 };
    const FIT: Fit = Fit { line: LINE, worst_error: 0.012, points: 12 };

    fn of(algorithm: &str) -> &'static Benchmark {
        Benchmark::named(algorithm).unwrap()
    }

    fn measured(samples: &[f64]) -> Figure {
        let spread = Spread::of(samples);
        Figure::measured(&Measured { at_once: 1, wall_ms: spread, cpu_ms: spread })
    }

    #[test]
    fn a_time_from_the_line_has_a_mark_in_every_cell() {
        let extrapolated = Figure::from_line(&LINE, 1 << 31, 8);
        let row = Row { cost: 31, work: 1 << 31, one: extrapolated, lanes: Some(extrapolated) };
        let of = |one, lanes| {
            let line = |worst_error| Some(Fit { worst_error, ..FIT });
            let series = Series { one_line: line(one), lanes_line: line(lanes), ..series(&[]) };
            cells(CostName::Cost, &series, &row)
        };
        let cells = of(0.1, 0.1);
        assert_eq!(cells[1], "≈ 107,000,000 (30 h)");
        assert!(cells[1..].iter().all(|cell| cell.contains('≈')), "{cells:?}");
        // From a line with a larger error there is no time, and without both times no gain.
        assert_eq!(of(0.11, 0.11)[1..], ["–"; 8]);
        assert_eq!(
            (&of(0.11, 0.1)[1..4], &of(0.11, 0.1)[8]),
            (&["–"; 3].map(str::to_owned)[..], &"–".to_owned())
        );
        assert_eq!(of(0.1, 0.11)[4..], ["–"; 5]);
    }

    #[test]
    fn a_measured_time_has_no_mark() {
        let row = Row { cost: 10, work: 1 << 10, one: measured(&[50.0, 51.0, 52.0]), lanes: None };
        let bad = Series { one_line: Some(Fit { worst_error: 0.404, ..FIT }), ..series(&[]) };
        assert_eq!(cells(CostName::Cost, &bad, &row), ["10", "51.0", "1.0 %", "19.6"]);
        let once = Row { one: measured(&[9000.0]), ..row };
        assert_eq!(cells(CostName::Cost, &bad, &once)[2], "once");
    }

    /// Rows of cost, work and measured milliseconds.
    fn series(rows: &[(u64, u64, f64)]) -> Series {
        let row = |&(cost, work, ms): &(u64, u64, f64)| Row { cost, work, one: measured(&[ms]), lanes: None };
        Series {
            name: String::new(),
            rows: rows.iter().map(row).collect(),
            one_line: Some(FIT),
            lanes_line: None,
        }
    }

    #[test]
    fn the_cost_for_a_target_stays_below_the_target() {
        let bought = |algorithm, rows: &[_], ms| affordable(of(algorithm), &series(rows), &FIT, ms);
        // 2^12 expansions take 205 ms and 2^13 take 410 ms; both were measured.
        let bcrypt = [(11, 1 << 11, 102.4), (12, 1 << 12, 204.8), (13, 1 << 13, 409.6)];
        assert_eq!(bought("bcrypt", &bcrypt, 250.0), "12");
        assert_eq!(bought("bcrypt", &bcrypt, 1000.0), "≈ 14 †");
        assert_eq!(bought("bcrypt", &bcrypt, 0.01), "–");
        assert_eq!(bought("scrypt", &[(1 << 14, 1 << 17, 1.0)], 250.0), "≈ 2^9 †");
        // 5,000 blocks are 2,500 iterations of two.
        assert_eq!(bought("pbkdf2-sha1", &[(10, 20, 1.0)], 250.0), "≈ 2,500 †");
    }

    /// Memory beyond a cache doubles the time for the same work, so no line fits all rows.
    #[test]
    fn between_two_measured_rows_the_cost_is_interpolated() {
        let rows = [(8192, 8192, 100.0), (16_384, 16_384, 200.0), (32_768, 32_768, 800.0)];
        let bought = |ms| affordable(of("argon2id"), &series(&rows), &FIT, ms);
        // With the line, at 0.05 ms a KiB, the result would be 4.8 MiB.
        assert_eq!(bought(250.0), "≈ 17 MiB");
        assert_eq!(bought(100.0), "≈ 8.0 MiB");
        assert_eq!(bought(900.0), "≈ 17 MiB †");
        assert_eq!(bought(60_000.0), "≈ 1,100 MiB †");
    }

    #[test]
    fn a_bad_fit_extrapolates_nothing_and_has_a_note_with_the_error() {
        let of = |worst_error| {
            let mut series = series(&[(8192, 8192, 100.0)]);
            series.name = "t = 1".to_owned();
            series.one_line = Some(Fit { worst_error, ..FIT });
            let tables = vec![Table { benchmark: of("argon2id"), series: vec![series] }];
            let machine = Machine { cpu: String::new(), architecture: String::new(), cores: 1 };
            let (version, began) = (String::new(), String::new());
            bought(&Results { form: 1, version, machine, began, took_seconds: 1.0, quick: false, tables })
                .notes
        };
        assert!(of(0.404)[1].contains("argon2id, t = 1: 40 %. Nothing is extrapolated"), "{:?}", of(0.404));
        assert_eq!(of(0.05).len(), 1);
        let bad = Fit { worst_error: 0.404, ..FIT };
        let measured = series(&[(8192, 8192, 100.0), (16_384, 16_384, 300.0)]);
        let bought = |ms| affordable(Benchmark::named("argon2id").unwrap(), &measured, &bad, ms);
        assert_eq!([50.0, 200.0, 1000.0].map(bought), ["< 8 MiB", "≈ 12 MiB", "> 16 MiB"]);
    }

    #[test]
    fn a_bad_fit_is_named_with_its_error() {
        let bad = Fit { worst_error: 0.404, ..FIT };
        let words = line_in_words(of("argon2id"), "One hash", Some(&bad));
        assert!(words.contains("error at a measured cost is 40 %, which is a bad fit"), "{words}");
        assert_eq!(bad_fit(&Fit { worst_error: 0.1, ..FIT }), None);
    }

    #[test]
    fn a_line_has_four_significant_digits() {
        assert_eq!(significant(0.051_234_9), "0.05123");
        assert_eq!(significant(51_234.9), "51235");
        assert_eq!(significant(0.0), "0");
        let words = line_in_words(of("bcrypt"), "One hash", Some(&FIT));
        assert_eq!(
            words,
            "One hash: 0 ms + 50000 ns for each key expansion (2^cost); the largest error at a measured cost is 1.2 %."
        );
        let of_two = line_in_words(of("bcrypt"), "One hash", Some(&Fit { points: 2, ..FIT }));
        assert!(of_two.ends_with("the line has only two points, so its error is unknown."));
    }
}
