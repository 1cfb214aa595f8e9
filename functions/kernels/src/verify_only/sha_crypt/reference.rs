//! sha-crypt, with the RustCrypto `sha-crypt` crate.

use ::sha_crypt::{Params, sha256_crypt, sha512_crypt};
use saltern_encoded::verify_only::sha_crypt::{Hash, Setting};

/// Computes into `output`, which has the length of the digest.
#[allow(clippy::expect_used, reason = "a setting is within the bounds of the crate")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let rounds = Params::new(setting.rounds()).expect("1,000 to 999,999,999 rounds");
    match setting.hash() {
        Hash::Sha256 => output.copy_from_slice(&sha256_crypt(password, setting.salt(), rounds)),
        Hash::Sha512 => output.copy_from_slice(&sha512_crypt(password, setting.salt(), rounds)),
    }
}
