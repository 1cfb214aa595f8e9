//! Reads the policy document, the users and the durations at the start.

use std::{fs, num::NonZeroUsize, path::Path, thread};

use saltern_policy::{Limits, Policies};
use saltern_price::lambda::Durations;
use saltern_program::{Failure, document};
use serde::Deserialize;

/// A user with a real stored hash.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) password: String,
    pub(crate) hash: String,
}

/// `loadtest/pool.json`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Users {
    pub(crate) users: Vec<User>,
}

pub(crate) fn policies(file: Option<&Path>) -> Result<Policies, Failure> {
    let limits =
        Limits { workers: cores().get(), memory_budget_bytes: MEMORY_BUDGET_BYTES, ..Limits::default() };
    document::named_or_shipped(file, &limits)
}

pub(crate) fn users(file: Option<&Path>) -> Result<Users, Failure> {
    let Some(file) = file else { return Ok(Users::default()) };
    serde_json::from_str(&read(file)?).map_err(|error| {
        Failure::configuration(format!("{} is not a file of users: {error}", file.display()))
    })
}

/// Reads your own measurements, or returns the documented ones.
pub(crate) fn durations(file: Option<&Path>) -> Result<Durations, Failure> {
    let Some(file) = file else { return Ok(Durations::documented().clone()) };
    Durations::read(&read(file)?)
        .map_err(|error| Failure::configuration(format!("{}: {error}", file.display())))
}

fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file)
        .map_err(|error| Failure::configuration(format!("{} cannot be read ({error})", file.display())))
}

pub(crate) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Fleet computes few hashes: the unknown ones.
const MEMORY_BUDGET_BYTES: u64 = 1 << 30;
