//! The page: the verdict, the evenings side by side, then each by itself.

use std::{collections::BTreeSet, io};

use saltern_page::{Axis, Bars, Page, Plot, Section, Series, Table, Verdict, exact, rounded};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    evening::{Assumption, Evening, FleetSecond, Piece},
    judge::{Judgement, percent_failed, together, whole},
    record::{Percentiles, Second},
};

pub(crate) fn html(evenings: &[Evening], judgements: &[Judgement]) -> io::Result<String> {
    let yle: Yle = serde_json::from_str(include_str!("../../yle.json")).map_err(io::Error::other)?;
    let sentence = together(evenings, judgements);
    let verdict = if judgements.iter().all(|judgement| judgement.as_expected) {
        Verdict::Kept(sentence)
    } else {
        Verdict::Missed(sentence)
    };
    let mut page = Page::new(title(evenings), verdict);
    for (name, value) in facts(evenings, judgements) {
        page = page.fact(name, value);
    }
    page = page
        .section(side_by_side(evenings, judgements, &yle))
        .section(beside_yle(evenings, judgements, &yle));
    for (evening, judgement) in evenings.iter().zip(judgements) {
        page = page.section(one(evening, judgement));
    }
    page = page.section(how(evenings));
    if let Some(assumptions) = assumptions(evenings) {
        page = page.section(assumptions);
    }
    Ok(page
        .footer(format!(
            "Yle's figures: {}. Ours: k6, and fleet's model of Lambda, on one machine.",
            yle.source
        ))
        .html())
}

/// `yle.json`.
#[derive(Deserialize)]
struct Yle {
    source: String,
    accounts: f64,
    held_requests_per_second: f64,
    first_errors_requests_per_second: f64,
    p90_ms: f64,
    note: String,
}

fn title(evenings: &[Evening]) -> String {
    if evenings.len() == 1 {
        "A live event".to_owned()
    } else {
        "The same live event, several evenings".to_owned()
    }
}

/// What stands large: of the last evening that held, which is the best prepared.
fn facts(evenings: &[Evening], judgements: &[Judgement]) -> Vec<(String, String)> {
    let Some((evening, _)) = evenings.iter().zip(judgements).rfind(|(_, judgement)| judgement.held) else {
        return Vec::new();
    };
    let mut facts = vec![
        ("logins a second".to_owned(), exact(evening.peak(), 0)),
        ("logins in all".to_owned(), exact(whole(evening.callers.totals.requested), 0)),
    ];
    if let Some(ms) = evening.callers.totals.ms {
        facts.push(("p90".to_owned(), format!("{} ms", exact(ms.p90, 0))));
    }
    facts.push(("failed".to_owned(), format!("{} %", rounded(percent_failed(evening)))));
    facts.push(("requests at once".to_owned(), exact(concurrency(evening), 0)));
    if let Some(hour) = &evening.hour {
        facts.push(("an hour at the peak".to_owned(), usd(hour.plan.usd)));
    }
    facts
}

