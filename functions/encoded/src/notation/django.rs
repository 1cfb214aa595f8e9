//! Django: a name, costs, salt and output between dollar signs, as in
//! `pbkdf2_sha256$870000$<salt>$<Base64>`. The salt is hashed as text.
//!
//! `sha1$<salt>$<hex>` is refused because it is ambiguous. Django before 5.1 means SHA-1 of salt
//! and password. Werkzeug before 0.9 means HMAC-SHA-1 keyed with the salt. Both were defaults.
//!
//! Source: Django `django/contrib/auth/hashers.py`; for `sha1$$` that of Django 5.0.

use super::text_salt;
use crate::{
    ParseError, Weakness, argon2, bcrypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2,
    phc::{self, fields},
    reading::{Preparation, Reading},
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Hash, Order, Setting},
};

pub(crate) static ARGON2: SchemeRow =
    SchemeRow { begins: &["argon2$"], ..SchemeRow::new("django-argon2", Parse::Text(parse_argon2)) };

pub(crate) static BCRYPT: SchemeRow = SchemeRow {
    begins: &["bcrypt$"],
    reading: bcrypt::READING,
    ..SchemeRow::new("django-bcrypt", Parse::Text(|text| parse_bcrypt("bcrypt$", text)))
};

pub(crate) static BCRYPT_SHA256: SchemeRow = SchemeRow {
    begins: &["bcrypt_sha256$"],
    reading: Reading::prepared(Preparation::Sha256Hex),
    ..SchemeRow::new("django-bcrypt-sha256", Parse::Text(|text| parse_bcrypt("bcrypt_sha256$", text)))
};

pub(crate) static MD5: SchemeRow = SchemeRow {
    begins: &["md5$"],
    weakness: Some(Weakness::Fast),
    ..SchemeRow::new("django-md5", Parse::Text(parse_md5))
};

pub(crate) static PBKDF2: SchemeRow = SchemeRow {
    begins: &["pbkdf2_sha1$", "pbkdf2_sha256$"],
    ..SchemeRow::new("django-pbkdf2", Parse::Text(parse_pbkdf2))
};

pub(crate) static SCRYPT: SchemeRow =
    SchemeRow { begins: &["scrypt$"], ..SchemeRow::new("django-scrypt", Parse::Text(parse_scrypt)) };

/// Django marks by an empty salt that there is none.
pub(crate) static UNSALTED_SHA1: SchemeRow = SchemeRow {
    begins: &["sha1$$"],
    weakness: Some(Weakness::Unsalted),
    ..SchemeRow::new("django-unsalted-sha1", Parse::Text(parse_sha1))
};

/// Reads `argon2$argon2id$…`: a PHC string after a name.
fn parse_argon2(text: &str) -> Result<Parts, ParseError> {
    let name = "argon2";
    argon2::SCHEME.parse_behind(name, text.strip_prefix(name).ok_or(ParseError::Invalid)?)
}

/// Reads `bcrypt$$2b$…`: bcrypt after a name.
fn parse_bcrypt(name: &str, text: &str) -> Result<Parts, ParseError> {
    bcrypt::SCHEME.parse_behind(name, text.strip_prefix(name).ok_or(ParseError::Invalid)?)
}

/// Reads `md5$<salt>$<hex>`: MD5 of salt and password.
fn parse_md5(text: &str) -> Result<Parts, ParseError> {
    let [_md5, salt, output] = fields(text, '$')?;
    let output = OutputText::read(Encoding::LowerHex, output)?;
    super::digest(text, output, Setting::new(Hash::Md5, Order::SaltFirst, text_salt(salt)?))
}

/// Reads `pbkdf2_sha256$<iterations>$<salt>$<Base64>`.
fn parse_pbkdf2(text: &str) -> Result<Parts, ParseError> {
    let [algorithm, iterations, salt, output] = fields(text, '$')?;
    let prf = if algorithm == "pbkdf2_sha1" { pbkdf2::Prf::Sha1 } else { pbkdf2::Prf::Sha256 };
    let (salt, output) = (text_salt(salt)?, OutputText::read(Encoding::Base64, output)?);
    // Django always takes one block of the digest.
    super::pbkdf2(text, (prf, phc::decimal(iterations)?), salt, prf.block_bytes(), output)
}

/// Reads `scrypt$<N>$<salt>$<r>$<p>$<Base64>`.
fn parse_scrypt(text: &str) -> Result<Parts, ParseError> {
    let [_scrypt, n, salt, r, p, output] = fields(text, '$')?;
    let costs = (phc::log_2(phc::decimal(n)?)?, phc::decimal(r)?, phc::decimal(p)?);
    let (salt, output) = (text_salt(salt)?, OutputText::read(Encoding::Base64, output)?);
    super::scrypt(text, costs, salt, SCRYPT_OUTPUT_BYTES, output)
}

/// Reads `sha1$$<hex>`: SHA-1 of the password alone.
fn parse_sha1(text: &str) -> Result<Parts, ParseError> {
    let [_sha1, _no_salt, output] = fields(text, '$')?;
    let output = OutputText::read(Encoding::LowerHex, output)?;
    super::digest(text, output, Setting::new(Hash::Sha1, Order::SaltFirst, Vec::new()))
}

/// `ScryptPasswordHasher.encode`, `dklen`.
const SCRYPT_OUTPUT_BYTES: usize = 64;
