//! `saltern-fleet plan`: the capacity formula, and the same evening simulated.

use core::{fmt::Write as _, time::Duration};

use saltern_capacity::{Capacity, Demand, Durations, Limits, Parameters};
use serde::Serialize;
use serde_json::json;

use crate::{
    arguments::PlanArguments,
    documents,
    failure::Failure,
    function::Function,
    say::print,
    shape::Shape,
    simulation::{self, Client, Outcome, Scenario},
    spread::Spread,
};

pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    let function = arguments.function.function()?;
    let own = arguments.durations.as_deref().map(durations).transpose()?;
    let durations = own.as_ref().unwrap_or_else(|| Durations::documented());
    let shape = match &arguments.stages {
        Some(shape) => shape.clone(),
        None => constant(arguments.rate, arguments.minutes)?,
    };
    let scenario = Scenario {
        function: &function,
        durations,
        spread: Spread::measured(),
        parameters: arguments.policy,
        shape: &shape,
        client: arguments.client.client()?,
        seed: arguments.seed,
        at_most: arguments.at_most,
    };
    let outcome = simulation::run(&scenario)?;
    let plan = Plan::of(&scenario, &outcome)?;
    if arguments.json {
        let document = json!({ "plan": plan, "series": outcome.series });
        print(&document.to_string());
    } else {
        print(plan.in_words(&scenario, &outcome).trim_end());
    }
    Ok(())
}

/// Your own measurements.
pub(crate) fn durations(file: &std::path::Path) -> Result<Durations, Failure> {
    Durations::read(&documents::read(file)?)
        .map_err(|error| Failure::configuration(format!("{}: {error}", file.display())))
}

pub(crate) fn constant(rate: f64, minutes: f64) -> Result<Shape, Failure> {
    let is_sensible = (0.0..=1e6).contains(&rate) && minutes > 0.0 && minutes <= 1440.0;
    if !is_sensible {
        return Err(Failure::configuration(
            "write a --rate of at most 1,000,000 a second and --minutes of at most a day",
        ));
    }
    Ok(Shape::constant(rate, Duration::from_secs_f64(60.0 * minutes)))
}

/// What came of a plan, in numbers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Plan {
    pub(crate) policy: String,
    shape: String,
    client: Client,
    /// Whether the duration of a request was derived from a measurement of something else.
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

/// What the capacity formula says of the highest rate.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Formula {
    milliseconds_per_request: f64,
    environments: u64,
    provisioned: u64,
    seconds_from_cold: f64,
    fits_account: bool,
}

impl Formula {
    pub(crate) fn provisioned(self) -> u64 {
        self.provisioned
    }
}

impl Plan {
    /// Of all logins.
    pub(crate) fn throttled_share(&self) -> f64 {
        ratio(self.throttled_logins, self.logins)
    }