fn side_by_side(evenings: &[Evening], judgements: &[Judgement], yle: &Yle) -> Section {
    let mut table = Table::new("One column for each evening").words("");
    for evening in evenings {
        table = table.numbers(evening.about.short.clone());
    }
    let mut row = |name: &str, cell: &dyn Fn(&Evening) -> Option<String>| {
        let cells: Vec<_> =
            evenings.iter().map(|evening| cell(evening).unwrap_or_else(|| NOTHING.to_owned())).collect();
        if cells.iter().any(|cell| cell != NOTHING) {
            table = core::mem::replace(&mut table, Table::new(""))
                .row(core::iter::once(name.to_owned()).chain(cells));
        }
    };
    let fleet = |cell: fn(&crate::evening::Fleet) -> String| {
        move |evening: &Evening| evening.fleet.as_ref().map(cell)
    };
    row("logins a second, at the most", &|evening| Some(exact(evening.peak(), 0)));
    row("logins asked", &|evening| Some(exact(whole(evening.callers.totals.requested), 0)));
    row("failed", &|evening| Some(format!("{} %", rounded(percent_failed(evening)))));
    for (name, of) in PERCENTILES {
        row(&format!("{name}, of right answers"), &|evening| {
            evening.callers.totals.ms.map(|ms| ms_in_words(of(ms)))
        });
    }
    row("/hello, p99", &|evening| evening.callers.totals.hello_ms.map(|ms| ms_in_words(ms.p99)));
    row("requests at once, at the most", &|evening| Some(exact(concurrency(evening), 0)));
    row("cold starts", &fleet(|fleet| exact(whole(fleet.totals.cold_starts), 0)));
    row("found no provisioned environment free", &fleet(|fleet| exact(whole(fleet.totals.spillover), 0)));
    row("throttled by Lambda", &fleet(|fleet| exact(whole(fleet.totals.throttled.values().sum()), 0)));
    row("cost of this run", &fleet(|fleet| usd(fleet.totals.usd)));
    row("cost of an hour at the highest rate, planned", &|evening| {
        evening.hour.as_ref().map(|hour| usd(hour.plan.usd))
    });
    row("cost of a million logins in that hour, planned", &|evening| {
        evening.hour.as_ref().map(|hour| usd(hour.plan.usd_per_million))
    });
    row("machines like this one for 3,000 logins a second", &|evening| machines(evening, yle));
    let held: Vec<_> =
        judgements.iter().map(|judgement| if judgement.held { "held" } else { "fell" }.to_owned()).collect();
    let table = table.row(core::iter::once("budgets".to_owned()).chain(held));

    let bars = |title: &str, unit: &str, about: &str, value: &dyn Fn(&Evening) -> f64| {
        let mut bars = Bars::new(title, unit, &[""]).about(about);
        for evening in evenings {
            bars = bars.group(evening.about.short.clone(), &[value(evening)]);
        }
        bars
    };
    Section::new("Side by side")
        .table(table)
        .chart(bars("Nine of ten logins within", "ms", "p90 of right answers.", &|evening| {
            evening.callers.totals.ms.map_or(f64::NAN, |ms| ms.p90)
        }))
        .chart(bars("Logins that failed", "%", "Of all that were asked.", &percent_failed))
        .chart(bars("Requests at once", "", "At the most, within a second.", &concurrency))
        .chart(bars(
            "An hour at the highest rate",
            "USD",
            "Planned in simulated time; list prices.",
            &|evening| evening.hour.as_ref().map_or(f64::NAN, |hour| hour.plan.usd),
        ))
}

