//! Common parts of the JSON files.

use core::fmt;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A number. In the file its source is beside it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
}

/// A number of a file, for a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The name in the file, with its unit.
    pub name: String,
    /// The number, as the file has it.
    pub value: String,
    /// The source of the number.
    pub source: String,
}

/// Returns every number of a file that has a source beside it, by name. A source is a text, or the
/// name of a text in `sources`.
#[expect(clippy::expect_used, reason = "the files are part of the build; tests read them")]
pub(crate) fn figures(text: &str) -> Vec<Figure> {
    let file: BTreeMap<String, Value> = serde_json::from_str(text).expect("the file is an object");
    let shared = file.get("sources").cloned().unwrap_or_default();
    let entries =
        file.iter().filter_map(|(name, entry)| Some((name, entry.get("value")?, entry.get("source")?)));
    entries
        .map(|(name, value, source)| {
            let named = source.as_str().unwrap_or_default();
            let source = shared.get(named).and_then(Value::as_str).unwrap_or(named).to_owned();
            Figure { name: name.clone(), value: value.to_string(), source }
        })
        .collect()
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
