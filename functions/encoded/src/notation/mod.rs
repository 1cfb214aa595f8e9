//! The schemes of other software for algorithms that Saltern also uses for new hashes, and for
//! plain digests.

pub(crate) mod aspnet;
pub(crate) mod atlassian;
pub(crate) mod django;
pub(crate) mod grub;
pub(crate) mod kratos;
pub(crate) mod ldap;
pub(crate) mod mysql;
pub(crate) mod passlib;
pub(crate) mod scrypt_7;
pub(crate) mod spring;
pub(crate) mod werkzeug;
pub(crate) mod wordpress;

use crate::{
    ParseError, Setting,
    parts::{OutputText, Parts},
    pbkdf2, scrypt,
    verify_only::{self, digest},
};

/// A salt that is hashed as text: the characters that cannot be taken for another part of the
/// string.
fn text_salt(text: &str) -> Result<Vec<u8>, ParseError> {
    let is_text = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_text { Ok(text.into()) } else { Err(ParseError::Invalid) }
}

/// PBKDF2 with an output of `output_bytes`.
fn pbkdf2(
    text: &str,
    (prf, iterations): (pbkdf2::Prf, u32),
    salt: Vec<u8>,
    output_bytes: usize,
    output: OutputText,
) -> Result<Parts, ParseError> {
    let params = pbkdf2::Params::new(prf, iterations).ok_or(ParseError::Invalid)?;
    if salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    Parts::new(text, output, Setting::Pbkdf2(pbkdf2::Setting::new(params, salt, output_bytes)))
}

/// scrypt with an output of `output_bytes`.
fn scrypt(
    text: &str,
    (log_n, r, p): (u32, u32, u32),
    salt: Vec<u8>,
    output_bytes: usize,
    output: OutputText,
) -> Result<Parts, ParseError> {
    let log_n = u8::try_from(log_n).map_err(|_| ParseError::Invalid)?;
    let params = scrypt::Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    if salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    Parts::new(text, output, Setting::Scrypt(scrypt::Setting::new(params, salt, output_bytes)))
}

/// A digest.
fn digest(text: &str, output: OutputText, setting: digest::Setting) -> Result<Parts, ParseError> {
    Parts::new(text, output, Setting::VerifyOnly(verify_only::VerifyOnlySetting::Digest(setting)))
}
