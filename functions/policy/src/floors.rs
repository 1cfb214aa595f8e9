//! The floors of the document: a hash of a slow and salted scheme is weak below one of them.

use core::fmt;
use std::collections::BTreeMap;

use saltern_encoded::{Algorithm, Encoded, Setting, Weakness, verify_only::Cost};
use saltern_kernels::SCRYPT_BLOCK_BYTES;
use serde::Deserialize;

use crate::{DocumentError, Policies};

/// A floor of the document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorEntry {
    /// The lowest value that is verified without permission.
    pub min: u64,
    /// The unit of the value.
    pub unit: String,
    /// Real software that made hashes with this value by default.
    pub witness: String,
    /// The source of the witness.
    pub source: String,
}

/// Why a hash is verified only if the operator accepts its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeakHash {
    /// A cost, the salt or the output is below the floor with this name.
    BelowFloor(&'static str),
    /// The scheme is unsalted or fast.
    Scheme(Weakness),
}

impl WeakHash {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::BelowFloor(_) => "below_floor",
            Self::Scheme(weakness) => weakness.name(),
        }
    }

    /// The name of the floor, in the document.
    pub fn floor(self) -> Option<&'static str> {
        match self {
            Self::BelowFloor(floor) => Some(floor),
            Self::Scheme(_) => None,
        }
    }
}

/// Writes the reason in words.
impl fmt::Display for WeakHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BelowFloor(floor) => write!(f, "below the floor {floor}"),
            Self::Scheme(weakness) => f.write_str(weakness.name()),
        }
    }
}

impl Policies {
    /// Returns why a hash is verified only if the operator accepts its scheme; `None` for other
    /// hashes. Of a wrapped hash the outer layer counts: a guess costs at least that.
    pub fn weakness(&self, encoded: &Encoded) -> Option<WeakHash> {
        let of_scheme = encoded.scheme().weakness().map(WeakHash::Scheme);
        of_scheme.or_else(|| self.floor_above(encoded.setting()).map(WeakHash::BelowFloor))
    }

    /// Returns the name of the first floor that a setting is below.
    pub fn floor_above(&self, setting: &Setting) -> Option<&'static str> {
        below(setting, self.floor_values())
    }
}

/// Reads the floors of a document.
///
/// # Errors
/// A floor is missing or unknown.
pub(crate) fn values(entries: &BTreeMap<String, FloorEntry>) -> Result<BTreeMap<String, u64>, DocumentError> {
    if let Some(unknown) = entries.keys().find(|name| !FLOOR_NAMES.contains(&name.as_str())) {
        return Err(DocumentError::new(format!("`{unknown}` is not a floor: remove it")));
    }
    if let Some(missing) = FLOOR_NAMES.into_iter().find(|&name| !entries.contains_key(name)) {
        return Err(DocumentError::new(format!("the floor `{missing}` is missing: add it")));
    }
    Ok(entries.iter().map(|(name, entry)| (name.clone(), entry.min)).collect())
}

/// Returns the first floor that a setting is below.
pub(crate) fn below(setting: &Setting, floors: &BTreeMap<String, u64>) -> Option<&'static str> {
    let is_below = |&(name, value): &(&str, u64)| floors.get(name).is_some_and(|floor| value < *floor);
    measures(setting).into_iter().find(is_below).map(|(name, _value)| name)
}

