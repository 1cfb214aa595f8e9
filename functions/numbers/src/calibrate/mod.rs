//! `saltern-numbers calibrate`: finds the strongest parameters within a time.
//!
//! 1. `conditions` determines the place of the measurements, and the limits from policy document
//!    and memory.
//! 2. For each algorithm, `ladder` has the candidate parameters. `search` finds the last step
//!    within the time, with measurements of `place`: this machine, or a `function` on Lambda.
//!    `saltern_capacity::Scale` estimates times for a function from times here.
//! 3. `proposal` compares the step with the minima of OWASP and NIST, and computes the price of a
//!    guess. `bound` names the limit, and `print` ranks and writes the result.

mod bound;
mod conditions;
mod function;
mod ladder;
mod place;
mod print;
mod proposal;
mod search;
mod target;

use std::{collections::BTreeMap, thread, time::Duration};

use clap::Args;
use indicatif::ProgressBar;
use saltern_capacity::{Architecture, Durations, FUNCTION_MEMORY_MB, Reference, Scale};
use saltern_encoded::Algorithm;
use saltern_meter::Measured;
use saltern_price::PriceArguments;

use crate::{
    arguments::architecture, arguments::aws_name, arguments::function_memory_mb, progress::progress_bar,
};
use bound::Bound;
use conditions::{Basis, Conditions};
use ladder::{CALIBRATED, Step, calibrated};
use proposal::{InLanes, Proposal, in_words};
use saltern_program::{DocumentArguments, Failure, KernelArguments, say};
use search::Care;

#[derive(Args, Debug)]
#[command(
    after_help = "With --on-lambda, credentials and region come from the environment or a profile, as for the AWS tools. The\n\
                  credentials need lambda:InvokeFunction, and the function needs SALTERN_CALIBRATE=on. A run invokes the\n\
                  function some dozens of times; a million invocations cost 0.20 USD and their time. The function uses its\n\
                  own SALTERN_KERNELS: --kernels, --bcrypt-lanes and --argon2-lanes apply to measurements on this machine."
)]
pub(crate) struct CalibrateArguments {
    /// The longest time of one hash alone, from 5ms to 5s
    #[arg(long, value_name = "TIME", value_parser = target::parse)]
    pub(crate) target: Duration,
    /// Only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',', value_parser = calibrated())]
    pub(crate) algorithms: Vec<Algorithm>,
    #[arg(
        long,
        value_name = "MB",
        value_parser = function_memory_mb(),
        conflicts_with = "on_lambda",
        help = about_memory()
    )]
    pub(crate) memory_mb: Option<u64>,
    /// Estimate for a function on Lambda of this architecture; Graviton is arm64 [default with
    /// --memory-mb: arm64]
    #[arg(long, alias = "arch", value_name = "ARCHITECTURE", conflicts_with = "on_lambda", value_parser = architecture())]
    pub(crate) architecture: Option<Architecture>,
    /// Measure in this function on Lambda
    #[arg(long, value_name = "FUNCTION", value_parser = aws_name)]
    pub(crate) on_lambda: Option<String>,
    /// The alias or version of the function [default: $LATEST]
    #[arg(long, value_name = "NAME", value_parser = aws_name, requires = "on_lambda")]
    pub(crate) alias: Option<String>,
    /// The function's region [default: that of the environment or the profile]
    #[arg(long, value_name = "REGION", requires = "on_lambda")]
    pub(crate) region: Option<String>,
    /// Also show the cores for this many logins a second
    #[arg(long, value_name = "COUNT", value_parser = rate)]
    pub(crate) logins_per_second: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) price: PriceArguments,
    #[command(flatten)]
    pub(crate) kernels: KernelArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

fn rate(argument: &str) -> Result<f64, String> {
    let rate: Option<f64> = argument.parse().ok();
    let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
    rate.filter(is_rate).ok_or_else(|| "give a number above 0, such as 200".to_owned())
}

/// Takes the numbers from `saltern_capacity`.
fn about_memory() -> String {
    format!(
        "Estimate for a function on Lambda with this memory, {} to {} [default with --architecture: {}]",
        FUNCTION_MEMORY_MB.start(),
        FUNCTION_MEMORY_MB.end(),
        Durations::documented().reference_memory_mb()
    )
}

/// Calibrates on a new thread, as workers are: the main thread's memory has another source and
/// costs less.
pub(crate) fn run(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let calibrated = thread::scope(|scope| scope.spawn(|| calibrate(arguments)).join());
    calibrated.unwrap_or_else(|_panic| {
        Err(Failure::system("an internal fault ended the measurement: please report it"))
    })
}

