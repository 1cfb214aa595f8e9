//! The policy document: read once at start-up, immutable from then on.

use std::collections::{BTreeMap, HashSet};

use saltern_algorithm::{Admitted, Ceilings, memory_bytes};
use saltern_encoded::{Encoded, NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{AcceptedWeak, DocumentError, FirebaseProject};

/// What the machine and the operator allow, below what the document does.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Hashes computed at once, at least 1: each may hold its memory at the same time.
    pub workers: usize,
    /// Memory for all of them together, in bytes.
    pub memory_budget_bytes: u64,
    /// Ceilings lowered by settings: name in the document, and value.
    pub lowered_ceilings: Vec<(String, u64)>,
    /// Unsalted and fast schemes that are verified all the same.
    pub accepted_weak: AcceptedWeak,
    /// The project whose Firebase hashes are verified; without one, none are.
    pub firebase_project: Option<FirebaseProject>,
}

impl Limits {
    /// Each worker's share of the memory budget, in bytes.
    #[must_use]
    pub fn bytes_per_worker(&self) -> u64 {
        self.memory_budget_bytes / u64::try_from(self.workers.max(1)).unwrap_or(u64::MAX)
    }
}

/// Whether a policy makes new hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// May be named in /hash.
    Active,
    /// Hashes under it are verified; none are made.
    VerifyOnly,
}

/// One parameter set with a name that never changes its meaning.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) id: String,
    pub(crate) params: Params,
    pub(crate) status: Status,
}

impl Policy {
    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its algorithm and parameters.
    #[must_use]
    pub fn params(&self) -> Params {
        self.params
    }

    /// Whether it makes new hashes.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Its algorithm, as the document names it.
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        self.params.algorithm().name()
    }

    /// Its parameters, as the document names them.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, u32)> {
        match self.params {
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
}

/// The policies in force: a document that was found consistent with itself and with the machine.
#[derive(Clone, Debug)]
pub struct Policies {
    /// Oldest first.
    list: Vec<Policy>,
    current: usize,
    decoy: usize,
    pub(crate) decoy_hash: Encoded,
    pub(crate) rehash_truncated: bool,
    pub(crate) accepted_weak: AcceptedWeak,
    pub(crate) firebase_project: Option<FirebaseProject>,
    ceilings: Ceilings,
    ceiling_values: BTreeMap<String, u64>,
    digest: String,
}

impl Policies {
    /// Reads a document and holds it against the machine's limits.
    ///
    /// # Errors
    /// [`DocumentError`], one sentence that names the place: not JSON of the schema's shape, an id or a parameter
    /// set twice, `current` or `decoy` that is not listed, `current` not active, a parameter out of its algorithm's
    /// range or over a ceiling, a listed policy whose memory times the workers exceeds the budget.
    pub fn load(document: &[u8], limits: &Limits) -> Result<Self, DocumentError> {
        let raw: RawDocument = serde_json::from_slice(document)
            .map_err(|e| DocumentError::new(format!("the policy document cannot be read: {e}")))?;
        let mut ceiling_values: BTreeMap<String, u64> =
            raw.ceilings.iter().map(|(name, entry)| (name.clone(), entry.max)).collect();
        lower(&mut ceiling_values, &limits.lowered_ceilings)?;
        let policies = raw.policies.iter().map(RawPolicy::check).collect::<Result<Vec<_>, _>>()?;
        refuse_duplicates(&policies)?;
        let document_ceilings = ceilings_from(&ceiling_values)?;
        for policy in &policies {
            refuse_over_ceiling(policy, &document_ceilings)?;
            refuse_over_budget(policy, limits)?;
        }
        bound_by_budget(&mut ceiling_values, limits);
        let ceilings = ceilings_from(&ceiling_values)?;
        let current = position(&policies, "current", &raw.current)?;
        if policies[current].status != Status::Active {
            return Err(DocumentError::new(format!(
                "`current` names `{}`, which is verify-only: make it active or name another",
                raw.current
            )));
        }
        let decoy = match &raw.decoy {
            Some(id) => position(&policies, "decoy", id)?,
            None => current,
        };
        let decoy_hash = decoy_hash(policies[decoy].params)?;
        let digest = digest(document);
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
            digest,
        })
    }

    /// The same policies, with other weak schemes verified.
    #[must_use]
    pub fn accepting(self, accepted_weak: AcceptedWeak) -> Self {
        Self { accepted_weak, ..self }
    }

    /// All policies, oldest first.
    #[must_use]
    pub fn list(&self) -> &[Policy] {
        &self.list
    }

    /// The policy of new hashes.
    #[must_use]
    pub fn current(&self) -> &Policy {
        &self.list[self.current]
    }

    /// The policy whose work is done where there is no hash to verify.
    #[must_use]
    pub fn decoy(&self) -> &Policy {
        &self.list[self.decoy]
    }

    /// The ceilings in force: the document's, lowered by settings and by the memory budget.
    #[must_use]
    pub fn ceilings(&self) -> &Ceilings {
        &self.ceilings
    }

    /// The ceilings in force by the document's names.
    #[must_use]
    pub fn ceiling_values(&self) -> &BTreeMap<String, u64> {
        &self.ceiling_values
    }

    /// The unsalted and fast schemes that are verified all the same.
    #[must_use]
    pub fn accepted_weak(&self) -> &AcceptedWeak {
        &self.accepted_weak
    }

    /// Whether hashes of a Firebase project are verified.
    #[must_use]
    pub fn has_firebase_project(&self) -> bool {
        self.firebase_project.is_some()
    }

    /// SHA-256 of the document's bytes, `sha256:<hex>`: equal where service and client hold the same document.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn current_position(&self) -> usize {
        self.current
    }
}

