//! The page: the verdict, the evenings side by side, then each by itself.

use std::{collections::BTreeSet, io};

use saltern_page::{Axis, Bars, Page, Plot, Section, Series, Table, Verdict, exact, rounded};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    evening::{Assumption, Evening, FleetSecond, Piece},
    judge::{Judgement, percent_failed, together},
    record::{Percentiles, Second, whole},
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
    if let Some(evening) = best(evenings, judgements) {
        page = page.facts_of(whose(evening));
        for (name, value) in facts(evening) {
            page = page.fact(name, value);
        }
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
    let ours = if evenings.iter().any(|evening| evening.fleet.is_some()) {
        "k6, and fleet's model of Lambda, on one machine"
    } else {
        "what k6 saw from where it ran"
    };
    Ok(page.footer(format!("Yle's figures: {}. Ours: {ours}.", yle.source)).html())
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
        "A live event, evening by evening".to_owned()
    }
}

/// The last evening that held, which is the best prepared.
fn best<'a>(evenings: &'a [Evening], judgements: &[Judgement]) -> Option<&'a Evening> {
    let (evening, _) = evenings.iter().zip(judgements).rfind(|(_, judgement)| judgement.held)?;
    Some(evening)
}

fn whose(evening: &Evening) -> String {
    let extrapolated = if evening.is_extrapolated() {
        ". It rests on durations that are extrapolated, not measured on Lambda."
    } else {
        ""
    };
    format!("{}{extrapolated}", evening.about.title)
}

/// What stands large.
fn facts(evening: &Evening) -> Vec<(String, String)> {
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
        table = table.numbers(evening.name());
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
    row("cost of this run, as the script reckoned before it", &|evening| match evening.fleet {
        Some(_) => None,
        None => evening.summary.cost_usd.map(usd),
    });
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

    // Where no evening has such a value there is no such chart.
    let bars =
        |write: fn(f64) -> String, title: &str, unit: &str, about: &str, value: &dyn Fn(&Evening) -> f64| {
            let mut bars = Bars::new(title, unit, &[""]).about(about).written(write);
            for evening in evenings {
                bars = bars.group(evening.name(), &[value(evening)]);
            }
            evenings.iter().any(|evening| value(evening).is_finite()).then_some(bars)
        };
    let charts = [
        bars(in_whole, "Nine of ten logins within", "ms", "p90 of right answers.", &|evening| {
            evening.callers.totals.ms.map_or(f64::NAN, |ms| ms.p90)
        }),
        bars(rounded, "Logins that failed", "%", "Of all that were asked.", &percent_failed),
        bars(in_whole, "Requests at once", "", "At the most, within a second.", &concurrency),
        bars(
            amount_of_usd,
            "An hour at the highest rate",
            "USD",
            "Planned in simulated time, by list prices. Who is turned away costs nothing.",
            &|evening| evening.hour.as_ref().map_or(f64::NAN, |hour| hour.plan.usd),
        ),
    ];
    charts.into_iter().flatten().fold(Section::new("Side by side").table(table), Section::chart)
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
    if let Some(sentence) = lag(evening) {
        section = section.prose(sentence);
    }
    if !evening.summary.broken.is_empty() {
        section = section.prose(format!("Broken budgets: {}.", evening.summary.broken.join("; ")));
    }
    match beside_plan(evening) {
        Some(table) => section.table(table),
        None => section,
    }
}

/// Whether k6 asked when it was to ask. On a machine that does other things too it comes late, and then in a hurry.
fn lag(evening: &Evening) -> Option<String> {
    let mut schedule = Schedule::of(&evening.summary.pieces);
    let (mut due, mut asked, mut most) = (0.0, 0.0, 0.0_f64);
    for second in &evening.callers.seconds {
        due += schedule.next_second();
        asked += whole(second.requested);
        most = most.max(due - asked);
    }
    let seconds = most / evening.peak().max(1.0);
    (seconds > LAG_SECONDS).then(|| {
        format!(
            "k6 was up to {} s behind its schedule: this machine was busy with other things, and what is told of those \
             seconds is partly its own doing. A quieter moment gives better figures.",
            rounded(seconds)
        )
    })
}

/// How many are due in each second.
struct Schedule<'pieces> {
    pieces: &'pieces [Piece],
    /// Seconds of the first piece that are over, and the rate before it.
    at: f64,
    from: f64,
}

impl<'pieces> Schedule<'pieces> {
    fn of(pieces: &'pieces [Piece]) -> Self {
        Self { pieces, at: 0.0, from: pieces.first().map_or(0.0, |piece| piece.per_second) }
    }

