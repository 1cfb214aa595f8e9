use core::fmt;

/// Why a stored hash was not read. It carries nothing of the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The scheme is known; the rest is not the one form that its reference software prints.
    Invalid,
    /// The scheme, or this variant of it, is not one that Saltern verifies.
    Unsupported,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "the stored hash is not in its scheme's canonical form",
            Self::Unsupported => "the stored hash is of a scheme that is not verified here",
        })
    }
}

impl core::error::Error for ParseError {}