/// A ceiling as the document states it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CeilingEntry {
    /// The bound.
    pub max: u64,
    /// What is counted.
    pub unit: String,
    /// The memory that the bound admits.
    pub memory: String,
    /// The time that the bound admits.
    pub time: String,
    /// Where the number comes from.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDocument {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    current: String,
    decoy: Option<String>,
    #[serde(default)]
    rehash_truncated: bool,
    policies: Vec<RawPolicy>,
    ceilings: BTreeMap<String, CeilingEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    id: String,
    algorithm: String,
    status: Status,
    // For people: asked for, and not otherwise used.
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
    fn check(&self) -> Result<Policy, DocumentError> {
        let id_valid = (1..=MAX_ID_BYTES).contains(&self.id.len())
            && self.id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if !id_valid {
            return Err(DocumentError::new(format!(
                "policy id `{}`: an id is 1 to {MAX_ID_BYTES} letters, digits, dots, underscores and hyphens",
                self.id.escape_default()
            )));
        }
        if self.rationale.trim().is_empty() || self.source.trim().is_empty() {
            return Err(
                self.wrong("has no rationale or no source: say why these parameters, and who says so")
            );
        }
        let params = self.params()?;
        Ok(Policy { id: self.id.clone(), params, status: self.status })
    }

    fn params(&self) -> Result<Params, DocumentError> {
        let prf = match self.algorithm.as_str() {
            "argon2id" => {
                let [m, t, p] = self.exactly(["memory_kib", "passes", "parallelism"])?;
                let params = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, m, t, p);
                let params = params.ok_or_else(|| {
                    self.wrong("is out of Argon2's range: passes >= 1, 1 <= parallelism < 2^24, memory_kib >= 8 * parallelism")
                })?;
                return Ok(Params::Argon2(params));
            }
            "bcrypt" => {
                let [cost] = self.exactly(["cost"])?;
                let params = bcrypt::Params::new(cost)
                    .ok_or_else(|| self.wrong("is out of bcrypt's range: 4 <= cost <= 31"))?;
                return Ok(Params::Bcrypt(params));
            }
            "scrypt" => {
                let [log_n, r, p] = self.exactly(["log_n", "r", "p"])?;
                let params = u8::try_from(log_n).ok().and_then(|log_n| scrypt::Params::new(log_n, r, p));
                let params = params.ok_or_else(|| {
                    self.wrong(
                        "is out of scrypt's range: 1 <= log_n < 16 * r, log_n < 64, r * p between 1 and 2^30 - 1",
                    )
                })?;
                return Ok(Params::Scrypt(params));
            }
            "pbkdf2-sha1" => pbkdf2::Prf::Sha1,
            "pbkdf2-sha256" => pbkdf2::Prf::Sha256,
            "pbkdf2-sha512" => pbkdf2::Prf::Sha512,
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

    /// The named parameters, where they and no others are given.
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
            return Err(self.wrong(&format!("has `{name}`, which {} does not take", self.algorithm)));
        }
        let mut values = [0; N];
        for (value, name) in values.iter_mut().zip(names) {
            let found = given.iter().find(|(n, _)| *n == name).and_then(|(_, v)| *v);
            *value = found.ok_or_else(|| self.wrong(&format!("lacks `{name}`")))?;
        }
        Ok(values)
    }

    fn wrong(&self, what: &str) -> DocumentError {
        DocumentError::new(format!("policy `{}` {what}", self.id))
    }
}

