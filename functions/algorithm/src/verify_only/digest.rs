//! One pass of a digest over the password and the salt.

use md5::Md5;
use saltern_encoded::verify_only::digest::{Hash, Setting};
use sha1::{Digest, Sha1};

/// `output` has the length that the setting names.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    match setting.hash() {
        Hash::Md5 => digest::<Md5>(setting, password, output),
        Hash::Sha1 => digest::<Sha1>(setting, password, output),
    }
}

fn digest<D: Digest>(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let mut digest = D::new();
    digest.update(password);
    digest.update(setting.salt());
    output.copy_from_slice(&digest.finalize());
}
