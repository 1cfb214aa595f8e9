//! The page: what a time buys, then each algorithm with its charts, beside what others published.

use saltern_page::{Axis, Page, Plot, Section, Series as Drawn, Table as Grid, Verdict, rounded};

use super::{
    published::{Group, Published},
    results::{Figure, Results, Row, Series, Table, as_f64},
    sheet::{self, LEGEND, Sheet, ms, rate},
    tables::{CostName, PUBLISHED_OUTPUT_BYTES},
    text,
};
use crate::algorithm::Algorithm;

pub(super) fn html(results: &Results) -> String {
    let published = Published::all();
    let title = format!("Password hashes on {}", results.machine.cpu);
    // No line ends between the mark and its number.
    let verdict = verdict(results).replace("≈ ", "≈\u{a0}");
    let mut page = Page::new(title, Verdict::Stated(verdict));
    page = page.facts(facts(results));
    page = page.section(choose(results));
    let sections = [
        bcrypt(results, &published),
        pbkdf2(results, &published),
        sha512_crypt(results, &published),
        argon2id(results),
        scrypt(results),
    ];
    for section in sections.into_iter().flatten() {
        page = page.section(section);
    }
    page.footer(text::about(results).join(" ")).html()
}

fn verdict(results: &Results) -> String {
    let cost_12 = results
        .table(Algorithm::Bcrypt)
        .and_then(|table| table.series.first()?.rows.iter().find(|row| row.cost == 12));
    let Some(row) = cost_12 else {
        return "How long each hash takes on one core of this machine, and what a time buys.".to_owned();
    };
    let in_lanes = row
        .lanes
        .map_or_else(String::new, |lanes| format!(", and {} with {} in lanes", rate(&lanes), lanes.at_once));
    format!(
        "One core computes bcrypt-12 in {} ms: {} a second one by one{in_lanes}.",
        ms(&row.one, row.one.hash_ms),
        rate(&row.one),
    )
}

/// A cost of each algorithm that people know.
fn facts(results: &Results) -> Vec<(String, String)> {
    let fact = |(name, algorithm, series, cost): &(&str, Algorithm, usize, u64)| {
        let series = results.table(*algorithm)?.series.get(*series)?;
        let row = series.rows.iter().find(|row| row.cost == *cost)?;
        Some(((*name).to_owned(), format!("{} ms", ms(&row.one, row.one.hash_ms))))
    };
    KNOWN.iter().filter_map(fact).collect()
}

fn choose(results: &Results) -> Section {
    let bought = sheet::bought(results);
    let section = Section::new("Numbers to choose by")
        .prose(
            "Choose the highest cost whose time your logins and your cores can bear: an attacker with the table pays it for each \
             guess. One hash is what somebody who logs in waits for. How many a second one core bears stands in the tables \
             below: one by one, and with all lanes in use, where each waits longer and all together are done sooner.",
        )
        .table(grid(&bought));
    bought.notes.into_iter().fold(section, Section::prose).prose(LEGEND)
}

fn bcrypt(results: &Results, published: &Published) -> Option<Section> {
    let table = results.table(Algorithm::Bcrypt)?;
    let series = table.series.first()?;
    let groups = numbered(published, Algorithm::Bcrypt);
    let with_published = |plot: Plot, machines: &[&str], most: u64| {
        let shown = groups.iter().filter(|group| machines.iter().any(|name| group.name.contains(name)));
        shown.fold(plot, |plot, group| plot.series(group.line(most)))
    };
    let cost = || Axis::linear("cost").from(4.0);
    let linear = Plot::new("bcrypt, linear", cost(), Axis::linear("ms"))
        .about("Each step doubles the time. Costs up to 14, where the published ones end.")
        .series(dots("here, one hash", CostName::Cost, series, 14, one))
        .series(dots("here, in lanes", CostName::Cost, series, 14, lanes));
    let linear = with_published(linear, &["i5-2430M", "E-2246G", "EPYC 7002", "M1 Pro"], 14);
    let logarithmic = Plot::new("bcrypt, logarithmic", cost(), Axis::logarithmic("ms"))
        .about("All costs. A line without dots was read off the line and not measured; End Point's 31 is as published.")
        .series(dots("here, one hash", CostName::Cost, series, ALL, one))
        .series(dots("here, in lanes", CostName::Cost, series, ALL, lanes));
    let logarithmic = read_off(logarithmic, CostName::Cost, &[(series, one), (series, lanes)]);
    let logarithmic = with_published(logarithmic, &["desktop", "i3-8109U", "M1 (Mac"], ALL);
    let section = Section::new("bcrypt")
        .prose(
            "The cost is the binary logarithm of the work: one more doubles it, for you and for an attacker.",
        )
        .chart(linear)
        .chart(logarithmic);
    Some(ending(section, table, &groups))
}