fn lower(values: &mut BTreeMap<String, u64>, lowered: &[(String, u64)]) -> Result<(), DocumentError> {
    for (name, value) in lowered {
        let Some(current) = values.get_mut(name) else {
            return Err(DocumentError::new(format!("the setting lowers `{name}`, which is no ceiling")));
        };
        if value > current {
            return Err(DocumentError::new(format!(
                "the setting raises the ceiling `{name}` from {current} to {value}: settings only lower; change the document"
            )));
        }
        *current = *value;
    }
    Ok(())
}

fn ceilings_from(values: &BTreeMap<String, u64>) -> Result<Ceilings, DocumentError> {
    if let Some(unknown) = values.keys().find(|name| !CEILING_NAMES.contains(&name.as_str())) {
        return Err(DocumentError::new(format!("`{unknown}` is no ceiling")));
    }
    let wide = |name: &str| {
        values
            .get(name)
            .copied()
            .ok_or_else(|| DocumentError::new(format!("the ceiling `{name}` is missing")))
    };
    let narrow = |name: &str| {
        u32::try_from(wide(name)?)
            .map_err(|_| DocumentError::new(format!("the ceiling `{name}` is over 2^32 - 1")))
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

/// A hash that the ceilings admit must fit in the memory there is, on every worker at once.
fn bound_by_budget(values: &mut BTreeMap<String, u64>, limits: &Limits) {
    let share = limits.bytes_per_worker();
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
            return Err(DocumentError::new(format!("policy id `{}` stands twice", policy.id)));
        }
        if !params.insert(policy.params) {
            return Err(DocumentError::new(format!(
                "policy `{}` repeats the algorithm and parameters of another: a stored hash could not say whose it is",
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
            "policy `{}` is over a ceiling: its own hashes could not be verified",
            policy.id
        ))
    })
}

fn refuse_over_budget(policy: &Policy, limits: &Limits) -> Result<(), DocumentError> {
    let needed = memory_bytes(policy.params);
    if needed <= limits.bytes_per_worker() {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Err(DocumentError::new(format!(
        "policy `{}` takes {} MiB for each of {} workers, more than the memory budget of {} MiB: give more memory, or use fewer workers",
        policy.id,
        mib(needed),
        limits.workers,
        mib(limits.memory_budget_bytes),
    )))
}

fn position(policies: &[Policy], role: &str, id: &str) -> Result<usize, DocumentError> {
    policies
        .iter()
        .position(|p| p.id == id)
        .ok_or_else(|| DocumentError::new(format!("`{role}` names `{id}`, which is not listed")))
}

/// A hash of nobody's password. No password matches it: the verdict on a decoy is a mismatch whatever is computed.
fn decoy_hash(params: Params) -> Result<Encoded, DocumentError> {
    let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
    let output = vec![0; setting.output_bytes()];
    Encoded::new(setting, &output).ok_or_else(|| DocumentError::new("the decoy cannot be written"))
}

fn digest(document: &[u8]) -> String {
    use core::fmt::Write as _;
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(document) {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

/// Longest policy id, in bytes: it travels in answers, logs and metric names.
const MAX_ID_BYTES: usize = 64;

/// Every ceiling that a document must state.
pub(crate) const CEILING_NAMES: [&str; 8] = [
    "argon2_memory_kib",
    "argon2_memory_passes_kib",
    "argon2_parallelism",
    "bcrypt_cost",
    "pbkdf2_iterations_blocks",
    "scrypt_memory_bytes",
    "scrypt_n_r_p",
    "sha_crypt_rounds",
];
