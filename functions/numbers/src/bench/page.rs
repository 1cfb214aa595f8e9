//! The page: the highest cost for each time, then each algorithm with its charts, beside published
//! times.

use saltern_encoded::Algorithm;
use saltern_page::{Axis, Page, Plot, Section, Series as Drawn, Table as Grid, Verdict, or_nothing, rounded};
use saltern_price::Attack;

use super::{
    published::{Group, Published},
    results::{Figure, Results, Row, Series, Table, Way, as_f64},
    sheets::{self, LEGEND, ms, rate},
    tables::{CostName, PUBLISHED_OUTPUT_BYTES},
    text,
};

pub(super) fn html(results: &Results) -> String {
    let published = Published::all();
    let title = format!("Password hashes on {}", results.machine.cpu);
    let verdict = verdict(results);
    let sections = [
        bcrypt(results, &published),
        pbkdf2(results, &published),
        sha512_crypt(results, &published),
        argon2id(results),
        scrypt(results),
    ];
    Page::new(title, Verdict::Stated(verdict))
        .warning(text::busy(results).unwrap_or_default())
        .facts(facts(results))
        .contents()
        .section(choose(results))
        .section(price(results))
        .sections(sections.into_iter().flatten())
        .footer(text::about(results).join(" "))
        .html()
}

/// States bcrypt's time at cost 12, or at the highest lower cost that was measured.
fn verdict(results: &Results) -> String {
    let measured = results.table(Algorithm::Bcrypt).and_then(|table| {
        let rows = table.series.first()?.rows.iter().rev();
        rows.filter(|row| row.cost <= 12).find(|row| row.one.is_measured())
    });
    let Some(row) = measured else {
        return "The time of each hash on one core of this machine, and the highest cost for a time."
            .to_owned();
    };
    let in_lanes = row
        .lanes
        .filter(Figure::is_measured)
        .map_or_else(String::new, |lanes| format!(", and {} with {} in lanes", rate(&lanes), lanes.at_once));
    format!(
        "One core computes bcrypt-{} in {} ms: {} a second one by one{in_lanes}.",
        row.cost,
        ms(&row.one, row.one.hash_ms),
        rate(&row.one),
    )
}

/// Draws an attacker's price against the time of a login, for each algorithm.
fn price(results: &Results) -> Section {
    let hour = Attack::published().device_hour();
    let plot = |title: &str, x: &str, about: &str, way: Way| {
        let plot = Plot::new(title, Axis::logarithmic(x), Axis::logarithmic("USD")).about(about);
        PRICED.into_iter().fold(plot, |plot, (name, algorithm, series)| {
            let table = results.table(algorithm);
            let series = table.and_then(|table| table.series.get(series));
            let points: Vec<_> = series.map_or_else(Vec::new, |series| priced(algorithm, series, way));
            if points.is_empty() { plot } else { plot.series(Drawn::joined_dots(name, points)) }
        })
    };
    Section::new("What an attacker pays")
        .prose(format!(
            "Each dot is a measured cost of a millisecond or more: the time that it takes here, and what an attacker pays for 10^9 guesses. One {} at \
             {:.2} USD an hour ({}). Higher is dearer for the attacker, and further left is cheaper for you. Of two lines the \
             upper one protects more for the same time.",
            hour.device, hour.usd, hour.source
        ))
        .chart(plot("One hash alone", "ms for a login", "The time that a login waits on an idle core.", Series::one))
        .chart(plot(
            "With all lanes in use",
            "ms of a core for each login",
            "The time of a core for each hash. A login waits longer. An algorithm without lanes has its time alone.",
            |_, row| row.lanes.or(Some(row.one)),
        ))
        .notes(["The prices follow from published rates: exactly for bcrypt and PBKDF2, roughly for argon2id and scrypt, and as a bound \
                 from below for sha512-crypt. FPGAs compute bcrypt with less power, and no price of that is published."])
}

