//! The page: the verdict, then Lambda, Saltern, and the cost.

use saltern_page::{
    Axis, Page, Plot, Section, Series, Table, Verdict, count, exact, milliseconds, percent, usd,
};
use saltern_service::metrics::{
    COLD_STARTS, HASH, Metric, OPERATIONS, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS,
};

use super::{
    bill::{Bill, allocated},
    figures::{Figures, Series as Points},
    k6::Summary,
    questions::{Function, SEPARATOR},
    window::Window,
};

/// The contents of a page.
pub(crate) struct Report<'a> {
    pub(crate) function: &'a Function,
    pub(crate) window: Window,
    pub(crate) figures: &'a Figures,
    pub(crate) k6: Option<&'a Summary>,
    pub(crate) bill: Bill,
}

impl Report<'_> {
    pub(crate) fn html(&self) -> String {
        let Function { name, alias } = self.function;
        Page::new(format!("{name}:{alias}, {}", self.window.in_words()), self.verdict())
            .facts(self.facts())
            .sections([self.lambda(), self.saltern(), self.cost()])
            .footer(self.sources())
            .html()
    }

    fn verdict(&self) -> Verdict {
        let Some(k6) = self.k6 else {
            let refused = self.sum("throttles");
            let throttled = if refused > 0.0 { count(refused) } else { "none".to_owned() };
            return Verdict::Stated(format!(
                "{} requests, {throttled} throttled, {} with an error.",
                count(self.sum("invocations")),
                percent(self.sum("errors"), self.sum("invocations")),
            ));
        };
        // The setup of a script sends a request too, before the load.
        if k6.value("iterations", "count").is_none_or(|sent| sent <= 0.0) {
            return Verdict::Missed("The load test sent nothing, so it has no result.".into());
        }
        match k6.broken.as_slice() {
            [] => Verdict::Kept("Every budget of the load test was kept.".into()),
            broken => Verdict::Missed(format!("The load test exceeded its budget: {}.", broken.join("; "))),
        }
    }

    fn facts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let worst = |id: &str| self.figures.lambda(id).highest().map(milliseconds);
        let callers = |k6: &Summary| k6.value("operation_ms{kind:right}", "p(90)").map(milliseconds);
        [
            ("requests", Some(count(self.sum("invocations")))),
            ("throttled", Some(count(self.sum("throttles")))),
            ("errors", Some(percent(self.sum("errors"), self.sum("invocations")))),
            ("environments at most", self.figures.lambda("concurrency").highest().map(count)),
            ("p90 at the callers", self.k6.and_then(callers)),
            ("p90 at the URL, at worst", worst("url_p90")),
            ("p90 of a run, at worst", worst("duration_p90")),
            ("cost", Some(usd(self.bill.usd()))),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    fn lambda(&self) -> Section {
        let step = self.window.step();
        let period = f64::from(self.window.period);
        // Lambda has no count in periods without requests: it is 0 there.
        let taken = self.figures.lambda("invocations").over(self.window, 0.0).into_iter();
        let rate = Plot::new("Requests", self.time(), Axis::linear("a second"))
            .about(format!("Requests that Lambda took, averaged over each {step}."))
            .series(Series::line("taken", taken.map(|(at, count)| (at, count / period)).collect()));
        let lost = Plot::new("Refused or failed", self.time(), Axis::linear("requests"))
            .about(format!("Throttled with 429, or ended by a crash or a timeout, in each {step}."))
            .series(self.line("throttled", self.figures.lambda("throttles"), 0.0))
            .series(self.line("with an error", self.figures.lambda("errors"), 0.0));
        let mut environments = Plot::new("Environments", self.time(), Axis::linear("at once"))
            .about(format!("The most within each {step}."))
            .series(self.line("in use", self.figures.lambda("concurrency"), 0.0));
        if !self.figures.lambda("provisioned_in_use").is_empty() {
            let provisioned = allocated(self.figures, self.window);
            let times = self.window.periods().map(|time| super::window::seconds(time - self.window.from));
            environments = environments.series(Series::line("provisioned", times.zip(provisioned).collect()));
        }
        let at_url = "From the request to the response, at the function URL.";
        let at_url = self.percentiles("Time at the URL", at_url, "url");
        let of_run =
            self.percentiles("Time of a run", "The billed time, without the function URL.", "duration");
        let section = Section::new("Lambda").charts([rate, lost, environments, at_url, of_run]);
        section.table(self.requests()).notes(self.k6.map(|_| {
            "k6 counts its own requests. The others count all requests of the window. A throttled request is not \
             taken by Lambda."
        }))
    }

    /// Returns the requests as each part counted them.
    fn requests(&self) -> Table {
        let own = self.totals(&REQUESTS);
        let counts = [
            ("sent by k6", self.k6.and_then(|k6| k6.value("http_reqs", "count"))),
            ("at the function URL", self.there("url_requests")),
            ("taken", self.there("invocations")),
            ("throttled: Lambda answered 429", self.there("throttles")),
            ("ended with an error: a crash or a timeout", self.there("errors")),
            ("ran on provisioned environments", self.there("provisioned_invocations")),
            ("no provisioned environment was free: spillover", self.there("spillover")),
            ("answered by Saltern", (!own.is_empty()).then(|| own.iter().map(|(_, total)| total).sum())),
        ];
        let mut table = Table::new("Requests").words("kind").numbers("count").numbers("of those taken");
        for (words, seen) in counts {
            if let Some(seen) = seen {
                table = table.row([words.to_owned(), count(seen), percent(seen, self.sum("invocations"))]);
            }
        }
        table
    }

    fn saltern(&self) -> Section {
        let section = Section::new("Saltern");
        if self.figures.own(&REQUESTS).is_empty() {
            return section.prose(
                "Saltern has no figures in this window. If there were requests, check that the function writes its metrics.",
            );
        }
        let cold: f64 = self.totals(&COLD_STARTS).iter().map(|(_, total)| total).sum();
        let rows = |metric, before: &str| {
            let row = |(labels, total): (String, f64)| {
                [format!("{before}{}", labels.replace(SEPARATOR, ", ")), count(total)]
            };
            self.totals(metric).into_iter().map(row).collect::<Vec<_>>()
        };
        let table = Table::new("Operations, refusals, the migration, and environments")
            .words("event")
            .numbers("count")
            .rows(rows(&OPERATIONS, ""))
            .rows(rows(&REFUSALS, "refusal: "))
            .rows(rows(&REHASHES_NEEDED, "match that needs a rehash: "))
            .rows(rows(&REHASHES_DONE, "rehash made: "))
            .row(["environments started for a request".to_owned(), count(cold)]);
        section.charts([self.hashing()]).table(table).notes([
            "If the backend does not store a rehash, the next login needs it again. If the matches that need one do not \
             decrease over weeks, check the backend.",
        ])
    }

    fn cost(&self) -> Section {
        let bill = &self.bill;
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
                "provisioned environments, in use or idle",
                gb_seconds(bill.usage.provisioned_gb_seconds),
                bill.provisioned_usd,
            ),
        ];
        let mut table = Table::new("List prices in us-east-1, without a free tier or a savings plan")
            .words("item")
            .numbers_each(["amount", "USD"]);
        for (item, amount, usd) in lines {
            table = table.row([item.to_owned(), amount, exact(usd, 2)]);
        }
        Section::new("Cost").table(table.row(["total".to_owned(), String::new(), exact(bill.usd(), 2)])).notes([
            "An estimate from metrics, not the bill. Half a millisecond is added to each run, because Lambda bills whole \
             milliseconds. The number of provisioned environments is computed from the number in use and its share. While \
             no request comes, the last figure holds; before the first request it is zero. Not included: cold starts, logs, \
             metrics, data transfer, and EC2 with Managed Instances.",
        ])
    }

    fn sources(&self) -> String {
        let mut sources = vec![format!(
            "From CloudWatch, with a figure for each {}. Percentiles are for each period. They cannot be combined for the \
             whole window, so the worst is shown. A gap means that there is no measurement.",
            self.window.step()
        )];
        sources.extend(self.figures.notes.iter().map(|note| format!("CloudWatch: {note}")));
        sources.join(" ")
    }

    fn time(&self) -> Axis {
        Axis::clock(self.window.from)
    }

    fn line(&self, name: &str, points: Points<'_>, missing: f64) -> Series {
        Series::line(name, points.over(self.window, missing))
    }

    /// Returns the 90th percentile of the computation, with a line for each policy.
    fn hashing(&self) -> Plot {
        let plot = Plot::new("Hashing", self.time(), Axis::linear("ms"))
            .about("The 90th percentile of the computation, by policy.");
        self.figures
            .own(&HASH)
            .into_iter()
            .fold(plot, |plot, (labels, points)| plot.series(self.line(name(labels), points, f64::NAN)))
    }

    fn percentiles(&self, title: &str, about: &str, id: &str) -> Plot {
        let line = |name| self.line(name, self.figures.lambda(&format!("{id}_{name}")), f64::NAN);
        let plot = Plot::new(title, self.time(), Axis::linear("ms")).about(about);
        ["p50", "p90", "p99"].into_iter().fold(plot, |plot, name| plot.series(line(name)))
    }

    /// Returns the total of each label of a metric, the largest first.
    fn totals(&self, metric: &Metric) -> Vec<(String, f64)> {
        let series = self.figures.own(metric).into_iter();
        let mut totals: Vec<_> = series.map(|(labels, points)| (labels.to_owned(), points.sum())).collect();
        totals.sort_by(|one, other| other.1.total_cmp(&one.1));
        totals
    }

    fn sum(&self, id: &str) -> f64 {
        self.figures.lambda(id).sum()
    }

    /// Returns the sum of a metric; `None` if Lambda has no value.
    fn there(&self, id: &str) -> Option<f64> {
        let series = self.figures.lambda(id);
        (!series.is_empty()).then(|| series.sum())
    }
}

/// Returns the last label. The id of a policy contains its algorithm.
fn name(labels: &str) -> &str {
    labels.rsplit(SEPARATOR).next().unwrap_or(labels)
}
