//! md5-crypt, after `crypt-md5.c` of FreeBSD by Poul-Henning Kamp. The variant of Apache differs
//! only in the prefix.

use md5::{Digest as _, Md5};
use saltern_encoded::verify_only::md5_crypt::{OUTPUT_BYTES, ROUNDS, Setting};

/// Computes into `output`, [`OUTPUT_BYTES`] long. Branches depend only on the length of the
/// password and the number of the round.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let salt = setting.salt();
    let mut digest = first(setting.variant().prefix().as_bytes(), salt, password);
    for round in 0..ROUNDS {
        let odd = round % 2 == 1;
        let mut hash = Md5::new();
        hash.update(if odd { password } else { &digest });
        if round % 3 != 0 {
            hash.update(salt);
        }
        if round % 7 != 0 {
            hash.update(password);
        }
        hash.update(if odd { &digest } else { password });
        digest = hash.finalize().into();
    }
    output.copy_from_slice(&digest);
}

/// The digest before the first round.
fn first(prefix: &[u8], salt: &[u8], password: &[u8]) -> [u8; OUTPUT_BYTES] {
    let alternate = Md5::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut hash = Md5::new().chain_update(password).chain_update(prefix).chain_update(salt);
    for part in password.chunks(OUTPUT_BYTES) {
        hash.update(&alternate[..part.len()]);
    }
    let mut bits = password.len();
    while bits > 0 {
        // The original hashes the first byte of a buffer that it has just cleared.
        hash.update(if bits % 2 == 1 { &[0] } else { &password[..1] });
        bits /= 2;
    }
    hash.finalize().into()
}
