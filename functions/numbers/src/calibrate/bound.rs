//! What keeps parameters from being stronger.

/// Why the next step of a ladder is not taken, or why something is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// A ceiling of the policy document here.
    Ceiling,
    /// A ceiling of the function's own policy document, as its memory lowers it.
    FunctionCeiling,
    /// The function's deadline: its timeout, or the longest that a caller may wait there.
    FunctionDeadline,
    /// The function has no memory for it.
    FunctionMemory,
    /// The memory that each hash may take here, or in the function that is estimated for.
    Memory,
    /// Nothing stronger is in question at all.
    Strongest,
    /// The target.
    Time,
}

impl Bound {
    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ceiling => "ceiling",
            Self::FunctionCeiling => "function_ceiling",
            Self::FunctionDeadline => "function_deadline",
            Self::FunctionMemory => "function_memory",
            Self::Memory => "memory",
            Self::Strongest => "strongest",
            Self::Time => "time",
        }
    }

    /// As what holds something back.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Ceiling => "a ceiling of the policy document",
            Self::FunctionCeiling => "a ceiling of the function's own policy document, or its memory",
            Self::FunctionDeadline => {
                "the function's deadline (its timeout, or the longest that it lets a request take)"
            }
            Self::FunctionMemory => "the function's memory",
            Self::Memory => "the memory that each hash may take",
            Self::Strongest => "nothing: stronger parameters are in nobody's use",
            Self::Time => "the target",
        }
    }

    /// What must be given for more.
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
