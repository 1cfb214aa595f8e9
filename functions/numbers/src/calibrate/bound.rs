//! The limits that keep parameters from being stronger.

use serde::Serialize;

/// The reason for which the next step of a ladder is not taken, or a step is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Bound {
    /// A ceiling of the local policy document.
    Ceiling,
    /// A ceiling of the function's policy document, which its memory lowers.
    FunctionCeiling,
    /// The function's deadline: its timeout, or its longest time for a request.
    FunctionDeadline,
    /// The function has too little memory.
    FunctionMemory,
    /// The memory for each hash here, or in the function of the estimate.
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
            Self::FunctionCeiling => "a ceiling of the function's policy document, or its memory",
            Self::FunctionDeadline => {
                "the function's deadline (its timeout, or its longest time for a request)"
            }
            Self::FunctionMemory => "the function's memory",
            Self::Memory => "the memory for each hash",
            Self::Strongest => "no limit: stronger parameters are not in use",
            Self::Time => "the target",
        }
    }

    /// Returns the change that allows stronger parameters.
    pub(super) fn wants(self) -> Option<&'static str> {
        match self {
            Self::Ceiling => Some("a higher ceiling"),
            Self::FunctionCeiling => {
                Some("a higher ceiling in the function's document, or more memory there")
            }
            Self::FunctionDeadline => Some("a longer timeout of the function"),
            Self::FunctionMemory => Some("a function with more memory"),
            Self::Memory => Some("more memory for each hash"),
            Self::Strongest | Self::Time => None,
        }
    }
}