/// Returns the values of a setting, with the names of their floors.
pub(crate) fn measures(setting: &Setting) -> Vec<(&'static str, u64)> {
    let mut measures = match setting {
        Setting::Argon2(argon2) => {
            let memory = u64::from(argon2.params().memory_kib());
            let memory_passes = memory * u64::from(argon2.params().passes());
            vec![(ARGON2_MEMORY_KIB, memory), (ARGON2_MEMORY_PASSES_KIB, memory_passes), output(setting)]
        }
        Setting::Bcrypt(setting) => vec![(BCRYPT_COST, u64::from(setting.params().cost()))],
        Setting::Pbkdf2(pbkdf2) => {
            vec![(PBKDF2_ITERATIONS, u64::from(pbkdf2.params().iterations())), output(setting)]
        }
        Setting::Scrypt(scrypt) => {
            let params = scrypt.params();
            // A product that exceeds 64 bits is below no floor.
            let n = 1_u64.checked_shl(u32::from(params.log_n())).unwrap_or(u64::MAX);
            let blocks = n.saturating_mul(u64::from(params.r()));
            let mut measures = memory_measures(blocks, blocks.saturating_mul(u64::from(params.p())));
            measures.push(output(setting));
            measures
        }
        // Each of these outputs has one length.
        Setting::VerifyOnly(setting) => match (setting.algorithm(), setting.cost()) {
            (_, Cost::Memory { blocks, work, .. }) => memory_measures(blocks, work),
            (Algorithm::DesCrypt, Cost::Rounds(rounds)) => vec![(BSDI_CRYPT_ROUNDS, rounds)],
            (Algorithm::PhpassMd5 | Algorithm::PhpassSha512, Cost::Rounds(rounds)) => {
                vec![(PHPASS_ROUNDS, rounds)]
            }
            (Algorithm::Sha1Crypt, Cost::Rounds(rounds)) => vec![(SHA1_CRYPT_ROUNDS, rounds)],
            (Algorithm::Sha256Crypt | Algorithm::Sha512Crypt, Cost::Rounds(rounds)) => {
                vec![(SHA_CRYPT_ROUNDS, rounds)]
            }
            (Algorithm::SunMd5, Cost::Rounds(rounds)) => vec![(SUN_MD5_ROUNDS, rounds)],
            // The rounds of md5-crypt are a constant, and digests are weak by their scheme.
            (_, Cost::Rounds(_)) => vec![],
        },
        Setting::Wrapped(setting) => return measures(&Setting::Argon2(setting.outer().clone())),
    };
    measures.push((SALT_BYTES, whole(setting.salt().len())));
    measures
}

fn output(setting: &Setting) -> (&'static str, u64) {
    (OUTPUT_BYTES, whole(setting.output_bytes()))
}

fn memory_measures(blocks: u64, work: u64) -> Vec<(&'static str, u64)> {
    vec![(SCRYPT_MEMORY_BYTES, blocks.saturating_mul(SCRYPT_BLOCK_BYTES)), (SCRYPT_N_R_P, work)]
}

fn whole(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

const ARGON2_MEMORY_KIB: &str = "argon2_memory_kib";
const ARGON2_MEMORY_PASSES_KIB: &str = "argon2_memory_passes_kib";
const BCRYPT_COST: &str = "bcrypt_cost";
const BSDI_CRYPT_ROUNDS: &str = "bsdi_crypt_rounds";
const OUTPUT_BYTES: &str = "output_bytes";
const PBKDF2_ITERATIONS: &str = "pbkdf2_iterations";
const PHPASS_ROUNDS: &str = "phpass_rounds";
const SALT_BYTES: &str = "salt_bytes";
const SCRYPT_MEMORY_BYTES: &str = "scrypt_memory_bytes";
const SCRYPT_N_R_P: &str = "scrypt_n_r_p";
const SHA1_CRYPT_ROUNDS: &str = "sha1_crypt_rounds";
const SHA_CRYPT_ROUNDS: &str = "sha_crypt_rounds";
const SUN_MD5_ROUNDS: &str = "sun_md5_rounds";

/// The floors that every document has.
const FLOOR_NAMES: [&str; 13] = [
    ARGON2_MEMORY_KIB,
    ARGON2_MEMORY_PASSES_KIB,
    BCRYPT_COST,
    BSDI_CRYPT_ROUNDS,
    OUTPUT_BYTES,
    PBKDF2_ITERATIONS,
    PHPASS_ROUNDS,
    SALT_BYTES,
    SCRYPT_MEMORY_BYTES,
    SCRYPT_N_R_P,
    SHA1_CRYPT_ROUNDS,
    SHA_CRYPT_ROUNDS,
    SUN_MD5_ROUNDS,
];
