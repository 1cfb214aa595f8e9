use core::fmt;
use std::path::Path;

use saltern_encoded::ParseError;

/// Why a sealed string was not opened. It holds no part of the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NotOpened {
    /// The tag is wrong. The seal is damaged, or belongs to another row or context.
    Broken,
    /// The key wants a context, and none was given.
    ContextMissing,
    /// No listed key has the id.
    KeyUnavailable,
    /// The seal is not in its canonical form, or it holds what cannot be a stored hash.
    Malformed,
    /// The string has no seal, and the document requires one.
    SealRequired,
    /// The string has no seal, or a seal of another version.
    Unsupported,
}

impl fmt::Display for NotOpened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Broken => "the seal is damaged, or it belongs to another row or context",
            Self::ContextMissing => "the key of the seal wants a context",
            Self::KeyUnavailable => "the key of the seal is not listed",
            Self::Malformed => "the seal is not in its canonical form",
            Self::SealRequired => "the hash has no seal, and the keys require one",
            Self::Unsupported => "the version of the seal is not supported",
        })
    }
}

impl core::error::Error for NotOpened {}

impl From<ParseError> for NotOpened {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::Invalid => Self::Malformed,
            ParseError::Unsupported => Self::Unsupported,
        }
    }
}

/// Why a string was not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSealed {
    /// The current key wants a context, and none was given.
    ContextMissing,
    /// The string is sealed already, empty, or longer than a stored hash may be.
    NotAHash,
    /// The operating system gave no random bytes for a nonce.
    NoRandomness,
}

impl fmt::Display for NotSealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ContextMissing => "the current key wants a context",
            Self::NotAHash => "the string is sealed already, empty, or longer than a stored hash may be",
            Self::NoRandomness => "the system returned no random bytes",
        })
    }
}

impl core::error::Error for NotSealed {}

/// Why a document of keys is refused: a message for the operator. It quotes no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeysError(String);

impl KeysError {
    /// Names the file.
    pub(crate) fn about(self, file: &Path) -> Self {
        Self(format!("the seal keys {}: {}", file.display(), self.0))
    }

    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for KeysError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for KeysError {}
