//! Atlassian's `{PKCS5S2}` and the Base64 of salt and output.
//! Source: `com.atlassian.security.password.PKCS5S2PasswordHashGenerator`; passlib `atlassian_pbkdf2_sha1`.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::decode_base64;
use crate::{Encoded, ParseError, Scheme, pbkdf2};

/// Reads what stands behind `{PKCS5S2}`.
pub(crate) fn parse(text: &str) -> Result<Encoded, ParseError> {
    let bytes = decode_base64(text)?;
    let (salt, output) = bytes.split_at_checked(SALT_BYTES).ok_or(ParseError::Invalid)?;
    super::pbkdf2(Scheme::AtlassianPkcs5s2, COSTS, salt.to_vec(), OUTPUT_BYTES, output)
}

/// Prints what [`parse`] reads.
pub(crate) fn print(setting: &pbkdf2::Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&BASE64_STANDARD.encode([setting.salt(), output].concat()))
}

/// The string does not state them.
const COSTS: (pbkdf2::Prf, u32) = (pbkdf2::Prf::Sha1, 10_000);

const SALT_BYTES: usize = 16;
const OUTPUT_BYTES: usize = 32;
