//! The policy document. It is read once at start-up and never changes after that.

mod json;

use std::{
    collections::{BTreeMap, HashSet},
    num::NonZeroUsize,
};

use saltern_encoded::{Encoded, NEW_SALT_BYTES, Params, Setting};
use saltern_kernels::{Admitted, Ceilings, held_bytes, memory_bytes};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use self::json::{RawDocument, RawPolicy};
use crate::{AcceptedWeak, DocumentError, FirebaseProject, LoweredCeilings, floors, keep};

/// The limits of the machine and the operator. They only reduce what the document allows.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The number of cores that compute hashes, at least 1.
    pub workers: usize,
    /// The memory for all workers together, in bytes.
    pub memory_budget_bytes: u64,
    /// Whether several callers share the memory: none may take all of it.
    pub shares_memory: bool,
    /// The ceilings that settings lower: name in the document, and value.
    pub lowered_ceilings: LoweredCeilings,
    /// The schemes of weak hashes that the operator accepts.
    pub accepted_weak: AcceptedWeak,
    /// The project of Firebase hashes. Without a project no Firebase hash is verified.
    pub firebase_project: Option<FirebaseProject>,
}

impl Limits {
    /// Returns each worker's share of the memory budget, in bytes.
    pub fn bytes_per_worker(&self) -> u64 {
        self.memory_budget_bytes / u64::try_from(self.workers.max(1)).unwrap_or(u64::MAX)
    }
}

/// Whether a policy makes new hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The policy makes new hashes and verifies its hashes.
    Active,
    /// The policy only verifies its hashes.
    VerifyOnly,
}

/// Named params. A name never changes its params.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) id: String,
    pub(crate) params: Params,
    pub(crate) status: Status,
}

impl Policy {
    /// The policy's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The policy's algorithm and params.
    pub fn params(&self) -> Params {
        self.params
    }

    /// Whether the policy makes new hashes.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The name of the policy's algorithm in the document.
    pub fn algorithm(&self) -> &'static str {
        self.params.algorithm().name()
    }

    /// The policy's params, with their names in the document.
    pub fn parameters(&self) -> Vec<(&'static str, u32)> {
        parameters_of(self.params)
    }
}

/// Params with their names in the document.
pub fn parameters_of(params: Params) -> Vec<(&'static str, u32)> {
    match params {
        Params::Argon2(params) => vec![
            ("memory_kib", params.memory_kib()),
            ("passes", params.passes()),
            ("parallelism", params.parallelism()),
        ],
        Params::Bcrypt(params) => vec![("cost", params.cost())],
        Params::Pbkdf2(params) => vec![("iterations", params.iterations())],
        Params::Scrypt(params) => {
            vec![("log_n", u32::from(params.log_n())), ("r", params.r()), ("p", params.p())]
        }
    }
}

/// The policies in force: a document that is consistent and fits the machine.
#[derive(Clone, Debug)]
pub struct Policies {
    /// Oldest first.
    list: Vec<Policy>,
    current: usize,
    decoy: usize,
    pub(crate) decoy_hash: String,
    pub(crate) rehash_truncated: bool,
    pub(crate) accepted_weak: AcceptedWeak,
    pub(crate) firebase_project: Option<FirebaseProject>,
    ceilings: Ceilings,
    ceiling_values: BTreeMap<String, u64>,
    floor_values: BTreeMap<String, u64>,
    holders: NonZeroUsize,
    reserved_bytes: u64,
    pub(crate) keep_values: BTreeMap<String, u64>,
    digest: String,
}

impl Policies {
    /// Reads a document and checks it against the limits.
    ///
    /// # Errors
    /// [`DocumentError`], a message that names the place:
    ///
    /// - The document is not JSON of the schema's shape, or has a member twice.
    /// - Two policies have the same id, or the same algorithm and params.
    /// - `current` or `decoy` is not listed, `decoy` is missing beside several policies, or
    ///   `current` is not active.
    /// - A parameter is out of its algorithm's range, exceeds a ceiling or is below a floor.
    /// - One hash of a policy takes more memory than the budget has.
    pub fn load(document: &[u8], limits: &Limits) -> Result<Self, DocumentError> {
        let raw: RawDocument = serde_json::from_slice(document)
            .map_err(|e| DocumentError::new(format!("the policy document cannot be read: {e}")))?;
        let mut ceiling_values: BTreeMap<String, u64> =
            raw.ceilings.iter().map(|(name, entry)| (name.clone(), entry.max)).collect();
        lower(&mut ceiling_values, &limits.lowered_ceilings.0)?;
        let policies = raw.policies.iter().map(RawPolicy::check).collect::<Result<Vec<_>, _>>()?;
        refuse_duplicates(&policies)?;
        let document_ceilings = ceilings_from(&ceiling_values)?;
        let floor_values = floors::values(&raw.floors)?;
        let keep_values = keep::values(&raw.keep)?;
        for policy in &policies {
            refuse_over_ceiling(policy, &document_ceilings)?;
            refuse_below_floor(policy, &floor_values)?;
        }
        let holders = holders(&policies, limits)?;
        let share = limits.memory_budget_bytes / holders.get() as u64;
        let reserved_bytes = if limits.shares_memory { reserved_bytes(&policies, share) } else { 0 };
        bound_by_budget(&mut ceiling_values, share - reserved_bytes);
        let ceilings = ceilings_from(&ceiling_values)?;
        let current = position(&policies, "current", &raw.current)?;
        if policies[current].status != Status::Active {
            return Err(DocumentError::new(format!(
                "`current` names `{}`, which is verify-only: name an active policy",
                raw.current
            )));
        }
        let decoy = match &raw.decoy {
            Some(id) => position(&policies, "decoy", id)?,
            None if policies.len() == 1 => current,
            None => {
                return Err(DocumentError::new(
                    "`decoy` is missing: name the policy that most of your users have",
                ));
            }
        };
        let decoy_hash = decoy_hash(policies[decoy].params)?;
        let digest = format!("sha256:{}", base16ct::lower::encode_string(&Sha256::digest(document)));
        let rehash_truncated = raw.rehash_truncated;
        Ok(Self {
            list: policies,
            current,
            decoy,
            decoy_hash,
            rehash_truncated,
            accepted_weak: limits.accepted_weak.clone(),
            firebase_project: limits.firebase_project.clone(),
            ceilings,
            ceiling_values,
            floor_values,
            holders,
            reserved_bytes,
            keep_values,
            digest,
        })
    }

