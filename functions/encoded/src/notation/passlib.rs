//! passlib: PBKDF2 as `$pbkdf2-sha256$29000$<salt>$<output>`, for which a PHC string has
//! `i=29000,l=32`; SHA-1 is `$pbkdf2$`. And bcrypt of a digest:
//! `$bcrypt-sha256$v=2,t=2b,r=12$<salt>$<output>`, before 1.7.3
//! `$bcrypt-sha256$2b,12$<salt>$<output>`.
//! Source: passlib `passlib/handlers/pbkdf2.py`, `passlib.utils.binary.ab64_encode`;
//! `passlib/handlers/bcrypt.py`, class `bcrypt_sha256`.

use crate::{
    ParseError, Setting, bcrypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2::Prf,
    phc::{self, fields},
    reading::{Preparation, Reading},
    scheme::{Parse, SchemeRow},
};

pub(crate) static BCRYPT_SHA256_V1: SchemeRow = SchemeRow {
    begins: &["$bcrypt-sha256$"],
    reading: Reading::prepared(Preparation::Sha256Base64),
    ..SchemeRow::new(BCRYPT_SHA256, Parse::Text(parse_bcrypt_sha256_v1))
};

pub(crate) static BCRYPT_SHA256_V2: SchemeRow = SchemeRow {
    begins: &["$bcrypt-sha256$v="],
    reading: Reading::prepared(Preparation::HmacSha256Base64),
    ..SchemeRow::new(BCRYPT_SHA256, Parse::Text(parse_bcrypt_sha256_v2))
};

const BCRYPT_SHA256: &str = "passlib-bcrypt-sha256";

pub(crate) static PBKDF2: SchemeRow = SchemeRow {
    begins: &["$pbkdf2$", "$pbkdf2-sha256$", "$pbkdf2-sha512$"],
    ..SchemeRow::new("passlib-pbkdf2", Parse::Text(parse_pbkdf2))
};

fn parse_pbkdf2(text: &str) -> Result<Parts, ParseError> {
    let [_before, id, iterations, salt, output] = fields(text, '$')?;
    let prf = id.parse::<Prf>().map_err(|_| ParseError::Invalid)?;
    pbkdf2(text, (prf, phc::decimal(iterations)?), Encoding::AdaptedBase64, [salt, output])
}

fn parse_bcrypt_sha256_v1(text: &str) -> Result<Parts, ParseError> {
    let [_before, _id, costs, salt, output] = fields(text, '$')?;
    let [prefix, cost] = fields(costs, ',')?;
    if prefix != "2a" && prefix != "2b" {
        return Err(ParseError::Invalid);
    }
    bcrypt(text, phc::decimal(cost)?, salt, output)
}

fn parse_bcrypt_sha256_v2(text: &str) -> Result<Parts, ParseError> {
    let [_before, _id, costs, salt, output] = fields(text, '$')?;
    let [version, prefix, cost] = fields(costs, ',')?;
    if phc::field(version, "v")? != 2 {
        return Err(ParseError::Unsupported);
    }
    if prefix != "t=2b" {
        return Err(ParseError::Invalid);
    }
    bcrypt(text, phc::field(cost, "r")?, salt, output)
}

fn bcrypt(text: &str, cost: u32, salt: &str, output: &str) -> Result<Parts, ParseError> {
    let salt = Encoding::BcryptBase64.decode(salt)?;
    let output = OutputText::read(Encoding::BcryptBase64, output)?;
    Parts::new(text, output, Setting::Bcrypt(bcrypt::Setting::new(cost, &salt)?))
}

/// PBKDF2 with salt and output in this encoding. The output is one block, in passlib and in
/// directories.
pub(super) fn pbkdf2(
    text: &str,
    costs: (Prf, u32),
    encoding: Encoding,
    [salt, output]: [&str; 2],
) -> Result<Parts, ParseError> {
    let salt = encoding.decode(salt)?.to_vec();
    let output = OutputText::read(encoding, output)?;
    super::pbkdf2(text, costs, salt, costs.0.block_bytes(), output)
}
