//! md5-crypt: `$1$<salt>$<22 characters>`, and Apache's variant of it with `$apr1$`.
//! Source: Poul-Henning Kamp, FreeBSD `lib/libcrypt/crypt-md5.c`; Apache `apr_md5.c`.

use core::fmt;

use crate::{Encoded, ParseError, Scheme, crypt, verify_only};

/// Rounds of every hash: the scheme has no cost to choose.
pub const ROUNDS: u32 = 1_000;

/// Longest salt, in characters.
pub const MAX_SALT_BYTES: usize = 8;

/// Length of the output, in bytes.
pub const OUTPUT_BYTES: usize = 16;

/// Where each printed byte stands in the digest.
pub(crate) const ORDER: [u8; OUTPUT_BYTES] = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11];

/// Whose variant. It is hashed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `$apr1$`
    Apache,
    /// `$1$`
    FreeBsd,
}

impl Variant {
    /// What stands in front of the salt, and is hashed before it.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Apache => "$apr1$",
            Self::FreeBsd => "$1$",
        }
    }

    const fn scheme(self) -> Scheme {
        match self {
            Self::Apache => Scheme::Apr1,
            Self::FreeBsd => Scheme::Md5Crypt,
        }
    }
}

/// An md5-crypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    variant: Variant,
    salt: String,
}

impl Setting {
    /// Whose variant.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}${}", self.variant.prefix(), self.salt, crypt::encode_in_order(output, &ORDER))
    }
}

/// Reads a hash in modular crypt format.
pub(crate) fn parse(variant: Variant, stored: &str) -> Result<Encoded, ParseError> {
    let rest = stored.strip_prefix(variant.prefix()).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    if salt.len() > MAX_SALT_BYTES || !crypt::is_salt(salt) {
        return Err(ParseError::Invalid);
    }
    let output = crypt::decode_in_order(output, &ORDER, OUTPUT_BYTES)?;
    let setting = verify_only::Setting::Md5Crypt(Setting { variant, salt: salt.to_owned() });
    Encoded::written_as(variant.scheme(), crate::Setting::VerifyOnly(setting), &output)
        .ok_or(ParseError::Invalid)
}
