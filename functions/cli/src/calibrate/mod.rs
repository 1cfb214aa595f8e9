//! `saltern calibrate`: the strongest parameters that stay within a time.
//!
//! 1. `conditions` works out where is measured, and what the policy document and the memory allow.
//! 2. For each algorithm `ladder` has the parameters in question, and `search` finds the last that fits, by measurements of
//!    `place`: this machine, or a `function` on Lambda. `scale` estimates for a function that was not asked.
//! 3. `proposal` holds it against `standards`, and `print` tells.

mod conditions;
mod function;
pub(crate) mod ladder;
mod place;
mod print;
mod proposal;
mod scale;
mod search;
mod standards;
pub(crate) mod target;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::IsTerminal as _,
    thread,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use saltern_measure::Measured;

use crate::{Failure, arguments::CalibrateArguments, terminal::say};
use conditions::{Basis, Conditions};
use ladder::{Algorithm, Step};
use proposal::{Findings, Proposal, in_words};
use scale::{Reference, Scale};
use search::Care;

/// Calibrates on a thread of its own, as the workers are: the first one's memory comes from elsewhere and costs less.
pub(crate) fn run(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let calibrated = thread::scope(|scope| scope.spawn(|| calibrate(arguments)).join());
    calibrated.unwrap_or_else(|_panic| Err(Failure::system("a fault of saltern's own ended the measuring")))
}

fn calibrate(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let mut calibration = Calibration {
        conditions: Conditions::of(arguments)?,
        target: arguments.target,
        scale: None,
        bar: bar(),
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
    let found = print::Found {
        conditions: &calibration.conditions,
        scale: calibration.scale,
        target: arguments.target,
        proposals: &proposals,
        without: &without,
    };
    if arguments.json { say(&format!("{}\n", found.json()?)) } else { say(&found.text()?) }
}

/// Those that were asked for, in the order of preference.
fn chosen(asked: &[Algorithm]) -> Vec<Algorithm> {
    let is_chosen = |algorithm: &Algorithm| asked.is_empty() || asked.contains(algorithm);
    Algorithm::ALL.into_iter().filter(is_chosen).collect()
}

struct Calibration {
    conditions: Conditions,
    target: Duration,
    /// To the function whose cost is told; `None` where it is measured there.
    scale: Option<Scale>,
    bar: ProgressBar,
}

impl Calibration {
    /// The strongest parameters of an algorithm; `None` where even its weakest take longer.
    fn propose(&mut self, algorithm: Algorithm) -> Result<Option<Proposal>, Failure> {
        let to_function = self.scale.map_or(1.0, |scale| scale.times);
        let to_target = if self.conditions.basis == Basis::Estimated { to_function } else { 1.0 };
        let target = self.target.div_f64(to_target);
        let steps = ladder::of(algorithm, &self.conditions.policies, self.conditions.bytes_per_worker);
        let works: Vec<f64> = steps.iter().map(Step::work).collect();
        let mut exact = BTreeMap::new();
        let mut refused = BTreeSet::new();
        let found = search::strongest(&works, target.as_secs_f64() * 1000.0, |at, care| {
            let measured = self.measure(algorithm, &steps[at], care)?;
            if let (Care::Exact, Some(measured)) = (care, measured) {
                exact.insert(at, measured);
            }
            if measured.is_none() {
                refused.insert(at);
            }
            Ok(measured.map(|measured| self.conditions.place.counted(&measured).median))
        })?;
        let Some((&at, &one)) = found.and_then(|at| exact.get_key_value(&at)) else { return Ok(None) };
        let step = steps[at].clone();
        let Some(in_lanes) = self.conditions.place.in_lanes(&step, &place::in_passing())? else {
            return Err(Failure::system(format!(
                "{} in lanes takes longer than the function may: give it a longer timeout, or a shorter --target",
                in_words(step.params)
            )));
        };
        // Over a ceiling as it is known here there is no step behind it; over one of the function's it was refused.
        let bound_by_time = at + 1 < steps.len() && !refused.contains(&(at + 1));
        let findings = Findings { at, one, in_lanes, to_target, to_function, bound_by_time };
        Ok(Some(Proposal::new(algorithm, step, findings, &self.conditions)))
    }

    fn measure(
        &mut self,
        algorithm: Algorithm,
        step: &Step,
        care: Care,
    ) -> Result<Option<Measured>, Failure> {
        self.bar.set_message(format!("{}, {}", algorithm.name(), in_words(step.params)));
        self.conditions.place.one(step, &place::effort(care))
    }

    /// How many times as long as here hashes take on the function whose cost is told; `None` where they are measured there.
    fn scale(&mut self) -> Result<Option<Scale>, Failure> {
        if self.conditions.basis == Basis::OnLambda {
            return Ok(None);
        }
        let no_row = || Failure::system("the table of durations has no bcrypt that was measured on Lambda");
        let reference = Reference::documented().ok_or_else(no_row)?;
        let measured = self.measure(Algorithm::Bcrypt, &reference.step, Care::Exact)?;
        let here = measured.map(|measured| self.conditions.place.counted(&measured).median);
        here.and_then(|ms| reference.scale(ms, self.conditions.size)).map(Some).ok_or_else(no_row)
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} measuring {msg}  {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

const TICK: Duration = Duration::from_millis(200);
