//! The page: each algorithm with its charts and tables, beside published times.

use saltern_encoded::Algorithm;
use saltern_page::{Axis, Page, Plot, Section, Series as Drawn, Table as Grid, Verdict, or_nothing, rounded};

use super::{
    published::{Group, Published},
    results::{Figure, Results, Series, Table, WAYS, Way, as_f64},
    sheets::{self, LEGEND, hash_ms, rate},
    tables::{CostName, PUBLISHED_OUTPUT_BYTES},
};

pub(super) fn html(results: &Results) -> String {
    let published = Published::all();
    let families = results.tables.chunk_by(|one, other| family(one).0 == family(other).0);
    Page::new(format!("Password hashes on {}", results.machine.cpu), Verdict::Stated(verdict(results)))
        .warning(sheets::busy(results).unwrap_or_default())
        .facts(facts(results))
        .contents()
        .sections(families.map(|tables| section(tables, &published)))
        .footer([sheets::about(results).join(" ").as_str(), LEGEND].join(" "))
        .html()
}

/// States bcrypt's time at cost 12, or at the highest lower cost that was measured.
fn verdict(results: &Results) -> String {
    let rows = (4..=12).rev().filter_map(|cost| results.row(Algorithm::Bcrypt, 0, cost));
    let Some(row) = rows.into_iter().find(|row| row.one.is_measured()) else {
        return "The time of each hash on one core of this machine.".to_owned();
    };
    let in_lanes = row.lanes.filter(Figure::is_measured);
    let in_lanes = in_lanes
        .map_or_else(String::new, |lanes| format!(", and {} with {} in lanes", rate(&lanes), lanes.at_once));
    let (ms, rate) = (hash_ms(&row.one), rate(&row.one));
    format!("One core computes bcrypt-{} in {ms} ms: {rate} a second one by one{in_lanes}.", row.cost)
}

/// Returns the time of a well-known cost of each algorithm.
fn facts(results: &Results) -> impl Iterator<Item = (&'static str, String)> {
    KNOWN.into_iter().filter_map(|(name, algorithm, series, cost)| {
        let row = results.row(algorithm, series, cost)?;
        Some((name, format!("{} ms", hash_ms(&row.one))))
    })
}

/// Returns the heading and the introduction of a table's section.
fn family(table: &Table) -> (&'static str, String) {
    match table.benchmark.algorithm {
        Algorithm::Bcrypt => (
            "bcrypt",
            "The cost is the binary logarithm of the work: each step doubles the work, for you and for an attacker.".to_owned(),
        ),
        Algorithm::Argon2id => (
            "argon2id",
            "Time grows with memory times passes. Memory is expensive for an attacker, so first choose as much memory as all \
             hashes at once can use, and then as many passes as the time allows. OWASP's minima are 46 MiB with one pass, \
             19 MiB with two, 12 MiB with three, 9 MiB with four, and 7 MiB with five."
                .to_owned(),
        ),
        Algorithm::Scrypt => (
            "scrypt",
            "Time and memory grow with N: 128·N·r bytes, so N = 2^10 needs 1 MiB and N = 2^17 needs 128 MiB. OWASP's minima \
             are from N = 2^17 with p = 1 down to N = 2^13 with p = 10."
                .to_owned(),
        ),
        Algorithm::Sha512Crypt => (
            "sha512-crypt",
            "The scheme $6$ of crypt(3). Saltern verifies it and makes no new hashes with it: it needs no memory, so an \
             attacker's graphics card computes many guesses at once."
                .to_owned(),
        ),
        _ => (
            "PBKDF2",
            format!(
                "PBKDF2 computes its output in blocks of the digest's length, and each block needs all iterations. The \
                 well-known table was measured at {PUBLISHED_OUTPUT_BYTES} bytes of output. These are two blocks of SHA-1 (20 \
                 bytes each) or of SHA-256 (32 bytes), and one block of SHA-512 (64 bytes). So its times of SHA-1 and SHA-256 \
                 are twice those at digest length, and SHA-256 looks slower than SHA-512. The second block does not protect: an \
                 attacker computes and compares only the first. Do not use more output than the digest has."
            ),
        ),
    }
}

/// Returns the charts of all tables of a family, and then the tables.
fn section(tables: &[Table], published: &Published) -> Section {
    let (heading, about) = tables.first().map(family).unwrap_or_default();
    let mut section = Section::new(heading).prose(about);
    for table in tables {
        let groups: Vec<_> = published.of(table.benchmark.algorithm).collect();
        section = section.charts(charts(table, &groups));
        if !groups.is_empty() {
            section =
                section.table(beside(table, &groups)).notes([format!("Published: {}.", sources(&groups))]);
        }
        for sheet in sheets::of_table(table) {
            section = section.table(sheet.grid).notes(sheet.notes);
        }
    }
    section
}

