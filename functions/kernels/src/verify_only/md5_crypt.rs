//! md5-crypt, after `crypt-md5.c` of FreeBSD by Poul-Henning Kamp. The variant of Apache differs
//! only in the prefix.

use core::ops::Range;

use md5::{Digest as _, Md5};
use saltern_encoded::verify_only::md5_crypt::{OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

pub(super) use saltern_encoded::verify_only::md5_crypt::ROUNDS;

/// Branches depend only on the length of the password and the number of the round.
pub(super) struct Md5Crypt {
    salt: Box<[u8]>,
    password: Zeroizing<Box<[u8]>>,
    digest: Zeroizing<[u8; OUTPUT_BYTES]>,
}

impl Md5Crypt {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let digest = first(setting.variant().prefix().as_bytes(), setting.salt(), password);
        let (salt, password) = (setting.salt().into(), Zeroizing::new(password.into()));
        Self { salt, password, digest: Zeroizing::new(digest) }
    }
}

impl super::Rounds for Md5Crypt {
    fn advance(&mut self, rounds: Range<u32>) {
        let Self { salt, password, digest } = self;
        for round in rounds {
            let odd = round % 2 == 1;
            let mut hash = Md5::new();
            hash.update(if odd { &password[..] } else { &digest[..] });
            if round % 3 != 0 {
                hash.update(&salt);
            }
            if round % 7 != 0 {
                hash.update(&**password);
            }
            hash.update(if odd { &digest[..] } else { &password[..] });
            **digest = hash.finalize().into();
        }
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&*self.digest);
    }
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
