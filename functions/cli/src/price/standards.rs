//! The minima of OWASP and NIST.

use crate::number::grouped;
use saltern_encoded::{Params, argon2, bcrypt, pbkdf2, scrypt};

/// The source of OWASP's numbers.
pub const OWASP: &str = "OWASP Password Storage Cheat Sheet (2026)";

/// The source of NIST's number of iterations.
pub const NIST: &str = "NIST SP 800-63B (2017), section 5.1.1.2";

/// argon2id with p = 1, as (memory in KiB, passes). Each of them is enough.
const OWASP_ARGON2ID: [(u32, u32); 5] = [(47_104, 1), (19_456, 2), (12_288, 3), (9_216, 4), (7_168, 5)];

/// scrypt with r = 8, as (log2 N, p). Each of them is enough.
const OWASP_SCRYPT: [(u8, u32); 5] = [(17, 1), (16, 2), (15, 3), (14, 5), (13, 10)];
const OWASP_SCRYPT_R: u32 = 8;

const OWASP_BCRYPT_COST: u32 = 10;

const OWASP_PBKDF2_SHA1: u32 = 1_400_000;
const OWASP_PBKDF2_SHA256: u32 = 600_000;
const OWASP_PBKDF2_SHA512: u32 = 220_000;

const NIST_PBKDF2: u32 = 10_000;

/// Whether the parameters meet OWASP's minimum.
pub fn meets_owasp(params: Params) -> bool {
    match params {
        Params::Argon2(params) => OWASP_ARGON2ID
            .iter()
            .any(|&(memory_kib, passes)| params.memory_kib() >= memory_kib && params.passes() >= passes),
        Params::Bcrypt(params) => params.cost() >= OWASP_BCRYPT_COST,
        Params::Pbkdf2(params) => params.iterations() >= owasp_iterations(params.prf()),
        Params::Scrypt(params) => OWASP_SCRYPT
            .iter()
            .any(|&(log_n, p)| params.log_n() >= log_n && params.r() >= OWASP_SCRYPT_R && params.p() >= p),
    }
}

/// Returns OWASP's minimum for the algorithm of these parameters, in OWASP's notation.
pub fn owasp_in_words(params: Params) -> String {
    match params {
        Params::Argon2(_) => {
            let rows = OWASP_ARGON2ID.map(|(memory_kib, passes)| format!("m={memory_kib} t={passes}"));
            format!("{}, p=1", rows.join(" or "))
        }
        Params::Bcrypt(_) => format!("cost {OWASP_BCRYPT_COST}"),
        Params::Pbkdf2(params) => {
            format!("{} iterations", grouped(owasp_iterations(params.prf()).into()))
        }
        Params::Scrypt(_) => {
            let rows = OWASP_SCRYPT.map(|(log_n, p)| format!("N=2^{log_n} p={p}"));
            format!("{}, r={OWASP_SCRYPT_R}", rows.join(" or "))
        }
    }
}

/// Returns the parameters that meet OWASP's minimum with the least memory, one for each algorithm
/// of a policy.
pub fn owasp_least_memory() -> Vec<Params> {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    let (memory_kib, passes) = OWASP_ARGON2ID[OWASP_ARGON2ID.len() - 1];
    let (log_n, p) = OWASP_SCRYPT[OWASP_SCRYPT.len() - 1];
    let pbkdf2 = [pbkdf2::Prf::Sha1, pbkdf2::Prf::Sha256, pbkdf2::Prf::Sha512]
        .map(|prf| pbkdf2::Params::new(prf, owasp_iterations(prf)).map(Params::Pbkdf2));
    let others = [
        argon2::Params::new(variant, version, memory_kib, passes, 1).map(Params::Argon2),
        bcrypt::Params::new(OWASP_BCRYPT_COST).map(Params::Bcrypt),
        scrypt::Params::new(log_n, OWASP_SCRYPT_R, p).map(Params::Scrypt),
    ];
    others.into_iter().chain(pbkdf2).flatten().collect()
}

/// Whether the parameters meet NIST's last number; `None` if NIST has no number for the algorithm.
pub fn meets_nist(params: Params) -> Option<bool> {
    match params {
        Params::Pbkdf2(params) => Some(params.iterations() >= NIST_PBKDF2),
        Params::Argon2(_) | Params::Bcrypt(_) | Params::Scrypt(_) => None,
    }
}

fn owasp_iterations(prf: pbkdf2::Prf) -> u32 {
    match prf {
        pbkdf2::Prf::Sha1 => OWASP_PBKDF2_SHA1,
        pbkdf2::Prf::Sha256 => OWASP_PBKDF2_SHA256,
        pbkdf2::Prf::Sha512 => OWASP_PBKDF2_SHA512,
    }
}
