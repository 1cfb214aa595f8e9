//! Reads the policy document, the users and the durations at the start.

use std::{fs, path::Path};

use saltern_capacity::Durations;
use saltern_policy::{Limits, Policies};
use saltern_server::{Failure, document};
use serde::Deserialize;

/// A user with a real stored hash.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) password: String,
    pub(crate) hash: String,
}

/// `loadtest/pool.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Users {
    pub(crate) users: Vec<User>,
}

pub(crate) fn policies(file: &Path) -> Result<Policies, Failure> {
    let limits = Limits { workers: 1, memory_budget_bytes: MEMORY_BUDGET_BYTES, ..Limits::default() };
    document::named_or_shipped(Some(file), &limits)
}

pub(crate) fn users(file: &Path) -> Result<Users, Failure> {
    serde_json::from_str(&read(file)?).map_err(|error| {
        Failure::configuration(format!("{} is not a file of users: {error}", file.display()))
    })
}

/// Reads your own measurements, or returns the documented ones.
pub(crate) fn durations(file: Option<&Path>) -> Result<Durations, Failure> {
    let Some(file) = file else { return Ok(Durations::documented().clone()) };
    Durations::read(&read(file)?)
        .map_err(|error| Failure::configuration(format!("{} cannot be read: {error}", file.display())))
}

fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file)
        .map_err(|error| Failure::configuration(format!("{} cannot be read ({error})", file.display())))
}

/// It bounds the hashes that the model admits. No memory is used for them.
const MEMORY_BUDGET_BYTES: u64 = 1 << 30;