fn pbkdf2(results: &Results, published: &Published) -> Option<Section> {
    let tables: Vec<_> = PBKDF2.iter().filter_map(|algorithm| results.table(*algorithm)).collect();
    if tables.is_empty() {
        return None;
    }
    let mut section = Section::new("PBKDF2").prose(format!(
        "PBKDF2 makes its output in blocks of its digest's length, and each block costs all iterations again. The well-known \
         table was measured at {PUBLISHED_OUTPUT_BYTES} bytes of output. That is two blocks of SHA-1 (20 bytes each) and of \
         SHA-256 (32 bytes), and one of SHA-512 (64 bytes): so the times of SHA-1 and SHA-256 there are twice those of the \
         same iterations at digest length, and SHA-256 looked slower than SHA-512. The second block protects nothing: an \
         attacker computes the first, compares, and stops. Ask for no more output than the digest has."
    ));
    section = section.table(factor_of_two(&tables, published));
    for (title, x, y) in [
        ("linear", Axis::linear("thousand iterations"), Axis::linear("ms")),
        ("logarithmic", Axis::logarithmic("thousand iterations"), Axis::logarithmic("ms")),
    ] {
        let mut plot = Plot::new(format!("{PUBLISHED_OUTPUT_BYTES} bytes of output, {title}"), x, y).about(
            "Here, as far as it was measured, and as published for an Intel i3-8109U (Foreman, 2021, Ruby).",
        );
        for table in &tables {
            plot = plot.series(dots(
                &format!("{}, here", short(table)),
                table.algorithm.cost(),
                &table.series[0],
                ALL,
                one,
            ));
        }
        for table in &tables {
            if let Some(group) = published.of(table.algorithm).next() {
                plot = plot.series(Drawn::line(format!("{}, i3-8109U", short(table)), points(group, ALL)));
            }
        }
        section = section.chart(plot);
    }
    for (title, x, y) in [
        ("linear", Axis::linear("thousand iterations"), Axis::linear("ms")),
        ("logarithmic", Axis::logarithmic("thousand iterations"), Axis::logarithmic("ms")),
    ] {
        let mut plot = Plot::new(format!("Digest length, {title}"), x, y)
            .about("One block each: one hash by itself, and a hash in lanes, as far as they were measured.");
        let series = |table: &'_ Table| table.series.get(1).cloned();
        for table in &tables {
            if let Some(series) = series(table) {
                plot = plot.series(dots(
                    &format!("{}, one hash", short(table)),
                    table.algorithm.cost(),
                    &series,
                    ALL,
                    one,
                ));
                plot = plot.series(dots(
                    &format!("{}, in lanes", short(table)),
                    table.algorithm.cost(),
                    &series,
                    ALL,
                    lanes,
                ));
            }
        }
        section = section.chart(plot);
    }
    for table in tables {
        section = ending(section, table, &numbered(published, table.algorithm));
    }
    Some(section)
}

