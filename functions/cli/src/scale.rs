//! From this machine to a function on Lambda that was not asked: by one hash whose time there was measured.

use saltern_algorithm::Admitted;
use saltern_capacity::{Architecture, Durations, Parameters};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, bcrypt};
use saltern_measure::{Effort, Meter};
use saltern_policy::{Limits, Policies, SHIPPED};

use crate::{Failure, algorithm::Algorithm};

/// The function that is thought of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) memory_mb: u64,
    pub(crate) architecture: Architecture,
}

/// The hash by which this machine is held against Lambda: the bcrypt of the table of durations that was measured there.
///
/// The other rows are derived from it with kernels that are not Saltern's. Over what Saltern's take here they would tell
/// kernels apart, not machines. One by one, Saltern's bcrypt
/// takes as long as others'.
pub(crate) struct Reference {
    row: Parameters,
    pub(crate) params: Params,
    pub(crate) admitted: Admitted,
}

impl Reference {
    /// `None` where the table has no bcrypt that was measured.
    pub(crate) fn documented() -> Option<Self> {
        let is_measured = |row: &Parameters| {
            let durations = Durations::documented();
            let of = |architecture| durations.one(*row, architecture, durations.reference_memory_mb());
            Architecture::ALL.map(of).iter().flatten().all(|planned| !planned.is_extrapolated)
        };
        Durations::documented().known().filter(is_measured).find_map(|row| {
            let Parameters::Bcrypt { cost } = row else { return None };
            // Not by the operator's document: its ceilings bound what is served, and this is only a yardstick.
            let limits = Limits { workers: 1, memory_budget_bytes: u64::MAX, ..Limits::default() };
            let shipped = Policies::load(SHIPPED, &limits).ok()?;
            let params = Params::Bcrypt(bcrypt::Params::new(cost)?);
            let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
            Some(Self { row, params, admitted: Admitted::new(setting, shipped.ceilings()).ok()? })
        })
    }

    /// From what it takes here.
    pub(crate) fn scale(&self, here_ms: f64, size: Size) -> Option<Scale> {
        let there = Durations::documented().one(self.row, size.architecture, size.memory_mb)?;
        Some(Scale { row: self.row, times: there.duration.as_secs_f64() * MS_PER_SECOND / here_ms })
    }
}

/// How many times as long as here a hash takes on the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The row of the table that says so.
    pub(crate) row: Parameters,
    pub(crate) times: f64,
}

impl Scale {
    /// From this machine to that function, by a brief measurement.
    pub(crate) fn measured(meter: &mut Meter, size: Size) -> Result<Self, Failure> {
        let reference = Reference::documented().ok_or_else(no_row)?;
        let here = meter.one(&reference.admitted, &Effort::BRIEF)?;
        reference.scale(here.hash_cpu_ms(), size).ok_or_else(no_row)
    }

    /// Whether another algorithm's row speaks for this one.
    pub(crate) fn is_extrapolated(&self, algorithm: Algorithm) -> bool {
        self.row.scheme() != algorithm.name()
    }
}

/// Not of the table that is part of the build.
pub(crate) fn no_row() -> Failure {
    Failure::system("the table of durations has no bcrypt that was measured on Lambda")
}

const MS_PER_SECOND: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn below_one_vcpu_a_hash_takes_longer_in_proportion() {
        let reference = Reference::documented().unwrap();
        let of = |memory_mb| {
            reference.scale(41.0, Size { memory_mb, architecture: Architecture::Arm64 }).unwrap().times
        };
        assert!((of(1769) - 2.0).abs() < 1e-9);
        assert!((of(3538) - 2.0).abs() < 1e-9);
        assert!((of(1769 / 2) / 4.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn only_what_was_measured_on_lambda_is_the_yardstick() {
        let reference = Reference::documented().unwrap();
        assert_eq!((reference.row.to_string().as_str(), reference.admitted.work()), ("bcrypt-10", 1024));
        let scale =
            reference.scale(82.0, Size { memory_mb: 1769, architecture: Architecture::Arm64 }).unwrap();
        for &algorithm in Algorithm::value_variants() {
            assert_eq!(scale.is_extrapolated(algorithm), algorithm != Algorithm::Bcrypt, "{algorithm:?}");
        }
    }
}
