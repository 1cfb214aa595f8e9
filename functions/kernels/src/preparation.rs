//! Preparations: some software hashes a digest of the password in its place.

use base64::{
    Engine as _,
    alphabet::BCRYPT,
    engine::{GeneralPurpose, general_purpose::NO_PAD},
    prelude::BASE64_STANDARD,
};
use hmac::{Hmac, KeyInit as _, Mac, digest::InvalidLength};
use md5::Md5;
use saltern_encoded::{Preparation, SitePreparation};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384};

use crate::{Password, stack};

/// Returns the password as the algorithm takes it.
///
/// `salt` is the salt in the bytes that the algorithm takes.
#[must_use]
pub fn prepare(preparation: Preparation, salt: &[u8], password: &Password) -> Password {
    let prepared = prepare_on_the_stack(preparation, salt, password);
    if preparation != Preparation::None {
        stack::wipe();
    }
    prepared
}

/// Returns the text that a site hashed in place of the password. `site_key` is the pepper, if the
/// preparation names one.
#[must_use]
pub fn prepare_for_site(preparation: &SitePreparation, site_key: &[u8], password: &Password) -> Password {
    match preparation {
        SitePreparation::Md5Hex => prepare(Preparation::Md5Hex, &[], password),
        SitePreparation::PepperAppend(_) => Password::joined([password.expose(), site_key]),
        SitePreparation::PepperPrepend(_) => Password::joined([site_key, password.expose()]),
        SitePreparation::Sha1Hex => prepare(Preparation::Sha1Hex, &[], password),
        SitePreparation::Sha256Base64 => prepare(Preparation::Sha256Base64, &[], password),
    }
}

#[inline(never)]
fn prepare_on_the_stack(preparation: Preparation, salt: &[u8], password: &Password) -> Password {
    match preparation {
        Preparation::HmacSha256Base64 => {
            let key = BCRYPT_BASE64.encode(salt);
            let hmac = keyed(Hmac::<Sha256>::new_from_slice(key.as_bytes()), password.expose());
            Password::prepared(BASE64_STANDARD.encode(hmac.finalize().into_bytes()))
        }
        Preparation::Md5Hex => {
            Password::prepared(base16ct::lower::encode_string(&Md5::digest(password.expose())))
        }
        Preparation::None => password.clone(),
        Preparation::Sha1Hex => {
            Password::prepared(base16ct::lower::encode_string(&Sha1::digest(password.expose())))
        }
        Preparation::Sha256Base64 => {
            Password::prepared(BASE64_STANDARD.encode(Sha256::digest(password.expose())))
        }
        Preparation::Sha256Hex => {
            Password::prepared(base16ct::lower::encode_string(&Sha256::digest(password.expose())))
        }
        Preparation::WordPress => {
            let hmac = keyed(Hmac::<Sha384>::new_from_slice(WORDPRESS_KEY), password.expose());
            Password::prepared(BASE64_STANDARD.encode(hmac.finalize().into_bytes()))
        }
    }
}

#[allow(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn keyed<M: Mac>(hmac: Result<M, InvalidLength>, password: &[u8]) -> M {
    hmac.expect("a key of any length").chain_update(password)
}

/// The text form of a bcrypt salt.
const BCRYPT_BASE64: GeneralPurpose = GeneralPurpose::new(&BCRYPT, NO_PAD);

/// The key of `wp_hash_password`. It is public: it separates these digests from all others.
const WORDPRESS_KEY: &[u8] = b"wp-sha384";
