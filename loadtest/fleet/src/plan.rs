//! `saltern-fleet plan`: the capacity formula, and a simulation of the same evening.

use core::time::Duration;
use std::path::Path;

use saltern_capacity::{Capacity, Demand, Durations, Limits, name_of};
use saltern_page::exact;
use serde::Serialize;
use serde_json::json;

use crate::{
    arguments::PlanArguments,
    client::Client,
    documents,
    function::Function,
    larger::Event,
    shape::Shape,
    simulation::{self, Outcome, Requests, Scenario},
    spread::Spread,
};
use saltern_program::{Failure, say};

pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    let function = arguments.function.function()?;
    let own = arguments.durations.as_deref().map(durations).transpose()?;
    let durations = own.as_ref().unwrap_or_else(|| Durations::documented());
    let shape = match &arguments.stages {
        Some(shape) => shape.clone(),
        None => constant(arguments.rate, arguments.minutes)?,
    };
    if let Some(file) = &arguments.page {
        let event = Event {
            function: &function,
            durations,
            params: arguments.policy,
            evening: Duration::from_secs_f64(shape.seconds()),
            seed: arguments.seed,
        };
        return event.write(file);
    }
    let scenario = Scenario {
        function: &function,
        durations,
        spread: Spread::measured(),
        params: arguments.policy,
        shape: &shape,
        client: arguments.client.client()?,
        seed: arguments.seed,
        at_most: arguments.at_most,
    };
    let outcome = simulation::run(&scenario)?;
    let plan = Plan::of(&scenario, &outcome)?;
    if arguments.json {
        let document = json!({ "plan": plan, "series": outcome.series });
        say(&format!("{document}\n"))
    } else {
        say(&format!("{}\n", plan.in_words(&scenario, &outcome)))
    }
}

/// Reads a file of durations.
pub(crate) fn durations(file: &Path) -> Result<Durations, Failure> {
    Durations::read(&documents::read(file)?)
        .map_err(|error| Failure::configuration(format!("{}: {error}", file.display())))
}

pub(crate) fn constant(rate: f64, minutes: f64) -> Result<Shape, Failure> {
    let is_sensible = (0.0..=1e6).contains(&rate) && minutes > 0.0 && minutes <= 1440.0;
    if !is_sensible {
        return Err(Failure::configuration(
            "write a --rate of at most 1,000,000 a second and --minutes of at most a day (1440)",
        ));
    }
    Ok(Shape::constant(rate, Duration::from_secs_f64(60.0 * minutes)))
}

/// The figures of a plan.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Plan {
    pub(crate) policy: String,
    shape: String,
    client: Client,
    /// Whether the duration of a request was extrapolated from another measurement.
    pub(crate) is_extrapolated: bool,
    formula: Formula,
    logins_per_simulated_login: u64,
    pub(crate) logins: u64,
    pub(crate) throttled_logins: u64,
    logins_per_request: f64,
    pub(crate) concurrency_most: u64,
    concurrency_mean: f64,
    cold_starts: u64,
    spillover: u64,
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p90_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) usd: f64,
    pub(crate) usd_per_million: f64,
}

/// The result of the capacity formula at the highest rate, with the average request of the busiest
/// seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Formula {
    milliseconds_per_request: f64,
    logins_per_request: f64,
    environments: u64,
    provisioned: u64,
    concurrency: u64,
    seconds_from_cold: f64,
    fits_account: bool,
}