fn calibrate(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let mut calibration = Calibration {
        conditions: Conditions::of(arguments)?,
        target: arguments.target,
        scale: None,
        bar: progress_bar(None, "{spinner} measuring {msg}  {elapsed}"),
    };
    calibration.scale = calibration.scale()?;
    let algorithms = chosen(&arguments.algorithms);
    let mut proposals = Vec::new();
    let mut without = Vec::new();
    for &algorithm in &algorithms {
        match calibration.propose(algorithm)? {
            Some(proposal) => proposals.push(proposal),
            None => without.push(algorithm),
        }
    }
    calibration.bar.finish_and_clear();
    let report = print::Report {
        conditions: &calibration.conditions,
        scale: calibration.scale,
        target: arguments.target,
        usd_per_hour: arguments.price.usd_per_hour(),
        logins_per_second: arguments.logins_per_second,
        proposals: &proposals,
        without: &without,
    };
    if arguments.json { say(&format!("{}\n", report.json()?)) } else { say(&report.text()?) }
}

/// Returns the chosen algorithms in the order of preference.
fn chosen(asked: &[Algorithm]) -> Vec<Algorithm> {
    let is_chosen = |algorithm: &Algorithm| asked.is_empty() || asked.contains(algorithm);
    CALIBRATED.into_iter().filter(is_chosen).collect()
}

struct Calibration {
    conditions: Conditions,
    target: Duration,
    /// From this machine to the function; `None` if the function measures.
    scale: Option<Scale>,
    bar: ProgressBar,
}

impl Calibration {
    /// Finds the strongest parameters of an algorithm; `None` if even the weakest take too long.
    fn propose(&mut self, algorithm: Algorithm) -> Result<Option<Proposal>, Failure> {
        let to_function = self.scale.map_or(1.0, |scale| scale.times);
        let to_target = if self.conditions.basis == Basis::Estimated { to_function } else { 1.0 };
        let target = self.target.div_f64(to_target);
        let steps = ladder::of(algorithm, &self.conditions.policies, self.conditions.bytes_per_worker);
        let works: Vec<f64> = steps.iter().map(Step::work).collect();
        let mut exact = BTreeMap::new();
        let mut refused = BTreeMap::new();
        let found = search::strongest(&works, target.as_secs_f64() * 1000.0, |at, care| {
            Ok::<_, Failure>(match self.measure(algorithm, &steps[at], care)? {
                Ok(measured) => {
                    if care == Care::Exact {
                        exact.insert(at, measured);
                    }
                    Some(self.conditions.place.counted(&measured).median)
                }
                Err(bound) => {
                    refused.insert(at, bound);
                    None
                }
            })
        })?;
        let Some((&at, &one)) = found.and_then(|at| exact.get_key_value(&at)) else { return Ok(None) };
        let step = steps[at].clone();
        let in_lanes = self.conditions.place.measure(&step, true, &place::in_passing())?;
        let (policies, bytes) = (&self.conditions.policies, self.conditions.bytes_per_worker);
        let bound_by = match refused.get(&(at + 1)) {
            Some(&bound) => bound,
            None if at + 1 < steps.len() => Bound::Time,
            None => ladder::end(algorithm, &step, policies, bytes),
        };
        let counted = |measured: &Measured| self.conditions.place.counted(measured);
        let listed = policies.list().iter().find(|policy| policy.params() == step.params);
        Ok(Some(Proposal {
            algorithm,
            at,
            one: counted(&one),
            in_lanes: in_lanes.map(|measured| InLanes { lanes: measured.at_once, call: counted(&measured) }),
            core_share: one.core_share(),
            ms_by_the_clock: one.wall_ms.median,
            to_target,
            to_function,
            bound_by,
            listed_as: listed.map(|policy| policy.id().to_owned()),
            step,
        }))
    }

    fn measure(
        &mut self,
        algorithm: Algorithm,
        step: &Step,
        care: Care,
    ) -> Result<Result<Measured, Bound>, Failure> {
        self.bar.set_message(format!("{}, {}", algorithm.name(), in_words(step.params)));
        self.conditions.place.measure(step, false, &place::effort(care))
    }

    /// Measures the scale of times from this machine to the function; `None` if the function
    /// measures.
    fn scale(&mut self) -> Result<Option<Scale>, Failure> {
        if self.conditions.basis == Basis::OnLambda {
            return Ok(None);
        }
        let reference = Reference::documented().ok_or_else(no_row)?;
        let step = Step { params: reference.params, admitted: reference.admitted.clone() };
        let measured = self.measure(Algorithm::Bcrypt, &step, Care::Exact)?.map_err(|_| no_row())?;
        let here_ms = self.conditions.place.counted(&measured).median;
        reference.scale(here_ms, self.conditions.size).map(Some).ok_or_else(no_row)
    }
}

fn no_row() -> Failure {
    Failure::system("the table of durations has no bcrypt row that was measured on Lambda")
}
