//! `saltern-measure calibrate`: finds the strongest parameters within a time.
//!
//! 1. `place` is where hashes are measured: on this machine, or by a `function` on Lambda. It has the
//!    limits from policy document and memory.
//! 2. For each algorithm, `ladder` has the candidate parameters, and `search` finds the last step
//!    within the time.
//! 3. `proposal` compares the step with the minimum of OWASP, and computes the price of a guess.
//!    `bound` names the limit, and `print` ranks and writes the result.

mod bound;
mod function;
mod ladder;
mod place;
mod print;
mod proposal;
mod search;

use std::thread;

use clap::Args;
use indicatif::ProgressBar;
use saltern_capacity::Architecture;
use saltern_cli::{price::PriceArguments, progress_bar};
use saltern_encoded::Algorithm;
use saltern_server::{DocumentArguments, Failure, KernelArguments, say};

use crate::arguments::{architecture, aws_name, function_memory_mb};
use bound::Bound;
use ladder::{CALIBRATED, Step, calibrated};
use place::Place;
use proposal::{Proposal, in_words};
use search::Strongest;

#[derive(Args, Debug)]
pub(crate) struct CalibrateArguments {
    /// The longest time of one hash alone, from 5 to 5000: 100 to 500 are usual for a login
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(5..=5000))]
    pub(crate) target_ms: u32,
    /// Only these: names with commas between [default: all]
    #[arg(long = "algorithm", value_name = "ALGORITHMS", value_delimiter = ',', value_parser = calibrated())]
    pub(crate) algorithms: Vec<Algorithm>,
    /// Measure in this function on Lambda
    #[arg(long, value_name = "FUNCTION", value_parser = aws_name)]
    pub(crate) on_lambda: Option<String>,
    /// The memory of the function, with --architecture: then its size is not read
    #[arg(long, value_name = "MB", value_parser = function_memory_mb(), requires_all = ["on_lambda", "architecture"])]
    pub(crate) memory_mb: Option<u64>,
    /// The architecture of the function, with --memory-mb; Graviton is arm64
    #[arg(long, alias = "arch", value_name = "ARCHITECTURE", value_parser = architecture(), requires = "memory_mb")]
    pub(crate) architecture: Option<Architecture>,
    /// The alias or version of the function [default: $LATEST]
    #[arg(long, value_name = "NAME", value_parser = aws_name, requires = "on_lambda")]
    pub(crate) alias: Option<String>,
    /// The function's region [default: that of the environment or the profile]
    #[arg(long, value_name = "REGION", requires = "on_lambda")]
    pub(crate) region: Option<String>,
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

/// Calibrates on a new thread, as workers are: the main thread's memory has another source and
/// costs less.
pub(crate) fn run(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let calibrated = thread::scope(|scope| scope.spawn(|| calibrate(arguments)).join());
    calibrated.unwrap_or_else(|_panic| {
        Err(Failure::system("an internal fault ended the measurement: please report it"))
    })
}

fn calibrate(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let bar = progress_bar(None, "{spinner} measuring {msg}  {elapsed}");
    let mut place = Place::of(arguments)?;
    let (mut proposals, mut without) = (Vec::new(), Vec::new());
    for algorithm in chosen(&arguments.algorithms) {
        match strongest(algorithm, arguments, &mut place, &bar)? {
            Some(proposal) => proposals.push(proposal),
            None => without.push(algorithm.name()),
        }
    }
    bar.finish_and_clear();
    let report = print::Report { place: &place, arguments, proposals: &proposals, without: &without };
    if arguments.json { say(&format!("{}\n", report.json())) } else { say(&report.text()?) }
}

/// Returns the chosen algorithms in the order of preference.
fn chosen(asked: &[Algorithm]) -> Vec<Algorithm> {
    let is_chosen = |algorithm: &Algorithm| asked.is_empty() || asked.contains(algorithm);
    CALIBRATED.into_iter().filter(is_chosen).collect()
}

/// Finds the strongest parameters of an algorithm; `None` if even the weakest take too long.
fn strongest(
    algorithm: Algorithm,
    arguments: &CalibrateArguments,
    place: &mut Place,
    bar: &ProgressBar,
) -> Result<Option<Proposal>, Failure> {
    let steps = ladder::of(algorithm, &place.policies, place.bytes_per_worker);
    let works: Vec<f64> = steps.iter().map(Step::work).collect();
    let target_ms = f64::from(arguments.target_ms);
    let strongest = search::strongest(&works, target_ms, |at| {
        bar.set_message(format!("{}, {}", algorithm.name(), in_words(steps[at].params)));
        place.one(&steps[at])
    })?;
    let Some(Strongest { at, one, next_exceeds }) = strongest else { return Ok(None) };
    let step = &steps[at];
    let in_lanes = place.in_lanes(step, one)?;
    let bound_by = match next_exceeds {
        Some(bound) => bound,
        None if at + 1 < steps.len() => Bound::Time,
        None => ladder::end(algorithm, step, &place.policies, place.bytes_per_worker),
    };
    Ok(Some(Proposal::new(step.params, &one, &in_lanes, bound_by, place, arguments)))
}
