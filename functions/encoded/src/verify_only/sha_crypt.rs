//! sha-crypt: `$6$[rounds=<rounds>$]<salt>$<86 characters>` and `$5$…` with 43.
//! Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6.

use crate::{
    ParseError, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc,
    reading::Reading,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static SHA256: SchemeRow = SchemeRow {
    begins: &["$5$"],
    labels: &["{CRYPT}", "{SHA256-CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("sha256-crypt", Parse::Text(|text| parse(Hash::Sha256, text)))
};

pub(crate) static SHA512: SchemeRow = SchemeRow {
    begins: &["$6$"],
    labels: &["{CRYPT}", "{SHA512-CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("sha512-crypt", Parse::Text(|text| parse(Hash::Sha512, text)))
};

/// Rounds if the string states none.
pub const DEFAULT_ROUNDS: u32 = 5_000;

/// Fewest rounds that are computed. A string may state fewer: see the deviations in `SCHEMES.md`.
pub const MIN_ROUNDS: u32 = 1_000;

/// Most rounds that the format can state. Admission stops far below this bound.
pub const MAX_ROUNDS: u32 = 999_999_999;

/// Longest salt, in characters.
pub const MAX_SALT_BYTES: usize = 16;

/// The hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// `$5$`
    Sha256,
    /// `$6$`
    Sha512,
}

impl Hash {
    /// Length of the output, in bytes.
    pub const fn output_bytes(self) -> usize {
        self.order().len()
    }

    const fn order(self) -> &'static [u8] {
        match self {
            Self::Sha256 => &SHA256_ORDER,
            Self::Sha512 => &SHA512_ORDER,
        }
    }
}

/// An sha-crypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    hash: Hash,
    rounds: u32,
    salt: String,
}

impl Setting {
    /// The hash function.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Rounds to compute.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }
}

fn parse(hash: Hash, text: &str) -> Result<Parts, ParseError> {
    let (_id, rest) = phc::split_id(text)?;
    let (rounds, rest) = match rest.strip_prefix(ROUNDS) {
        Some(rest) => {
            let (rounds, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
            (phc::decimal(rounds)?, rest)
        }
        None => (DEFAULT_ROUNDS, rest),
    };
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    // The text `rounds=` cannot begin a salt.
    let is_salt = salt.len() <= MAX_SALT_BYTES && crypt::is_salt(salt) && !salt.starts_with(ROUNDS);
    if !is_salt || rounds > MAX_ROUNDS {
        return Err(ParseError::Invalid);
    }
    let setting = Setting { hash, rounds: rounds.max(MIN_ROUNDS), salt: salt.to_owned() };
    let setting = crate::Setting::VerifyOnly(verify_only::VerifyOnlySetting::ShaCrypt(setting));
    Parts::new(text, OutputText::read(Encoding::CryptInOrder(hash.order()), output)?, setting)
}

const ROUNDS: &str = "rounds=";

/// The index of each printed byte in the digest ("Unix crypt using SHA-256 and SHA-512", step 22).
const SHA256_ORDER: [u8; 32] = [
    20, 10, 0, 11, 1, 21, 2, 22, 12, 23, 13, 3, 14, 4, 24, 5, 25, 15, 26, 16, 6, 17, 7, 27, 8, 28, 18, 29,
    19, 9, 30, 31,
];
const SHA512_ORDER: [u8; 64] = [
    42, 21, 0, 1, 43, 22, 23, 2, 44, 45, 24, 3, 4, 46, 25, 26, 5, 47, 48, 27, 6, 7, 49, 28, 29, 8, 50, 51,
    30, 9, 10, 52, 31, 32, 11, 53, 54, 33, 12, 13, 55, 34, 35, 14, 56, 57, 36, 15, 16, 58, 37, 38, 17, 59,
    60, 39, 18, 19, 61, 40, 41, 20, 62, 63,
];
