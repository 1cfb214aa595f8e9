//! Portable hashes of phpass, after `PasswordHash.php` of Openwall; those of Drupal 7, after its
//! `password.inc`.

use core::{marker::PhantomData, ops::Range};

use saltern_encoded::verify_only::phpass::{Hash, Setting};
use sha1::Digest;
use zeroize::Zeroizing;

/// The last digest, and after it the password: the message of a round.
pub(super) struct Phpass<D> {
    hash: Hash,
    message: Zeroizing<Vec<u8>>,
    digest: PhantomData<D>,
}

impl<D: Digest> Phpass<D> {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let digest = D::new().chain_update(setting.salt()).chain_update(password).finalize();
        let message = Zeroizing::new([&digest, password].concat());
        Self { hash: setting.hash(), message, digest: PhantomData }
    }
}

impl<D: Digest + Send> super::Rounds for Phpass<D> {
    fn advance(&mut self, rounds: Range<u32>) {
        for _ in rounds {
            let digest = D::digest(&*self.message);
            self.message[..digest.len()].copy_from_slice(&digest);
        }
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&self.message[..output.len()]);
        if let Some(last) = output.last_mut() {
            *last &= self.hash.last_byte_mask();
        }
    }
}
