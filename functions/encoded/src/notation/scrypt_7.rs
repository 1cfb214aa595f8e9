//! scrypt in modular crypt format: `$7$<log2 N><5 characters of r><5 of p><salt>$<43 characters>`.
//! The salt is hashed as text.
//! Source: Openwall yescrypt 1.1.0, `yescrypt-common.c`; libxcrypt `lib/crypt-scrypt.c`.

use crate::{
    ParseError, Setting, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    reading::Reading,
    scheme::{Parse, SchemeRow},
    scrypt,
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &[PREFIX],
    labels: &["{CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("scrypt-7", Parse::Text(parse))
};

fn parse(text: &str) -> Result<Parts, ParseError> {
    let rest = text.strip_prefix(PREFIX).ok_or(ParseError::Invalid)?;
    let (log_n, rest) = rest.split_at_checked(1).ok_or(ParseError::Invalid)?;
    let (r, rest) = rest.split_at_checked(FACTOR_CHARACTERS).ok_or(ParseError::Invalid)?;
    let (p, rest) = rest.split_at_checked(FACTOR_CHARACTERS).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    if !crypt::is_in_alphabet(salt) {
        return Err(ParseError::Invalid);
    }
    let log_n = u8::try_from(crypt::number(log_n)?).map_err(|_| ParseError::Invalid)?;
    let params =
        scrypt::Params::new(log_n, crypt::number(r)?, crypt::number(p)?).ok_or(ParseError::Invalid)?;
    let output = OutputText::read(Encoding::Crypt, output)?;
    // The salt may be empty.
    let setting = scrypt::Setting::new(params, salt.into(), OUTPUT_BYTES);
    Parts::new(text, output, Setting::Scrypt(setting))
}

const PREFIX: &str = "$7$";
const FACTOR_CHARACTERS: usize = 5;
const OUTPUT_BYTES: usize = 32;
