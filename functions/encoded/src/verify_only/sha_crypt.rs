//! sha-crypt: `$6$[rounds=<rounds>$]<salt>$<86 characters>` and `$5$…` with 43.
//! Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6.

use core::fmt;

use crate::{Encoded, ParseError, Scheme, crypt, phc, verify_only};

/// Rounds where none are written.
pub const DEFAULT_ROUNDS: u32 = 5_000;

/// Fewest rounds that are computed. Fewer may be written: see [`crate::DEVIATIONS`].
pub const MIN_ROUNDS: u32 = 1_000;

/// Most rounds that the format can state. Admission stops far below it.
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
    #[must_use]
    pub const fn output_bytes(self) -> usize {
        self.order().len()
    }

    const fn scheme(self) -> Scheme {
        match self {
            Self::Sha256 => Scheme::Sha256Crypt,
            Self::Sha512 => Scheme::Sha512Crypt,
        }
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Sha256 => "$5$",
            Self::Sha512 => "$6$",
        }
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
    /// As written.
    rounds: Option<u32>,
    salt: String,
}

impl Setting {
    /// The hash function.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Rounds to compute.
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        match self.rounds {
            Some(rounds) if rounds < MIN_ROUNDS => MIN_ROUNDS,
            Some(rounds) => rounds,
            None => DEFAULT_ROUNDS,
        }
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.hash.prefix())?;
        if let Some(rounds) = self.rounds {
            write!(f, "{ROUNDS}{rounds}$")?;
        }
        write!(f, "{}${}", self.salt, crypt::encode_in_order(output, self.hash.order()))
    }
}

/// Reads a hash in modular crypt format.
pub(crate) fn parse(hash: Hash, stored: &str) -> Result<Encoded, ParseError> {
    let rest = stored.strip_prefix(hash.prefix()).ok_or(ParseError::Invalid)?;
    let (rounds, rest) = match rest.strip_prefix(ROUNDS) {
        Some(rest) => {
            let (rounds, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
            (Some(phc::decimal(rounds)?), rest)
        }
        None => (None, rest),
    };
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    // A salt that begins so would be read as rounds.
    let is_salt = salt.len() <= MAX_SALT_BYTES && crypt::is_salt(salt) && !salt.starts_with(ROUNDS);
    if !is_salt || rounds.is_some_and(|rounds| rounds > MAX_ROUNDS) {
        return Err(ParseError::Invalid);
    }
    let output = crypt::decode_in_order(output, hash.order(), hash.output_bytes())?;
    let setting = verify_only::Setting::ShaCrypt(Setting { hash, rounds, salt: salt.to_owned() });
    Encoded::written_as(hash.scheme(), crate::Setting::VerifyOnly(setting), &output)
        .ok_or(ParseError::Invalid)
}

const ROUNDS: &str = "rounds=";

/// Where each printed byte stands in the digest ("Unix crypt using SHA-256 and SHA-512", step 22).
const SHA256_ORDER: [u8; 32] = [
    20, 10, 0, 11, 1, 21, 2, 22, 12, 23, 13, 3, 14, 4, 24, 5, 25, 15, 26, 16, 6, 17, 7, 27, 8, 28, 18, 29,
    19, 9, 30, 31,
];
const SHA512_ORDER: [u8; 64] = [
    42, 21, 0, 1, 43, 22, 23, 2, 44, 45, 24, 3, 4, 46, 25, 26, 5, 47, 48, 27, 6, 7, 49, 28, 29, 8, 50, 51,
    30, 9, 10, 52, 31, 32, 11, 53, 54, 33, 12, 13, 55, 34, 35, 14, 56, 57, 36, 15, 16, 58, 37, 38, 17, 59,
    60, 39, 18, 19, 61, 40, 41, 20, 62, 63,
];
