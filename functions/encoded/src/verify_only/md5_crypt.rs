//! md5-crypt: `$1$<salt>$<22 characters>`, and Apache's variant of it with `$apr1$`.
//! Source: Poul-Henning Kamp, FreeBSD `lib/libcrypt/crypt-md5.c`; Apache `apr_md5.c`.

use crate::{
    ParseError, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    reading::Reading,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static APR1: SchemeRow = SchemeRow {
    begins: &["$apr1$"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("apr1", Parse::Text(|text| parse(Variant::Apache, text)))
};

pub(crate) static FREE_BSD: SchemeRow = SchemeRow {
    begins: &["$1$"],
    // Dovecot itself calls md5-crypt `{MD5}`.
    labels: &["{CRYPT}", "{MD5-CRYPT}", "{MD5}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("md5-crypt", Parse::Text(|text| parse(Variant::FreeBsd, text)))
};

/// Rounds of every hash. The scheme has no cost parameter.
pub const ROUNDS: u32 = 1_000;

/// Longest salt, in characters.
pub const MAX_SALT_BYTES: usize = 8;

/// Length of the output, in bytes.
pub const OUTPUT_BYTES: usize = 16;

/// The encoding of the output: the array has the index of each printed byte.
pub(crate) const OUTPUT: Encoding =
    Encoding::CryptInOrder(&[12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11]);

/// The variants, which differ in a text that is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `$apr1$`
    Apache,
    /// `$1$`
    FreeBsd,
}

impl Variant {
    /// The text before the salt. It is hashed before the salt.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Apache => "$apr1$",
            Self::FreeBsd => "$1$",
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
    /// The variant.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }
}

fn parse(variant: Variant, text: &str) -> Result<Parts, ParseError> {
    let rest = text.strip_prefix(variant.prefix()).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    if salt.len() > MAX_SALT_BYTES || !crypt::is_salt(salt) {
        return Err(ParseError::Invalid);
    }
    let setting = verify_only::VerifyOnlySetting::Md5Crypt(Setting { variant, salt: salt.to_owned() });
    Parts::new(text, OutputText::read(OUTPUT, output)?, crate::Setting::VerifyOnly(setting))
}
