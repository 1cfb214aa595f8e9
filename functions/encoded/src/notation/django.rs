//! Django's hashes: `pbkdf2_sha256$870000$<salt>$<Base64>`. The salt is the text itself.
//! Source: Django `django/contrib/auth/hashers.py`.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, pbkdf2, phc};

/// Reads `pbkdf2_sha256$<iterations>$<salt>$<output>`.
pub(crate) fn parse_pbkdf2(stored: &str) -> Result<Encoded, ParseError> {
    let mut fields = stored.split('$');
    let mut field = || fields.next().ok_or(ParseError::Invalid);
    let (algorithm, iterations, salt, output) = (field()?, field()?, field()?, field()?);
    if fields.next().is_some() || !is_salt(salt) {
        return Err(ParseError::Invalid);
    }
    let prf = if algorithm == SHA1 { pbkdf2::Prf::Sha1 } else { pbkdf2::Prf::Sha256 };
    let params = pbkdf2::Params::new(prf, phc::decimal(iterations)?).ok_or(ParseError::Invalid)?;
    let output = Zeroizing::new(BASE64_STANDARD.decode(output).map_err(|_| ParseError::Invalid)?);
    // Django asks for one block of the digest, whichever it is.
    let setting = pbkdf2::Setting::new(params, salt.into(), prf.block_bytes());
    Encoded::written_as(Scheme::DjangoPbkdf2, crate::Setting::Pbkdf2(setting), &output)
        .ok_or(ParseError::Invalid)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let algorithm = if params.prf() == pbkdf2::Prf::Sha1 { SHA1 } else { SHA256 };
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "{algorithm}${}${salt}${}", params.iterations(), BASE64_STANDARD.encode(output))
}

/// Django draws letters and digits, and lets a caller choose anything but `$`.
fn is_salt(text: &str) -> bool {
    !text.is_empty()
}

const SHA1: &str = "pbkdf2_sha1";
const SHA256: &str = "pbkdf2_sha256";