    pub(crate) fn of(scenario: &Scenario<'_>, outcome: &Outcome) -> Result<Self, Failure> {
        let totals = &outcome.series.totals;
        let scale = outcome.scale;
        let (logins, throttled_logins) = (outcome.logins * scale, outcome.throttled_logins * scale);
        let answered = logins - throttled_logins;
        let (formula, is_extrapolated) = formula(scenario)?;
        Ok(Self {
            policy: scenario.parameters.to_string(),
            shape: scenario.shape.to_string(),
            client: scenario.client,
            is_extrapolated,
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
        let mut text = String::new();
        let mut line = |what: &str, says: String| {
            let _infallible = writeln!(text, "{what:<12} {says}");
        };
        line("plan", format!("{} on {}", self.policy, in_words(scenario.function)));
        line("load", self.shape.clone());
        let client = &self.client;
        if client.batch > 1 {
            line(
                "batches",
                format!(
                    "up to {} within {} ms from each of {} backends; {:.2} logins a request came of it",
                    client.batch,
                    client.wait.as_secs_f64() * 1e3,
                    client.backends,
                    self.logins_per_request
                ),
            );
        }
        let formula = &self.formula;
        line(
            "formula",
            format!(
                "at {:.0} ms a request and full batches: {} environments, {} provisioned, {} s from cold; {} an account of {}",
                formula.milliseconds_per_request,
                formula.environments,
                formula.provisioned,
                formula.seconds_from_cold,
                if formula.fits_account { "fits" } else { "does not fit" },
                scenario.function.account_concurrency,
            ),
        );
        line(
            "concurrency",
            format!(
                "{} at most, {:.0} on average; {} cold starts, {} spilled over",
                self.concurrency_most, self.concurrency_mean, self.cold_starts, self.spillover
            ),
        );
        let reasons = outcome.series.totals.throttled.iter().filter(|(_, count)| **count > 0);
        let reasons: Vec<String> = reasons
            .map(|(why, count)| {
                format!(
                    "{} {count}",
                    serde_json::to_value(why)
                        .ok()
                        .and_then(|why| Some(why.as_str()?.replace('_', " ")))
                        .unwrap_or_default()
                )
            })
            .collect();
        line(
            "throttled",
            format!(
                "{} of {} logins, {:.2} %{}{}",
                self.throttled_logins,
                self.logins,
                100.0 * ratio(self.throttled_logins, self.logins),
                if reasons.is_empty() { "" } else { "; requests by reason: " },
                reasons.join(", ")
            ),
        );
        let ms = |ms: Option<f64>| ms.map_or_else(|| "none".to_owned(), |ms| format!("{ms:.0} ms"));
        line(
            "latency",
            format!(
                "p50 {}, p90 {}, p99 {}{}",
                ms(self.p50_ms),
                ms(self.p90_ms),
                ms(self.p99_ms),
                if self.is_extrapolated { "; extrapolated, not measured on Lambda" } else { "" }
            ),
        );
        line("cost", format!("$ {:.2}, $ {:.2} per million logins answered", self.usd, self.usd_per_million));
        let scale = self.logins_per_simulated_login;
        let each =
            if scale > 1 { format!("each of them standing for {scale}") } else { "one by one".to_owned() };
        line(
            "simulated",
            format!("{} logins {each}, in {:.2} s", outcome.logins, outcome.took.as_secs_f64()),
        );
        text
    }
}

/// Of the highest rate, with full batches; and whether its duration is extrapolated.
pub(crate) fn formula(scenario: &Scenario<'_>) -> Result<(Formula, bool), Failure> {
    let batch = u64::try_from(scenario.client.batch).unwrap_or(u64::MAX);
    let planned = scenario.function.planned(scenario.durations, scenario.parameters, batch, 1);
    let planned = planned.ok_or_else(|| no_duration(scenario.parameters))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a shape is bounded and positive"
    )]
    let logins_per_second = scenario.shape.highest_rate().ceil() as u64;
    let demand = Demand {
        logins_per_second,
        per_request: planned.duration,
        batch,
        account_concurrency: scenario.function.account_concurrency,
    };
    let Capacity { environments, provisioned, from_cold, fits_account } =
        demand.capacity(Limits::documented());
    let formula = Formula {
        milliseconds_per_request: planned.duration.as_secs_f64() * 1e3,
        environments,
        provisioned,
        seconds_from_cold: from_cold.as_secs_f64(),
        fits_account,
    };
    Ok((formula, planned.is_extrapolated))
}

pub(crate) fn no_duration(parameters: Parameters) -> Failure {
    Failure::configuration(format!("no duration on Lambda is known for {parameters}"))
}

fn in_words(function: &Function) -> String {
    let mut text = format!("{} with {} MB", function.architecture.name(), function.memory_mb);
    if let Some(managed) = function.managed {
        return format!(
            "{} managed environments of {} virtual CPUs ({}), {} requests at once each",
            managed.environments,
            managed.vcpus,
            function.architecture.name(),
            managed.requests_at_once
        );
    }
    if let Some(reserved) = function.reserved {
        let _infallible = write!(text, ", {reserved} reserved");
    }
    if let Some(provisioned) = function.provisioned {
        let _infallible = write!(
            text,
            ", {} provisioned, asked for at {} s",
            provisioned.environments, provisioned.asked_at_seconds
        );
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "for people, who read few digits")]
fn ratio(number: u64, of: u64) -> f64 {
    number as f64 / of.max(1) as f64
}