/// The same iterations at two lengths of output.
fn factor_of_two(tables: &[&Table], published: &Published) -> Grid {
    let mut grid = Grid::new(format!(
        "One hash of {} iterations, in milliseconds",
        saltern_program::number::grouped(AN_EXAMPLE)
    ))
    .words("digest")
    .numbers("at 40 bytes")
    .numbers("at digest length")
    .numbers("factor")
    .numbers("published, i3-8109U, 40 bytes");
    for table in tables {
        let row = |series: usize| {
            table.series.get(series).and_then(|series| series.rows.iter().find(|row| row.cost == AN_EXAMPLE))
        };
        let (Some(forty), Some(digest)) = (row(0), row(1)) else { continue };
        let there = published.of(table.algorithm).next().and_then(|group| group.ms(AN_EXAMPLE));
        grid = grid.row([
            short(table).to_owned(),
            ms(&forty.one, forty.one.hash_ms),
            ms(&digest.one, digest.one.hash_ms),
            format!("{:.2}", forty.one.hash_ms / digest.one.hash_ms),
            there.map_or_else(|| "–".to_owned(), rounded),
        ]);
    }
    grid
}

fn sha512_crypt(results: &Results, published: &Published) -> Option<Section> {
    let table = results.table(Algorithm::Sha512Crypt)?;
    let groups = numbered(published, Algorithm::Sha512Crypt);
    let mut section = Section::new("sha512-crypt").prose(
        "What crypt(3) prints as $6$. It is verified and never made: it takes no memory, which an \
         attacker's graphics card would have little of for each guess.",
    );
    for (title, x, y) in both("thousand rounds") {
        let plot = Plot::new(format!("sha512-crypt, {title}"), x, y)
            .about("One hash here, and as published.")
            .series(dots("here, one hash", table.algorithm.cost(), &table.series[0], ALL, one));
        let plot = read_off(plot, table.algorithm.cost(), &[(&table.series[0], one)]);
        let plot = groups.iter().fold(plot, |plot, group| plot.series(group.line(ALL)));
        section = section.chart(plot);
    }
    Some(ending(section, table, &groups))
}

fn argon2id(results: &Results) -> Option<Section> {
    let table = results.table(Algorithm::Argon2id)?;
    let mut section = Section::new("argon2id").prose(
        "Time grows with memory times passes. Memory is what an attacker cannot buy cheaply, so take as much as all hashes at \
         once may hold, and passes for what time is left. OWASP's least are 46 MiB with one pass, 19 MiB with two, 12 MiB with \
         three, 9 MiB with four, and 7 MiB with five.",
    );
    for (title, x, y) in both("MiB") {
        let mut plot = Plot::new(format!("argon2id, {title}"), x, y).about("One hash, by memory and passes.");
        for series in &table.series {
            plot = plot.series(dots(&series.name, CostName::MemoryKib, series, ALL, one));
        }
        let drawn: Vec<_> = table.series.iter().map(|series| (series, one as Way)).collect();
        section = section.chart(read_off(plot, CostName::MemoryKib, &drawn));
    }
    Some(ending(section, table, &[]))
}

fn scrypt(results: &Results) -> Option<Section> {
    let table = results.table(Algorithm::Scrypt)?;
    let mut section = Section::new("scrypt").prose(
        "Time and memory grow with N: 128·N·r bytes, so that N = 2^10 takes 1 MiB and N = 2^17 takes 128. OWASP's least is \
             N = 2^17 with p = 1, down to N = 2^13 with p = 10.",
    );
    for (title, x, y) in both("MiB") {
        let plot = Plot::new(format!("scrypt, {title}"), x, y)
            .about("One hash, by its memory.")
            .series(dots("one hash", table.algorithm.cost(), &table.series[0], ALL, one));
        let plot = read_off(plot, table.algorithm.cost(), &[(&table.series[0], one)]);
        section = section.chart(plot);
    }
    Some(ending(section, table, &[]))
}

