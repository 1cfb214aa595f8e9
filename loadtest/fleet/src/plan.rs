//! `saltern-fleet plan`: the capacity formula, and a simulation of the same evening.

use saltern_price::lambda::{Capacity, Demand, Durations, Limits, name_of};
use saltern_program::{Failure, number::grouped, say};
use serde::Serialize;
use serde_json::json;

use crate::{
    arguments::{Client, PlanArguments},
    documents,
    function::Function,
    larger,
    number::{ratio, rounded_up},
    simulation::{self, Outcome, Requests},
};

pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    arguments.function.check()?;
    let durations = documents::durations(arguments.durations.as_deref())?;
    if arguments.larger {
        return say(&larger::tables(&durations, arguments)?);
    }
    let outcome = simulation::run(arguments, &durations)?;
    let plan = Plan::of(arguments, &durations, &outcome)?;
    if arguments.json {
        let document = json!({ "plan": plan, "series": outcome.series });
        say(&format!("{document}\n"))
    } else {
        say(&plan.in_words(&arguments.function, &outcome))
    }
}

/// The figures of a plan.
#[derive(Clone, Debug, Serialize)]
struct Plan {
    policy: String,
    shape: String,
    client: Client,
    /// Whether the duration of a request was extrapolated from another measurement.
    is_extrapolated: bool,
    formula: Formula,
    logins: u64,
    throttled_logins: u64,
    logins_per_request: f64,
    concurrency_most: u64,
    concurrency_mean: f64,
    cold_starts: u64,
    spillover: u64,
    p50_ms: Option<f64>,
    p90_ms: Option<f64>,
    p99_ms: Option<f64>,
    usd: f64,
    usd_per_million: f64,
}

/// The result of the capacity formula at the highest rate, with the average request of the busiest
/// seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Formula {
    milliseconds_per_request: f64,
    logins_per_request: f64,
    pub(crate) environments: u64,
    pub(crate) provisioned: u64,
    concurrency: u64,
    seconds_from_cold: f64,
    fits_account: bool,
}

impl Formula {
    /// Applies the formula to requests at the highest rate.
    pub(crate) fn of(arguments: &PlanArguments, requests: Requests) -> Self {
        let demand = Demand {
            logins_per_second: rounded_up(arguments.shape().highest_rate() / requests.logins_each),
            per_request: requests.duration,
            // The rate counts requests, not logins.
            batch: 1,
            account_concurrency: arguments.function.account_concurrency,
        };
        let Capacity { environments, provisioned, concurrency, from_cold, fits_account } =
            demand.capacity(Limits::documented());
        Self {
            milliseconds_per_request: requests.duration.as_secs_f64() * 1e3,
            logins_per_request: requests.logins_each,
            environments,
            provisioned,
            concurrency,
            seconds_from_cold: from_cold.as_secs_f64(),
            fits_account,
        }
    }
}

impl Plan {
    fn of(arguments: &PlanArguments, durations: &Durations, outcome: &Outcome) -> Result<Self, Failure> {
        let totals = &outcome.series.totals;
        let batch = u64::try_from(arguments.client.batch).unwrap_or(u64::MAX);
        let full = arguments.function.planned(durations, arguments.policy, batch)?;
        // An evening without logins has no average request.
        let requests =
            outcome.requests.unwrap_or(Requests { logins_each: ratio(batch, 1), duration: full.duration });
        let answered = outcome.logins - outcome.throttled_logins;
        Ok(Self {
            policy: name_of(arguments.policy),
            shape: arguments.shape().to_string(),
            client: arguments.client,
            is_extrapolated: full.is_extrapolated,
            formula: Formula::of(arguments, requests),
            logins: outcome.logins,
            throttled_logins: outcome.throttled_logins,
            logins_per_request: ratio(outcome.logins, totals.requested),
            concurrency_most: totals.concurrency,
            concurrency_mean: outcome.mean_concurrency,
            cold_starts: totals.cold_starts,
            spillover: totals.spillover,
            p50_ms: outcome.latencies.percentile(50),
            p90_ms: outcome.latencies.percentile(90),
            p99_ms: outcome.latencies.percentile(99),
            usd: totals.usd,
            usd_per_million: totals.usd / ratio(answered.max(1), 1_000_000),
        })
    }

    fn in_words(&self, function: &Function, outcome: &Outcome) -> String {
        let ms = |ms: Option<f64>| ms.map_or_else(|| "none".to_owned(), |ms| format!("{ms:.0} ms"));
        let batches = match self.client {
            Client { batch: 1, .. } => String::new(),
            Client { backends, batch } => format!(
                "batches      up to {batch} from each of {backends} backends; {:.2} logins a request on average\n",
                self.logins_per_request
            ),
        };
        let by_reason = outcome.series.totals.throttled.iter().filter(|(_, requests)| **requests > 0);
        let by_reason: Vec<_> = by_reason
            .map(|(why, requests)| format!("; {} requests by {}", grouped(*requests), why.in_words()))
            .collect();
        format!(
            "plan         {policy} on {function}
load         {shape}
{batches}{formula}concurrency  {most} at most, {mean:.0} on average; {cold_starts} cold starts, {spillover} spilled over
throttled    {throttled} of {logins} logins, {share:.2} %{by_reason}
latency      p50 {p50}, p90 {p90}, p99 {p99}{extrapolated}
cost         $ {usd:.2}, $ {usd_per_million:.2} per million logins answered
simulated    in {took:.2} s
",
            policy = self.policy,
            function = in_words(function),
            shape = self.shape,
            formula = self.formula.in_words(function),
            most = grouped(self.concurrency_most),
            mean = self.concurrency_mean,
            cold_starts = grouped(self.cold_starts),
            spillover = grouped(self.spillover),
            throttled = grouped(self.throttled_logins),
            logins = grouped(self.logins),
            share = 100.0 * ratio(self.throttled_logins, self.logins),
            by_reason = by_reason.concat(),
            p50 = ms(self.p50_ms),
            p90 = ms(self.p90_ms),
            p99 = ms(self.p99_ms),
            extrapolated = if self.is_extrapolated { "; extrapolated, not measured on Lambda" } else { "" },
            usd = self.usd,
            usd_per_million = self.usd_per_million,
            took = outcome.took.as_secs_f64(),
        )
    }
}

impl Formula {
    fn in_words(self, function: &Function) -> String {
        format!(
            "formula      at {:.0} ms a request of {:.2} logins: {} environments, {} provisioned, {:.1} s from cold; a concurrency of {} {} an account of {}\n",
            self.milliseconds_per_request,
            self.logins_per_request,
            grouped(self.environments),
            grouped(self.provisioned),
            self.seconds_from_cold,
            grouped(self.concurrency),
            if self.fits_account { "fits" } else { "does not fit" },
            grouped(function.account_concurrency)
        )
    }
}

fn in_words(function: &Function) -> String {
    let architecture = function.architecture.name();
    let (memory_mb, provisioned) = (grouped(function.memory_mb), grouped(function.provisioned));
    format!("{architecture} with {memory_mb} MB, {provisioned} provisioned")
}
