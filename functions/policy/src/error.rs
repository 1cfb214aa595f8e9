use core::fmt;

/// Why a policy document is refused: a message for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError(String);

impl DocumentError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for DocumentError {}