/// The tables of an algorithm, and what others published beside them.
fn ending(mut section: Section, table: &Table, groups: &[Numbered<'_>]) -> Section {
    if !groups.is_empty() {
        section = section.table(beside(table, groups));
        section = section.prose(format!("Published: {}.", sources(groups).join("; ")));
    }
    for sheet in sheet::of_table(table) {
        section = section.table(grid(&sheet));
        section = sheet.notes.into_iter().fold(section, Section::prose);
    }
    section
}

/// Each source with its machines, as it names them.
fn sources(groups: &[Numbered<'_>]) -> Vec<String> {
    let of_source = groups.chunk_by(|one, other| one.number == other.number);
    let in_words = |groups: &[Numbered<'_>]| {
        let machines: Vec<_> = groups.iter().map(|group| group.group.machine.as_str()).collect();
        groups
            .first()
            .map(|first| format!("[{}] {} on {}", first.number, first.group.source, machines.join(", ")))
    };
    of_source.filter_map(in_words).collect()
}

/// This machine and the published ones, cost by cost.
fn beside(table: &Table, groups: &[Numbered<'_>]) -> Grid {
    let (cost, series) = (table.algorithm.cost(), &table.series[0]);
    let with_lanes = series.rows.iter().any(|row| row.lanes.is_some());
    let name = if series.name.is_empty() { String::new() } else { format!(", {}", series.name) };
    let mut grid = Grid::new(format!(
        "{}{name}: this machine and published ones, one hash, ms",
        table.algorithm.title()
    ))
    .numbers(cost.heading())
    .numbers("here");
    if with_lanes {
        grid = grid.numbers("in lanes");
    }
    grid = groups.iter().fold(grid, |grid, group| grid.numbers(group.name.clone()));
    let mut costs: Vec<u64> = series.rows.iter().map(|row| row.cost).collect();
    costs.extend(groups.iter().flat_map(|group| group.group.points()).map(|point| point.0));
    costs.sort_unstable();
    costs.dedup();
    for value in costs {
        let row = series.rows.iter().find(|row| row.cost == value);
        let own = |figure: Option<Figure>| {
            figure.map_or_else(|| "–".to_owned(), |figure| ms(&figure, figure.hash_ms))
        };
        let mut cells = vec![cost.label(value), own(row.map(|row| row.one))];
        if with_lanes {
            cells.push(own(row.and_then(|row| row.lanes)));
        }
        cells
            .extend(groups.iter().map(|group| group.group.ms(value).map_or_else(|| "–".to_owned(), rounded)));
        grid = grid.row(cells);
    }
    grid
}

/// A published group with the number of its source.
struct Numbered<'a> {
    number: usize,
    name: String,
    group: &'a Group,
}

impl Numbered<'_> {
    fn line(&self, most: u64) -> Drawn {
        Drawn::line(self.name.clone(), points(self.group, most))
    }
}

fn numbered(published: &Published, algorithm: Algorithm) -> Vec<Numbered<'_>> {
    let mut sources: Vec<&str> = Vec::new();
    let number = |group: &Group, sources: &[&str]| sources.iter().position(|source| *source == group.source);
    published
        .of(algorithm)
        .map(|group| {
            let at = number(group, &sources).unwrap_or_else(|| {
                sources.push(&group.source);
                sources.len() - 1
            });
            Numbered { number: at + 1, name: format!("{} [{}]", plain(&group.machine), at + 1), group }
        })
        .collect()
}

/// A machine's name without what every name of a CPU has, so that eight stand side by side.
fn plain(machine: &str) -> String {
    let (name, rest) = machine.split_once('@').unwrap_or((machine, ""));
    let year = rest.split_once('(').map_or_else(String::new, |(_, year)| format!("({year}"));
    let kept = |word: &&str| !MAKERS.contains(word);
    name.split_whitespace()
        .filter(kept)
        .chain([year.as_str()])
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_owned()
}

const MAKERS: [&str; 8] = ["AMD", "Apple", "CPU", "Core", "Intel", "Intel(R)", "Core(TM)", "Xeon(R)"];

fn points(group: &Group, most: u64) -> Vec<(f64, f64)> {
    let cost = group.algorithm.cost();
    group.points().filter(|point| point.0 <= most).map(|(value, ms)| (place(cost, value), ms)).collect()
}

/// Which figure of a row is drawn.
type Way = fn(&Row) -> Option<Figure>;

#[allow(clippy::unnecessary_wraps, reason = "chosen beside `lanes`, which not every row has")]
fn one(row: &Row) -> Option<Figure> {
    Some(row.one)
}

fn lanes(row: &Row) -> Option<Figure> {
    row.lanes
}