/// Returns the measured costs of a series as time and price.
fn priced(algorithm: Algorithm, series: &Series, way: Way) -> Vec<(f64, f64, String)> {
    let published = Attack::published();
    let usd_per_hour = published.device_hour().usd;
    let measured = series.rows.iter().filter_map(|row| Some((row, way(series, row)?)));
    let measured = measured.filter(|(_, figure)| figure.is_measured() && figure.hash_ms >= SHORTEST_MS);
    let point = |(row, figure): (&Row, Figure)| {
        let guess = published.guess_of_work(algorithm.name(), attacked(algorithm, row))?;
        Some((figure.hash_ms, guess.usd_per_billion(usd_per_hour), String::new()))
    };
    measured.filter_map(point).collect()
}

/// Returns the work of a guess. An attacker computes one block of PBKDF2. The first pass of Argon2
/// transfers its memory twice, and each later pass three times.
fn attacked(algorithm: Algorithm, row: &Row) -> f64 {
    match algorithm {
        Algorithm::Bcrypt | Algorithm::Scrypt => as_f64(row.work),
        Algorithm::Argon2id => as_f64(3 * row.work - row.cost),
        _ => as_f64(row.cost),
    }
}

/// Returns the time of a well-known cost of each algorithm.
fn facts(results: &Results) -> impl Iterator<Item = (&'static str, String)> {
    KNOWN.into_iter().filter_map(|(name, algorithm, series, cost)| {
        let series = results.table(algorithm)?.series.get(series)?;
        let one = series.one(series.rows.iter().find(|row| row.cost == cost)?)?;
        Some((name, format!("{} ms", ms(&one, one.hash_ms))))
    })
}

fn choose(results: &Results) -> Section {
    let bought = sheets::bought(results);
    Section::new("Numbers to choose by")
        .prose(
            "Choose the highest cost that your logins and your cores allow: an attacker with the table pays this cost for \
             each guess. A login waits for one hash. The tables below have the hashes that one core computes in a second: \
             one by one, and with all lanes in use. In lanes each hash takes longer, but all together finish sooner.",
        )
        .table(bought.grid)
        .notes(bought.notes)
        .notes([LEGEND])
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
        .about("Each step doubles the time. Costs up to 14, the highest published cost.")
        .series(dots("here, one hash", CostName::Cost, series, 14, Series::one))
        .series(dots("here, in lanes", CostName::Cost, series, 14, Series::lanes));
    let linear = with_published(linear, &["i5-2430M", "E-2246G", "EPYC 7002", "M1 Pro"], 14);
    let logarithmic = Plot::new("bcrypt, logarithmic", cost(), Axis::logarithmic("ms"))
        .about(
            "All costs. A line without dots is extrapolated, not measured. End Point's 31 is as published.",
        )
        .series(dots("here, one hash", CostName::Cost, series, ALL, Series::one))
        .series(dots("here, in lanes", CostName::Cost, series, ALL, Series::lanes));
    let drawn = [(series, Series::one as Way), (series, Series::lanes)];
    let logarithmic = extrapolated(logarithmic, CostName::Cost, &drawn);
    let logarithmic = with_published(logarithmic, &["desktop", "i3-8109U", "M1 (Mac"], ALL);
    let section = Section::new("bcrypt")
        .prose(
            "The cost is the binary logarithm of the work: each step doubles the work, for you and for an attacker.",
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
        "PBKDF2 computes its output in blocks of the digest's length, and each block needs all iterations. The well-known \
         table was measured at {PUBLISHED_OUTPUT_BYTES} bytes of output. These are two blocks of SHA-1 (20 bytes each) or \
         of SHA-256 (32 bytes), and one block of SHA-512 (64 bytes). So its times of SHA-1 and SHA-256 are twice those at \
         digest length, and SHA-256 looks slower than SHA-512. The second block does not protect: an attacker computes and \
         compares only the first. Do not use more output than the digest has."
    ));
    section = section.table(factor_of_two(&tables, published));
    for (title, x, y) in both("thousand iterations") {
        let mut plot = Plot::new(format!("{PUBLISHED_OUTPUT_BYTES} bytes of output, {title}"), x, y).about(
            "The measured costs here, and those published for an Intel i3-8109U (Foreman, 2021, Ruby).",
        );
        for table in &tables {
            plot = plot.series(dots(
                &format!("{}, here", short(table)),
                table.benchmark.cost,
                &table.series[0],
                ALL,
                Series::one,
            ));
        }
        for table in &tables {
            if let Some(group) = published.of(table.benchmark.algorithm).next() {
                plot = plot.series(Drawn::line(format!("{}, i3-8109U", short(table)), points(group, ALL)));
            }
        }
        section = section.chart(plot);
    }
    for (title, x, y) in both("thousand iterations") {
        let mut plot = Plot::new(format!("Digest length, {title}"), x, y)
            .about("One block: one hash alone, and a hash in lanes. Only measured costs.");
        let series = |table: &'_ Table| table.series.get(1).cloned();
        for table in &tables {
            if let Some(series) = series(table) {
                plot = plot.series(dots(
                    &format!("{}, one hash", short(table)),
                    table.benchmark.cost,
                    &series,
                    ALL,
                    Series::one,
                ));
                plot = plot.series(dots(
                    &format!("{}, in lanes", short(table)),
                    table.benchmark.cost,
                    &series,
                    ALL,
                    Series::lanes,
                ));
            }
        }
        section = section.chart(plot);
    }
    for table in tables {
        section = ending(section, table, &numbered(published, table.benchmark.algorithm));
    }
    Some(section)
}

