//! What some software hashes in place of a password.

use md5::{Digest as _, Md5};
use saltern_encoded::Preparation;
use zeroize::zeroize_stack;

use crate::Password;

/// The password that the algorithm takes.
#[must_use]
pub fn prepare(preparation: Preparation, password: &Password) -> Password {
    let prepared = prepare_on_the_stack(preparation, password);
    if preparation != Preparation::None {
        zeroize_stack::<STACK_BYTES>();
    }
    prepared
}

#[inline(never)]
fn prepare_on_the_stack(preparation: Preparation, password: &Password) -> Password {
    match preparation {
        Preparation::Md5Hex => {
            Password::prepared(base16ct::lower::encode_string(&Md5::digest(password.expose())))
        }
        Preparation::None => password.clone(),
    }
}

/// More stack than a digest and its text take, in bytes.
const STACK_BYTES: usize = 4 << 10;
