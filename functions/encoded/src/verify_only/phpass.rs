//! Portable hashes of phpass: `$P$<cost><8 characters of salt><22 characters>`; phpBB 3 writes
//! `$H$`. Drupal 7 has a variant over SHA-512, `$S$<cost><salt><43 characters>`.
//!
//! Drupal 7 writes a `U` before either of them if it had only the MD5 digest that Drupal 6 stored.
//! Then the text of that digest is hashed.
//!
//! Source: Openwall phpass `PasswordHash.php` 0.5; Drupal 7 `includes/password.inc`.

use crate::{
    ParseError, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    reading::{Preparation, Reading},
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static PHPASS: SchemeRow =
    SchemeRow { begins: &["$H$", "$P$"], ..SchemeRow::new("phpass", Parse::Text(parse)) };

pub(crate) static DRUPAL: SchemeRow =
    SchemeRow { begins: &["$S$"], ..SchemeRow::new("drupal7", Parse::Text(parse)) };

pub(crate) static DRUPAL_UPDATED: SchemeRow = SchemeRow {
    begins: &["U$"],
    reading: Reading::prepared(Preparation::Md5Hex),
    ..SchemeRow::new("drupal7-updated", Parse::Text(parse_updated))
};

/// Lowest binary logarithm of the rounds.
pub const MIN_LOG_ROUNDS: u32 = 7;

/// Highest binary logarithm of the rounds. Admission stops far below this bound.
pub const MAX_LOG_ROUNDS: u32 = 30;

/// Length of the salt, in characters.
pub const SALT_BYTES: usize = 8;

/// The hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// `$P$` and `$H$`
    Md5,
    /// `$S$` of Drupal 7
    Sha512,
}

impl Hash {
    /// Length of the output, in bytes. Drupal cuts its text after 55 characters, and so keeps two
    /// bits of the last byte.
    pub const fn output_bytes(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha512 => 33,
        }
    }

    /// The bits of the output's last byte that are kept.
    pub const fn last_byte_mask(self) -> u8 {
        match self {
            Self::Md5 => u8::MAX,
            Self::Sha512 => 0b11,
        }
    }

    const fn encoding(self) -> Encoding {
        match self {
            Self::Md5 => Encoding::Crypt,
            Self::Sha512 => Encoding::CryptWithoutLast,
        }
    }
}

/// A setting of phpass.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    hash: Hash,
    log_rounds: u32,
    salt: String,
}

impl Setting {
    /// The hash function.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Rounds after the first pass.
    pub const fn rounds(&self) -> u32 {
        1 << self.log_rounds
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }
}

/// Reads a hash in modular crypt format.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let (id, rest) = text.split_at_checked(PREFIX_CHARACTERS).ok_or(ParseError::Invalid)?;
    let hash = match id {
        "$H$" | "$P$" => Hash::Md5,
        "$S$" => Hash::Sha512,
        _ => return Err(ParseError::Invalid),
    };
    let (cost, rest) = rest.split_at_checked(1).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_at_checked(SALT_BYTES).ok_or(ParseError::Invalid)?;
    let log_rounds = crypt::number(cost)?;
    let in_range = (MIN_LOG_ROUNDS..=MAX_LOG_ROUNDS).contains(&log_rounds);
    if !in_range || !crypt::is_in_alphabet(salt) {
        return Err(ParseError::Invalid);
    }
    let setting = verify_only::VerifyOnlySetting::Phpass(Setting { hash, log_rounds, salt: salt.to_owned() });
    Parts::new(text, OutputText::read(hash.encoding(), output)?, crate::Setting::VerifyOnly(setting))
}

/// Reads a hash after Drupal's mark.
fn parse_updated(text: &str) -> Result<Parts, ParseError> {
    Ok(parse(text.strip_prefix('U').ok_or(ParseError::Invalid)?)?.behind("U"))
}

const PREFIX_CHARACTERS: usize = 3;
