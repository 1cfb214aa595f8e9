//! sha1-crypt, after `crypt-sha1.c` of NetBSD: in each round HMAC-SHA-1 of the last output.

use core::ops::Range;

use saltern_encoded::verify_only::sha1_crypt::{OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

use crate::{
    pbkdf2::chain::Chain,
    sha::{END_OF_MESSAGE, State as _},
};

type Sha1 = [u32; 5];

/// The start computes the first output, so the first round has nothing to do.
pub(super) struct Sha1Crypt(Zeroizing<Chain<Sha1>>);

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
        // The last output and its padding, after the block of the key.
        let mut block = [0; Sha1::BLOCK_BYTES];
        block[OUTPUT_BYTES] = END_OF_MESSAGE;
        let bits = 8 * (Sha1::BLOCK_BYTES + OUTPUT_BYTES) as u64;
        block[Sha1::BLOCK_BYTES - 8..].copy_from_slice(&bits.to_be_bytes());
        for _ in rounds.filter(|round| *round > 0) {
            for midstate in [chain.inner, chain.outer] {
                chain.last.write(&mut block[..OUTPUT_BYTES]);
                chain.last = midstate;
                chain.last.compress(&block);
            }
        }
    }

    fn finish(&self, output: &mut [u8]) {
        self.0.last.write(output);
    }
}
