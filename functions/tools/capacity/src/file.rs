//! Common parts of the JSON files.

use serde::Deserialize;

/// A number. In the file its source is beside it.
#[derive(Clone, Debug, Deserialize)]
pub struct Sourced<T> {
    /// The number itself.
    pub value: T,
}
