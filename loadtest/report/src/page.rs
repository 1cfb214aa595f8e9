//! The page of a load test: the verdict, the contents, the evenings side by side, then each one.

use std::io;

use saltern_page::{
    Axis, Page, Plot, Section, Series, Table, Verdict, count, milliseconds, or_nothing, percent, rounded, usd,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    evening::{Evening, Fleet, FleetSecond, Piece},
    judge::{Judgement, share_failed, together},
    record::{Percentiles, Second, whole},
};

/// Returns the page as HTML.
///
/// # Errors
/// If `yle.json`, which is part of the build, is not in its format.
pub(crate) fn html(evenings: &[Evening], judgements: &[Judgement]) -> io::Result<String> {
    let yle: Yle = serde_json::from_str(include_str!("../../yle.json")).map_err(io::Error::other)?;
    let sentence = together(evenings, judgements);
    let verdict = if judgements.iter().all(|judgement| judgement.as_expected) {
        Verdict::Kept(sentence)
    } else {
        Verdict::Missed(sentence)
    };
    let through_fleet = evenings.iter().any(|evening| evening.fleet.is_some());
    let ours = if through_fleet {
        "the measurements of the callers, and fleet's model of Lambda, on one machine"
    } else {
        "the measurements of the callers"
    };
    let each = evenings.iter().zip(judgements).map(|(evening, judgement)| one(evening, judgement));
    Ok(Page::new("A live event", verdict)
        .sections(core::iter::once(side_by_side(evenings, judgements, &yle)).chain(each))
        .footer(format!("Yle's figures: {}. Our figures: {ours}.", yle.source))
        .html())
}

/// `yle.json`.
#[derive(Deserialize)]
struct Yle {
    source: String,
    held_requests_per_second: f64,
    first_errors_requests_per_second: f64,
    p90_ms: f64,
}

fn side_by_side(evenings: &[Evening], judgements: &[Judgement], yle: &Yle) -> Section {
    let columns = Table::new("One column for each evening").words("");
    let columns = evenings.iter().fold(columns, |columns, evening| columns.numbers(evening.name()));
    let verdicts = judgements.iter().map(|judgement| if judgement.held { "held" } else { "fell" }.to_owned());
    let verdicts: Vec<_> = core::iter::once("budgets".to_owned()).chain(verdicts).collect();
    let yle_in_words = format!(
        "Yle held {} logins a second with a p90 of {}. At {} the first errors came.",
        count(yle.held_requests_per_second),
        milliseconds(yle.p90_ms),
        count(yle.first_errors_requests_per_second),
    );
    Section::new("Side by side")
        .table(columns.rows(figures(evenings, yle)).row(verdicts))
        .notes([yle_in_words])
}

/// Returns a row for each figure that at least one evening has.
fn figures(evenings: &[Evening], yle: &Yle) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, cell: &dyn Fn(&Evening) -> Option<String>| {
        let cells: Vec<_> = evenings.iter().map(cell).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| or_nothing(cell, |cell| cell));
            rows.push(core::iter::once(name.to_owned()).chain(cells).collect());
        }
    };
    let fleet = |cell: fn(&Fleet) -> String| move |evening: &Evening| evening.fleet.as_ref().map(cell);
    row("highest rate, logins a second", &|evening| Some(count(evening.peak())));
    row("logins sent", &|evening| Some(count(whole(evening.callers.totals.requested))));
    row("failed", &|evening| Some(percent_failed(evening)));
    row("hashed by the backends", &|evening| {
        let totals = &evening.callers.totals;
        (totals.local > 0).then(|| percent(whole(totals.local), whole(totals.requested)))
    });
    for (name, of) in PERCENTILES {
        row(&format!("{name} of right answers"), &|evening| {
            evening.callers.totals.ms.map(|ms| milliseconds(of(ms)))
        });
    }
    row("/hello, p99", &|evening| evening.callers.totals.hello_ms.map(|ms| milliseconds(ms.p99)));
    row("most concurrent requests", &fleet(|fleet| count(whole(fleet.totals.concurrency))));
    row("cold starts", &fleet(|fleet| count(whole(fleet.totals.cold_starts))));
    row("found no free provisioned environment", &fleet(|fleet| count(whole(fleet.totals.spillover))));
    row("throttled by Lambda", &fleet(|fleet| count(whole(fleet.totals.throttled.values().sum()))));
    row("cost of this run", &fleet(|fleet| usd(fleet.totals.usd)));
    row("cost of this run, estimated before it", &|evening| match evening.fleet {
        Some(_) => None,
        None => evening.summary.cost_usd.map(usd),
    });
    row("cost of an hour at the highest rate, planned", &|evening| {
        evening.hour.as_ref().map(|hour| usd(hour.usd))
    });
    row("cost of a million logins in that hour, planned", &|evening| {
        evening.hour.as_ref().map(|hour| usd(hour.usd_per_million))
    });
    row("machines like this one for 3,000 logins a second", &|evening| machines(evening, yle));
    rows
}

