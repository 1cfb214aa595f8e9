//! Django's hashes: a name, costs, salt and output with dollar signs between, as in `pbkdf2_sha256$870000$<salt>$<Base64>`.
//! The salt is used as the text it is.
//!
//! `sha1$<salt>$<hex>` is not read: Django before 5.1 means SHA-1 of salt and password by it, and Werkzeug before 0.9
//! HMAC-SHA-1 keyed with the salt. Both were defaults, and nothing tells them apart.
//!
//! Source: Django `django/contrib/auth/hashers.py`; for `sha1$$` that of Django 5.0.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{bcrypt_of_prepared, decode_base64, decode_hex, fields, text_salt};
use crate::{
    Encoded, ParseError, Scheme, Setting, pbkdf2, phc, scrypt,
    verify_only::{
        self,
        digest::{Hash, Order},
    },
};

/// Reads `argon2$argon2id$…`: a PHC string behind a name.
pub(crate) fn parse_argon2(stored: &str) -> Result<Encoded, ParseError> {
    let inner = stored.strip_prefix(ARGON2).ok_or(ParseError::Invalid)?;
    let encoded = Scheme::of_one_of(&[Scheme::Argon2], inner)?.parse(inner)?;
    Encoded::written_as(Scheme::DjangoArgon2, encoded.setting, &encoded.output).ok_or(ParseError::Invalid)
}

/// Reads `bcrypt$$2b$…`: bcrypt behind a name.
pub(crate) fn parse_bcrypt(stored: &str) -> Result<Encoded, ParseError> {
    bcrypt_of_prepared(Scheme::DjangoBcrypt, stored.strip_prefix(BCRYPT).ok_or(ParseError::Invalid)?)
}

/// Reads `bcrypt_sha256$$2b$…`: bcrypt of the password's SHA-256 in hexadecimal.
pub(crate) fn parse_bcrypt_sha256(stored: &str) -> Result<Encoded, ParseError> {
    let inner = stored.strip_prefix(BCRYPT_SHA256).ok_or(ParseError::Invalid)?;
    bcrypt_of_prepared(Scheme::DjangoBcryptSha256, inner)
}

/// Reads `md5$<salt>$<hex>`: MD5 of salt and password.
pub(crate) fn parse_md5(stored: &str) -> Result<Encoded, ParseError> {
    let [_md5, salt, output] = fields(stored, '$')?;
    let setting = verify_only::digest::Setting::new(Hash::Md5, Order::SaltFirst, text_salt(salt)?);
    digest(Scheme::DjangoMd5, setting, output)
}

/// Prints what [`parse_md5`] reads.
pub(crate) fn print_md5(
    setting: &verify_only::digest::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "md5${salt}${}", base16ct::lower::encode_string(output))
}

/// Reads `pbkdf2_sha256$<iterations>$<salt>$<Base64>`.
pub(crate) fn parse_pbkdf2(stored: &str) -> Result<Encoded, ParseError> {
    let [algorithm, iterations, salt, output] = fields(stored, '$')?;
    let prf = if algorithm == PBKDF2_SHA1 { pbkdf2::Prf::Sha1 } else { pbkdf2::Prf::Sha256 };
    let (salt, output) = (text_salt(salt)?, decode_base64(output)?);
    // Django asks for one block of the digest, whichever it is.
    let (costs, output_bytes) = ((prf, phc::decimal(iterations)?), prf.block_bytes());
    super::pbkdf2(Scheme::DjangoPbkdf2, costs, salt, output_bytes, &output)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let algorithm = if params.prf() == pbkdf2::Prf::Sha1 { PBKDF2_SHA1 } else { PBKDF2_SHA256 };
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "{algorithm}${}${salt}${}", params.iterations(), BASE64_STANDARD.encode(output))
}

/// Reads `scrypt$<N>$<salt>$<r>$<p>$<Base64>`.
pub(crate) fn parse_scrypt(stored: &str) -> Result<Encoded, ParseError> {
    let [_scrypt, n, salt, r, p, output] = fields(stored, '$')?;
    let costs = (phc::log_2(phc::decimal(n)?)?, phc::decimal(r)?, phc::decimal(p)?);
    let (salt, output) = (text_salt(salt)?, decode_base64(output)?);
    super::scrypt(Scheme::DjangoScrypt, costs, salt, SCRYPT_OUTPUT_BYTES, &output)
}

/// Prints what [`parse_scrypt`] reads.
pub(crate) fn print_scrypt(
    setting: &scrypt::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let (n, r, p) = (1_u64 << params.log_n(), params.r(), params.p());
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "scrypt${n}${salt}${r}${p}${}", BASE64_STANDARD.encode(output))
}

/// Reads `sha1$$<hex>`: SHA-1 of the password alone.
pub(crate) fn parse_sha1(stored: &str) -> Result<Encoded, ParseError> {
    let output = stored.strip_prefix(UNSALTED_SHA1).ok_or(ParseError::Invalid)?;
    let setting = verify_only::digest::Setting::new(Hash::Sha1, Order::SaltFirst, Vec::new());
    digest(Scheme::DjangoSha1, setting, output)
}

/// Prints what [`parse_sha1`] reads.
pub(crate) fn print_sha1(output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{UNSALTED_SHA1}{}", base16ct::lower::encode_string(output))
}

fn digest(
    scheme: Scheme,
    setting: verify_only::digest::Setting,
    output: &str,
) -> Result<Encoded, ParseError> {
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(setting));
    Encoded::written_as(scheme, setting, &decode_hex(output)?).ok_or(ParseError::Invalid)
}

/// What stands before a PHC string of Argon2.
pub(crate) const ARGON2: &str = "argon2";

/// What stands before bcrypt.
pub(crate) const BCRYPT: &str = "bcrypt$";

/// What stands before bcrypt of a digest.
pub(crate) const BCRYPT_SHA256: &str = "bcrypt_sha256$";

/// An empty salt, by which Django marks that there is none.
pub(crate) const UNSALTED_SHA1: &str = "sha1$$";

const PBKDF2_SHA1: &str = "pbkdf2_sha1";
const PBKDF2_SHA256: &str = "pbkdf2_sha256";

/// `ScryptPasswordHasher.encode`, `dklen`.
const SCRYPT_OUTPUT_BYTES: usize = 64;
