//! The limits that keep parameters from being stronger.

use saltern_server::Failure;
use serde::Serialize;

/// The reason for which the next step of a ladder is not taken, or a step is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub(super) enum Bound {
    /// A ceiling of the local policy document.
    Ceiling,
    /// A ceiling of the function's policy document.
    FunctionCeiling,
    /// The function's deadline: its timeout, or its longest time for a request.
    FunctionDeadline,
    /// The memory for each hash, here or in the function.
    Memory,
    /// The target.
    Time,
}

impl From<Bound> for &'static str {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Ceiling => "ceiling",
            Bound::FunctionCeiling => "function_ceiling",
            Bound::FunctionDeadline => "function_deadline",
            Bound::Memory => "memory",
            Bound::Time => "time",
        }
    }
}

/// Why a function did not measure a step.
pub(super) enum Stop {
    /// The step exceeds this limit.
    Limit(Bound),
    /// The function cannot measure.
    Broken(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Limit(bound) => {
                Self::system(format!("the function ended the measurement: {}", <&str>::from(bound)))
            }
            Stop::Broken(failure) => failure,
        }
    }
}
