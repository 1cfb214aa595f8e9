//! A digest of the password and the salt, computed once or several times, or HMAC keyed with the
//! salt.

use hmac::{EagerHash, Hmac, KeyInit as _, Mac as _};
use md5::Md5;
use saltern_encoded::verify_only::digest::{Hash, Order, Piece, Setting};
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
        Order::Template(pieces) => {
            let filled = pieces.iter().map(|piece| filled(piece, setting, password));
            output.copy_from_slice(&filled.fold(D::new(), Digest::chain_update).finalize());
        }
    }
    for _ in 1..setting.passes() {
        let again = D::digest(&*output);
        output.copy_from_slice(&again);
    }
}

/// Returns the length of the text of the first pass, in bytes.
pub(super) fn input_bytes(setting: &Setting, password_bytes: u64) -> u64 {
    let salt = setting.salt().len() as u64;
    match setting.order() {
        Order::SaltAsKey | Order::SaltFirst | Order::SaltLast => salt + password_bytes,
        Order::Template(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Password => password_bytes,
                Piece::Salt => salt,
                Piece::Text(text) => text.len() as u64,
            })
            .sum(),
    }
}

fn filled<'a>(piece: &'a Piece, setting: &'a Setting, password: &'a [u8]) -> &'a [u8] {
    match piece {
        Piece::Password => password,
        Piece::Salt => setting.salt(),
        Piece::Text(text) => text,
    }
}

#[allow(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn keyed<D: EagerHash>(key: &[u8], password: &[u8], output: &mut [u8]) {
    let hmac = Hmac::<D>::new_from_slice(key).expect("a key of any length");
    output.copy_from_slice(&hmac.chain_update(password).finalize().into_bytes());
}
