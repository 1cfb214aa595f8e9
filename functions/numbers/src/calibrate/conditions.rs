//! The conditions of a calibration: the place, the machine, the policy document.

use core::num::NonZeroUsize;

use saltern_algorithm::PoolSettings;
use saltern_capacity::{Architecture, Durations, FunctionSize};
use saltern_encoded::Algorithm;
use saltern_meter::{Machine, Meter};
use saltern_policy::{Limits, Policies};

use super::{
    CalibrateArguments,
    function::{Address, Function},
    ladder::{self, CALIBRATED},
    place::{self, Place},
};
use saltern_capacity::Size;
use saltern_program::{Failure, document};

pub(super) struct Conditions {
    pub(super) place: Place,
    pub(super) basis: Basis,
    /// The machine of the measurements.
    pub(super) machine: Machine,
    /// The function for the estimate and its cost.
    pub(super) size: Size,
    pub(super) policies: Policies,
    pub(super) bytes_per_worker: u64,
    /// The hashing threads of this machine or of the function.
    pub(super) workers: usize,
}

/// The source of the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Measured on this machine, for this machine.
    Here,
    /// Measured on this machine, and estimated for a function.
    Estimated,
    /// Measured on the function.
    OnLambda,
}

impl Conditions {
    pub(super) fn of(arguments: &CalibrateArguments) -> Result<Self, Failure> {
        let size = Size {
            memory_mb: arguments.memory_mb.unwrap_or_else(|| Durations::documented().reference_memory_mb()),
            architecture: arguments.architecture.unwrap_or(Architecture::Arm64),
        };
        if let Some(function) = &arguments.on_lambda {
            let address = Address {
                function: function.clone(),
                alias: arguments.alias.clone(),
                region: arguments.region.clone(),
            };
            return Self::on_lambda(arguments, Function::new(address)?, size);
        }
        let machine = Machine::this();
        let (basis, limits, worker) = if arguments.memory_mb.is_some() || arguments.architecture.is_some() {
            // The pool of a function has the default settings.
            let limits = function_limits(arguments, size.memory_mb)?;
            (Basis::Estimated, limits, PoolSettings::new(NonZeroUsize::MIN))
        } else {
            let limits = document::limits(&arguments.document.machine)?;
            let worker = document::worker(&limits);
            (Basis::Here, limits, worker)
        };
        let pool = PoolSettings {
            kernels: arguments.kernels.kernels,
            bcrypt_lanes: arguments.kernels.bcrypt_lanes,
            argon2_lanes: arguments.kernels.argon2_lanes,
            ..worker
        };
        let place = Place::Here(Box::new(Meter::of_worker(&pool)));
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        let bytes_per_worker = limits.bytes_per_worker();
        Ok(Self { place, basis, machine, size, policies, bytes_per_worker, workers: limits.workers })
    }

    fn on_lambda(arguments: &CalibrateArguments, function: Function, assumed: Size) -> Result<Self, Failure> {
        // The function's first answer contains its memory. The first question fits every function.
        let limits = function_limits(arguments, assumed.memory_mb)?;
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        // bcrypt takes little memory, but the ceilings can exclude it.
        let mut preferred = [Algorithm::Bcrypt].into_iter().chain(CALIBRATED);
        let smallest = preferred.find_map(|algorithm| {
            ladder::of(algorithm, &policies, limits.bytes_per_worker()).into_iter().next()
        });
        let smallest = smallest.ok_or_else(|| {
            Failure::configuration(
                "the ceilings of the policy document or the memory exclude every algorithm: raise them",
            )
        })?;
        let (machine, memory_mb) = place::introduce(&function, &smallest)?;
        let architecture = lambda_name(&machine).parse().unwrap_or(assumed.architecture);
        let size = Size { memory_mb, architecture };
        let limits = function_limits(arguments, memory_mb)?;
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        Ok(Self {
            place: Place::Function(function),
            basis: Basis::OnLambda,
            machine,
            size,
            policies,
            bytes_per_worker: limits.bytes_per_worker(),
            workers: limits.workers,
        })
    }

    /// Names the machine or function for which the figures hold.
    pub(super) fn in_words(&self) -> String {
        let Size { memory_mb, architecture } = self.size;
        match (self.basis, &self.place) {
            (Basis::Here, _) => self.machine.cpu.clone(),
            (Basis::OnLambda, Place::Function(function)) => {
                format!("{} on Lambda ({memory_mb} MB, {})", function.name(), self.machine.cpu)
            }
            _ => format!("Lambda with {memory_mb} MB on {}", architecture.name()),
        }
    }
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

/// Returns Lambda's name of the architecture: Linux `aarch64` is Lambda `arm64`.
pub(super) fn lambda_name(machine: &Machine) -> &str {
    match machine.architecture.as_str() {
        "aarch64" => "arm64",
        other => other,
    }
}
