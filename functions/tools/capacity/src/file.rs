//! Common parts of the JSON files.

use core::fmt;

use serde::Deserialize;

/// A number. In the file its source is beside it.
#[derive(Clone, Debug, Deserialize)]
pub struct Sourced<T> {
    /// The number itself.
    pub value: T,
}

/// A file does not have its format.
#[derive(Debug)]
pub struct Unreadable(String);

impl Unreadable {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file cannot be read: {}", self.0)
    }
}

impl core::error::Error for Unreadable {}