fn beside_yle(evenings: &[Evening], judgements: &[Judgement], yle: &Yle) -> Section {
    let pairs = || evenings.iter().zip(judgements);
    let held = pairs()
        .filter(|(_, judgement)| judgement.held)
        .map(|(evening, _)| evening.peak())
        .fold(f64::NAN, f64::max);
    let list = |cell: &dyn Fn(&Evening) -> String| {
        evenings
            .iter()
            .map(|evening| format!("{}: {}", evening.about.short, cell(evening)))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let table = Table::new("Yle's evening, and these")
        .words("")
        .words("Yle")
        .words("here")
        .row([
            "accounts".to_owned(),
            exact(yle.accounts, 0),
            "a pool of made-up users, asked again and again".to_owned(),
        ])
        .row(["logins a second, held".to_owned(), exact(yle.held_requests_per_second, 0), exact(held, 0)])
        .row([
            "logins a second with errors".to_owned(),
            exact(yle.first_errors_requests_per_second, 0),
            list(&|evening| {
                format!("{} % failed at {}", rounded(percent_failed(evening)), exact(evening.peak(), 0))
            }),
        ])
        .row([
            "p90".to_owned(),
            ms_in_words(yle.p90_ms),
            list(&|evening| evening.callers.totals.ms.map_or(NOTHING.to_owned(), |ms| ms_in_words(ms.p90))),
        ]);
    Section::new("Beside Yle's figures").prose(yle.note.clone()).table(table)
}

fn one(evening: &Evening, judgement: &Judgement) -> Section {
    let mut section = Section::new(evening.about.title.clone())
        .prose(evening.about.story.clone())
        .prose(format!("It {}.", judgement.sentence))
        .chart(rates(evening))
        .chart(answer_times(evening))
        .chart(concurrency_over_time(evening));
    if !evening.callers.totals.failed.is_empty() {
        section = section.chart(failures(evening));
    }
    if evening.callers.totals.hello_ms.is_some() {
        section = section.chart(hello(evening));
    }
    if !evening.summary.broken.is_empty() {
        section = section.prose(format!("Broken budgets: {}.", evening.summary.broken.join("; ")));
    }
    match beside_plan(evening) {
        Some(table) => section.table(table),
        None => section,
    }
}

fn rates(evening: &Evening) -> Plot {
    Plot::new("Logins a second", Axis::elapsed(), Axis::linear("a second"))
        .about("What was asked, and what was answered rightly.")
        .series(line("asked", evening, |second| whole(second.requested)))
        .series(line("answered", evening, |second| whole(second.right)))
}

fn answer_times(evening: &Evening) -> Plot {
    let of =
        |percentile: fn(Percentiles) -> f64| move |second: &Second| second.ms.map_or(f64::NAN, percentile);
    let mut plot = Plot::new("Answer time", Axis::elapsed(), Axis::linear("ms"))
        .about("Right answers, as the caller saw them.");
    for (name, percentile) in PERCENTILES {
        plot = plot.series(line(name, evening, of(percentile)));
    }
    match evening.knob("LOAD_P90_BUDGET_MS") {
        Some(budget) => plot.limit(budget, format!("p90 at most {} ms", exact(budget, 0))),
        None => plot,
    }
}

/// Lambda's own count where there is one; else what Little's law makes of the callers' waiting.
fn concurrency_over_time(evening: &Evening) -> Plot {
    let Some(fleet) = &evening.fleet else {
        let batch = evening.batch();
        return Plot::new("Requests at once", Axis::elapsed(), Axis::linear(""))
            .about("How many waited for their answers, on average over each second.")
            .series(line("under way", evening, |second| second.under_way / batch));
    };
    let offset = ms(fleet.started_at_unix_ms - evening.callers.started_at_unix_ms) / MS_PER_SECOND;
    let end = seconds(evening);
    let points = |series: &[FleetSecond], offset: f64, count: fn(&FleetSecond) -> u64| -> Vec<(f64, f64)> {
        let at = |second: &FleetSecond| (ms(second.second) + offset, whole(count(second)));
        series.iter().map(at).filter(|(at, _)| (0.0..=end).contains(at)).collect()
    };
    let mut plot = Plot::new("Environments", Axis::elapsed(), Axis::linear(""))
        .about("Those that were there, and those that were busy.")
        .series(Series::line("busy", points(&fleet.seconds, offset, |second| second.concurrency)))
        .series(Series::line("there", points(&fleet.seconds, offset, |second| second.environments)));
    if let Some(plan) = &evening.plan {
        plot = plot.series(Series::line(
            "busy, planned",
            points(&plan.series.seconds, 0.0, |second| second.concurrency),
        ));
    }
    match quota(evening) {
        // Far above all else it would only flatten the rest.
        Some(quota) if quota <= QUOTA_IN_SIGHT * concurrency(evening) => {
            plot.limit(quota, "the account's quota")
        }
        _ => plot,
    }
}

fn failures(evening: &Evening) -> Plot {
    let mut plot = Plot::new("Failures by kind", Axis::elapsed(), Axis::linear("a second"))
        .about("Where the answer came, or the patience ended.");
    for (kind, name) in KINDS {
        if evening.callers.totals.failed.contains_key(kind) {
            let count = move |second: &Second| whole(second.failed.get(kind).copied().unwrap_or_default());
            plot = plot.series(line(name, evening, count));
        }
    }
    plot
}

fn hello(evening: &Evening) -> Plot {
    Plot::new("/hello, which hashes nothing", Axis::elapsed(), Axis::logarithmic("ms"))
        .about("It has only to say hello, and waits behind the hashes. Who gave up counts with the time after which he did.")
        .series(line("p50", evening, |second| second.hello_ms.map_or(f64::NAN, |ms| ms.p50)))
        .series(line("p99", evening, |second| second.hello_ms.map_or(f64::NAN, |ms| ms.p99)))
}

fn beside_plan(evening: &Evening) -> Option<Table> {
    let (plan, fleet) = (&evening.plan.as_ref()?.plan, evening.fleet.as_ref()?);
    let label = if plan.is_extrapolated { "planned (extrapolated)" } else { "planned" };
    let mut table = Table::new("The plan beside what happened").words("").numbers(label).numbers("happened");
    let planned = [plan.p50_ms, plan.p90_ms, plan.p99_ms];
    for ((name, of), planned) in PERCENTILES.into_iter().zip(planned) {
        let happened = evening.callers.totals.ms.map(of);
        table = table.row([name.to_owned(), or_nothing(planned), or_nothing(happened)]);
    }
    let throttled_percent = 100.0 * whole(plan.throttled_logins) / whole(plan.logins.max(1));
    let throttled = evening.callers.totals.failed.get("throttled").copied().unwrap_or_default();
    let happened_percent = 100.0 * whole(throttled) / whole(evening.callers.totals.requested.max(1));
    let percent = |percent: f64| format!("{} %", rounded(percent));
    let count = |count: u64| exact(whole(count), 0);
    Some(
        table
            .row([
                "requests at once, at the most".to_owned(),
                count(plan.concurrency_most),
                count(fleet.totals.concurrency),
            ])
            .row(["logins throttled".to_owned(), percent(throttled_percent), percent(happened_percent)])
            .row(["cold starts".to_owned(), count(plan.cold_starts), count(fleet.totals.cold_starts)])
            .row(["cost".to_owned(), usd(plan.usd), usd(fleet.totals.usd)]),
    )
}

fn how(evenings: &[Evening]) -> Section {
    let mut section = Section::new("How it was run").prose(
        "An open model: who comes, comes, however long the others wait. The evenings are short: an ordinary evening, the \
         rise and the crowd last seconds here and minutes or hours there. Nothing runs faster than it would: a second of \
         the model is a second, and environments come at Lambda's pace. What minutes would add is more of the same, and \
         what they would hide is the rise. k6 spaces arrivals evenly, and the plan lets people come independently of each \
         other, as they do: so the plan's peaks are somewhat higher.",
    );
    let mut table = Table::new("The rates").words("evening").words("logins a second").words("script");
    for evening in evenings {
        let pieces = in_words(&evening.summary.pieces);
        table = table.row([evening.about.short.clone(), pieces, format!("{}.ts", evening.summary.script)]);
    }
    section = section.table(table);
    section = section.table(knobs(evenings));
    for evening in evenings {
        if let Some(fleet) = &evening.fleet {
            section =
                section.prose(format!("{}, the function: {}.", evening.about.short, plain(&fleet.function)));
        }
    }
    section
}

/// Every knob of every evening; what an evening's script does not have is left out of its column.
fn knobs(evenings: &[Evening]) -> Table {
    let names: BTreeSet<&String> = evenings.iter().flat_map(|evening| evening.summary.knobs.keys()).collect();
    let mut table = Table::new("The knobs").words("");
    for evening in evenings {
        table = table.words(evening.about.short.clone());
    }
    for name in names {
        if !OF_THE_RUN.contains(&name.as_str()) {
            let cell = |evening: &Evening| evening.summary.knobs.get(name).map_or(NOTHING.to_owned(), plain);
            table = table.row(core::iter::once(name.clone()).chain(evenings.iter().map(cell)));
        }
    }
    table
}

/// What fleet takes for granted, with where it comes from.
fn assumptions(evenings: &[Evening]) -> Option<Section> {
    let mut seen = BTreeSet::new();
    let mut table =
        Table::new("Each with its source").words("what").numbers("value").words("known how").words("from");
    for assumption in
        evenings.iter().filter_map(|evening| evening.fleet.as_ref()).flat_map(|fleet| &fleet.assumptions)
    {
        let Assumption { what, value, unit, label, source } = assumption;
        if seen.insert(what) {
            let value = format!("{} {unit}", plain(value));
            table = table.row([what.clone(), value, label.clone(), source.clone()]);
        }
    }
    (!seen.is_empty()).then(|| Section::new("What the model takes for granted").table(table))
}

fn line(name: &str, evening: &Evening, value: impl Fn(&Second) -> f64) -> Series {
    let points =
        evening.callers.seconds.iter().zip(0u32..).map(|(second, at)| (f64::from(at), value(second)));
    Series::line(name, points.collect())
}

fn seconds(evening: &Evening) -> f64 {
    whole(evening.callers.seconds.len() as u64)
}

/// The most requests that were under way at once.
fn concurrency(evening: &Evening) -> f64 {
    match &evening.fleet {
        Some(fleet) => whole(fleet.totals.concurrency),
        None => evening
            .callers
            .seconds
            .iter()
            .map(|second| second.under_way / evening.batch())
            .fold(0.0, f64::max)
            .ceil(),
    }
}

fn quota(evening: &Evening) -> Option<f64> {
    evening.fleet.as_ref()?.function.get("account_concurrency")?.as_f64()
}

/// Of a backend that hashes itself there is no bill, only more of it.
fn machines(evening: &Evening, yle: &Yle) -> Option<String> {
    let capacity = evening.knob("LOAD_CAPACITY_PER_SECOND").filter(|capacity| *capacity > 0.0)?;
    Some(exact((yle.first_errors_requests_per_second / capacity).ceil(), 0))
}

fn in_words(pieces: &[Piece]) -> String {
    let mut from = pieces.first().map_or(0.0, |piece| piece.per_second);
    let mut parts = Vec::new();
    for piece in pieces {
        let (rate, seconds) = (exact(piece.per_second, 0), exact(piece.seconds, 0));
        let stays = (piece.per_second - from).abs() < f64::EPSILON;
        parts.push(if stays {
            format!("{rate} for {seconds} s")
        } else {
            format!("to {rate} within {seconds} s")
        });
        from = piece.per_second;
    }
    parts.join(", ")
}

/// JSON as a person writes it down.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{} {}", name.replace('_', " "), plain(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

fn ms_in_words(ms: f64) -> String {
    format!("{} ms", exact(ms, 0))
}

fn or_nothing(ms: Option<f64>) -> String {
    ms.map_or(NOTHING.to_owned(), ms_in_words)
}

/// To the cent, and small change as it is.
fn usd(usd: f64) -> String {
    format!("{} USD", if usd < 1.0 { rounded(usd) } else { exact(usd, 2) })
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds since 1970 need 41 bits")]
fn ms(count: i64) -> f64 {
    count as f64
}

type Percentile = (&'static str, fn(Percentiles) -> f64);

const PERCENTILES: [Percentile; 3] = [("p50", |ms| ms.p50), ("p90", |ms| ms.p90), ("p99", |ms| ms.p99)];

/// The kinds of `lib/answers.ts`, in words.
const KINDS: [(&str, &str); 8] = [
    ("throttled", "429 throttled"),
    ("overloaded", "503 overloaded"),
    ("deadline_exceeded", "503 too late"),
    ("timeout", "gave up"),
    ("unreachable", "no connection"),
    ("refused", "4xx"),
    ("fault", "5xx"),
    ("wrong", "WRONG"),
];

/// Where a run happened to take place, and what it was allowed to cost: they say nothing about the evening.
const OF_THE_RUN: [&str; 7] = [
    "LOAD_ARCHITECTURE",
    "LOAD_BACKEND_URL",
    "LOAD_BILLED_MS",
    "LOAD_COST_CEILING_USD",
    "LOAD_MEMORY_MB",
    "LOAD_SUMMARY_FILE",
    "LOAD_URL",
];

const NOTHING: &str = "–";

const MS_PER_SECOND: f64 = 1000.0;

/// A quota up to so many times the most that was needed is drawn.
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
    fn each_evening_has_its_charts_its_plan_and_its_column() {
        let html = page(&[
            evening("zero", Expected::Falls, &["hello_ms: p(99)<100 (is 4000)"]),
            through_fleet("two", Expected::Holds, &[]),
        ]);
        for said in [
            "Zero fell, as it was to: none failed, p90 180 ms.",
            "Broken budgets: hello_ms: p(99)&lt;100 (is 4000).",
            "Requests at once",
            "Environments",
            "busy, planned",
            "quota",
            "The plan beside what happened",
            "planned (extrapolated)",
            "0.250 USD",
            "unverified",
            "3,000,000",
            "50 for 1 s, to 100 within 3 s",
            "login 100",
        ] {
            assert!(html.contains(said), "{said}");
        }
    }

    #[test]
    fn one_evening_is_a_page_too_and_nothing_is_loaded() {
        let html = page(&[evening("mine", Expected::Holds, &[])]);
        assert!(html.contains("&lt;It&gt; was told."));
        assert!(!html.contains("The plan beside what happened"));
        for loads in ["<script", "src=", "href=", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
    }

    #[test]
    fn machines_are_counted_where_a_capacity_was_measured() {
        let mut zero = evening("zero", Expected::Falls, &["x"]);
        zero.summary.knobs.insert("LOAD_CAPACITY_PER_SECOND".to_owned(), 13.0.into());
        assert!(page(&[zero]).contains("231"), "3,000 / 13, rounded up");
    }
}
