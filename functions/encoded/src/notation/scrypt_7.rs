//! scrypt in modular crypt format: `$7$<log2 N><5 characters of r><5 of p><salt>$<43 characters>`. The salt is the text itself.
//! Source: Openwall yescrypt 1.1.0, `yescrypt-common.c`; libxcrypt `lib/crypt-scrypt.c`.

use core::fmt;

use crate::{Encoded, ParseError, Scheme, crypt, scrypt};

/// Reads a hash in modular crypt format.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let rest = stored.strip_prefix(PREFIX).ok_or(ParseError::Invalid)?;
    let (log_n, rest) = rest.split_at_checked(1).ok_or(ParseError::Invalid)?;
    let (r, rest) = rest.split_at_checked(FACTOR_CHARACTERS).ok_or(ParseError::Invalid)?;
    let (p, rest) = rest.split_at_checked(FACTOR_CHARACTERS).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let log_n = u8::try_from(crypt::number(log_n)?).map_err(|_| ParseError::Invalid)?;
    let params =
        scrypt::Params::new(log_n, crypt::number(r)?, crypt::number(p)?).ok_or(ParseError::Invalid)?;
    let output = crypt::decode(output)?;
    if !crypt::is_in_alphabet(salt) || output.len() != OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    let setting = scrypt::Setting::new(params, salt.into(), OUTPUT_BYTES);
    Encoded::written_as(Scheme::Scrypt7, crate::Setting::Scrypt(setting), &output).ok_or(ParseError::Invalid)
}

/// Prints what [`parse`] reads.
pub(crate) fn print(setting: &scrypt::Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let params = setting.params();
    let log_n = crypt::character(params.log_n().into());
    let factor = |number| crypt::number_text(number, FACTOR_CHARACTERS);
    let salt = str::from_utf8(setting.salt()).map_err(|_| fmt::Error)?;
    write!(f, "{PREFIX}{log_n}{}{}{salt}${}", factor(params.r()), factor(params.p()), crypt::encode(output))
}

const PREFIX: &str = "$7$";
const FACTOR_CHARACTERS: usize = 5;
const OUTPUT_BYTES: usize = 32;