    /// Returns the same policies, but with these weak schemes accepted.
    #[must_use]
    pub fn accepting(self, accepted_weak: AcceptedWeak) -> Self {
        Self { accepted_weak, ..self }
    }

    /// All policies, from oldest to newest.
    pub fn list(&self) -> &[Policy] {
        &self.list
    }

    /// The policy of new hashes.
    pub fn current(&self) -> &Policy {
        &self.list[self.current]
    }

    /// The policy whose work is done if the user does not exist or has no password.
    pub fn decoy(&self) -> &Policy {
        &self.list[self.decoy]
    }

    /// The ceilings in force: those of the document, lowered by settings and the memory budget.
    pub fn ceilings(&self) -> &Ceilings {
        &self.ceilings
    }

    /// The ceilings in force, with their names in the document.
    pub fn ceiling_values(&self) -> &BTreeMap<String, u64> {
        &self.ceiling_values
    }

    /// The floors, with their names in the document.
    pub fn floor_values(&self) -> &BTreeMap<String, u64> {
        &self.floor_values
    }

    /// The number of workers that may hold a hash in memory at the same time. It is lower than the
    /// number of workers if the memory budget holds fewer hashes of the largest policy.
    pub fn holders(&self) -> NonZeroUsize {
        self.holders
    }

    /// The memory of each holder that no caller takes if others have none, in bytes: one hash of the
    /// largest policy. 0 if the callers do not share memory, or if a holder's memory does not hold two
    /// such hashes.
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes
    }

    /// The schemes of weak hashes that the operator accepts.
    pub fn accepted_weak(&self) -> &AcceptedWeak {
        &self.accepted_weak
    }

    /// Whether hashes of a Firebase project are verified.
    pub fn has_firebase_project(&self) -> bool {
        self.firebase_project.is_some()
    }

    /// The SHA-256 of the document's bytes, as `sha256:<hex>`. Equal digests show that service and
    /// client use the same document.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn current_position(&self) -> usize {
        self.current
    }
}

/// A ceiling of the document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CeilingEntry {
    /// The highest admitted value.
    pub max: u64,
    /// The unit of the value.
    pub unit: String,
    /// The memory that a hash at the ceiling takes.
    pub memory: String,
    /// The time that a hash at the ceiling takes.
    pub time: String,
    /// The source of the value.
    pub source: String,
}

fn lower(values: &mut BTreeMap<String, u64>, lowered: &[(String, u64)]) -> Result<(), DocumentError> {
    for (name, value) in lowered {
        let Some(current) = values.get_mut(name) else {
            return Err(DocumentError::new(format!("the setting lowers `{name}`, which is not a ceiling")));
        };
        if value > current {
            return Err(DocumentError::new(format!(
                "the setting raises the ceiling `{name}` from {current} to {value}: settings only lower ceilings, so change the document"
            )));
        }
        *current = *value;
    }
    Ok(())
}

fn ceilings_from(values: &BTreeMap<String, u64>) -> Result<Ceilings, DocumentError> {
    if let Some(unknown) = values.keys().find(|name| !CEILING_NAMES.contains(&name.as_str())) {
        return Err(DocumentError::new(format!("`{unknown}` is not a ceiling: remove it")));
    }
    let wide = |name: &str| {
        values
            .get(name)
            .copied()
            .ok_or_else(|| DocumentError::new(format!("the ceiling `{name}` is missing: add it")))
    };
    let narrow = |name: &str| {
        u32::try_from(wide(name)?)
            .map_err(|_| DocumentError::new(format!("the ceiling `{name}` is larger than 2^32 - 1")))
    };
    Ok(Ceilings {
        bcrypt_cost: narrow("bcrypt_cost")?,
        argon2_memory_kib: narrow("argon2_memory_kib")?,
        argon2_memory_passes_kib: wide("argon2_memory_passes_kib")?,
        argon2_parallelism: narrow("argon2_parallelism")?,
        pbkdf2_iterations_blocks: wide("pbkdf2_iterations_blocks")?,
        scrypt_memory_bytes: wide("scrypt_memory_bytes")?,
        scrypt_n_r_p: wide("scrypt_n_r_p")?,
        sha_crypt_rounds: wide("sha_crypt_rounds")?,
    })
}