fn one(evening: &Evening, judgement: &Judgement) -> Section {
    let totals = &evening.callers.totals;
    let broken = &evening.summary.broken;
    Section::new(evening.about.title.clone())
        .prose(evening.about.story.clone())
        .prose(format!("Verdict: {}.", judgement.sentence))
        .charts([rates(evening), answer_times(evening)])
        .charts(evening.fleet.as_ref().map(|fleet| environments(evening, fleet)))
        .charts((!totals.failed.is_empty()).then(|| failures(evening)))
        .charts(totals.hello_ms.map(|_| hello(evening)))
        .notes(lag(evening))
        .notes((!broken.is_empty()).then(|| format!("Broken budgets: {}.", broken.join("; "))))
}

/// Returns a sentence if requests were sent later than scheduled.
///
/// A busy machine makes the sender late. It then sends the missed requests in a burst.
fn lag(evening: &Evening) -> Option<String> {
    let (mut sent, mut most) = (0.0, 0.0_f64);
    for (second, after) in evening.callers.seconds.iter().zip(1_u32..) {
        sent += whole(second.requested);
        most = most.max(due(&evening.summary.pieces, f64::from(after)) - sent);
    }
    let seconds = most / evening.peak().max(1.0);
    // What k6 dropped was never sent.
    (evening.callers.totals.dropped == 0 && seconds > LAG_SECONDS).then(|| {
        format!(
            "The callers were up to {} s behind their schedule, because this machine was busy. The figures of those seconds \
             include this delay. Repeat the run on an idle machine.",
            rounded(seconds)
        )
    })
}

/// Returns the number of logins that are due after so many seconds.
fn due(pieces: &[Piece], seconds: f64) -> f64 {
    let (mut due, mut left) = (0.0, seconds);
    let mut from = pieces.first().map_or(0.0, |piece| piece.per_second);
    for piece in pieces {
        let passed = left.min(piece.seconds);
        let until = from + (piece.per_second - from) * passed / piece.seconds;
        due += passed * f64::midpoint(from, until);
        left -= passed;
        from = piece.per_second;
    }
    due
}

fn rates(evening: &Evening) -> Plot {
    let plot = Plot::new("Logins a second", Axis::elapsed(), Axis::linear("a second"))
        .about("Logins that were sent, and logins with the right answer.")
        .series(line("sent", evening, |second| whole(second.requested)))
        .series(line("answered", evening, |second| whole(second.right)));
    if evening.callers.totals.local == 0 {
        return plot;
    }
    plot.series(line("of these by the backends", evening, |second| whole(second.local)))
}

fn answer_times(evening: &Evening) -> Plot {
    let of =
        |percentile: fn(Percentiles) -> f64| move |second: &Second| second.ms.map_or(f64::NAN, percentile);
    let plot = Plot::new("Answer time", Axis::elapsed(), Axis::linear("ms"))
        .about("Right answers, measured by the caller.");
    let plot = PERCENTILES
        .into_iter()
        .fold(plot, |plot, (name, percentile)| plot.series(line(name, evening, of(percentile))));
    match evening.knob("LOAD_P90_BUDGET_MS") {
        Some(budget) => plot.limit(budget, format!("p90 at most {}", milliseconds(budget))),
        None => plot,
    }
}

