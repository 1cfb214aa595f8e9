//! `saltern-fleet sweep`: the effect of each knob on cost and p90, as a chart, a table and data.

use core::{fmt::Write as _, time::Duration};
use std::{fs, path::Path};

use saltern_algorithm::Kernels;
use saltern_capacity::{Architecture, Durations, Limits, name_of};
use saltern_encoded::{Algorithm, Params, bcrypt};
use saltern_page::{Axis, Plot, Series};
use serde::Serialize;

use crate::{
    arguments::SweepArguments,
    client::Client,
    function::{Function, ProvisionedConcurrency},
    plan::{self, Formula, Plan, full_requests},
    progress::progress,
    shape::Shape,
    simulation::{self, Scenario},
    spread::Spread,
};
use saltern_program::Failure;

pub(crate) fn run(arguments: &SweepArguments) -> Result<(), Failure> {
    let rate = arguments.rate;
    let seconds = 60.0 * arguments.minutes;
    let shape: Shape = format!("0:{},{RISE_SECONDS}:{rate},{seconds}:{rate}", rate / 10.0)
        .parse()
        .map_err(|error| Failure::configuration(format!("--rate or --minutes: {error}")))?;
    let own = arguments.durations.as_deref().map(plan::durations).transpose()?;
    let audience = Audience {
        shape: &shape,
        durations: own.as_ref().unwrap_or_else(|| Durations::documented()),
        seed: arguments.seed,
    };
    let swept = knobs(&audience, arguments)?
        .into_iter()
        .map(|knob| {
            progress(&format!("{} ({})", knob.name, knob.points.len()));
            let points = knob.points.iter().map(|point| point.plan(&audience)).collect::<Result<_, _>>()?;
            Ok(Swept { name: knob.name, points })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let results = Results {
        command: format!(
            "saltern-fleet sweep --rate {rate} --minutes {} --backends {} --account-concurrency {} --seed {}{}",
            arguments.minutes,
            arguments.backends,
            arguments.account_concurrency,
            arguments.seed,
            if own.is_some() { " --durations FILE" } else { "" }
        ),
        shape: shape.to_string(),
        swept,
    };
    let data = serde_json::to_string_pretty(&results).map_err(|error| Failure::system(error.to_string()))?;
    fs::create_dir_all(&arguments.results).map_err(|error| unwritten(&arguments.results, &error))?;
    for (name, text) in [
        ("sweep.json", data + "\n"),
        ("sweep.md", results.table()),
        ("sweep.svg", results.chart().svg() + "\n"),
    ] {
        let file = arguments.results.join(name);
        fs::write(&file, text).map_err(|error| unwritten(&file, &error))?;
        progress(&format!("wrote {}", file.display()));
    }
    Ok(())
}

/// The input that all points share.
struct Audience<'a> {
    shape: &'a Shape,
    durations: &'a Durations,
    seed: u64,
}

/// A parameter that varies while all others stay.
struct Knob {
    name: &'static str,
    points: Vec<Point>,
}

/// A value of a knob.
struct Point {
    label: String,
    function: Function,
    params: Params,
    client: Client,
}

#[derive(Serialize)]
struct Results {
    command: String,
    shape: String,
    swept: Vec<Swept>,
}

#[derive(Serialize)]
struct Swept {
    name: &'static str,
    points: Vec<Planned>,
}

#[derive(Serialize)]
struct Planned {
    label: String,
    /// Whether the point is the starting point.
    is_start: bool,
    function: Function,
    plan: Plan,
}

/// Returns all knobs. They start from bcrypt-11 on arm64 with one virtual CPU, nothing provisioned,
/// one login a request.
fn knobs(audience: &Audience<'_>, arguments: &SweepArguments) -> Result<Vec<Knob>, Failure> {
    let backends = usize::try_from(arguments.backends).unwrap_or(usize::MAX);
    let function = || usual_function(audience.durations, arguments.account_concurrency);
    let alone = Client { backends, batch: 1, wait: BATCH_WAIT };
    let usual = |label: String| Point { label, function: function(), params: USUAL, client: alone };
    let memory = memory_mb(audience.durations).map(|memory_mb| Point {
        function: Function { memory_mb, ..function() },
        ..usual(format!("{memory_mb} MB"))
    });
    let policy = audience.durations.known().map(|params| {
        let label = match params.algorithm() {
            Algorithm::Bcrypt => name_of(params),
            // The other algorithms have one row each.
            algorithm => algorithm.name().to_owned(),
        };
        Point { params, ..usual(label) }
    });
    let x86_64 = Point {
        function: Function { architecture: Architecture::X86_64, ..function() },
        ..usual("x86_64".to_owned())
    };
    let start = usual(String::new());
    let scenario = start.scenario(audience);
    let needed = Formula::of(&scenario, full_requests(&scenario)?.0).provisioned();
    let provisioned = PROVISIONED_PERCENT.map(|percent| Point {
        function: Function {
            provisioned: Some(ProvisionedConcurrency {
                environments: needed * percent / 100,
                asked_at_seconds: -900,
            }),
            ..function()
        },
        ..usual((needed * percent / 100).to_string())
    });
    let batches = |kernels: Kernels| {
        BATCHES.map(|batch| Point {
            function: Function { kernels, ..function() },
            client: Client { batch, ..alone },
            ..usual(if batch == 1 { "alone".to_owned() } else { format!("up to {batch}") })
        })
    };
    Ok(vec![
        Knob { name: "memory", points: memory.into() },
        Knob { name: "policy", points: policy.collect() },
        Knob { name: "architecture", points: vec![x86_64] },
        Knob { name: "provisioned concurrency", points: provisioned.into() },
        Knob { name: "batches, lanes (extrapolated)", points: batches(Kernels::Own).into() },
        Knob { name: "batches, one by one", points: batches(Kernels::Crates).into() },
    ])
}

fn usual_function(durations: &Durations, account_concurrency: u64) -> Function {
    let memory_mb = durations.reference_memory_mb();
    Function { memory_mb, account_concurrency, ..Function::unprepared() }
}

impl Point {
    fn scenario<'a>(&'a self, audience: &Audience<'a>) -> Scenario<'a> {
        Scenario {
            function: &self.function,
            durations: audience.durations,
            spread: Spread::measured(),
            params: self.params,
            shape: audience.shape,
            client: self.client,
            seed: audience.seed,
            at_most: LOGINS_AT_MOST,
        }
    }

    fn is_start(&self, durations: &Durations) -> bool {
        let (own, usual) = (&self.function, usual_function(durations, self.function.account_concurrency));
        (own.memory_mb, own.architecture, self.params, self.client.batch)
            == (usual.memory_mb, usual.architecture, USUAL, 1)
            && own.provisioned.is_none()
    }

    fn plan(&self, audience: &Audience<'_>) -> Result<Planned, Failure> {
        self.function.check(Limits::documented())?;
        let scenario = self.scenario(audience);
        let plan = Plan::of(&scenario, &simulation::run(&scenario)?)?;
        Ok(Planned {
            label: self.label.clone(),
            is_start: self.is_start(audience.durations),
            function: self.function.clone(),
            plan,
        })
    }
}

impl Results {
    fn chart(&self) -> Plot {
        let plot = Plot::new(
            "Cost of a million logins against p90",
            Axis::logarithmic("p90, ms"),
            Axis::linear("US dollars per million"),
        )
        .about("One knob is turned at a time, from bcrypt-11 on arm64 with 1,769 MB. Only bcrypt-10, each login alone, was measured on Lambda; all else is extrapolated.");
        self.swept.iter().fold(plot, |plot, swept| {
            let points = swept.points.iter().filter_map(|point| {
                // All knobs share the starting point, so it has one label.
                let label = if point.is_start && swept.name != "policy" { "" } else { &point.label };
                Some((point.plan.p90_ms?, point.plan.usd_per_million, label.to_owned()))
            });
            let series = match swept.name {
                "policy" | "architecture" => Series::dots(swept.name, points.collect()),
                _ => Series::joined_dots(swept.name, points.collect()),
            };
            plot.series(series)
        })
    }

    fn table(&self) -> String {
        let mut text = format!(
            "Made by `{}`: {}. From bcrypt-11 on arm64 with 1,769 MB, nothing provisioned, each login alone; one knob is turned at a time. Provisioned concurrency is held from a quarter of an hour before.\n\n",
            self.command, self.shape
        );
        text.push_str("| knob | | p50 | p90 | p99 | most at once | throttled | $ per million | |\n|---|---|---|---|---|---|---|---|---|\n");
        for swept in &self.swept {
            for Planned { label, plan, .. } in &swept.points {
                let ms = |ms: Option<f64>| ms.map_or_else(|| "none".to_owned(), |ms| format!("{ms:.0} ms"));
                let _infallible = writeln!(
                    text,
                    "| {} | {label} | {} | {} | {} | {} | {:.2} % | {:.2} | {} |",
                    swept.name,
                    ms(plan.p50_ms),
                    ms(plan.p90_ms),
                    ms(plan.p99_ms),
                    plan.concurrency_most,
                    100.0 * plan.throttled_share(),
                    plan.usd_per_million,
                    if plan.is_extrapolated { "extrapolated" } else { "" },
                );
            }
        }
        text
    }
}

fn unwritten(file: &Path, error: &std::io::Error) -> Failure {
    Failure::system(format!("{} cannot be written ({error})", file.display()))
}

/// The parameters of the starting point.
const USUAL: Params = Params::Bcrypt(bcrypt::Params::new(11).unwrap());

/// The time in which the audience arrives.
const RISE_SECONDS: u32 = 60;

/// From below one virtual CPU to two.
fn memory_mb(durations: &Durations) -> [u64; 4] {
    let of_a_vcpu = durations.reference_memory_mb();
    [512, 1024, of_a_vcpu, 2 * of_a_vcpu]
}

/// Percentages of the result of the formula.
const PROVISIONED_PERCENT: [u64; 3] = [50, 100, 150];

const BATCHES: [usize; 4] = [1, 2, 4, 8];

/// The wait of the Scala client.
const BATCH_WAIT: Duration = Duration::from_millis(2);

const LOGINS_AT_MOST: u64 = 20_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_is_in_the_chart_and_in_the_table() {
        let arguments = SweepArguments {
            rate: 100.0,
            minutes: 0.5,
            backends: 1,
            account_concurrency: 1000,
            durations: None,
            results: std::env::temp_dir().join(format!("saltern-fleet-sweep-{}", std::process::id())),
            seed: 1,
        };
        run(&arguments).unwrap();
        let text = |name: &str| fs::read_to_string(arguments.results.join(name)).unwrap();
        let (table, chart) = (text("sweep.md"), text("sweep.svg"));
        for name in [
            "memory",
            "policy",
            "architecture",
            "provisioned concurrency",
            "batches, lanes (extrapolated)",
            "batches, one by one",
        ] {
            assert!(table.contains(&format!("| {name} |")) && chart.contains(name), "{name}");
        }
        let lanes = table.lines().filter(|line| line.contains("lanes") && line.contains("up to"));
        assert!(
            lanes.clone().count() == 3 && lanes.into_iter().all(|line| line.ends_with("| extrapolated |"))
        );
        fs::remove_dir_all(&arguments.results).unwrap();
    }
}
