//! A digest of the password and the salt, computed once or several times, or HMAC keyed with the
//! salt.

use hmac::{EagerHash, Hmac, KeyInit as _, Mac as _};
use md5::Md5;
use saltern_encoded::verify_only::digest::{Hash, Order, Setting};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha384, Sha512};

/// Computes into `output`, which has the length that the setting states.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    match setting.hash() {
        Hash::Md5 => digest::<Md5>(setting, password, output),
        Hash::Sha1 => digest::<Sha1>(setting, password, output),
        Hash::Sha256 => digest::<Sha256>(setting, password, output),
        Hash::Sha384 => digest::<Sha384>(setting, password, output),
        Hash::Sha512 => digest::<Sha512>(setting, password, output),
    }
}

fn digest<D: Digest + EagerHash>(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let joined = |parts: [&[u8]; 2]| parts.iter().fold(D::new(), Digest::chain_update).finalize();
    match setting.order() {
        Order::SaltAsKey => keyed::<D>(setting.salt(), password, output),
        Order::SaltFirst => output.copy_from_slice(&joined([setting.salt(), password])),
        Order::SaltLast => output.copy_from_slice(&joined([password, setting.salt()])),
    }
    for _ in 1..setting.passes() {
        let again = D::digest(&*output);
        output.copy_from_slice(&again);
    }
}

#[allow(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn keyed<D: EagerHash>(key: &[u8], password: &[u8], output: &mut [u8]) {
    let hmac = Hmac::<D>::new_from_slice(key).expect("a key of any length");
    output.copy_from_slice(&hmac.chain_update(password).finalize().into_bytes());
}