fn environments(evening: &Evening, fleet: &Fleet) -> Plot {
    let offset = ms(fleet.started_at_unix_ms - evening.callers.started_at_unix_ms) / MS_PER_SECOND;
    let end = whole(evening.callers.seconds.len() as u64);
    let points = |count: fn(&FleetSecond) -> u64| -> Vec<(f64, f64)> {
        let at = |second: &FleetSecond| (ms(second.second) + offset, whole(count(second)));
        fleet.seconds.iter().map(at).filter(|(at, _)| (0.0..=end).contains(at)).collect()
    };
    let plot = Plot::new("Environments", Axis::elapsed(), Axis::linear(""))
        .about("Environments that existed, and environments that were busy.")
        .series(Series::line("busy", points(|second| second.concurrency)))
        .series(Series::line("existing", points(|second| second.environments)));
    match fleet.function.get("account_concurrency").and_then(Value::as_f64) {
        // A quota far above all values would only flatten the lines.
        Some(quota) if quota <= QUOTA_IN_SIGHT * whole(fleet.totals.concurrency) => {
            plot.limit(quota, "the account's quota")
        }
        _ => plot,
    }
}

fn failures(evening: &Evening) -> Plot {
    let plot = Plot::new("Failures by kind", Axis::elapsed(), Axis::linear("a second"))
        .about("A failure counts in the second in which its answer came or its caller gave up.");
    KINDS.into_iter().filter(|(kind, _)| evening.callers.totals.failed.contains_key(*kind)).fold(
        plot,
        |plot, (kind, name)| {
            let count = move |second: &Second| whole(second.failed.get(kind).copied().unwrap_or_default());
            plot.series(line(name, evening, count))
        },
    )
}

fn hello(evening: &Evening) -> Plot {
    Plot::new("/hello, which hashes nothing", Axis::elapsed(), Axis::logarithmic("ms"))
        .about("/hello waits behind the hashes. A caller that gave up counts with the time until it gave up.")
        .series(line("p50", evening, |second| second.hello_ms.map_or(f64::NAN, |ms| ms.p50)))
        .series(line("p99", evening, |second| second.hello_ms.map_or(f64::NAN, |ms| ms.p99)))
}

fn line(name: &str, evening: &Evening, value: impl Fn(&Second) -> f64) -> Series {
    let points =
        evening.callers.seconds.iter().zip(0u32..).map(|(second, at)| (f64::from(at), value(second)));
    Series::line(name, points.collect())
}

fn percent_failed(evening: &Evening) -> String {
    percent(share_failed(evening), 1.0)
}

