//! Sun's MD5: `$md5[,rounds=<rounds>]$<salt>$$<22 characters>`.
//!
//! Solaris hashes a dollar sign after the salt, or does not: with one dollar sign before the output it did not, with two
//! it did.
//! Source: Alec Muffett, `crypt_sunmd5.c` of OpenSolaris; libxcrypt `lib/crypt-sunmd5.c`.

use core::fmt;

use crate::{Encoded, ParseError, Scheme, crypt, phc, verify_only};

/// Rounds that are computed beside those that are written.
pub const BASIC_ROUNDS: u32 = 4_096;

/// Most rounds that can be written, so that all together have 32 bits. Admission stops far below it.
pub const MAX_ROUNDS: u32 = u32::MAX - BASIC_ROUNDS;

/// A setting of Sun's MD5.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    /// As written.
    rounds: Option<u32>,
    salt: String,
    /// Whether the dollar sign after the salt is hashed.
    is_closed: bool,
}

impl Setting {
    /// Rounds to compute, the basic ones among them.
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        match self.rounds {
            Some(rounds) => BASIC_ROUNDS + rounds,
            None => BASIC_ROUNDS,
        }
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    /// What is hashed after the password: the stored string up to the salt's end.
    #[must_use]
    pub fn hashed_text(&self) -> String {
        self.to_string()
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}${}", crypt::encode_in_order(output, &verify_only::md5_crypt::ORDER))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        if let Some(rounds) = self.rounds {
            write!(f, "{ROUNDS}{rounds}")?;
        }
        write!(f, "${}{}", self.salt, if self.is_closed { "$" } else { "" })
    }
}

/// Whether this begins as a hash of Sun's MD5 with parameters.
pub(crate) fn has_parameters(stored: &str) -> bool {
    stored.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with(','))
}

/// Reads a hash in modular crypt format.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let rest = stored.strip_prefix(PREFIX).ok_or(ParseError::Invalid)?;
    let (rounds, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let rounds = match rounds {
        "" => None,
        text => {
            let rounds = phc::decimal(text.strip_prefix(ROUNDS).ok_or(ParseError::Invalid)?)?;
            if rounds == 0 || rounds > MAX_ROUNDS {
                return Err(ParseError::Invalid);
            }
            Some(rounds)
        }
    };
    let (salt, output) = rest.rsplit_once('$').ok_or(ParseError::Invalid)?;
    let (salt, is_closed) = salt.strip_suffix('$').map_or((salt, false), |salt| (salt, true));
    if !crypt::is_in_alphabet(salt) {
        return Err(ParseError::Invalid);
    }
    let output =
        crypt::decode_in_order(output, &verify_only::md5_crypt::ORDER, verify_only::md5_crypt::OUTPUT_BYTES)?;
    let setting = verify_only::Setting::SunMd5(Setting { rounds, salt: salt.to_owned(), is_closed });
    Encoded::written_as(Scheme::SunMd5, crate::Setting::VerifyOnly(setting), &output)
        .ok_or(ParseError::Invalid)
}

const PREFIX: &str = "$md5";
const ROUNDS: &str = ",rounds=";
