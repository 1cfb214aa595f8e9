//! sha1-crypt, after `crypt-sha1.c` of NetBSD: in each round HMAC-SHA-1 of the last output.

use hmac::{Hmac, KeyInit as _, Mac as _};
use saltern_encoded::verify_only::sha1_crypt::{OUTPUT_BYTES, Setting};
use sha1::Sha1;

/// Computes into `output`, [`OUTPUT_BYTES`] long.
#[allow(clippy::expect_used, reason = "HMAC takes keys of every length")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let keyed = Hmac::<Sha1>::new_from_slice(password).expect("a key of any length");
    let first =
        keyed.clone().chain_update(setting.salt()).chain_update(format!("$sha1${}", setting.rounds()));
    let mut digest: [u8; OUTPUT_BYTES] = first.finalize().into_bytes().into();
    for _ in 1..setting.rounds() {
        digest = keyed.clone().chain_update(digest).finalize().into_bytes().into();
    }
    output.copy_from_slice(&digest);
}