/// Returns a linear and a logarithmic chart of one hash beside published times, and of lanes.
fn charts(table: &Table, groups: &[&Group]) -> Vec<Plot> {
    let has_times =
        |way: Way| table.series.iter().flat_map(|series| &series.rows).any(|row| way(row).is_some());
    let mut charts = Vec::new();
    for (name, way) in WAYS.into_iter().filter(|(_, way)| has_times(*way)) {
        for is_logarithmic in [false, true] {
            // More lines than colours are divided: the first source has the newest processors.
            let is_shown = |group: &&&Group| {
                groups.len() <= MOST_IN_A_CHART || is_logarithmic != (group.source == groups[0].source)
            };
            let shown: Vec<_> = groups.iter().filter(is_shown).collect();
            let costs = shown.iter().flat_map(|group| group.points()).map(|(cost, _)| cost);
            // A linear chart up to bcrypt-31 would show nothing of the other costs.
            let most = costs.max().filter(|_| !is_logarithmic).unwrap_or(u64::MAX);
            let plot = chart(table, name, way, is_logarithmic, most);
            let is_published = name == WAYS[0].0;
            charts.push(
                shown.into_iter().filter(|_| is_published).fold(plot, |plot, group| {
                    plot.series(Drawn::line(group.name.clone(), places(group, most)))
                }),
            );
        }
    }
    charts
}

fn chart(table: &Table, name: &str, way: Way, is_logarithmic: bool, most: u64) -> Plot {
    let (cost, title) = (table.benchmark.cost, table.benchmark.title);
    let unit = match cost {
        CostName::Cost => "cost",
        CostName::Iterations => "thousand iterations",
        CostName::Rounds => "thousand rounds",
        CostName::MemoryKib | CostName::N => "MiB",
    };
    let plot = if is_logarithmic {
        // The cost of bcrypt is a logarithm.
        let x = if cost == CostName::Cost { Axis::linear(unit) } else { Axis::logarithmic(unit) };
        Plot::new(format!("{title}, {name}, logarithmic"), x, Axis::logarithmic("ms"))
    } else {
        Plot::new(format!("{title}, {name}, linear"), Axis::linear(unit), Axis::linear("ms"))
    };
    let named =
        |series: &Series| if series.name.is_empty() { "here".to_owned() } else { series.name.clone() };
    let mut plot = plot.about("Dots are measured. A line without dots is extrapolated, or published.");
    let mut scaled = Vec::new();
    for series in &table.series {
        let rows = series.rows.iter().filter(|row| row.cost <= most);
        let figures: Vec<_> = rows.filter_map(|row| Some((place(cost, row.cost), way(row)?))).collect();
        let measured = figures.partition_point(|(_, figure)| figure.is_measured());
        let dots = figures[..measured].iter().map(|(at, figure)| (*at, figure.hash_ms, String::new()));
        plot = plot.series(Drawn::joined_dots(named(series), dots.collect()));
        // The line begins at the last measured cost.
        if measured < figures.len() {
            scaled.extend(
                figures[measured.saturating_sub(1)..].iter().map(|(at, figure)| (*at, figure.hash_ms)),
            );
            scaled.push((f64::NAN, f64::NAN));
        }
    }
    if scaled.is_empty() { plot } else { plot.series(Drawn::line("≈ extrapolated", scaled)) }
}

/// Returns each source with its machines.
fn sources(groups: &[&Group]) -> String {
    let of_source = groups.chunk_by(|one, other| one.source == other.source);
    let in_words = |groups: &[&Group]| {
        let machines: Vec<_> = groups.iter().map(|group| group.machine.as_str()).collect();
        Some(format!("{} on {}", groups.first()?.source, machines.join(", ")))
    };
    of_source.filter_map(in_words).collect::<Vec<_>>().join("; ")
}

/// Returns the times of this machine and of published machines for each cost.
fn beside(table: &Table, groups: &[&Group]) -> Grid {
    let (cost, series) = (table.benchmark.cost, &table.series[0]);
    let title = [table.benchmark.title, series.name.as_str()].join(" ");
    let mut grid = Grid::new(format!("{}: here and published, one hash, ms", title.trim()))
        .numbers_each([cost.heading(), "here"])
        .numbers_each(groups.iter().map(|group| group.name.clone()));
    let mut costs: Vec<u64> = series.rows.iter().map(|row| row.cost).collect();
    costs.extend(groups.iter().flat_map(|group| group.points()).map(|point| point.0));
    costs.sort_unstable();
    costs.dedup();
    for value in costs {
        let row = series.rows.iter().find(|row| row.cost == value);
        let own = or_nothing(row, |row| hash_ms(&row.one));
        let published = groups.iter().map(|group| or_nothing(group.ms(value), rounded));
        grid = grid.row([cost.label(value), own].into_iter().chain(published));
    }
    grid
}

fn places(group: &Group, most: u64) -> Vec<(f64, f64)> {
    let points = group.points().filter(|point| point.0 <= most);
    points.map(|(value, ms)| (place(group.benchmark.cost, value), ms)).collect()
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

/// Published groups in a chart. With the lines of this machine there are as many as colours.
const MOST_IN_A_CHART: usize = 4;

const KIB_PER_MIB: f64 = 1024.0;
const THOUSAND: f64 = 1e3;

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
    use crate::bench::results::tests::results;

    #[test]
    fn the_page_states_what_was_measured_and_marks_the_rest() {
        let html = html(&results());
        // bcrypt-12 was not measured.
        let verdict =
            "One core computes bcrypt-10 in 51.2 ms: 19.5 a second one by one, and 78.1 with 8 in lanes.";
        assert!(html.contains(verdict), "{html}");
        assert!(html.split("<nav").next().unwrap().contains("The machine was busy"), "{html}");
        for part in [
            ">bcrypt</a>",
            ">PBKDF2</a>",
            "≈ 205",
            "≈ 51.2",
            "≈ extrapolated",
            "186,173,000",
            "two blocks of SHA-1",
        ] {
            assert!(html.contains(part), "{part}");
        }
    }
}
