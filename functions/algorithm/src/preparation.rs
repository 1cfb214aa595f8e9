//! What some software hashes in place of a password.

use md5::{Digest as _, Md5};
use saltern_encoded::Preparation;
use zeroize::zeroize_stack;

use crate::Password;

/// The password that the algorithm takes.
#[must_use]
pub fn prepare(preparation: Preparation, password: &Password) -> Password {
    match preparation {
        Preparation::HexMd5 => {
            let text = hex_md5(password);
            zeroize_stack::<DIGEST_STACK_BYTES>();
            text
        }
        Preparation::None => password.clone(),
    }
}

#[inline(never)]
fn hex_md5(password: &Password) -> Password {
    let digest = Md5::digest(password.expose());
    let digit = |half: u8| HEX[usize::from(half)];
    Password::of(digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect())
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// More stack than a digest takes, in bytes.
const DIGEST_STACK_BYTES: usize = 4 << 10;
