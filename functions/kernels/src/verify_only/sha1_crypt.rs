//! sha1-crypt, after `crypt-sha1.c` of NetBSD: in each round HMAC-SHA-1 of the last output.

use core::ops::Range;

use saltern_encoded::verify_only::sha1_crypt::{OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

use crate::{pbkdf2::chain::Chain, sha::State as _};

/// The start computes the first output, so the first round has nothing to do.
pub(super) struct Sha1Crypt(Zeroizing<Chain<[u32; 5]>>);

impl Sha1Crypt {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let mut chain = Zeroizing::new(Chain::idle());
        chain.key(password);
        let after_salt = format!("$sha1${}", setting.rounds());
        chain.last = chain.hmac(&[setting.salt(), after_salt.as_bytes()]);
        Self(chain)
    }
}

impl super::Rounds for Sha1Crypt {
    fn advance(&mut self, rounds: Range<u32>) {
        let Self(chain) = self;
        let mut last = [0; OUTPUT_BYTES];
        for _ in rounds.filter(|round| *round > 0) {
            chain.last.write(&mut last);
            chain.last = chain.hmac(&[&last]);
        }
    }

    fn finish(&self, output: &mut [u8]) {
        self.0.last.write(output);
    }
}