/// Returns the time of the same iterations at two lengths of output.
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
        let one = |series: usize| {
            let series = table.series.get(series)?;
            series.one(series.rows.iter().find(|row| row.cost == AN_EXAMPLE)?)
        };
        let (Some(forty), Some(digest)) = (one(0), one(1)) else { continue };
        let there = published.of(table.benchmark.algorithm).next().and_then(|group| group.ms(AN_EXAMPLE));
        grid = grid.row([
            short(table).to_owned(),
            ms(&forty, forty.hash_ms),
            ms(&digest, digest.hash_ms),
            format!("{:.2}", forty.hash_ms / digest.hash_ms),
            or_nothing(there, rounded),
        ]);
    }
    grid
}

fn sha512_crypt(results: &Results, published: &Published) -> Option<Section> {
    let table = results.table(Algorithm::Sha512Crypt)?;
    let groups = numbered(published, Algorithm::Sha512Crypt);
    let mut section = Section::new("sha512-crypt").prose(
        "The scheme $6$ of crypt(3). Saltern verifies it and makes no new hashes with it: it needs no memory, so an \
         attacker's graphics card computes many guesses at once.",
    );
    for (title, x, y) in both("thousand rounds") {
        let plot = Plot::new(format!("sha512-crypt, {title}"), x, y)
            .about("One hash here, and published times.")
            .series(dots("here, one hash", table.benchmark.cost, &table.series[0], ALL, Series::one));
        let plot = extrapolated(plot, table.benchmark.cost, &[(&table.series[0], Series::one)]);
        let plot = groups.iter().fold(plot, |plot, group| plot.series(group.line(ALL)));
        section = section.chart(plot);
    }
    Some(ending(section, table, &groups))
}

fn argon2id(results: &Results) -> Option<Section> {
    let table = results.table(Algorithm::Argon2id)?;
    let mut section = Section::new("argon2id").prose(
        "Time grows with memory times passes. Memory is expensive for an attacker, so first choose as much memory as all \
         hashes at once can use, and then as many passes as the time allows. OWASP's minima are 46 MiB with one pass, \
         19 MiB with two, 12 MiB with three, 9 MiB with four, and 7 MiB with five.",
    );
    let ways: [(_, _, Way); 2] = [
        ("argon2id", "One hash, by memory and passes.", Series::one),
        (
            "argon2id in lanes",
            "The time of a core for each hash, with all lanes in use. Small memory has no lanes.",
            Series::lanes,
        ),
    ];
    for (name, about, way) in ways.into_iter().filter(|(_, _, way)| table.has_times(*way)) {
        for (title, x, y) in both("MiB") {
            let plot = Plot::new(format!("{name}, {title}"), x, y).about(about);
            let with_dots = |plot: Plot, series: &Series| {
                plot.series(dots(&series.name, CostName::MemoryKib, series, ALL, way))
            };
            let plot = table.series.iter().fold(plot, with_dots);
            let drawn: Vec<_> = table.series.iter().map(|series| (series, way)).collect();
            section = section.chart(extrapolated(plot, CostName::MemoryKib, &drawn));
        }
    }
    Some(ending(section, table, &[]))
}

