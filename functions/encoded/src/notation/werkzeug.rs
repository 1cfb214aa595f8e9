//! Werkzeug's hashes: `pbkdf2:sha256:1000000$<salt>$<hex>`, `scrypt:32768:8:1$<salt>$<hex>`, and before 3.0 whatever function
//! of `hashlib` a program named, `sha256$<salt>$<hex>`: HMAC keyed with the salt. The salt is used as the text it is.
//!
//! Of the last kind SHA-1 and MD5 are not read: `sha1$<salt>$<hex>` and `md5$<salt>$<hex>` were Django's too, which means the
//! digest of salt and password by them.
//!
//! Source: Werkzeug `src/werkzeug/security.py`, for HMAC that of 2.2.

use core::fmt;

use super::{decode_hex, fields, text_salt};
use crate::{
    Encoded, ParseError, Scheme, Setting, pbkdf2, phc, scrypt,
    verify_only::{
        self,
        digest::{Hash, Order},
    },
};

/// The form that the text before the first dollar sign names.
pub(crate) fn scheme_of(method: &str, rest: &str) -> Option<Scheme> {
    // What has more fields than salt and output is another's: the Node package password-hash prints four.
    if hash_of(method).is_some() && rest.matches('$').count() == 1 {
        return Some(Scheme::WerkzeugHmac);
    }
    match method.split_once(':')? {
        ("pbkdf2", costs) => prf_of(costs).map(|_prf| Scheme::WerkzeugPbkdf2),
        ("scrypt", _costs) => Some(Scheme::WerkzeugScrypt),
        _ => None,
    }
}

/// Reads `<function>$<salt>$<hex>`.
pub(crate) fn parse_hmac(stored: &str) -> Result<Encoded, ParseError> {
    let [function, salt, output] = fields(stored, '$')?;
    let hash = hash_of(function).ok_or(ParseError::Invalid)?;
    let setting = verify_only::digest::Setting::new(hash, Order::SaltAsKey, text_salt(salt)?);
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(setting));
    Encoded::written_as(Scheme::WerkzeugHmac, setting, &decode_hex(output)?).ok_or(ParseError::Invalid)
}

/// Prints what [`parse_hmac`] reads.
pub(crate) fn print_hmac(
    setting: &verify_only::digest::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let is_printed = |(_, hash): &&(_, Hash)| *hash == setting.hash();
    let (function, _) = HMAC.iter().find(is_printed).ok_or(fmt::Error)?;
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "{function}${salt}${}", base16ct::lower::encode_string(output))
}

/// Reads `pbkdf2:<function>:<iterations>$<salt>$<hex>`.
pub(crate) fn parse_pbkdf2(stored: &str) -> Result<Encoded, ParseError> {
    let [method, salt, output] = fields(stored, '$')?;
    let [_pbkdf2, function, iterations] = fields(method, ':')?;
    let prf = prf_of(function).ok_or(ParseError::Invalid)?;
    let (salt, output) = (text_salt(salt)?, decode_hex(output)?);
    // `hashlib.pbkdf2_hmac` gives one block of the digest where no length is asked for.
    let (costs, output_bytes) = ((prf, phc::decimal(iterations)?), prf.block_bytes());
    super::pbkdf2(Scheme::WerkzeugPbkdf2, costs, salt, output_bytes, &output)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let function = match params.prf() {
        pbkdf2::Prf::Sha1 => "sha1",
        pbkdf2::Prf::Sha256 => "sha256",
        pbkdf2::Prf::Sha512 => "sha512",
    };
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    let output = base16ct::lower::encode_string(output);
    write!(f, "pbkdf2:{function}:{}${salt}${output}", params.iterations())
}

/// Reads `scrypt:<N>:<r>:<p>$<salt>$<hex>`.
pub(crate) fn parse_scrypt(stored: &str) -> Result<Encoded, ParseError> {
    let [method, salt, output] = fields(stored, '$')?;
    let [_scrypt, n, r, p] = fields(method, ':')?;
    let costs = (phc::log_2(phc::decimal(n)?)?, phc::decimal(r)?, phc::decimal(p)?);
    let (salt, output) = (text_salt(salt)?, decode_hex(output)?);
    super::scrypt(Scheme::WerkzeugScrypt, costs, salt, SCRYPT_OUTPUT_BYTES, &output)
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
    write!(f, "scrypt:{n}:{r}:{p}${salt}${}", base16ct::lower::encode_string(output))
}

/// The function that stands before the next colon.
fn prf_of(costs: &str) -> Option<pbkdf2::Prf> {
    match costs.split(':').next()? {
        "sha1" => Some(pbkdf2::Prf::Sha1),
        "sha256" => Some(pbkdf2::Prf::Sha256),
        "sha512" => Some(pbkdf2::Prf::Sha512),
        _ => None,
    }
}

fn hash_of(function: &str) -> Option<Hash> {
    HMAC.iter().find(|(name, _)| *name == function).map(|(_, hash)| *hash)
}

/// The functions under HMAC.
const HMAC: [(&str, Hash); 2] = [("sha256", Hash::Sha256), ("sha512", Hash::Sha512)];

/// `hashlib.scrypt`, `dklen`, where no length is asked for.
const SCRYPT_OUTPUT_BYTES: usize = 64;
