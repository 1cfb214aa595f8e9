//! The page: each algorithm with its charts and tables, beside published times.

use std::cmp::Reverse;

use saltern_cli::number::grouped;
use saltern_page::{Axis, Page, Plot, Section, Series as Drawn, Table as Grid, Verdict, or_nothing, rounded};

use super::{
    published::{Group, Published},
    results::{Figure, Results, Row, Table},
    sheets::{self, LEGEND, hash_ms},
};
use crate::measure::as_f64;

pub(super) fn html(results: &Results) -> String {
    let published = Published::all();
    let verdict = "The time of each hash on one core of this machine, beside published times.";
    Page::new(format!("Password hashes on {}", results.machine.cpu), Verdict::Stated(verdict.to_owned()))
        .warning(sheets::busy(results).unwrap_or_default())
        .sections(results.tables.iter().map(|table| section(table, &published)))
        .footer([sheets::about(results).join(" ").as_str(), LEGEND].join(" "))
        .html()
}

/// Returns the charts and the tables of an algorithm.
fn section(table: &Table, published: &Published) -> Section {
    let groups: Vec<_> = published.of(table.benchmark.algorithm).collect();
    let has_lanes = table.series.iter().flat_map(|series| &series.rows).any(|row| row.lanes.is_some());
    let in_lanes = has_lanes.then(|| chart(table, "in lanes", &[], |row| row.lanes));
    let charts = [chart(table, "one hash", &groups, |row| Some(row.one))].into_iter().chain(in_lanes);
    let mut section = Section::new(table.benchmark.title()).charts(charts);
    if !groups.is_empty() {
        section = section.table(beside(table, &groups)).notes([format!("Published: {}.", sources(&groups))]);
    }
    sheets::of_table(table).fold(section, Section::table)
}

/// Returns a logarithmic chart of a time of each row, beside published times.
fn chart(table: &Table, name: &str, groups: &[&Group], time: fn(&Row) -> Option<Figure>) -> Plot {
    let benchmark = table.benchmark;
    let (x, y) = ((benchmark.axis)(benchmark.cost), Axis::logarithmic("ms"));
    let mut plot = Plot::new(format!("{}, {name}", benchmark.title()), x, y)
        .about("Dots are measured. A line without dots is extrapolated, or published.");
    let mut scaled = Vec::new();
    for series in &table.series {
        let figures = series.rows.iter().filter_map(|row| Some((as_f64(row.cost), time(row)?)));
        let figures: Vec<_> = figures.collect();
        let measured = figures.partition_point(|(_, figure)| figure.is_measured());
        let dots = figures[..measured].iter().map(|(at, figure)| (*at, figure.hash_ms));
        let name = if series.name.is_empty() { "here" } else { &series.name };
        plot = plot.series(Drawn::joined_dots(name, dots.collect()));
        // The line begins at the last measured cost.
        if measured < figures.len() {
            let rest = &figures[measured.saturating_sub(1)..];
            scaled.extend(rest.iter().map(|(at, figure)| (*at, figure.hash_ms)));
            scaled.push((f64::NAN, f64::NAN));
        }
    }
    if !scaled.is_empty() {
        plot = plot.series(Drawn::line("≈ extrapolated", scaled));
    }
    let most = table.series.iter().flat_map(|series| &series.rows).map(|row| row.cost).max().unwrap_or(0);
    // Nobody can tell more lines apart than there are colours.
    let mut longest = groups.to_vec();
    longest.sort_by_key(|group| Reverse(group.points().count()));
    longest.into_iter().take(MOST_IN_A_CHART).fold(plot, |plot, group| {
        // The published bcrypt-31 would leave no room for the costs in use.
        let points = group.points().filter(|(cost, _)| *cost <= most);
        let points = points.map(|(cost, ms)| (as_f64(cost), ms));
        plot.series(Drawn::line(group.name.clone(), points.collect()))
    })
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
    let series = &table.series[0];
    let title = [table.benchmark.title(), series.name.as_str()].join(" ");
    let mut grid = Grid::new(format!("{}: here and published, one hash, ms", title.trim()))
        .numbers_each([table.benchmark.cost, "here"])
        .numbers_each(groups.iter().map(|group| group.name.clone()));
    let mut costs: Vec<u64> = series.rows.iter().map(|row| row.cost).collect();
    costs.extend(groups.iter().flat_map(|group| group.points()).map(|point| point.0));
    costs.sort_unstable();
    costs.dedup();
    for value in costs {
        let row = series.rows.iter().find(|row| row.cost == value);
        let own = or_nothing(row, |row| hash_ms(&row.one));
        let published = groups.iter().map(|group| or_nothing(group.ms(value), rounded));
        grid = grid.row([grouped(value), own].into_iter().chain(published));
    }
    grid
}

/// Published groups in a chart. With the lines of this machine there are as many as colours.
const MOST_IN_A_CHART: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn the_page_has_what_was_measured_and_marks_the_rest() {
        let html = html(&results());
        assert!(html.split("<nav").next().unwrap().contains("The machine was busy"), "{html}");
        for part in [
            ">bcrypt</a>",
            ">pbkdf2-sha1</a>",
            // bcrypt-12 was not measured.
            "≈ 205",
            "≈ 51.2",
            "≈ extrapolated",
            "186,173,000",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }
}
