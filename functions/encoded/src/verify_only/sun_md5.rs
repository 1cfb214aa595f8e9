//! MD5 of Sun: `$md5[,rounds=<rounds>]$<salt>$$<22 characters>`.
//!
//! With two dollar signs before the output, Solaris hashed the first of them with the salt; with
//! one it did not.
//! Source: Alec Muffett, `crypt_sunmd5.c` of OpenSolaris; libxcrypt `lib/crypt-sunmd5.c`.

use super::md5_crypt::OUTPUT;
use crate::{
    ParseError, crypt,
    parts::{OutputText, Parts},
    phc,
    reading::Reading,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$md5$", "$md5,"],
    labels: &["{CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("sun-md5", Parse::Text(parse))
};

/// Rounds that are computed in addition to the rounds that the string states.
pub const BASIC_ROUNDS: u32 = 4_096;

/// Most rounds that a string can state, so that the sum has 32 bits. Admission stops far below this
/// bound.
pub const MAX_ROUNDS: u32 = u32::MAX - BASIC_ROUNDS;

/// A setting of Sun's MD5.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    rounds: u32,
    salt: String,
    hashed_text: String,
}

impl Setting {
    /// Rounds to compute, with the basic rounds.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    /// The text that is hashed after the password: the string up to the last dollar sign.
    pub fn hashed_text(&self) -> &str {
        &self.hashed_text
    }
}

fn parse(text: &str) -> Result<Parts, ParseError> {
    let rest = text.strip_prefix("$md5").ok_or(ParseError::Invalid)?;
    let (rounds, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let rounds = match rounds {
        "" => 0,
        stated => match phc::field(stated, ",rounds")? {
            0 => return Err(ParseError::Invalid),
            rounds => rounds,
        },
    };
    let (salt, output) = rest.rsplit_once('$').ok_or(ParseError::Invalid)?;
    let salt = salt.strip_suffix('$').unwrap_or(salt);
    let (hashed_text, _output) = text.rsplit_once('$').ok_or(ParseError::Invalid)?;
    if rounds > MAX_ROUNDS || !crypt::is_in_alphabet(salt) {
        return Err(ParseError::Invalid);
    }
    let (salt, hashed_text) = (salt.to_owned(), hashed_text.to_owned());
    let setting = Setting { rounds: BASIC_ROUNDS + rounds, salt, hashed_text };
    let setting = crate::Setting::VerifyOnly(verify_only::VerifyOnlySetting::SunMd5(setting));
    Parts::new(text, OutputText::read(OUTPUT, output)?, setting)
}
