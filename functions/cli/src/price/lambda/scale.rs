//! Estimates times on Lambda from times on this machine, by one hash whose time on Lambda was
//! measured.

use core::ops::RangeInclusive;

use saltern_encoded::{Algorithm, NEW_SALT_BYTES, Params, Setting};
use saltern_kernels::Admitted;
use saltern_policy::{Limits, Policies, SHIPPED};

use super::{Architecture, Durations};

/// The range of a function's memory in MB (Lambda developer guide, "Lambda quotas").
pub const FUNCTION_MEMORY_MB: RangeInclusive<u64> = 128..=10_240;

/// The size of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Memory in MB as AWS writes it, which are MiB.
    pub memory_mb: u64,
    /// The processor architecture.
    pub architecture: Architecture,
}

/// The hash that compares this machine with Lambda: the bcrypt row of the table of durations that
/// was measured on Lambda.
///
/// Other rows are derived from it with other kernels than Saltern's. With them the ratio would
/// compare kernels, not machines. One hash alone takes as long with Saltern's bcrypt as with
/// others.
pub struct Reference {
    /// The parameters of its row.
    pub params: Params,
    /// The same hash, admitted to the kernels.
    pub admitted: Admitted,
}

impl Reference {
    /// Returns the reference; `None` if the table has no bcrypt that was measured.
    #[must_use]
    pub fn documented() -> Option<Self> {
        let is_measured = |params: &Params| {
            let durations = Durations::documented();
            let of = |architecture| durations.one(*params, architecture, durations.reference_memory_mb());
            Architecture::ALL.map(of).iter().flatten().all(|planned| !planned.is_extrapolated)
        };
        let is_bcrypt = |params: &Params| params.algorithm() == Algorithm::Bcrypt;
        Durations::documented().known().filter(is_bcrypt).find(is_measured).and_then(|params| {
            // The ceilings of the shipped document: the operator's ceilings bound requests, not
            // this measurement.
            let limits = Limits { workers: 1, memory_budget_bytes: u64::MAX, ..Limits::default() };
            let shipped = Policies::load(SHIPPED, &limits).ok()?;
            let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
            Some(Self { params, admitted: Admitted::new(setting, shipped.ceilings()).ok()? })
        })
    }

    /// Returns the scale for a function, from the milliseconds that the reference hash takes here.
    #[must_use]
    pub fn scale(&self, here_ms: f64, size: Size) -> Option<Scale> {
        let there = Durations::documented().one(self.params, size.architecture, size.memory_mb)?;
        Some(Scale { row: self.params, times: there.duration.as_secs_f64() * MS_PER_SECOND / here_ms })
    }
}

/// The ratio of times on the function to times on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The row of the reference hash.
    pub row: Params,
    /// Time on the function divided by time on this machine.
    pub times: f64,
}

const MS_PER_SECOND: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_one_vcpu_the_time_of_a_hash_grows_in_proportion() {
        let reference = Reference::documented().unwrap();
        let of = |memory_mb| {
            reference.scale(41.0, Size { memory_mb, architecture: Architecture::Arm64 }).unwrap().times
        };
        assert!((of(1769) - 2.0).abs() < 1e-9);
        assert!((of(3538) - 2.0).abs() < 1e-9);
        assert!((of(1769 / 2) / 4.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn the_reference_is_a_hash_that_was_measured_on_lambda() {
        let reference = Reference::documented().unwrap();
        assert_eq!(
            (crate::price::lambda::name_of(reference.params).as_str(), reference.admitted.work()),
            ("bcrypt-10", 1024)
        );
    }
}
