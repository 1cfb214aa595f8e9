//! What holds while something is calibrated: where, for which machine, and within which policy document.

use core::num::NonZeroUsize;

use saltern_algorithm::PoolSettings;
use saltern_capacity::{Architecture, Durations, FunctionSize};
use saltern_meter::{Machine, Meter};
use saltern_policy::{Limits, Policies};

use super::{
    CalibrateArguments,
    function::{Address, Function},
    ladder::{self, CALIBRATED},
    place::{self, Place},
};
use crate::algorithm::Algorithm;
use saltern_capacity::Size;
use saltern_program::{Failure, document};

pub(super) struct Conditions {
    pub(super) place: Place,
    pub(super) basis: Basis,
    /// What was measured on.
    pub(super) machine: Machine,
    /// The function whose cost is told, and for which is estimated.
    pub(super) size: Size,
    pub(super) policies: Policies,
    pub(super) bytes_per_worker: u64,
}

/// What the milliseconds are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Measured on this machine, and meant for it.
    Here,
    /// Measured on this machine, and meant for a function that was not asked.
    Estimated,
    /// Measured on the function.
    OnLambda,
}

impl Conditions {
    pub(super) fn of(arguments: &CalibrateArguments) -> Result<Self, Failure> {
        let size = Size {
            memory_mb: arguments.memory_mb.unwrap_or_else(|| Durations::documented().reference_memory_mb()),
            architecture: arguments.architecture.map_or(Architecture::Arm64, Into::into),
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
            // A function's worker keeps what every pool keeps that is not told otherwise.
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
            ..worker
        };
        let place = Place::Here(Box::new(Meter::of_worker(&pool)));
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        let bytes_per_worker = limits.bytes_per_worker();
        Ok(Self { place, basis, machine, size, policies, bytes_per_worker })
    }

    fn on_lambda(
        arguments: &CalibrateArguments,
        function: Function,
        not_asked: Size,
    ) -> Result<Self, Failure> {
        // How much memory it has, it says itself; until then the question is small enough for every function.
        let limits = function_limits(arguments, not_asked.memory_mb)?;
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        // bcrypt takes no memory to speak of; a ceiling may leave only others.
        let mut preferred = [Algorithm::Bcrypt].into_iter().chain(CALIBRATED);
        let smallest = preferred.find_map(|algorithm| {
            ladder::of(algorithm, &policies, limits.bytes_per_worker()).into_iter().next()
        });
        let smallest = smallest.ok_or_else(|| {
            Failure::configuration(
                "the ceilings of the policy document and the memory leave no algorithm anything: raise them",
            )
        })?;
        let (machine, memory_mb) = place::introduce(&function, &smallest)?;
        let named = Architecture::ALL.into_iter().find(|one| one.name() == lambda_name(&machine));
        let size = Size { memory_mb, architecture: named.unwrap_or(not_asked.architecture) };
        let limits = function_limits(arguments, memory_mb)?;
        let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
        Ok(Self {
            place: Place::Function(function),
            basis: Basis::OnLambda,
            machine,
            size,
            policies,
            bytes_per_worker: limits.bytes_per_worker(),
        })
    }

    /// What the figures hold for.
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

/// What a function's memory leaves, as `bootstrap` counts it, where nobody says otherwise.
fn function_limits(arguments: &CalibrateArguments, memory_mb: u64) -> Result<Limits, Failure> {
    let machine = &arguments.document.machine;
    let size = FunctionSize { memory_mib: memory_mb, concurrency: 1 };
    let limits = document::limits(machine)?;
    let workers = machine.workers.unwrap_or_else(|| size.workers()).get();
    let memory_budget_bytes = match machine.memory_budget_mib {
        Some(_) => limits.memory_budget_bytes,
        None => size.memory_budget_bytes().ok_or_else(|| {
            Failure::configuration(format!(
                "a function of {memory_mb} MB has no memory to hash with: {} MB are for the process",
                size.head_room_mib()
            ))
        })?,
    };
    Ok(Limits { workers, memory_budget_bytes, ..limits })
}

/// What Linux calls `aarch64`, Lambda calls `arm64`.
pub(super) fn lambda_name(machine: &Machine) -> &str {
    match machine.architecture.as_str() {
        "aarch64" => "arm64",
        other => other,
    }
}
