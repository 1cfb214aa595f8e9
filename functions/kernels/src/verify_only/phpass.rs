//! Portable hashes of phpass, after `PasswordHash.php` of Openwall; those of Drupal 7, after its
//! `password.inc`.

use md5::Md5;
use saltern_encoded::verify_only::phpass::{Hash, Setting};
use sha1::Digest;
use sha2::Sha512;

/// Computes into `output`, which has the length that the setting states.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    match setting.hash() {
        Hash::Md5 => rounds::<Md5>(setting, password, output),
        Hash::Sha512 => rounds::<Sha512>(setting, password, output),
    }
    if let Some(last) = output.last_mut() {
        *last &= setting.hash().last_byte_mask();
    }
}

fn rounds<D: Digest>(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let mut digest = D::new().chain_update(setting.salt()).chain_update(password).finalize();
    for _ in 0..setting.rounds() {
        digest = D::new().chain_update(&digest).chain_update(password).finalize();
    }
    let kept = output.len();
    output.copy_from_slice(&digest[..kept]);
}
