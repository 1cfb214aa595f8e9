//! What some software hashes in place of a password.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use md5::Md5;
use saltern_encoded::Preparation;
use sha2::{Digest as _, Sha256, Sha384};
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
        Preparation::Sha256Hex => {
            Password::prepared(base16ct::lower::encode_string(&Sha256::digest(password.expose())))
        }
        Preparation::WordPress => Password::prepared(wordpress(password.expose())),
    }
}

#[allow(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn wordpress(password: &[u8]) -> String {
    let mut hmac = Hmac::<Sha384>::new_from_slice(WORDPRESS_KEY).expect("a key of any length");
    hmac.update(password);
    BASE64_STANDARD.encode(hmac.finalize().into_bytes())
}

/// `wp_hash_password`: no secret, but what keeps these digests apart from all others.
const WORDPRESS_KEY: &[u8] = b"wp-sha384";

/// More stack than a digest and its text take, in bytes.
const STACK_BYTES: usize = 4 << 10;
