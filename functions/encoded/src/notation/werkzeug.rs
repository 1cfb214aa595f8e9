//! Werkzeug's hashes: `pbkdf2:sha256:1000000$<salt>$<hex>`, `scrypt:32768:8:1$<salt>$<hex>`. The salt is used as the text it
//! is.
//! Source: Werkzeug `src/werkzeug/security.py`.

use core::fmt;

use super::{decode_hex, fields, text_salt};
use crate::{Encoded, ParseError, Scheme, pbkdf2, phc, scrypt};

/// The form that the text before the first dollar sign names.
pub(crate) fn scheme_of(method: &str) -> Option<Scheme> {
    match method.split_once(':')? {
        ("pbkdf2", costs) => prf_of(costs).map(|_prf| Scheme::WerkzeugPbkdf2),
        ("scrypt", _costs) => Some(Scheme::WerkzeugScrypt),
        _ => None,
    }
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

/// `hashlib.scrypt`, `dklen`, where no length is asked for.
const SCRYPT_OUTPUT_BYTES: usize = 64;