    fn next_second(&mut self) -> f64 {
        let mut due = 0.0;
        for _ in 0..STEPS {
            let Some((piece, rest)) = self.pieces.split_first() else { break };
            let share = (self.at / piece.seconds).min(1.0);
            due += (self.from + (piece.per_second - self.from) * share) / f64::from(STEPS);
            self.at += 1.0 / f64::from(STEPS);
            if self.at >= piece.seconds {
                *self = Self { pieces: rest, at: 0.0, from: piece.per_second };
            }
        }
        due
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
    let mut section = Section::new("How it was run")
        .prose("An open model: who comes, comes, however long the others wait. k6 spaces arrivals evenly.");
    if evenings.iter().any(|evening| evening.fleet.is_some()) {
        section = section.prose(
            "The evenings are short: an ordinary evening, the rise and the crowd last seconds here and minutes or hours \
             there. Nothing runs faster than it would: a second of the model is a second, and environments come at \
             Lambda's pace. What minutes would add is more of the same, and what they would hide is the rise. The plan \
             lets people come independently of each other, as they do: so the plan's peaks are somewhat higher.",
        );
    }
    let mut table = Table::new("The rates").words("evening").words("logins a second").words("script");
    for evening in evenings {
        let pieces = match evening.summary.pieces.as_slice() {
            [] => NOTHING.to_owned(),
            pieces => in_words(pieces),
        };
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

fn in_whole(amount: f64) -> String {
    exact(amount, 0)
}

fn usd(usd: f64) -> String {
    format!("{} USD", amount_of_usd(usd))
}

/// To the cent, and small change as it is.
fn amount_of_usd(usd: f64) -> String {
    if usd < 1.0 { rounded(usd) } else { exact(usd, 2) }
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

/// What the recorder's first second, which begins anywhere in the run's, and a slow answer may look like.
const LAG_SECONDS: f64 = 1.5;

/// In which a second of the schedule is taken.
const STEPS: u32 = 100;

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
    fn a_schedule_is_what_the_pieces_add_up_to() {
        let pieces = [(200.0, 10.0), (1500.0, 10.0), (1500.0, 20.0)];
        let pieces = pieces.map(|(per_second, seconds)| Piece { per_second, seconds });
        let mut schedule = Schedule::of(&pieces);
        let due: Vec<_> = (0..42).map(|_| schedule.next_second()).collect();
        assert!((due[..10].iter().sum::<f64>() - 2000.0).abs() < 20.0, "{due:?}");
        assert!((due[10..20].iter().sum::<f64>() - 8500.0).abs() < 50.0, "{due:?}");
        assert!((due[20..40].iter().sum::<f64>() - 30000.0).abs() < 50.0, "{due:?}");
        assert!(due[41] < 1.0, "{due:?}");
    }

    #[test]
    fn k6_that_came_late_is_told() {
        let mut late = evening("two", Expected::Holds, &[]);
        late.summary.pieces = vec![Piece { per_second: 100.0, seconds: 4.0 }];
        assert_eq!(lag(&late), None);
        late.callers.seconds[1].requested = 0;
        late.callers.seconds[2].requested = 0;
        assert!(lag(&late).unwrap().starts_with("k6 was up to 2.00 s"), "{:?}", lag(&late));
    }

    #[test]
    fn an_evening_without_fleet_has_its_own_cost_and_none_of_fleets_story() {
        let mut own = evening("own", Expected::Holds, &[]);
        own.summary.cost_usd = Some(5.81);
        own.summary.pieces = Vec::new();
        let html = page(&[own]);
        assert!(html.contains("5.81 USD"));
        for said in ["fleet", "An hour at the highest rate", "– USD", "Lambda's pace"] {
            assert!(!html.contains(said), "{said}");
        }
        assert!(page(&[through_fleet("two", Expected::Holds, &[])]).contains("fleet's model of Lambda"));
    }

    #[test]
    fn large_figures_say_whose_they_are_and_what_they_rest_on() {
        let html =
            page(&[evening("zero", Expected::Falls, &["x"]), through_fleet("three", Expected::Holds, &[])]);
        assert!(html.contains("Evening three. It rests on durations that are extrapolated"));
        // The head of the column, and the bars in both widths.
        assert!(html.matches("three (extrapolated)").count() > 2);
        assert!(!html.contains("zero (extrapolated)"));
    }

    #[test]
    fn machines_are_counted_where_a_capacity_was_measured() {
        let mut zero = evening("zero", Expected::Falls, &["x"]);
        zero.summary.knobs.insert("LOAD_CAPACITY_PER_SECOND".to_owned(), 13.0.into());
        assert!(page(&[zero]).contains("231"), "3,000 / 13, rounded up");
    }
}
