use core::fmt;

/// Why a policy document was refused: one sentence for whoever edits the document, which holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError(String);

impl DocumentError {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for DocumentError {}
