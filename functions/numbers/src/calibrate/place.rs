//! The place of the measurements: this machine, or a function on Lambda.

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
    /// Measures one hash alone, or the hashes of a full worker; `Err` with the limit if the
    /// function refuses them.
    pub(super) fn measure(
        &mut self,
        step: &Step,
        in_lanes: bool,
        effort: &Effort,
    ) -> Result<Result<Measured, Bound>, Failure> {
        match self {
            Self::Here(meter) if in_lanes => Ok(Ok(meter.in_lanes(&step.admitted, effort)?)),
            Self::Here(meter) => Ok(Ok(meter.one(&step.admitted, effort)?)),
            Self::Function(function) => figures(&ask(function, step, in_lanes, effort)?),
        }
    }

    /// Returns the time that counts.
    ///
    /// On this machine it is processor time, which excludes other programs. Under a CPU quota
    /// callers wait longer, and `print` says so. On Lambda it is wall-clock time, because the
    /// function pays for its share of a processor.
    pub(super) fn counted(&self, measured: &Measured) -> Spread {
        match self {
            Self::Here(_) => measured.cpu_ms,
            Self::Function(_) => measured.wall_ms,
        }
    }
}

/// Returns the machine and the memory of a function, with the measurement of a hash that takes
/// little time.
pub(super) fn introduce(function: &Function, step: &Step) -> Result<(Machine, u64), Failure> {
    let answer = ask(function, step, false, &ONCE)?;
    Ok((answer.machine, answer.memory_mb))
}

fn ask(function: &Function, step: &Step, in_lanes: bool, effort: &Effort) -> Result<Answer, Failure> {
    let setting = step.admitted.setting().clone();
    let output = vec![0; setting.output_bytes()];
    let hash = Encoded::new(setting, &output).map(|hash| hash.to_string());
    let hash = hash.ok_or_else(|| Failure::system("the hash to measure has no text"))?;
    let question = Question::new(hash, in_lanes, effort);
    for _ in 0..MOST_TURNS {
        let answer = function.ask(question.clone())?;
        if answer.outcome != Outcome::Refused(Reason::Busy) {
            return Ok(answer);
        }
    }
    Err(always_busy())
}

/// Returns the measurement, or the limit of the function: its policy document or its time can be
/// stricter than here.
fn figures(answer: &Answer) -> Result<Result<Measured, Bound>, Failure> {
    match answer.outcome {
        Outcome::Measured(measured) => Ok(Ok(measured)),
        Outcome::Refused(Reason::CostOutOfBounds) => Ok(Err(Bound::FunctionCeiling)),
        Outcome::Refused(Reason::DeadlineExceeded) => Ok(Err(Bound::FunctionDeadline)),
        Outcome::Refused(Reason::OutOfMemory) => Ok(Err(Bound::FunctionMemory)),
        Outcome::Refused(Reason::Busy) => Err(always_busy()),
        Outcome::Refused(Reason::Fault) => Err(Failure::system(
            "an internal fault of the function ended the measurement: its log has the place; please report it",
        )),
        Outcome::Refused(Reason::UnsupportedHash) => {
            Err(Failure::system("the function does not know the algorithm: deploy this version of Saltern"))
        }
    }
}

fn always_busy() -> Failure {
    Failure::system(
        "the function is busy with other measurements: try again when no other calibration of it runs",
    )
}

/// Returns the limits of a measurement.
pub(super) fn effort(care: Care) -> Effort {
    match care {
        Care::Rough => Effort { fewest_samples: 1, most_samples: MOST_SAMPLES, time: ROUGH },
        Care::Exact => Effort { fewest_samples: FEWEST_SAMPLES, most_samples: MOST_SAMPLES, time: EXACT },
    }
}

/// Returns the limits of a measurement that decides nothing: hashes in lanes.
pub(super) fn in_passing() -> Effort {
    Effort { fewest_samples: 1, most_samples: MOST_SAMPLES, time: IN_PASSING }
}

const ROUGH: Duration = Duration::from_millis(40);
const EXACT: Duration = Duration::from_millis(1500);
const IN_PASSING: Duration = Duration::from_secs(1);

/// The median of five samples is right if two were interrupted.
const FEWEST_SAMPLES: usize = 5;
const MOST_SAMPLES: usize = 101;

/// An abandoned hash keeps a function busy for some seconds. Each attempt waits until the function
/// is free or its time ends.
const MOST_TURNS: usize = 10;

const ONCE: Effort = Effort { fewest_samples: 1, most_samples: 1, time: Duration::ZERO };
