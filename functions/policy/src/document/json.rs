//! The JSON of a policy document, and of a policy in it.

use core::fmt;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    marker::PhantomData,
};

use saltern_encoded::{Algorithm, Params, argon2, bcrypt, pbkdf2, scrypt};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};

use super::{CeilingEntry, Policy, Status};
use crate::{DocumentError, FloorEntry, KeepEntry};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDocument {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    pub(super) current: String,
    pub(super) decoy: Option<String>,
    #[serde(default)]
    pub(super) rehash_truncated: bool,
    pub(super) policies: Vec<RawPolicy>,
    #[serde(deserialize_with = "each_once")]
    pub(super) ceilings: BTreeMap<String, CeilingEntry>,
    #[serde(deserialize_with = "each_once")]
    pub(super) floors: BTreeMap<String, FloorEntry>,
    #[serde(default, deserialize_with = "each_once")]
    pub(super) keep: BTreeMap<String, KeepEntry>,
}

/// Reads entries by name. Refuses a name that occurs twice, of which serde keeps the last one.
fn each_once<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_map(EachOnce(PhantomData))
}

struct EachOnce<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EachOnce<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((name, entry)) = members.next_entry::<String, T>()? {
            match entries.entry(name) {
                Entry::Vacant(vacant) => vacant.insert(entry),
                Entry::Occupied(first) => {
                    let name = first.key().escape_default();
                    return Err(A::Error::custom(format!("`{name}` occurs twice: remove one")));
                }
            };
        }
        Ok(entries)
    }
}

/// The JSON form of a policy. [`Params`] cannot take its place: serde rejects unknown and duplicate
/// members only if the parameters are members of the policy itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPolicy {
    id: String,
    algorithm: String,
    status: Status,
    // Documentation for the operator: required, but not used otherwise.
    rationale: String,
    source: String,
    cost: Option<u32>,
    iterations: Option<u32>,
    log_n: Option<u32>,
    memory_kib: Option<u32>,
    p: Option<u32>,
    parallelism: Option<u32>,
    passes: Option<u32>,
    r: Option<u32>,
}

impl RawPolicy {
    pub(super) fn check(&self) -> Result<Policy, DocumentError> {
        let id_valid = (1..=MAX_ID_BYTES).contains(&self.id.len())
            && self.id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if !id_valid {
            return Err(DocumentError::new(format!(
                "policy id `{}` is invalid: use 1 to {MAX_ID_BYTES} letters, digits, dots, underscores and hyphens",
                self.id.escape_default()
            )));
        }
        if self.rationale.trim().is_empty() || self.source.trim().is_empty() {
            return Err(self.wrong(
                "has no rationale or no source: add the reason for these parameters, and its source",
            ));
        }
        let params = self.params()?;
        Ok(Policy { id: self.id.clone(), params, status: self.status })
    }

    fn params(&self) -> Result<Params, DocumentError> {
        let algorithm = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == self.algorithm);
        let prf = match algorithm {
            Some(Algorithm::Argon2id) => {
                let [m, t, p] = self.exactly(["memory_kib", "passes", "parallelism"])?;
                let params = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, m, t, p);
                let params = params.ok_or_else(|| {
                    self.wrong("is out of Argon2's range: use passes >= 1, 1 <= parallelism < 2^24, memory_kib >= 8 * parallelism")
                })?;
                return Ok(Params::Argon2(params));
            }
            Some(Algorithm::Bcrypt) => {
                let [cost] = self.exactly(["cost"])?;
                let params = bcrypt::Params::new(cost)
                    .ok_or_else(|| self.wrong("is out of bcrypt's range: use 4 <= cost <= 31"))?;
                return Ok(Params::Bcrypt(params));
            }
            Some(Algorithm::Scrypt) => {
                let [log_n, r, p] = self.exactly(["log_n", "r", "p"])?;
                let params = u8::try_from(log_n).ok().and_then(|log_n| scrypt::Params::new(log_n, r, p));
                let params = params.ok_or_else(|| {
                    self.wrong(
                        "is out of scrypt's range: use 1 <= log_n < 16 * r, log_n < 64, r * p between 1 and 2^30 - 1",
                    )
                })?;
                return Ok(Params::Scrypt(params));
            }
            Some(Algorithm::Pbkdf2Sha1) => pbkdf2::Prf::Sha1,
            Some(Algorithm::Pbkdf2Sha256) => pbkdf2::Prf::Sha256,
            Some(Algorithm::Pbkdf2Sha512) => pbkdf2::Prf::Sha512,
            _ => {
                return Err(self.wrong(
                    "has an unknown algorithm: use argon2id, bcrypt, pbkdf2-sha1, pbkdf2-sha256, pbkdf2-sha512 or scrypt",
                ));
            }
        };
        let [iterations] = self.exactly(["iterations"])?;
        let params =
            pbkdf2::Params::new(prf, iterations).ok_or_else(|| self.wrong("needs at least one iteration"))?;
        Ok(Params::Pbkdf2(params))
    }

    /// Returns the named parameters, if the policy has exactly these.
    fn exactly<const N: usize>(&self, names: [&str; N]) -> Result<[u32; N], DocumentError> {
        let given = [
            ("cost", self.cost),
            ("iterations", self.iterations),
            ("log_n", self.log_n),
            ("memory_kib", self.memory_kib),
            ("p", self.p),
            ("parallelism", self.parallelism),
            ("passes", self.passes),
            ("r", self.r),
        ];
        if let Some((name, _)) = given.iter().find(|(name, v)| v.is_some() && !names.contains(name)) {
            return Err(
                self.wrong(&format!("has `{name}`, which {} does not have: remove it", self.algorithm))
            );
        }
        let mut values = [0; N];
        for (value, name) in values.iter_mut().zip(names) {
            let found = given.iter().find(|(n, _)| *n == name).and_then(|(_, v)| *v);
            *value = found.ok_or_else(|| self.wrong(&format!("has no `{name}`: add it")))?;
        }
        Ok(values)
    }

    fn wrong(&self, what: &str) -> DocumentError {
        DocumentError::new(format!("policy `{}` {what}", self.id))
    }
}

/// The longest policy id, in bytes. Responses, logs and metrics carry ids.
const MAX_ID_BYTES: usize = 64;
