//! The limits that keep parameters from being stronger.

use saltern_program::Failure;
use serde::Serialize;

/// The reason for which the next step of a ladder is not taken, or a step is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Bound {
    /// A ceiling of the local policy document.
    Ceiling,
    /// A ceiling of the function's policy document.
    FunctionCeiling,
    /// The function's deadline: its timeout, or its longest time for a request.
    FunctionDeadline,
    /// The memory for each hash, here or in the function.
    Memory,
    /// The ladder has no stronger step.
    Strongest,
    /// The target.
    Time,
}

impl Bound {
    /// Describes the limit.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Ceiling => "a ceiling of the policy document",
            Self::FunctionCeiling => "a ceiling of the function's policy document",
            Self::FunctionDeadline => {
                "the function's deadline (its timeout, or its longest time for a request)"
            }
            Self::Memory => "the memory for each hash",
            Self::Strongest => "no limit: stronger parameters are not in use",
            Self::Time => "the target",
        }
    }

    /// Returns the change that allows stronger parameters.
    pub(super) fn wants(self) -> Option<&'static str> {
        match self {
            Self::Ceiling => Some("a higher ceiling"),
            Self::FunctionCeiling => Some("a higher ceiling in the function's document"),
            Self::FunctionDeadline => Some("a longer timeout of the function"),
            Self::Memory => Some("more memory for each hash"),
            Self::Strongest | Self::Time => None,
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
            Stop::Limit(bound) => Self::system(format!("the answer exceeds {}", bound.in_words())),
            Stop::Broken(failure) => failure,
        }
    }
}
