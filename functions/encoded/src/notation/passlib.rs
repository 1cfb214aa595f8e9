//! passlib's PBKDF2: `$pbkdf2-sha256$29000$<salt>$<output>`, where a PHC string has `i=29000,l=32`; SHA-1 is `$pbkdf2$`.
//! Source: passlib `passlib/handlers/pbkdf2.py`, `passlib.utils.binary.ab64_encode`.

use core::fmt;

use base64::Engine as _;
use zeroize::Zeroizing;

use super::{ADAPTED_BASE64, fields};
use crate::{Encoded, ParseError, Scheme, phc};

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