/// Where a cost stands on the axis of its algorithm's charts.
fn place(cost: CostName, value: u64) -> f64 {
    match cost {
        CostName::Cost => as_f64(value),
        CostName::Iterations | CostName::Rounds => as_f64(value) / THOUSAND,
        // With r = 8, N = 2^10 takes a MiB.
        CostName::MemoryKib | CostName::N => as_f64(value) / KIB_PER_MIB,
    }
}

/// What was measured: dots.
fn dots(name: &str, cost: CostName, series: &Series, most: u64, way: Way) -> Drawn {
    let rows = series.rows.iter().filter(|row| row.cost <= most);
    let figures = rows.filter_map(|row| Some((place(cost, row.cost), way(row)?)));
    let measured = figures.filter(|(_, figure)| figure.is_measured());
    Drawn::joined_dots(name, measured.map(|(at, figure)| (at, figure.hash_ms, String::new())).collect())
}

/// What was not, if anything: lines without dots, each from the last that was measured, with a gap between them.
fn read_off(plot: Plot, cost: CostName, drawn: &[(&Series, Way)]) -> Plot {
    let mut line = Vec::new();
    for (series, way) in drawn {
        let rows = series.rows.iter();
        let figures: Vec<_> = rows.filter_map(|row| Some((place(cost, row.cost), way(row)?))).collect();
        let first = figures.iter().position(|(_, figure)| !figure.is_measured()).unwrap_or(figures.len());
        let rest = &figures[first.saturating_sub(1)..];
        if rest.len() > 1 {
            line.extend(rest.iter().map(|(at, figure)| (*at, figure.hash_ms)));
            line.push((f64::NAN, f64::NAN));
        }
    }
    if line.is_empty() { plot } else { plot.series(Drawn::line("≈ read off the line", line)) }
}

fn both(unit: &str) -> [(&'static str, Axis, Axis); 2] {
    [
        ("linear", Axis::linear(unit), Axis::linear("ms")),
        ("logarithmic", Axis::logarithmic(unit), Axis::logarithmic("ms")),
    ]
}

fn grid(sheet: &Sheet) -> Grid {
    let grid = sheet.columns.iter().fold(Grid::new(sheet.caption.clone()), |grid, (heading, is_number)| {
        if *is_number { grid.numbers(heading.clone()) } else { grid.words(heading.clone()) }
    });
    sheet.rows.iter().fold(grid, |grid, row| grid.row(row.iter().cloned()))
}

/// The digest alone.
fn short(table: &Table) -> &'static str {
    table.algorithm.title().trim_start_matches("PBKDF2-HMAC-")
}

/// Every cost.
const ALL: u64 = u64::MAX;

const PBKDF2: [Algorithm; 3] = [Algorithm::Pbkdf2Sha1, Algorithm::Pbkdf2Sha256, Algorithm::Pbkdf2Sha512];

/// Iterations, a row of the published table.
const AN_EXAMPLE: u64 = 100_001;

const KIB_PER_MIB: f64 = 1024.0;
const THOUSAND: f64 = 1e3;

/// What stands large at the top: name, table, series, cost.
const KNOWN: [(&str, Algorithm, usize, u64); 6] = [
    ("bcrypt, cost 10", Algorithm::Bcrypt, 0, 10),
    ("bcrypt, cost 12", Algorithm::Bcrypt, 0, 12),
    ("PBKDF2-SHA-256, 600,001", Algorithm::Pbkdf2Sha256, 1, 600_001),
    ("sha512-crypt, 5,000 rounds", Algorithm::Sha512Crypt, 0, 5000),
    ("argon2id, 19 MiB, t = 2", Algorithm::Argon2id, 1, 19_456),
    ("scrypt, N = 2^17", Algorithm::Scrypt, 0, 1 << 17),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_named_without_trademarks() {
        assert_eq!(plain("Intel(R) Core(TM) i5-2430M CPU @ 2.40GHz (2011)"), "i5-2430M (2011)");
        assert_eq!(plain("Apple M1 Pro (2021)"), "M1 Pro (2021)");
        assert_eq!(plain("author's desktop, 2016"), "author's desktop, 2016");
    }
}
