//! The place of a calibration: where hashes are measured, for which machine, and within which
//! limits.

use core::num::NonZeroUsize;
use std::time::Duration;

use crate::measure::{Effort, Machine, Measured, Meter};
use saltern_algorithm::PoolSettings;
use saltern_lambda::FunctionSize;
use saltern_policy::{Limits, Policies};
use saltern_price::lambda::{Architecture, Durations, Reference, Scale, Size};
use saltern_program::{Failure, document};

use super::{CalibrateArguments, bound::Stop, function::Function, ladder::Step};

pub(super) struct Place {
    pub(super) source: Source,
    /// The function for the estimate and its cost.
    pub(super) size: Size,
    /// From this machine to that function; `None` if the function measures.
    pub(super) scale: Option<Scale>,
    pub(super) policies: Policies,
    pub(super) bytes_per_worker: u64,
    /// The hashing threads of this machine or of the function.
    pub(super) workers: usize,
}

/// The source of the times.
pub(super) enum Source {
    /// Measured on this machine, for this machine.
    Here(Meter),
    /// Measured on this machine, and estimated for a function.
    Estimated(Meter),
    /// Measured by the function.
    OnLambda(Box<Function>),
}

impl Place {
    pub(super) fn of(arguments: &CalibrateArguments) -> Result<Self, Failure> {
        let machine = &arguments.document.machine;
        let assumed = Size {
            memory_mb: arguments.memory_mb.unwrap_or_else(|| Durations::documented().reference_memory_mb()),
            architecture: arguments.architecture.unwrap_or(Architecture::Arm64),
        };
        let (mut source, size, limits) = if let Some(name) = &arguments.on_lambda {
            let function = Function::find(name, arguments)?;
            let size = function.size();
            (Source::OnLambda(Box::new(function)), size, function_limits(arguments, size.memory_mb)?)
        } else if arguments.memory_mb.is_some() || arguments.architecture.is_some() {
            let limits = function_limits(arguments, assumed.memory_mb)?;
            (Source::Estimated(meter(arguments, limits.bytes_per_worker())), assumed, limits)
        } else {
            let limits = document::limits(machine)?;
            (Source::Here(meter(arguments, limits.bytes_per_worker())), assumed, limits)
        };
        let scale = match &mut source {
            Source::OnLambda(_) => None,
            Source::Here(meter) | Source::Estimated(meter) => Some(scale(meter, size)?),
        };
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        let bytes_per_worker = limits.bytes_per_worker();
        Ok(Self { source, size, scale, policies, bytes_per_worker, workers: limits.workers })
    }

    /// Measures one hash alone.
    ///
    /// What counts is [`Measured::cpu_ms`]. On this machine it excludes other programs; under a CPU
    /// quota callers wait longer, and `print` says so. On Lambda it is wall-clock time, because the
    /// function pays for its share of a processor.
    pub(super) fn one(&mut self, step: &Step) -> Result<Measured, Stop> {
        match &mut self.source {
            Source::Here(meter) | Source::Estimated(meter) => {
                Ok(meter.one(&step.admitted, &EFFORT).map_err(Failure::from)?)
            }
            Source::OnLambda(function) => function.one(step),
        }
    }

    /// Measures the hashes of a full worker, after [`one`](Self::one) of them alone.
    pub(super) fn in_lanes(&mut self, step: &Step, one: Measured) -> Result<Measured, Failure> {
        match &mut self.source {
            Source::Here(meter) | Source::Estimated(meter) => Ok(meter.in_lanes(&step.admitted, &EFFORT)?),
            Source::OnLambda(function) => function.in_lanes(step, one),
        }
    }

    /// Returns the factor from measured times to times of the function.
    pub(super) fn to_function(&self) -> f64 {
        self.scale.map_or(1.0, |scale| scale.times)
    }

    /// Returns the factor from measured times to times at the place of the target.
    pub(super) fn to_target(&self) -> f64 {
        if self.is_estimated() { self.to_function() } else { 1.0 }
    }

    pub(super) fn is_estimated(&self) -> bool {
        matches!(self.source, Source::Estimated(_))
    }

    pub(super) fn is_on_lambda(&self) -> bool {
        matches!(self.source, Source::OnLambda(_))
    }

    /// Returns the machine of the measurements; `None` for a function, which does not name it.
    pub(super) fn machine(&self) -> Option<Machine> {
        (!self.is_on_lambda()).then(Machine::this)
    }

    /// Names the machine or function for which the figures hold.
    pub(super) fn in_words(&self) -> String {
        let (memory_mb, architecture) = (self.size.memory_mb, self.size.architecture.name());
        match &self.source {
            Source::Here(_) => Machine::this().cpu,
            Source::Estimated(_) => format!("Lambda with {memory_mb} MB on {architecture}"),
            Source::OnLambda(function) => {
                format!("{} on Lambda ({memory_mb} MB, {architecture})", function.name())
            }
        }
    }
}

/// Returns a meter that computes as a worker with these bytes of kept memory.
fn meter(arguments: &CalibrateArguments, kept_bytes: u64) -> Meter {
    Meter::of_worker(&PoolSettings {
        kernels: arguments.kernels.kernels,
        bcrypt_lanes: arguments.kernels.bcrypt_lanes,
        argon2_lanes: arguments.kernels.argon2_lanes,
        kept_bytes,
        ..PoolSettings::new(NonZeroUsize::MIN)
    })
}

/// Measures the scale of times from this machine to a function.
fn scale(meter: &mut Meter, size: Size) -> Result<Scale, Failure> {
    let no_row = || Failure::system("the table of durations has no bcrypt row that was measured on Lambda");
    let reference = Reference::documented().ok_or_else(no_row)?;
    let here = meter.one(&reference.admitted, &EFFORT)?;
    reference.scale(here.cpu_ms.median, size).ok_or_else(no_row)
}

/// Returns the limits of a function with this memory, as `bootstrap` computes them, with the
/// arguments applied.
fn function_limits(arguments: &CalibrateArguments, memory_mb: u64) -> Result<Limits, Failure> {
    let machine = &arguments.document.machine;
    let size = FunctionSize { memory_mib: memory_mb, concurrency: 1 };
    let limits = document::limits(machine)?;
    let workers = machine.workers.unwrap_or_else(|| size.workers()).get();
    let memory_budget_bytes = match machine.memory_budget_mib {
        Some(_) => limits.memory_budget_bytes,
        None => size.memory_budget_bytes().ok_or_else(|| {
            Failure::configuration(format!(
                "a function with {memory_mb} MB has no memory for hashes: the process needs {} MB",
                size.head_room_mib()
            ))
        })?,
    };
    Ok(Limits { workers, memory_budget_bytes, ..limits })
}

/// The median of five samples is right if two were interrupted.
const EFFORT: Effort = Effort { fewest_samples: 5, most_samples: 101, time: Duration::from_millis(600) };
