//! passlib's PBKDF2: `$pbkdf2-sha256$29000$<salt>$<output>`, where a PHC string has `i=29000,l=32`; SHA-1 is `$pbkdf2$`. And its
//! bcrypt of a digest: `$bcrypt-sha256$v=2,t=2b,r=12$<salt>$<output>`, before 1.7.3 `$bcrypt-sha256$2b,12$<salt>$<output>`.
//! Source: passlib `passlib/handlers/pbkdf2.py`, `passlib.utils.binary.ab64_encode`; `passlib/handlers/bcrypt.py`, class
//! `bcrypt_sha256`.

use core::fmt;

use base64::Engine as _;
use zeroize::Zeroizing;

use super::{ADAPTED_BASE64, fields};
use crate::{Encoded, ParseError, Scheme, Setting, bcrypt, phc};

/// Whether the text behind `$pbkdf2$` is passlib's. A PHC string's begins with the name of a parameter.
pub(crate) fn is_pbkdf2(after_id: &str) -> bool {
    !after_id.starts_with("i=")
}

/// Reads a string of passlib's.
pub(crate) fn parse_pbkdf2(stored: &str) -> Result<Encoded, ParseError> {
    let [_before, id, iterations, salt, output] = fields(stored, '$')?;
    let prf = crate::pbkdf2::Prf::of_id(id).ok_or(ParseError::Invalid)?;
    pbkdf2(Scheme::PasslibPbkdf2, (prf, phc::decimal(iterations)?), salt, output)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &crate::pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let (salt, output) = (ADAPTED_BASE64.encode(setting.salt()), ADAPTED_BASE64.encode(output));
    write!(f, "${}${}${salt}${output}", params.prf().id(), params.iterations())
}

/// Which digest `bcrypt_sha256` gives to bcrypt, and how it writes the costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BcryptSha256 {
    /// SHA-256 of the password.
    V1,
    /// HMAC-SHA-256 of the password, keyed with the text of the salt.
    V2,
}

impl BcryptSha256 {
    /// The version of what stands behind `$bcrypt-sha256$`.
    pub(crate) fn of(after_id: &str) -> Self {
        if after_id.starts_with("v=") { Self::V2 } else { Self::V1 }
    }
}

/// Reads a string of passlib's `bcrypt_sha256`.
pub(crate) fn parse_bcrypt_sha256(version: BcryptSha256, stored: &str) -> Result<Encoded, ParseError> {
    let [_before, _id, costs, salt, output] = fields(stored, '$')?;
    let (prefix, cost) = match version {
        BcryptSha256::V1 => {
            let [prefix, cost] = fields(costs, ',')?;
            (prefix, phc::decimal(cost)?)
        }
        BcryptSha256::V2 => {
            let [number, prefix, cost] = fields(costs, ',')?;
            if phc::field(number, "v")? != VERSION {
                return Err(ParseError::Unsupported);
            }
            (prefix.strip_prefix("t=").ok_or(ParseError::Invalid)?, phc::field(cost, "r")?)
        }
    };
    let prefixes = match version {
        BcryptSha256::V1 => &["2a", "2b"][..],
        BcryptSha256::V2 => &["2b"],
    };
    if !prefixes.contains(&prefix) {
        return Err(ParseError::Invalid);
    }
    let encoded = bcrypt::parse(&format!("${prefix}${cost:02}${salt}{output}"))?;
    let Setting::Bcrypt(setting) = encoded.setting() else { return Err(ParseError::Invalid) };
    if salt != setting.salt_text() || !setting.has_canonical_salt() {
        return Err(ParseError::Invalid);
    }
    let scheme = Scheme::PasslibBcryptSha256(version);
    Encoded::written_as(scheme, encoded.setting.clone(), &encoded.output).ok_or(ParseError::Invalid)
}

/// Prints what [`parse_bcrypt_sha256`] reads.
pub(crate) fn print_bcrypt_sha256(
    version: BcryptSha256,
    setting: &bcrypt::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let (prefix, cost) = (setting.prefix(), setting.params().cost());
    match version {
        BcryptSha256::V1 => write!(f, "${BCRYPT_SHA256}${prefix},{cost}")?,
        BcryptSha256::V2 => write!(f, "${BCRYPT_SHA256}$v={VERSION},t={prefix},r={cost}")?,
    }
    write!(f, "${}${}", setting.salt_text(), bcrypt::output_text(output))
}

/// What stands between the first two dollar signs of `bcrypt_sha256`.
pub(crate) const BCRYPT_SHA256: &str = "bcrypt-sha256";

const VERSION: u32 = 2;

/// PBKDF2 with salt and output in adapted Base64; the output is one block, as passlib and OpenLDAP ask for.
pub(super) fn pbkdf2(
    scheme: Scheme,
    costs: (crate::pbkdf2::Prf, u32),
    salt: &str,
    output: &str,
) -> Result<Encoded, ParseError> {
    let decode = |text| ADAPTED_BASE64.decode(text).map_err(|_| ParseError::Invalid);
    let (salt, output) = (decode(salt)?, Zeroizing::new(decode(output)?));
    super::pbkdf2(scheme, costs, salt, costs.0.block_bytes(), &output)
}