impl Formula {
    /// Applies the formula to requests at the highest rate.
    pub(crate) fn of(scenario: &Scenario<'_>, requests: Requests) -> Self {
        let demand = Demand {
            logins_per_second: rounded_up(scenario.shape.highest_rate() / requests.logins_each),
            per_request: requests.duration,
            // The rate counts requests, not logins.
            batch: 1,
            account_concurrency: scenario.function.account_concurrency,
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

    fn in_words(self, account_concurrency: u64) -> String {
        format!(
            "at {:.0} ms a request{}: {} environments, {} provisioned, {} s from cold; a concurrency of {} {} an account of {}",
            self.milliseconds_per_request,
            if self.logins_per_request > 1.0 {
                format!(" of {:.2} logins", self.logins_per_request)
            } else {
                String::new()
            },
            whole(self.environments),
            whole(self.provisioned),
            exact(self.seconds_from_cold, 1),
            whole(self.concurrency),
            if self.fits_account { "fits" } else { "does not fit" },
            whole(account_concurrency)
        )
    }

    #[cfg(test)]
    pub(crate) fn environments(self) -> u64 {
        self.environments
    }

    pub(crate) fn provisioned(self) -> u64 {
        self.provisioned
    }
}

impl Plan {
    /// Returns the throttled share of all logins.
    pub(crate) fn throttled_share(&self) -> f64 {
        ratio(self.throttled_logins, self.logins)
    }

    pub(crate) fn of(scenario: &Scenario<'_>, outcome: &Outcome) -> Result<Self, Failure> {
        let totals = &outcome.series.totals;
        let scale = outcome.scale;
        let (logins, throttled_logins) = (outcome.logins * scale, outcome.throttled_logins * scale);
        let answered = logins - throttled_logins;
        let (full, is_extrapolated) = full_requests(scenario)?;
        let formula = Formula::of(scenario, outcome.requests.unwrap_or(full));
        // Concurrent requests share lanes, whose gain is extrapolated.
        let shares_lanes = scenario.function.managed.is_some_and(|managed| managed.requests_at_once > 1);
        Ok(Self {
            policy: name_of(scenario.params),
            shape: scenario.shape.to_string(),
            client: scenario.client,
            is_extrapolated: is_extrapolated || shares_lanes,
            formula,
            logins_per_simulated_login: scale,
            logins,
            throttled_logins,
            logins_per_request: ratio(logins, totals.requested),
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

    fn in_words(&self, scenario: &Scenario<'_>, outcome: &Outcome) -> String {
        let extrapolated = if self.is_extrapolated { "; extrapolated, not measured on Lambda" } else { "" };
        let ms = |ms: Option<f64>| ms.map_or_else(|| "none".to_owned(), |ms| format!("{} ms", exact(ms, 0)));
        let mut lines = vec![
            ("plan", format!("{} on {}", self.policy, in_words(scenario.function))),
            ("load", self.shape.clone()),
        ];
        if self.client.batch > 1 {
            lines.push(("batches", self.batches_in_words()));
        }
        let managed = scenario.function.managed;
        if managed.is_none() {
            lines.push(("formula", self.formula.in_words(scenario.function.account_concurrency)));
        }
        let without_ec2 = if managed.is_some_and(|managed| managed.ec2_usd_per_hour <= 0.0) {
            "; without EC2: set its price with --managed-ec2-usd-per-hour"
        } else {
            ""
        };
        lines.extend([
            (
                "concurrency",
                format!(
                    "{} at most, {} on average; {} cold starts, {} spilled over",
                    whole(self.concurrency_most),
                    exact(self.concurrency_mean, 0),
                    whole(self.cold_starts),
                    whole(self.spillover)
                ),
            ),
            ("throttled", self.throttled_in_words(outcome)),
            (
                "latency",
                format!(
                    "p50 {}, p90 {}, p99 {}{extrapolated}",
                    ms(self.p50_ms),
                    ms(self.p90_ms),
                    ms(self.p99_ms)
                ),
            ),
            (
                "cost",
                format!(
                    "$ {}, $ {:.2} per million logins answered{without_ec2}",
                    exact(self.usd, 2),
                    self.usd_per_million
                ),
            ),
            ("simulated", self.simulated_in_words(outcome)),
        ]);
        lines.iter().map(|(name, value)| format!("{name:<12} {value}")).collect::<Vec<_>>().join("\n")
    }

    fn batches_in_words(&self) -> String {
        let client = &self.client;
        format!(
            "up to {} within {} ms from each of {} backends; {:.2} logins a request on average",
            client.batch,
            client.wait.as_secs_f64() * 1e3,
            client.backends,
            self.logins_per_request
        )
    }

    fn throttled_in_words(&self, outcome: &Outcome) -> String {
        let by_reason = outcome.series.totals.throttled.iter().filter(|(_, count)| **count > 0);
        let by_reason: Vec<_> =
            by_reason.map(|(why, count)| format!("{} {}", why.in_words(), whole(*count))).collect();
        let reasons = if by_reason.is_empty() {
            String::new()
        } else {
            format!("; requests by reason: {}", by_reason.join(", "))
        };
        let percent = 100.0 * self.throttled_share();
        format!("{} of {} logins, {percent:.2} %{reasons}", whole(self.throttled_logins), whole(self.logins))
    }

    fn simulated_in_words(&self, outcome: &Outcome) -> String {
        let each = match self.logins_per_simulated_login {
            1 => "one by one".to_owned(),
            several => format!("each for {several}"),
        };
        format!("{} logins, {each}, in {:.2} s", whole(outcome.logins), outcome.took.as_secs_f64())
    }
}

/// Returns full batches, and whether their duration is extrapolated.
pub(crate) fn full_requests(scenario: &Scenario<'_>) -> Result<(Requests, bool), Failure> {
    let batch = scenario.client.batch;
    let hashes = u64::try_from(batch).unwrap_or(u64::MAX);
    let planned = scenario.function.planned(scenario.durations, scenario.params, hashes, 1)?;
    let logins_each = f64::from(u32::try_from(batch).unwrap_or(u32::MAX));
    Ok((Requests { logins_each, duration: planned.duration }, planned.is_extrapolated))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is bounded and positive")]
pub(crate) fn rounded_up(rate: f64) -> u64 {
    rate.ceil() as u64
}

fn in_words(function: &Function) -> String {
    let architecture = function.architecture.name();
    if let Some(managed) = function.managed {
        return format!(
            "{} managed environments of {} virtual CPUs ({architecture}), {} requests at once each",
            whole(managed.environments),
            managed.vcpus,
            managed.requests_at_once
        );
    }
    let reserved = function.reserved.map(|reserved| format!(", {} reserved", whole(reserved)));
    let provisioned = function.provisioned.map(|provisioned| {
        let at = provisioned.asked_at_seconds;
        format!(", {} provisioned, ordered at {at} s", whole(provisioned.environments))
    });
    let memory = whole(function.memory_mb);
    format!(
        "{architecture} with {memory} MB{}{}",
        reserved.unwrap_or_default(),
        provisioned.unwrap_or_default()
    )
}

pub(crate) fn whole(number: u64) -> String {
    exact(ratio(number, 1), 0)
}

#[expect(clippy::cast_precision_loss, reason = "the text has few digits")]
pub(crate) fn ratio(number: u64, of: u64) -> f64 {
    number as f64 / of.max(1) as f64
}