/// Returns the number of machines for Yle's peak. A backend that hashes in its own process has no
/// bill.
fn machines(evening: &Evening, yle: &Yle) -> Option<String> {
    let capacity = evening.knob("LOAD_CAPACITY_PER_SECOND").filter(|capacity| *capacity > 0.0)?;
    Some(count((yle.first_errors_requests_per_second / capacity).ceil()))
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds since 1970 need 41 bits")]
fn ms(count: i64) -> f64 {
    count as f64
}

type Percentile = (&'static str, fn(Percentiles) -> f64);

const PERCENTILES: [Percentile; 3] = [("p50", |ms| ms.p50), ("p90", |ms| ms.p90), ("p99", |ms| ms.p99)];

/// The kinds of `lib/answers.ts`, and their names on the page.
const KINDS: [(&str, &str); 8] = [
    ("throttled", "429 throttled"),
    ("overloaded", "overloaded"),
    ("deadline_exceeded", "503 too late"),
    ("timeout", "gave up"),
    ("unreachable", "no connection"),
    ("refused", "4xx"),
    ("fault", "5xx"),
    ("wrong", "WRONG"),
];

const MS_PER_SECOND: f64 = 1000.0;

/// The first second of the recorder starts within a second of the run. This and a slow answer are
/// no lag.
const LAG_SECONDS: f64 = 1.5;

/// A quota is drawn if it is at most this many times the highest concurrency.
const QUOTA_IN_SIGHT: f64 = 1.5;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::evening::{
        Expected,
        tests::{evening, through_fleet},
    };

    fn page(evenings: &[Evening]) -> String {
        let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
        html(evenings, &judgements).unwrap()
    }

    #[test]
    fn each_evening_has_charts_and_a_column() {
        let html = page(&[
            evening("zero", Expected::Falls, &["hello_ms: p(99)<100 (is 4000)"]),
            through_fleet("two", Expected::Holds, &[]),
        ]);
        for said in [
            "Zero fell as expected: up to 100 logins a second, p90 180 ms, none failed.",
            "Broken budgets: hello_ms: p(99)&lt;100 (is 4000).",
            "Environments",
            "quota",
            "0.250 USD",
            "Yle held 1,500 logins a second with a p90 of 300 ms. At 3,000",
        ] {
            assert!(html.contains(said), "{said}");
        }
    }

    #[test]
    fn a_page_of_one_evening_loads_nothing() {
        let html = page(&[evening("mine", Expected::Holds, &[])]);
        assert!(html.contains("&lt;A story&gt;"));
        for loads in ["<script", "src=", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
    }

    #[test]
    fn the_verdict_and_the_contents_stand_before_the_first_section() {
        let html =
            page(&[evening("zero", Expected::Falls, &["x"]), through_fleet("two", Expected::Holds, &[])]);
        let first_section = html.find("<section").unwrap();
        let head = &html[..first_section];
        assert!(head.find("class=\"verdict kept\"").unwrap() < head.find("<nav").unwrap());
        let headings = html.matches("<section").count();
        assert_eq!(head.matches("href=\"#").count(), headings, "a link for each section");
        assert_eq!(html.matches("href=").count(), headings, "no other link");
        assert!(head.contains("href=\"#evening-two\""));
    }

    #[test]
    fn logins_that_the_backends_hashed_have_a_line_and_a_row() {
        assert!(!page(&[evening("two", Expected::Holds, &[])]).contains("by the backends"));
        let mut four = evening("four", Expected::Holds, &[]);
        four.callers.totals.local = 100;
        let html = page(&[four]);
        assert!(html.contains("of these by the backends") && html.contains("hashed by the backends"));
        assert!(html.contains("25.0 %"));
    }

    #[test]
    fn a_schedule_is_the_sum_of_its_pieces() {
        let pieces = [(200.0, 10.0), (1500.0, 10.0), (1500.0, 20.0)];
        let pieces = pieces.map(|(per_second, seconds)| Piece { per_second, seconds });
        for (seconds, logins) in
            [(10.0, 2000.0), (15.0, 4625.0), (20.0, 10_500.0), (40.0, 40_500.0), (99.0, 40_500.0)]
        {
            assert!(
                (due(&pieces, seconds) - logins).abs() < 1e-6,
                "after {seconds} s: {}",
                due(&pieces, seconds)
            );
        }
    }

    #[test]
    fn a_late_sender_is_reported() {
        let mut late = evening("two", Expected::Holds, &[]);
        late.summary.pieces = vec![Piece { per_second: 100.0, seconds: 4.0 }];
        assert_eq!(lag(&late), None);
        late.callers.seconds[1].requested = 0;
        late.callers.seconds[2].requested = 0;
        assert!(lag(&late).unwrap().starts_with("The callers were up to 2.00 s"), "{:?}", lag(&late));
    }

    #[test]
    fn an_evening_without_fleet_shows_its_own_cost_and_no_text_about_fleet() {
        let mut own = evening("own", Expected::Holds, &[]);
        own.summary.cost_usd = Some(5.81);
        own.summary.pieces = Vec::new();
        let html = page(&[own]);
        assert!(html.contains("5.81 USD"));
        for said in ["fleet", "An hour at the highest rate", "– USD"] {
            assert!(!html.contains(said), "{said}");
        }
        assert!(page(&[through_fleet("two", Expected::Holds, &[])]).contains("fleet's model of Lambda"));
    }

    #[test]
    fn a_column_marks_extrapolated_durations() {
        let html =
            page(&[evening("zero", Expected::Falls, &["x"]), through_fleet("three", Expected::Holds, &[])]);
        assert!(html.contains("three (extrapolated)"));
        assert!(!html.contains("zero (extrapolated)"));
    }

    #[test]
    fn machines_are_counted_if_a_capacity_was_measured() {
        let mut zero = evening("zero", Expected::Falls, &["x"]);
        zero.summary.knobs.insert("LOAD_CAPACITY_PER_SECOND".to_owned(), 13.0.into());
        assert!(page(&[zero]).contains("231"), "3,000 / 13, rounded up");
    }
}
