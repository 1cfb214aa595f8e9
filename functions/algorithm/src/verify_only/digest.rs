//! A digest over the password and the salt, once or some times over.

use md5::Md5;
use saltern_encoded::verify_only::digest::{Hash, Order, Setting};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

/// `output` has the length that the setting names.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    match setting.hash() {
        Hash::Md5 => digest::<Md5>(setting, password, output),
        Hash::Sha1 => digest::<Sha1>(setting, password, output),
        Hash::Sha256 => digest::<Sha256>(setting, password, output),
        Hash::Sha512 => digest::<Sha512>(setting, password, output),
    }
}

fn digest<D: Digest>(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let [first, second] = match setting.order() {
        Order::SaltFirst => [setting.salt(), password],
        Order::SaltLast => [password, setting.salt()],
    };
    output.copy_from_slice(&D::new().chain_update(first).chain_update(second).finalize());
    for _ in 1..setting.passes() {
        let again = D::digest(&*output);
        output.copy_from_slice(&again);
    }
}
