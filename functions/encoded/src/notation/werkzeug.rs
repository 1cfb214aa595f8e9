//! Werkzeug: `pbkdf2:sha256:1000000$<salt>$<hex>` and `scrypt:32768:8:1$<salt>$<hex>`. Before 3.0
//! also `sha256$<salt>$<hex>`: HMAC keyed with the salt, over any function of `hashlib`. The salt
//! is hashed as text.
//!
//! HMAC over SHA-1 and MD5 is not read: `sha1$<salt>$<hex>` and `md5$<salt>$<hex>` are also strings
//! of Django, where they mean a digest of salt and password.
//!
//! Source: Werkzeug `src/werkzeug/security.py`, for HMAC that of 2.2.

use super::text_salt;
use crate::{
    ParseError, Weakness,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2,
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Hash, Order, Setting},
};

pub(crate) static HMAC: SchemeRow = SchemeRow {
    begins: &["sha256$", "sha512$"],
    // The Node package password-hash prints more fields.
    is: |text| text.matches('$').count() == 2,
    weakness: Some(Weakness::Fast),
    ..SchemeRow::new("werkzeug-hmac", Parse::Text(parse_hmac))
};

pub(crate) static PBKDF2: SchemeRow = SchemeRow {
    begins: &[
        "pbkdf2:sha1$",
        "pbkdf2:sha1:",
        "pbkdf2:sha256$",
        "pbkdf2:sha256:",
        "pbkdf2:sha512$",
        "pbkdf2:sha512:",
    ],
    is: |text| text.contains('$'),
    ..SchemeRow::new("werkzeug-pbkdf2", Parse::Text(parse_pbkdf2))
};

pub(crate) static SCRYPT: SchemeRow = SchemeRow {
    begins: &["scrypt:"],
    is: |text| text.contains('$'),
    ..SchemeRow::new("werkzeug-scrypt", Parse::Text(parse_scrypt))
};

/// Reads `<function>$<salt>$<hex>`.
fn parse_hmac(text: &str) -> Result<Parts, ParseError> {
    let [function, salt, output] = fields(text, '$')?;
    let hash = if function == "sha256" { Hash::Sha256 } else { Hash::Sha512 };
    let output = OutputText::read(Encoding::LowerHex, output)?;
    super::digest(text, output, Setting::new(hash, Order::SaltAsKey, text_salt(salt)?))
}

/// Reads `pbkdf2:<function>:<iterations>$<salt>$<hex>`.
fn parse_pbkdf2(text: &str) -> Result<Parts, ParseError> {
    let [method, salt, output] = fields(text, '$')?;
    let [_pbkdf2, function, iterations] = fields(method, ':')?;
    let prf = match function {
        "sha1" => pbkdf2::Prf::Sha1,
        "sha256" => pbkdf2::Prf::Sha256,
        _ => pbkdf2::Prf::Sha512,
    };
    let (salt, output) = (text_salt(salt)?, OutputText::read(Encoding::LowerHex, output)?);
    // Without a length `hashlib.pbkdf2_hmac` gives one block of the digest.
    super::pbkdf2(text, (prf, phc::decimal(iterations)?), salt, prf.block_bytes(), output)
}

/// Reads `scrypt:<N>:<r>:<p>$<salt>$<hex>`.
fn parse_scrypt(text: &str) -> Result<Parts, ParseError> {
    let [method, salt, output] = fields(text, '$')?;
    let [_scrypt, n, r, p] = fields(method, ':')?;
    let costs = (phc::log_2(phc::decimal(n)?)?, phc::decimal(r)?, phc::decimal(p)?);
    let (salt, output) = (text_salt(salt)?, OutputText::read(Encoding::LowerHex, output)?);
    super::scrypt(text, costs, salt, SCRYPT_OUTPUT_BYTES, output)
}

/// `hashlib.scrypt`: `dklen` if a program does not set it.
const SCRYPT_OUTPUT_BYTES: usize = 64;
