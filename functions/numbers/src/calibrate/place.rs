//! Where hashes are measured: on this machine, or in a function on Lambda.

use std::time::Duration;

use saltern_encoded::Encoded;
use saltern_meter::{
    Effort, Machine, Measured, Meter, Spread,
    remote::{Answer, Outcome, Question, Reason},
};

use super::{bound::Bound, function::Function, ladder::Step, search::Care};
use saltern_program::Failure;

pub(super) enum Place {
    Here(Box<Meter>),
    Function(Function),
}

impl Place {
    /// How long one hash takes by itself, or why it is refused there.
    pub(super) fn one(&mut self, step: &Step, effort: &Effort) -> Result<Result<Measured, Bound>, Failure> {
        match self {
            Self::Here(meter) => Ok(Ok(meter.one(&step.admitted, effort)?)),
            Self::Function(function) => figures(&ask(function, step, false, effort)?),
        }
    }

    /// How long a full worker's hashes take, or why they are refused there.
    pub(super) fn in_lanes(
        &mut self,
        step: &Step,
        effort: &Effort,
    ) -> Result<Result<Measured, Bound>, Failure> {
        match self {
            Self::Here(meter) => Ok(Ok(meter.in_lanes(&step.admitted, effort)?)),
            Self::Function(function) => figures(&ask(function, step, true, effort)?),
        }
    }

    /// Which of the figures counts.
    ///
    /// Here the time on a processor: what other programs take meanwhile is not the hash's. Under a CPU quota that is less than
    /// anybody waits, which `print` tells. On Lambda the time by the clock: the share of a processor is what one pays for.
    pub(super) fn counted(&self, measured: &Measured) -> Spread {
        match self {
            Self::Here(_) => measured.cpu_ms,
            Self::Function(_) => measured.wall_ms,
        }
    }
}

/// What a function says of itself, asked with a hash that takes no time.
pub(super) fn introduce(function: &Function, step: &Step) -> Result<(Machine, u64), Failure> {
    let answer = ask(function, step, false, &ONCE)?;
    Ok((answer.machine, answer.memory_mb))
}

fn ask(function: &Function, step: &Step, in_lanes: bool, effort: &Effort) -> Result<Answer, Failure> {
    let setting = step.admitted.setting().clone();
    let output = vec![0; setting.output_bytes()];
    let hash = Encoded::new(setting, &output).map(|hash| hash.to_string());
    let hash = hash.ok_or_else(|| Failure::system("the hash to measure cannot be written"))?;
    let question = Question::new(hash, in_lanes, effort);
    for _ in 0..MOST_TURNS {
        let answer = function.ask(question.clone())?;
        if answer.outcome != Outcome::Refused(Reason::Busy) {
            return Ok(answer);
        }
    }
    Err(always_busy())
}

/// Its policy document or its time may be narrower than was thought here: then so much does not fit.
fn figures(answer: &Answer) -> Result<Result<Measured, Bound>, Failure> {
    match answer.outcome {
        Outcome::Measured(measured) => Ok(Ok(measured)),
        Outcome::Refused(Reason::CostOutOfBounds) => Ok(Err(Bound::FunctionCeiling)),
        Outcome::Refused(Reason::DeadlineExceeded) => Ok(Err(Bound::FunctionDeadline)),
        Outcome::Refused(Reason::OutOfMemory) => Ok(Err(Bound::FunctionMemory)),
        Outcome::Refused(Reason::Busy) => Err(always_busy()),
        Outcome::Refused(Reason::Fault) => Err(Failure::system(
            "a fault of the function's own ended the measuring: its log says where, and a report of it is welcome",
        )),
        Outcome::Refused(Reason::UnsupportedHash) => {
            Err(Failure::system("the function does not know the hash to measure: is it of the same version?"))
        }
    }
}

fn always_busy() -> Failure {
    Failure::system(
        "the function is measuring something else each time it is asked: try again when no other calibration of it is under way",
    )
}

/// How much is measured: many of short hashes, and of long ones a few.
pub(super) fn effort(care: Care) -> Effort {
    match care {
        Care::Rough => Effort { fewest_samples: 1, most_samples: MOST_SAMPLES, time: ROUGH },
        Care::Exact => Effort { fewest_samples: FEWEST_SAMPLES, most_samples: MOST_SAMPLES, time: EXACT },
    }
}

/// For a figure about which nothing is decided: hashes in lanes.
pub(super) fn in_passing() -> Effort {
    Effort { fewest_samples: 1, most_samples: MOST_SAMPLES, time: IN_PASSING }
}

const ROUGH: Duration = Duration::from_millis(40);
const EXACT: Duration = Duration::from_millis(1500);
const IN_PASSING: Duration = Duration::from_secs(1);

/// The median of five is not moved by two that were interrupted.
const FEWEST_SAMPLES: usize = 5;
const MOST_SAMPLES: usize = 101;

/// A hash that was given up keeps a function busy for some seconds; each answer comes when it is free, or its time is over.
const MOST_TURNS: usize = 10;

const ONCE: Effort = Effort { fewest_samples: 1, most_samples: 1, time: Duration::ZERO };
