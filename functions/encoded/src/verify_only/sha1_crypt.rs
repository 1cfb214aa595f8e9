//! sha1-crypt: `$sha1$<rounds>$<salt>$<28 characters>`.
//! Source: NetBSD `lib/libcrypt/crypt-sha1.c`.

use crate::{
    ParseError, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc::{self, fields},
    reading::Reading,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$sha1$"],
    labels: &["{CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("sha1-crypt", Parse::Text(parse))
};

/// Longest salt, in characters.
pub const MAX_SALT_BYTES: usize = 64;

/// Length of the output, in bytes.
pub const OUTPUT_BYTES: usize = 20;

/// An sha1-crypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    rounds: u32,
    salt: String,
}

impl Setting {
    /// Rounds to compute, at least 1.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }
}

fn parse(text: &str) -> Result<Parts, ParseError> {
    let [_before, _id, rounds, salt, output] = fields(text, '$')?;
    let rounds = phc::decimal(rounds)?;
    let is_salt = !salt.is_empty() && salt.len() <= MAX_SALT_BYTES && crypt::is_in_alphabet(salt);
    if rounds == 0 || !is_salt {
        return Err(ParseError::Invalid);
    }
    let setting = verify_only::VerifyOnlySetting::Sha1Crypt(Setting { rounds, salt: salt.to_owned() });
    Parts::new(text, OutputText::read(OUTPUT, output)?, crate::Setting::VerifyOnly(setting))
}

/// The array has the index of each printed byte in the digest. The first byte is printed again, to
/// fill a group of three.
const OUTPUT: Encoding =
    Encoding::CryptInOrder(&[2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18]);
