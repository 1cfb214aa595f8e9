//! sha1-crypt: `$sha1$<rounds>$<salt>$<28 characters>`.
//! Source: NetBSD `lib/libcrypt/crypt-sha1.c`.

use core::fmt;

use crate::{Encoded, ParseError, Scheme, crypt, phc, verify_only};

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
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, salt } = self;
        write!(f, "{PREFIX}{rounds}${salt}${}", crypt::encode_in_order(output, &ORDER))
    }
}

/// Reads a hash in modular crypt format.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let rest = stored.strip_prefix(PREFIX).ok_or(ParseError::Invalid)?;
    let (rounds, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let rounds = phc::decimal(rounds)?;
    let is_salt = !salt.is_empty() && salt.len() <= MAX_SALT_BYTES && crypt::is_in_alphabet(salt);
    if rounds == 0 || !is_salt {
        return Err(ParseError::Invalid);
    }
    let output = crypt::decode_in_order(output, &ORDER, OUTPUT_BYTES)?;
    let setting = verify_only::Setting::Sha1Crypt(Setting { rounds, salt: salt.to_owned() });
    Encoded::written_as(Scheme::Sha1Crypt, crate::Setting::VerifyOnly(setting), &output)
        .ok_or(ParseError::Invalid)
}

const PREFIX: &str = "$sha1$";

/// Where each printed byte stands in the digest. The first is printed again at the end, to fill a group of three.
const ORDER: [u8; 21] = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18];
