use core::fmt;

/// Why a stored hash was refused. It carries no part of the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The scheme is known, and the string is not in the form that the reference software prints.
    Invalid,
    /// Saltern does not verify this scheme, or this variant of the scheme.
    Unsupported,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "the stored hash is not in its scheme's canonical form",
            Self::Unsupported => "the scheme of the stored hash is not supported",
        })
    }
}

impl core::error::Error for ParseError {}
