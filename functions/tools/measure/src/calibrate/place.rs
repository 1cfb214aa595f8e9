//! The place of a calibration: where hashes are measured, and within which limits.

use core::num::NonZeroUsize;
use std::time::Duration;

use crate::measure::{Effort, Machine, Measured, Meter};
use saltern_capacity::Size;
use saltern_lambda::FunctionSize;
use saltern_policy::{Limits, Policies};
use saltern_pool::PoolSettings;
use saltern_server::{Failure, document};

use super::{CalibrateArguments, bound::Stop, function::Function, ladder::Step};

pub(super) struct Place {
    source: Source,
    pub(super) policies: Policies,
    pub(super) bytes_per_worker: u64,
    /// The hashing threads of this machine or of the function.
    pub(super) workers: usize,
}

/// What measures.
enum Source {
    Here(Meter),
    OnLambda(Box<Function>),
}

impl Place {
    pub(super) fn of(arguments: &CalibrateArguments) -> Result<Self, Failure> {
        let (source, limits) = if let Some(name) = &arguments.on_lambda {
            let function = Function::find(name, arguments)?;
            let limits = function_limits(arguments, function.size().memory_mb)?;
            (Source::OnLambda(Box::new(function)), limits)
        } else {
            let limits = document::limits(&arguments.document.machine)?;
            (Source::Here(meter(arguments, limits.bytes_per_worker())), limits)
        };
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        let bytes_per_worker = limits.bytes_per_worker();
        Ok(Self { source, policies, bytes_per_worker, workers: limits.workers })
    }

    /// Measures one hash alone.
    ///
    /// What counts is [`Measured::cpu_ms`]. On this machine it excludes other programs; under a CPU
    /// quota callers wait longer, and `print` says so. On Lambda it is wall-clock time, because the
    /// function pays for its share of a processor.
    pub(super) fn one(&mut self, step: &Step) -> Result<Measured, Stop> {
        match &mut self.source {
            Source::Here(meter) => Ok(meter.one(&step.admitted, &EFFORT).map_err(Failure::from)?),
            Source::OnLambda(function) => function.one(step),
        }
    }

    /// Measures the hashes of a full worker, after [`one`](Self::one) of them alone.
    pub(super) fn in_lanes(&mut self, step: &Step, one: Measured) -> Result<Measured, Failure> {
        match &mut self.source {
            Source::Here(meter) => Ok(meter.in_lanes(&step.admitted, &EFFORT)?),
            Source::OnLambda(function) => function.in_lanes(step, one),
        }
    }

    /// Returns the function that measures.
    pub(super) fn function(&self) -> Option<&Function> {
        match &self.source {
            Source::Here(_) => None,
            Source::OnLambda(function) => Some(function),
        }
    }

    /// Names the machine or the function.
    pub(super) fn in_words(&self) -> String {
        self.function().map_or_else(
            || Machine::this().cpu,
            |function| {
                let Size { memory_mb, architecture } = function.size();
                format!("{} on Lambda ({memory_mb} MB, {})", function.name(), architecture.name())
            },
        )
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
