//! The thresholds of the document from which a hash that no policy lists is kept.
//!
//! At or above the threshold of its algorithm, a hash is as dear to guess as one of the current
//! policy. A replacement would gain nothing or make a guess cheaper. A hash of a prepared password
//! is replaced all the same.
//!
//! The values are numbers of the document. `saltern policies check` compares them with published
//! rates; no verdict reads rates.

use std::collections::BTreeMap;

use saltern_encoded::Params;
use serde::Deserialize;

use crate::{DocumentError, Policies};

/// A threshold of the document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepEntry {
    /// The lowest value that is kept.
    pub min: u64,
    /// The unit of the value.
    pub unit: String,
    /// The reason for the value.
    pub source: String,
}

impl Policies {
    /// The thresholds, by the name of the algorithm.
    pub fn keep_values(&self) -> &BTreeMap<String, u64> {
        &self.keep_values
    }

    /// Whether a hash with these params is kept although no policy lists it.
    pub(crate) fn keeps(&self, params: Params) -> bool {
        let (name, value) = keep_measure(params);
        self.keep_values.get(name).is_some_and(|least| value >= *least)
    }
}

/// Returns the name of the threshold for these params, and their value in its unit.
///
/// The name is the algorithm's. Only the variants of Argon2 share one: the KiB that a guess
/// transfers, `m × (3t − 1)`. bcrypt has its cost, PBKDF2 its iterations, and scrypt `N × r × p`.
pub fn keep_measure(params: Params) -> (&'static str, u64) {
    let name = params.algorithm().name();
    match params {
        Params::Argon2(params) => {
            let transfers = (3 * u64::from(params.passes())).saturating_sub(1);
            (ARGON2, u64::from(params.memory_kib()).saturating_mul(transfers))
        }
        Params::Bcrypt(params) => (name, params.cost().into()),
        Params::Pbkdf2(params) => (name, params.iterations().into()),
        Params::Scrypt(params) => {
            let n = 1_u64.checked_shl(u32::from(params.log_n())).unwrap_or(u64::MAX);
            (name, n.saturating_mul(params.r().into()).saturating_mul(params.p().into()))
        }
    }
}

/// Reads the thresholds of a document.
///
/// # Errors
/// A name is not that of a threshold.
pub(crate) fn values(entries: &BTreeMap<String, KeepEntry>) -> Result<BTreeMap<String, u64>, DocumentError> {
    if let Some(unknown) = entries.keys().find(|name| !KEEP_NAMES.contains(&name.as_str())) {
        return Err(DocumentError::new(format!("`keep` has no threshold `{unknown}`: remove it")));
    }
    Ok(entries.iter().map(|(name, entry)| (name.clone(), entry.min)).collect())
}

const ARGON2: &str = "argon2";

/// The thresholds that a document may have. Without its threshold no hash of an algorithm is kept.
pub const KEEP_NAMES: [&str; 6] =
    [ARGON2, "bcrypt", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512", "scrypt"];
