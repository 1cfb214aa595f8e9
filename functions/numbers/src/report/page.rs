//! The page: what was found out first, then the callers, Lambda, Saltern, and the cost.

use saltern_page::{Axis, Page, Plot, Section, Series, Table, Verdict, exact, rounded};
use saltern_service::metrics::{
    ANSWER, ARENA, BATCH_OPERATIONS, COLD_STARTS, HASH, LANES, Metric, OPERATIONS, QUEUE, REFUSALS,
    REHASHES_DONE, REHASHES_NEEDED, REQUESTS,
};

use super::{
    bill::{Bill, allocated},
    figures::{Figures, Series as Points},
    k6::Summary,
    questions::{Function, SEPARATOR},
    window::{FOUND_FOR_DAYS, Window},
};

/// All that a page is made of.
pub(crate) struct Report<'a> {
    pub(crate) function: &'a Function,
    pub(crate) window: Window,
    pub(crate) figures: &'a Figures,
    pub(crate) k6: Option<&'a Summary>,
    /// `None` where the memory and the architecture are not known.
    pub(crate) bill: Option<Bill>,
}

impl Report<'_> {
    pub(crate) fn html(&self) -> String {
        let Function { name, alias } = self.function;
        let mut page = Page::new(format!("{name}:{alias}, {}", self.window.in_words()), self.verdict());
        page = page.facts(self.facts());
        let sections =
            [self.callers(), Some(self.lambda()), Some(self.saltern()), self.migration(), Some(self.cost())];
        for section in sections.into_iter().flatten() {
            page = page.section(section);
        }
        page.footer(self.sources()).html()
    }

    fn verdict(&self) -> Verdict {
        let Some(k6) = self.k6.filter(|k6| k6.has_budgets()) else {
            let refused = self.sum("throttles");
            let throttled = if refused > 0.0 { count(refused) } else { "none".to_owned() };
            return Verdict::Stated(format!(
                "{} requests, {throttled} throttled, {} with an error.",
                count(self.sum("invocations")),
                percent(self.sum("errors"), self.sum("invocations")),
            ));
        };
        if k6.value("http_reqs", "count").is_none_or(|sent| sent <= 0.0) {
            return Verdict::Missed("The load test sent nothing, and so it says nothing.".into());
        }
        match k6.broken().as_slice() {
            [] => Verdict::Kept("Every budget of the load test was kept.".into()),
            broken => Verdict::Missed(format!("The load test broke its budget: {}.", broken.join("; "))),
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let worst = |id: &str, unit: &str| self.highest(id).map(|value| format!("{} {unit}", rounded(value)));
        let facts = [
            ("requests", Some(count(self.sum("invocations")))),
            ("throttled", Some(count(self.sum("throttles")))),
            ("errors", Some(percent(self.sum("errors"), self.sum("invocations")))),
            ("environments at most", self.highest("concurrency").map(count)),
            ("p90 at the URL, at worst", worst("url_p90", "ms")),
            ("p90 of a run, at worst", worst("duration_p90", "ms")),
            ("cost", self.bill.as_ref().map(|bill| usd(bill.usd()))),
            ("cost of a million requests", self.per_million().map(usd)),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    fn per_million(&self) -> Option<f64> {
        let invocations = self.sum("invocations");
        (invocations > 0.0).then(|| self.bill.as_ref().map(|bill| bill.usd() / invocations * 1e6)).flatten()
    }

    /// What k6 saw, and beside it what the others counted of the same.
    fn callers(&self) -> Option<Section> {
        let k6 = self.k6?;
        let script = k6.script.as_deref().unwrap_or("k6");
        let question =
            k6.question.as_deref().map_or_else(String::new, |question| format!(" It asked: {question}"));
        let mut section =
            Section::new("What the callers saw").prose(format!("From the summary of {script}.{question}"));
        let mut answers = Table::new("Operations by how they ended, in milliseconds")
            .words("kind")
            .numbers("count")
            .numbers("p50")
            .numbers("p90")
            .numbers("p99")
            .numbers("max");
        for (kind, metric) in k6.by_tag("operation_ms", "kind") {
            let times = ["med", "p(90)", "p(99)", "max"].map(|figure| milliseconds(k6.value(metric, figure)));
            let seen = k6.value(metric, "count").unwrap_or_default();
            if seen > 0.0 {
                answers = answers.row([kind.to_owned(), count(seen)].into_iter().chain(times));
            }
        }
        section = section.table(answers);
        let own: f64 =
            self.figures.own(REQUESTS.cloudwatch, "Sum").iter().map(|(_, points)| points.sum()).sum();
        let counted = [
            ("sent by k6", k6.value("http_reqs", "count")),
            ("at the function URL", self.there("url_requests")),
            ("refused by Lambda, throttled", self.there("throttles")),
            ("taken by Lambda", self.there("invocations")),
            ("answered by Saltern", (own > 0.0).then_some(own)),
        ];
        let mut requests = Table::new("Requests, as each counted them").words("where").numbers("requests");
        for (place, seen) in counted {
            requests = requests.row([place.to_owned(), seen.map_or("–".into(), count)]);
        }
        Some(section.table(requests).prose(
            "k6 counts what it sent; the others count what came in the whole window, whoever sent it. A request that \
             Lambda throttled is taken by nobody.",
        ))
    }

    fn lambda(&self) -> Section {
        let step = self.window.step();
        let rate = Plot::new("Requests", self.time(), Axis::linear("a second"))
            .about(format!("Those that Lambda took, on average over each {step}."))
            .series(self.rate("taken", "invocations"));
        let lost = Plot::new("Refused or lost", self.time(), Axis::linear("requests"))
            .about(format!("Throttled with 429, or ended by a crash or a timeout, in each {step}."))
            .series(self.line("throttled", self.figures.lambda("throttles"), 0.0))
            .series(self.line("with an error", self.figures.lambda("errors"), 0.0));
        let mut environments = Plot::new("Environments", self.time(), Axis::linear("at once"))
            .about(format!("The most within each {step}."))
            .series(self.line("in use", self.figures.lambda("concurrency"), 0.0));
        let mut section = Section::new("What Lambda did").chart(rate).chart(lost);
        if self.figures.lambda("provisioned_in_use").is_empty() {
            section = section.chart(environments);
        } else {
            let provisioned = allocated(self.figures, self.window);
            let times = self.window.periods().map(|time| super::window::seconds(time - self.window.from));
            environments = environments.series(Series::line("provisioned", times.zip(provisioned).collect()));
            let spillover = Plot::new("Spillover", self.time(), Axis::linear("requests"))
                .about(format!(
                    "Those that found no provisioned environment and waited for a cold one, in each {step}."
                ))
                .series(self.line("spillover", self.figures.lambda("spillover"), 0.0));
            section = section.chart(environments).chart(spillover);
        }
        let section = section
            .chart(self.percentiles(
                "Time at the URL",
                "From the request to the answer, at Lambda's door.",
                "url",
            ))
            .chart(self.percentiles("Time of a run", "What is billed, without the door.", "duration"));
        let counts = [
            ("taken", "invocations"),
            ("throttled: Lambda answered 429", "throttles"),
            ("ended with an error: a crash or a timeout", "errors"),
            ("ran on provisioned environments", "provisioned_invocations"),
            ("found no provisioned environment: spillover", "spillover"),
            ("answered 4xx at the URL", "url_4xx"),
            ("answered 5xx at the URL", "url_5xx"),
        ];
        let mut table = Table::new("Requests").words("which").numbers("count").numbers("of those taken");
        for (words, id) in counts {
            if let Some(seen) = self.there(id) {
                table = table.row([words.to_owned(), count(seen), percent(seen, self.sum("invocations"))]);
            }
        }
        section.table(table)
    }

    fn saltern(&self) -> Section {
        let section = Section::new("What Saltern did");
        if self.figures.own(REQUESTS.cloudwatch, "Sum").is_empty() {
            return section.prose(
                "There is no figure of Saltern's own in this window. Were there requests, then look whether the function \
                 writes its metrics; and CloudWatch may find names by which nothing was measured for two weeks no more.",
            );
        }
        let operations =
            self.sums("Operations", "Hashes and verifications by how they ended", &OPERATIONS, |labels| {
                [labels.first(), labels.last()].into_iter().flatten().copied().collect::<Vec<_>>().join(" ")
            });
        let mut section = section
            .chart(operations)
            .chart(self.own("Hashing", "The 90th percentile of the computation alone", &HASH, "p90"))
            .chart(self.own_percentiles(
                "Queue",
                "From taking an operation to its first instruction.",
                &QUEUE,
                "ms",
            ))
            .chart(self.own(
                "Answering",
                "The 90th percentile inside the function, by operation",
                &ANSWER,
                "p90",
            ));
        let refusals = self.totals(&REFUSALS);
        if !refusals.is_empty() {
            section = section
                .chart(self.sums("Refusals", "Problems by their code", &REFUSALS, |labels| labels.join(" ")));
        }
        for (title, about, metric, unit) in [
            ("Lanes", "In use on a worker, while an operation ran on it.", &LANES, "lanes"),
            ("Batches", "Operations in a batch.", &BATCH_OPERATIONS, "operations"),
            ("Memory for Argon2", "What the workers held.", &ARENA, "bytes"),
        ] {
            if !self.figures.own(metric.cloudwatch, "p90").is_empty() {
                section = section.chart(self.own_percentiles(title, about, metric, unit));
            }
        }
        let mut table = Table::new("Refusals and starts").words("what").numbers("count");
        for (code, total) in refusals {
            table = table.row([code, count(total)]);
        }
        let cold = self.totals(&COLD_STARTS).iter().map(|(_, total)| total).sum();
        section.table(table.row(["environments started for a request".to_owned(), count(cold)]))
    }

    /// How far the hashes of those who logged in have come.
    fn migration(&self) -> Option<Section> {
        let needed = self.totals(&REHASHES_NEEDED);
        if needed.is_empty() {
            return None;
        }
        let done = self.totals(&REHASHES_DONE);
        let matches: f64 = self
            .totals(&OPERATIONS)
            .iter()
            .filter(|(labels, _)| labels.ends_with("match") && !labels.ends_with("mismatch"))
            .map(|(_, total)| total)
            .sum();
        let mut table = Table::new("Matches whose hash should be replaced, by the policy that it still had")
            .words("policy and reason")
            .numbers("matches")
            .numbers("of all matches");
        for (labels, total) in &needed {
            table = table.row([labels.replace(SEPARATOR, ", "), count(*total), percent(*total, matches)]);
        }
        let mut made = Table::new("New hashes made, by the policy of the old one")
            .words("old policy")
            .numbers("new hashes");
        for (policy, total) in done {
            made = made.row([policy, count(total)]);
        }
        Some(Section::new("How far the migration is").table(table).table(made).prose(
            "A new hash that was made and not stored is due again at the next login: where matches do not fall over the \
             weeks, look at the backend.",
        ))
    }

    fn cost(&self) -> Section {
        let section = Section::new("What it cost");
        let Some(bill) = &self.bill else {
            return section.prose(
                "CloudWatch does not tell how large the function is. Give --memory-mb and --architecture to see the cost.",
            );
        };
        let gb_seconds = |amount: f64| format!("{} GB-s", count(amount));
        let lines = [
            ("requests", count(self.sum("invocations")), bill.requests_usd),
            ("runs on demand", gb_seconds(bill.usage.on_demand_gb_seconds), bill.on_demand_usd),
            (
                "runs on provisioned environments",
                gb_seconds(bill.usage.provisioned_run_gb_seconds),
                bill.provisioned_run_usd,
            ),
            (
                "provisioned environments, at work or not",
                gb_seconds(bill.usage.provisioned_gb_seconds),
                bill.provisioned_usd,
            ),
        ];
        let mut table = Table::new("List prices in us-east-1, without a free tier or a savings plan")
            .words("what")
            .numbers("how much")
            .numbers("USD");
        for (what, amount, usd) in lines {
            table = table.row([what.to_owned(), amount, exact(usd, 2)]);
        }
        section.table(table.row(["together".to_owned(), String::new(), exact(bill.usd(), 2)])).prose(
            "An estimate from metrics, not the bill. Each run is taken as half a millisecond longer, since whole \
             milliseconds are billed. Provisioned environments are worked out from how many were in use and which share \
             that was; while no request came, the last figure holds, and before the first there is none. Not in it: \
             starts of environments, logs, metrics, data transfer, and EC2 under Managed Instances.",
        )
    }

    fn sources(&self) -> String {
        let mut sources = vec![format!(
            "From CloudWatch, in steps of a {}. A percentile is that of a step: those of steps cannot be added up to one of \
             the window, so the worst is told. Where nothing was measured there is a gap.",
            self.window.step()
        )];
        if self.window.outlives_searches() {
            sources.push(format!(
                "Saltern's own figures were searched for, and a search finds only names that had a value in the \
                 {FOUND_FOR_DAYS} days before it: a policy, a code or an outcome that has not come since is missing here."
            ));
        }
        sources.extend(self.figures.notes.iter().map(|note| format!("CloudWatch: {note}")));
        sources.join(" ")
    }

    fn time(&self) -> Axis {
        Axis::clock(self.window.from)
    }

    fn line(&self, name: &str, points: Points<'_>, missing: f64) -> Series {
        Series::line(name, points.over(self.window, missing))
    }

    /// Lambda's counts, where there is one, are there for every period in which something came; elsewhere it was none.
    fn rate(&self, name: &str, id: &str) -> Series {
        per_second(name, &self.figures.lambda(id).over(self.window, 0.0), self.window)
    }

    fn percentiles(&self, title: &str, about: &str, id: &str) -> Plot {
        let of = |percentile: &str| self.figures.lambda(&format!("{id}_{percentile}"));
        self.band(title, about, "ms", of("p50"), of("p90"), of("p99"))
    }

    fn own_percentiles(&self, title: &str, about: &str, metric: &Metric, unit: &str) -> Plot {
        let of = |statistic: &str| {
            self.figures
                .own(metric.cloudwatch, statistic)
                .first()
                .map(|(_, points)| *points)
                .unwrap_or_default()
        };
        self.band(title, about, unit, of("p50"), of("p90"), of("p99"))
    }

    fn band(
        &self,
        title: &str,
        about: &str,
        unit: &str,
        p50: Points<'_>,
        p90: Points<'_>,
        p99: Points<'_>,
    ) -> Plot {
        let low = p50.over(self.window, f64::NAN);
        let high = p99.over(self.window, f64::NAN);
        let band = low.into_iter().zip(high).map(|((x, low), (_, high))| (x, low, high)).collect();
        Plot::new(title, self.time(), Axis::linear(unit))
            .about(about)
            .series(Series::band("p50 to p99", band))
            .series(self.line("p90", p90, f64::NAN))
    }

    /// A statistic of a metric, a line for each of its labels.
    fn own(&self, title: &str, about: &str, metric: &Metric, statistic: &str) -> Plot {
        let mut series = self.figures.own(metric.cloudwatch, statistic);
        let left_out = series.split_off(series.len().min(MOST_SERIES)).len();
        let about = match left_out {
            0 => format!("{about}."),
            more => format!("{about}. {more} more are left out."),
        };
        series
            .into_iter()
            .fold(Plot::new(title, self.time(), Axis::linear("ms")).about(about), |plot, (labels, points)| {
                plot.series(self.line(name(labels), points, f64::NAN))
            })
    }

    /// Counts of a metric a second, those with the same name together; what is rare goes into one.
    fn sums(&self, title: &str, about: &str, metric: &Metric, name: impl Fn(&[&str]) -> String) -> Plot {
        let mut named: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for (labels, points) in self.figures.own(metric.cloudwatch, "Sum") {
            let name = name(&labels.split(SEPARATOR).collect::<Vec<_>>());
            add(&mut named, name, &points.over(self.window, 0.0));
        }
        named.sort_by(|one, other| total(&other.1).total_cmp(&total(&one.1)));
        if named.len() > MOST_SERIES {
            for (_, points) in named.split_off(MOST_SERIES - 1) {
                add(&mut named, "others".to_owned(), &points);
            }
        }
        let plot =
            Plot::new(title, self.time(), Axis::linear("a second")).about(format!("{about}, a second."));
        named.iter().fold(plot, |plot, (name, points)| plot.series(per_second(name, points, self.window)))
    }

    /// How often each of a metric's labels was counted, the most frequent first.
    fn totals(&self, metric: &Metric) -> Vec<(String, f64)> {
        let series = self.figures.own(metric.cloudwatch, "Sum").into_iter();
        let mut totals: Vec<_> = series.map(|(labels, points)| (labels.to_owned(), points.sum())).collect();
        totals.sort_by(|one, other| other.1.total_cmp(&one.1));
        totals
    }

    fn sum(&self, id: &str) -> f64 {
        self.figures.lambda(id).sum()
    }

    fn highest(&self, id: &str) -> Option<f64> {
        self.figures.lambda(id).highest()
    }

    /// The sum, where Lambda told of it at all.
    fn there(&self, id: &str) -> Option<f64> {
        let series = self.figures.lambda(id);
        (!series.is_empty()).then(|| series.sum())
    }
}

fn add(named: &mut Vec<(String, Vec<(f64, f64)>)>, name: String, points: &[(f64, f64)]) {
    match named.iter_mut().find(|(known, _)| *known == name) {
        Some((_, sum)) => sum.iter_mut().zip(points).for_each(|(sum, point)| sum.1 += point.1),
        None => named.push((name, points.to_vec())),
    }
}

fn total(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|point| point.1).sum()
}

fn per_second(name: &str, points: &[(f64, f64)], window: Window) -> Series {
    let period = f64::from(window.period);
    Series::line(name, points.iter().map(|&(x, sum)| (x, sum / period)).collect())
}

/// Of labels the last: a policy says its algorithm.
fn name(labels: &str) -> &str {
    labels.rsplit(SEPARATOR).next().unwrap_or(labels)
}

fn count(value: f64) -> String {
    exact(value, 0)
}

fn percent(part: f64, whole: f64) -> String {
    let percent = 100.0 * part / whole;
    if !percent.is_finite() {
        "–".to_owned()
    } else if 0.0 < percent && percent < LEAST_PERCENT {
        format!("< {LEAST_PERCENT} %")
    } else {
        format!("{} %", rounded(percent))
    }
}

fn milliseconds(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), rounded)
}

fn usd(value: f64) -> String {
    format!("{} USD", exact(value, 2))
}

/// Smaller shares are not worth their digits.
const LEAST_PERCENT: f64 = 0.01;

/// As many as have colours of their own.
const MOST_SERIES: usize = 6;
