//! A digest of the password and the salt, computed once or several times, or HMAC keyed with the
//! salt.

use core::{marker::PhantomData, ops::Range};

use hmac::{EagerHash, Hmac, KeyInit as _, Mac as _};
use saltern_encoded::verify_only::digest::{Order, Piece, Setting};
use sha1::Digest;
use zeroize::Zeroizing;

/// The digest of the last pass. The start computes the first pass, so the first round has nothing
/// to do.
pub(super) struct Passes<D> {
    last: Zeroizing<Vec<u8>>,
    digest: PhantomData<D>,
}

impl<D: Digest + EagerHash> Passes<D> {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let joined = |parts: &[&[u8]]| parts.iter().fold(D::new(), Digest::chain_update).finalize().to_vec();
        let last = Zeroizing::new(match setting.order() {
            Order::SaltAsKey => keyed::<D>(setting.salt(), password),
            Order::SaltFirst => joined(&[setting.salt(), password]),
            Order::SaltLast => joined(&[password, setting.salt()]),
            Order::Template(pieces) => {
                let filled: Vec<_> = pieces.iter().map(|piece| filled(piece, setting, password)).collect();
                joined(&filled)
            }
        });
        Self { last, digest: PhantomData }
    }
}

impl<D: Digest + Send> super::Rounds for Passes<D> {
    fn advance(&mut self, rounds: Range<u32>) {
        for _ in rounds.filter(|pass| *pass > 0) {
            let again = D::digest(&*self.last);
            self.last.copy_from_slice(&again);
        }
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&self.last);
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
fn keyed<D: EagerHash>(key: &[u8], password: &[u8]) -> Vec<u8> {
    let hmac = Hmac::<D>::new_from_slice(key).expect("a key of any length");
    hmac.chain_update(password).finalize().into_bytes().to_vec()
}