/// Lowers the ceilings of memory to the share of a worker that holds a hash. All of these workers
/// may hold the most admitted memory at the same time.
fn bound_by_budget(values: &mut BTreeMap<String, u64>, share: u64) {
    for (name, unit) in [("argon2_memory_kib", 1024), ("scrypt_memory_bytes", 1)] {
        if let Some(value) = values.get_mut(name) {
            *value = (*value).min(share / unit);
        }
    }
}

fn refuse_duplicates(policies: &[Policy]) -> Result<(), DocumentError> {
    let (mut ids, mut params) = (HashSet::new(), HashSet::new());
    for policy in policies {
        if !ids.insert(&policy.id) {
            return Err(DocumentError::new(format!(
                "policy id `{}` occurs twice: rename one policy",
                policy.id
            )));
        }
        if !params.insert(policy.params) {
            return Err(DocumentError::new(format!(
                "policy `{}` has the algorithm and parameters of another policy: remove one, since a stored hash would belong to both",
                policy.id
            )));
        }
    }
    Ok(())
}

fn refuse_over_ceiling(policy: &Policy, ceilings: &Ceilings) -> Result<(), DocumentError> {
    let setting = Setting::fresh(policy.params, [0; NEW_SALT_BYTES]);
    Admitted::new(setting, ceilings).map(drop).map_err(|_| {
        DocumentError::new(format!(
            "policy `{}` exceeds a ceiling, so its own hashes could not be verified: lower its cost, or raise the ceiling unless it is a fixed one, of hashes that cannot be stopped (Argon2 with parallelism above 1: 512 MiB written)",
            policy.id
        ))
    })
}

fn refuse_below_floor(policy: &Policy, floors: &BTreeMap<String, u64>) -> Result<(), DocumentError> {
    match floors::below(&Setting::fresh(policy.params, [0; NEW_SALT_BYTES]), floors) {
        None => Ok(()),
        Some(floor) => Err(DocumentError::new(format!(
            "policy `{}` is below the floor `{floor}`, so its own hashes would be refused as weak: raise its cost or lower the floor",
            policy.id
        ))),
    }
}

/// Returns how many workers may hold a hash of the largest policy at the same time. The memory
/// budget bounds their number.
fn holders(policies: &[Policy], limits: &Limits) -> Result<NonZeroUsize, DocumentError> {
    let workers = NonZeroUsize::new(limits.workers).unwrap_or(NonZeroUsize::MIN);
    let Some(largest) = policies.iter().max_by_key(|policy| memory_bytes(policy.params)) else {
        return Ok(workers);
    };
    let (needed, budget) = (memory_bytes(largest.params), limits.memory_budget_bytes);
    let Some(held) = budget.checked_div(needed) else { return Ok(workers) };
    let held = NonZeroUsize::new(usize::try_from(held).unwrap_or(usize::MAX)).ok_or_else(|| {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        DocumentError::new(format!(
            "policy `{}` takes {} MiB for one hash, more than the memory budget of {} MiB: add memory",
            largest.id,
            mib(needed),
            mib(budget),
        ))
    })?;
    Ok(held.min(workers))
}

/// Returns the memory of a hash of the largest policy, if this share of a holder holds two of them.
fn reserved_bytes(policies: &[Policy], share: u64) -> u64 {
    let held = |policy: &Policy| held_bytes(&Setting::fresh(policy.params, [0; NEW_SALT_BYTES]));
    let largest = policies.iter().map(held).max().unwrap_or(0);
    if largest <= share / 2 { largest } else { 0 }
}

fn position(policies: &[Policy], role: &str, id: &str) -> Result<usize, DocumentError> {
    policies.iter().position(|p| p.id == id).ok_or_else(|| {
        DocumentError::new(format!("`{role}` names `{id}`, which is not in the list of policies"))
    })
}

/// Makes the hash that is verified if the user does not exist. Its verdict is always a mismatch.
fn decoy_hash(params: Params) -> Result<String, DocumentError> {
    let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
    let output = vec![0; setting.output_bytes()];
    let made =
        Encoded::new(setting, &output).ok_or_else(|| DocumentError::new("the decoy cannot be written"))?;
    Ok(made.to_string())
}

/// The ceilings that every document has.
pub const CEILING_NAMES: [&str; 8] = [
    "argon2_memory_kib",
    "argon2_memory_passes_kib",
    "argon2_parallelism",
    "bcrypt_cost",
    "pbkdf2_iterations_blocks",
    "scrypt_memory_bytes",
    "scrypt_n_r_p",
    "sha_crypt_rounds",
];
