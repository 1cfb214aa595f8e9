//! Reads the policy document and the users at the start.

use std::{fs, num::NonZeroUsize, path::Path, thread};

use saltern_capacity::Parameters;
use saltern_encoded::{Params, argon2, pbkdf2};
use saltern_policy::{Limits, Policies};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// A user with a real stored hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct User {
    pub(crate) policy: String,
    pub(crate) password: String,
    pub(crate) hash: String,
}

/// `loadtest/pool.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Users {
    pub(crate) users: Vec<User>,
}

pub(crate) fn policies(file: Option<&Path>) -> Result<Policies, Failure> {
    let document = match file {
        Some(file) => read(file)?.into_bytes(),
        None => saltern_policy::SHIPPED.to_vec(),
    };
    let limits =
        Limits { workers: cores().get(), memory_budget_bytes: MEMORY_BUDGET_BYTES, ..Limits::default() };
    Policies::load(&document, &limits).map_err(|error| Failure::configuration(error.to_string()))
}

pub(crate) fn users(file: Option<&Path>) -> Result<Users, Failure> {
    let Some(file) = file else { return Ok(Users::default()) };
    serde_json::from_str(&read(file)?).map_err(|error| {
        Failure::configuration(format!("{} is not a file of users: {error}", file.display()))
    })
}

pub(crate) fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file)
        .map_err(|error| Failure::configuration(format!("{} cannot be read ({error})", file.display())))
}

/// Returns the parameters that determine the time of a hash on Lambda. `None` for schemes without a
/// known time.
pub(crate) fn parameters(params: Params) -> Option<Parameters> {
    match params {
        Params::Argon2(params) if params.variant() == argon2::Variant::Id => Some(Parameters::Argon2id {
            memory_kib: params.memory_kib(),
            passes: params.passes(),
            parallelism: params.parallelism(),
        }),
        Params::Bcrypt(params) => Some(Parameters::Bcrypt { cost: params.cost() }),
        Params::Pbkdf2(params) if params.prf() == pbkdf2::Prf::Sha512 => {
            Some(Parameters::Pbkdf2Sha512 { iterations: params.iterations() })
        }
        _ => None,
    }
}

pub(crate) fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Fleet computes few hashes: unknown ones, and the pool.
const MEMORY_BUDGET_BYTES: u64 = 1 << 30;