fn scrypt(results: &Results) -> Option<Section> {
    let table = results.table(Algorithm::Scrypt)?;
    let mut section = Section::new("scrypt").prose(
        "Time and memory grow with N: 128·N·r bytes, so N = 2^10 needs 1 MiB and N = 2^17 needs 128 MiB. OWASP's minima \
         are from N = 2^17 with p = 1 down to N = 2^13 with p = 10.",
    );
    for (title, x, y) in both("MiB") {
        let plot = Plot::new(format!("scrypt, {title}"), x, y)
            .about("By memory: one hash alone, and a hash in lanes.")
            .series(dots("one hash", table.benchmark.cost, &table.series[0], ALL, Series::one))
            .series(dots("in lanes", table.benchmark.cost, &table.series[0], ALL, Series::lanes));
        let plot = extrapolated(plot, table.benchmark.cost, &[(&table.series[0], Series::one)]);
        section = section.chart(plot);
    }
    Some(ending(section, table, &[]))
}

/// Adds the tables of an algorithm, and the published times.
fn ending(mut section: Section, table: &Table, groups: &[Numbered<'_>]) -> Section {
    if !groups.is_empty() {
        section = section.table(beside(table, groups));
        section = section.notes([format!("Published: {}.", sources(groups).join("; "))]);
    }
    for sheet in sheets::of_table(table) {
        section = section.table(sheet.grid).notes(sheet.notes);
    }
    section
}

/// Returns each source with the names of its machines.
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

/// Returns the times of this machine and of published machines for each cost.
fn beside(table: &Table, groups: &[Numbered<'_>]) -> Grid {
    let (cost, series) = (table.benchmark.cost, &table.series[0]);
    let with_lanes = series.rows.iter().any(|row| row.lanes.is_some());
    let name = if series.name.is_empty() { String::new() } else { format!(", {}", series.name) };
    let mut grid =
        Grid::new(format!("{}{name}: this machine and published ones, one hash, ms", table.benchmark.title))
            .numbers(cost.heading())
            .numbers("here");
    if with_lanes {
        grid = grid.numbers("in lanes");
    }
    grid = grid.numbers_each(groups.iter().map(|group| group.name.clone()));
    let mut costs: Vec<u64> = series.rows.iter().map(|row| row.cost).collect();
    costs.extend(groups.iter().flat_map(|group| group.group.points()).map(|point| point.0));
    costs.sort_unstable();
    costs.dedup();
    for value in costs {
        let row = series.rows.iter().find(|row| row.cost == value);
        let own = |figure: Option<Figure>| or_nothing(figure, |figure| ms(&figure, figure.hash_ms));
        let mut cells = vec![cost.label(value), own(row.and_then(|row| series.one(row)))];
        if with_lanes {
            cells.push(own(row.and_then(|row| series.lanes(row))));
        }
        cells.extend(groups.iter().map(|group| or_nothing(group.group.ms(value), rounded)));
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

/// Returns the name of a machine without makers and trademarks, so that eight columns fit.
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
    let cost = group.benchmark.cost;
    group.points().filter(|point| point.0 <= most).map(|(value, ms)| (place(cost, value), ms)).collect()
}

/// Returns the place of a cost on the axis of its charts.
fn place(cost: CostName, value: u64) -> f64 {
    match cost {
        CostName::Cost => as_f64(value),
        CostName::Iterations | CostName::Rounds => as_f64(value) / THOUSAND,
        // With r = 8, N = 2^10 needs 1 MiB.
        CostName::MemoryKib | CostName::N => as_f64(value) / KIB_PER_MIB,
    }
}

/// Draws the measured costs as joined dots.
fn dots(name: &str, cost: CostName, series: &Series, most: u64, way: Way) -> Drawn {
    let rows = series.rows.iter().filter(|row| row.cost <= most);
    let figures = rows.filter_map(|row| Some((place(cost, row.cost), way(series, row)?)));
    let measured = figures.filter(|(_, figure)| figure.is_measured());
    Drawn::joined_dots(name, measured.map(|(at, figure)| (at, figure.hash_ms, String::new())).collect())
}

/// Draws the other costs as lines without dots, each from the last measured cost, with gaps between
/// the lines. A bad line is not drawn.
fn extrapolated(plot: Plot, cost: CostName, drawn: &[(&Series, Way)]) -> Plot {
    let mut line = Vec::new();
    for (series, way) in drawn {
        let rows = series.rows.iter();
        let figures: Vec<_> =
            rows.filter_map(|row| Some((place(cost, row.cost), way(series, row)?))).collect();
        let first = figures.iter().position(|(_, figure)| !figure.is_measured()).unwrap_or(figures.len());
        let rest = &figures[first.saturating_sub(1)..];
        if rest.len() > 1 {
            line.extend(rest.iter().map(|(at, figure)| (*at, figure.hash_ms)));
            line.push((f64::NAN, f64::NAN));
        }
    }
    if line.is_empty() { plot } else { plot.series(Drawn::line("≈ extrapolated", line)) }
}

fn both(unit: &str) -> [(&'static str, Axis, Axis); 2] {
    [
        ("linear", Axis::linear(unit), Axis::linear("ms")),
        ("logarithmic", Axis::logarithmic(unit), Axis::logarithmic("ms")),
    ]
}

/// Returns the name of the digest.
fn short(table: &Table) -> &'static str {
    table.benchmark.title.trim_start_matches("PBKDF2-HMAC-")
}

/// Every cost.
const ALL: u64 = u64::MAX;

const PBKDF2: [Algorithm; 3] = [Algorithm::Pbkdf2Sha1, Algorithm::Pbkdf2Sha256, Algorithm::Pbkdf2Sha512];

/// The iterations of the comparison, a row of the published table.
const AN_EXAMPLE: u64 = 100_001;

const KIB_PER_MIB: f64 = 1024.0;
const THOUSAND: f64 = 1e3;

/// A shorter hash is no choice for a login, and would stretch the axes.
const SHORTEST_MS: f64 = 1.0;

/// The lines of the attacker's price: name, table, series.
const PRICED: [(&str, Algorithm, usize); 6] = [
    ("bcrypt", Algorithm::Bcrypt, 0),
    ("argon2id, t = 4", Algorithm::Argon2id, 3),
    ("scrypt", Algorithm::Scrypt, 0),
    ("PBKDF2-SHA-256", Algorithm::Pbkdf2Sha256, 1),
    ("PBKDF2-SHA-512", Algorithm::Pbkdf2Sha512, 1),
    ("sha512-crypt", Algorithm::Sha512Crypt, 0),
];

/// The large figures at the top: name, table, series, cost.
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

    /// 64 MiB with three passes were measured at 1,667 guesses a second.
    #[test]
    fn the_work_of_a_guess_is_that_of_the_published_rule() {
        let figure = Figure::from_line(&saltern_meter::Line { intercept_ms: 0.0, slope_ms: 1.0 }, 1, 1);
        let row = |cost, work| Row { cost, work, one: figure, lanes: None };
        let rate = |algorithm: Algorithm, cost, work| {
            let work = attacked(algorithm, &row(cost, work));
            Attack::published().guess_of_work(algorithm.name(), work).unwrap().per_second
        };
        assert!((rate(Algorithm::Argon2id, 65_536, 3 * 65_536) - 1_667.0).abs() < 1e-9);
        assert!((rate(Algorithm::Bcrypt, 12, 1 << 12) - 1_437.5).abs() < 1e-9);
        assert!((rate(Algorithm::Scrypt, 1 << 14, 1 << 17) - 7_126.0).abs() < 1e-9);
        assert!((rate(Algorithm::Pbkdf2Sha256, 999, 999) - 8_865_700.0).abs() < 1e-6);
    }

    #[test]
    fn a_machine_is_named_without_trademarks() {
        assert_eq!(plain("Intel(R) Core(TM) i5-2430M CPU @ 2.40GHz (2011)"), "i5-2430M (2011)");
        assert_eq!(plain("Apple M1 Pro (2021)"), "M1 Pro (2021)");
        assert_eq!(plain("author's desktop, 2016"), "author's desktop, 2016");
    }
}
