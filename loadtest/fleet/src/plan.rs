//! `saltern-fleet plan`: the capacity formula, and a simulation of the same evening.

use saltern_capacity::{Durations, name_of};
use saltern_cli::number::grouped;
use saltern_server::{Failure, say};
use serde::Serialize;
use serde_json::json;

use crate::{
    arguments::{Client, PlanArguments},
    demand::{Capacity, Demand},
    documents, larger,
    limits::Limits,
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
        say(&plan.in_words(arguments, &outcome))
    }
}

/// The figures of a plan that a report reads.
#[derive(Clone, Debug, Serialize)]
struct Plan {
    /// Whether the duration of a request was extrapolated from another measurement.
    is_extrapolated: bool,
    logins: u64,
    throttled_logins: u64,
    concurrency_most: u64,
    cold_starts: u64,
    p50_ms: Option<f64>,
    p90_ms: Option<f64>,
    p99_ms: Option<f64>,
    usd: f64,
    usd_per_million: f64,
}

/// Applies the capacity formula to requests at the highest rate.
pub(crate) fn capacity(arguments: &PlanArguments, requests: Requests) -> Capacity {
    let demand = Demand {
        logins_per_second: rounded_up(arguments.shape().highest_rate() / requests.logins_each),
        per_request: requests.duration,
        // The rate counts requests, not logins.
        batch: 1,
        account_concurrency: arguments.function.account_concurrency,
    };
    demand.capacity(Limits::documented())
}

impl Plan {
    fn of(arguments: &PlanArguments, durations: &Durations, outcome: &Outcome) -> Result<Self, Failure> {
        let totals = &outcome.series.totals;
        let batch = u64::try_from(arguments.client.batch).unwrap_or(u64::MAX);
        let full = arguments.function.planned(durations, arguments.policy, batch)?;
        let answered = outcome.logins - outcome.throttled_logins;
        Ok(Self {
            is_extrapolated: full.is_extrapolated,
            logins: outcome.logins,
            throttled_logins: outcome.throttled_logins,
            concurrency_most: totals.concurrency,
            cold_starts: totals.cold_starts,
            p50_ms: outcome.latencies.percentile(50),
            p90_ms: outcome.latencies.percentile(90),
            p99_ms: outcome.latencies.percentile(99),
            usd: totals.usd,
            usd_per_million: totals.usd / ratio(answered.max(1), 1_000_000),
        })
    }

    fn in_words(&self, arguments: &PlanArguments, outcome: &Outcome) -> String {
        let (function, totals) = (&arguments.function, &outcome.series.totals);
        let ms = |ms: Option<f64>| ms.map_or_else(|| "none".to_owned(), |ms| format!("{ms:.0} ms"));
        let batches = match arguments.client {
            Client { batch: 1, .. } => String::new(),
            Client { backends, batch } => format!(
                "batches      up to {batch} from each of {backends} backends; {:.2} logins a request on average\n",
                ratio(outcome.logins, totals.requested)
            ),
        };
        let by_reason = totals.throttled.iter();
        let by_reason =
            by_reason.map(|(why, all)| format!("; {} requests by {}", grouped(*all), why.in_words()));
        format!(
            "plan         {policy} on {architecture} with {memory} MB, {provisioned} provisioned; {rate} logins a second at most
{batches}{formula}concurrency  {most} at most, {mean:.0} on average; {cold_starts} cold starts, {spillover} spilled over
throttled    {throttled} of {logins} logins, {share:.2} %{by_reason}
latency      p50 {p50}, p90 {p90}, p99 {p99}{extrapolated}
cost         $ {usd:.2}, $ {usd_per_million:.2} per million logins answered
",
            policy = name_of(arguments.policy),
            architecture = function.architecture.name(),
            memory = grouped(function.memory_mb),
            provisioned = grouped(function.provisioned),
            rate = grouped(rounded_up(arguments.shape().highest_rate())),
            formula = outcome.requests.map_or_else(String::new, |requests| formula(arguments, requests)),
            most = grouped(self.concurrency_most),
            mean = outcome.mean_concurrency,
            cold_starts = grouped(self.cold_starts),
            spillover = grouped(totals.spillover),
            throttled = grouped(self.throttled_logins),
            logins = grouped(self.logins),
            share = 100.0 * ratio(self.throttled_logins, self.logins),
            by_reason = by_reason.collect::<String>(),
            p50 = ms(self.p50_ms),
            p90 = ms(self.p90_ms),
            p99 = ms(self.p99_ms),
            extrapolated = if self.is_extrapolated { "; extrapolated, not measured on Lambda" } else { "" },
            usd = self.usd,
            usd_per_million = self.usd_per_million,
        )
    }
}

/// Returns the line of the capacity formula for the average request of the busiest seconds.
fn formula(arguments: &PlanArguments, requests: Requests) -> String {
    let capacity = capacity(arguments, requests);
    format!(
        "formula      at {:.0} ms a request of {:.2} logins: {} environments, {} provisioned, {:.1} s from cold; a concurrency of {} {} an account of {}\n",
        requests.duration.as_secs_f64() * 1e3,
        requests.logins_each,
        grouped(capacity.environments),
        grouped(capacity.provisioned),
        capacity.from_cold.as_secs_f64(),
        grouped(capacity.concurrency),
        if capacity.fits_account { "fits" } else { "does not fit" },
        grouped(arguments.function.account_concurrency)
    )
}
