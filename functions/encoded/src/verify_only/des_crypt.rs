//! DES as crypt(3) has used it: `<2 characters of salt><11 characters>`, and BSDi's extension of it,
//! `_<4 characters of rounds><4 characters of salt><11 characters>`.
//! Source: Morris and Thompson, "Password Security: A Case History", 1979; David Burren, FreeSec `crypt-des.c`.

use core::fmt;

use base64::{
    Engine as _,
    alphabet::CRYPT,
    engine::{GeneralPurpose, general_purpose::NO_PAD},
};
use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, crypt, verify_only};

/// Encryptions of every traditional hash.
pub const TRADITIONAL_ENCRYPTIONS: u32 = 25;

/// Bytes of a password that the traditional form reads.
pub const MAX_PASSWORD_BYTES: usize = 8;

/// Length of the output, in bytes: a block of DES.
pub const OUTPUT_BYTES: usize = 8;

/// Which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// BSDi's: all of the password, 24 bits of salt, a number of encryptions to choose.
    Extended,
    /// Eight bytes of the password, 12 bits of salt, 25 encryptions.
    Traditional,
}

impl Form {
    const fn scheme(self) -> Scheme {
        match self {
            Self::Extended => Scheme::BsdiCrypt,
            Self::Traditional => Scheme::DesCrypt,
        }
    }

    const fn salt_characters(self) -> usize {
        match self {
            Self::Extended => 4,
            Self::Traditional => 2,
        }
    }
}

/// A setting of DES.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    form: Form,
    encryptions: u32,
    salt: String,
    /// What the salt's characters stand for.
    salt_bits: u32,
}

impl Setting {
    /// Which form.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// How often a block is encrypted, at least once.
    #[must_use]
    pub const fn encryptions(&self) -> u32 {
        self.encryptions
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    /// The salt's 12 or 24 bits. Bit `i` exchanges the bits `i` and `i + 24` of DES's expanded half.
    #[must_use]
    pub const fn salt_bits(&self) -> u32 {
        self.salt_bits
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.form == Form::Extended {
            write!(f, "{EXTENDED}{}", crypt::number_text(self.encryptions, ENCRYPTIONS_CHARACTERS))?;
        }
        write!(f, "{}{}", self.salt, HIGH_BITS_FIRST.encode(output))
    }
}

/// Whether this is a traditional hash, which nothing in front of it says: 13 characters of the alphabet and no other.
pub(crate) fn is_traditional(stored: &str) -> bool {
    stored.len() == Form::Traditional.salt_characters() + OUTPUT_CHARACTERS && crypt::is_in_alphabet(stored)
}

/// Whether this begins as a hash of BSDi's form.
pub(crate) fn is_extended(stored: &str) -> bool {
    stored.starts_with(EXTENDED)
}

/// Reads a hash in one of the forms.
pub(crate) fn parse(form: Form, stored: &str) -> Result<Encoded, ParseError> {
    let (encryptions, rest) = match form {
        Form::Extended => {
            let rest = stored.strip_prefix(EXTENDED).ok_or(ParseError::Invalid)?;
            let (encryptions, rest) =
                rest.split_at_checked(ENCRYPTIONS_CHARACTERS).ok_or(ParseError::Invalid)?;
            (crypt::number(encryptions)?, rest)
        }
        Form::Traditional => (TRADITIONAL_ENCRYPTIONS, stored),
    };
    let (salt, output) = rest.split_at_checked(form.salt_characters()).ok_or(ParseError::Invalid)?;
    if encryptions == 0 {
        return Err(ParseError::Invalid);
    }
    let salt_bits = crypt::number(salt)?;
    let output = Zeroizing::new(HIGH_BITS_FIRST.decode(output).map_err(|_| ParseError::Invalid)?);
    let setting =
        verify_only::Setting::DesCrypt(Setting { form, encryptions, salt: salt.to_owned(), salt_bits });
    Encoded::written_as(form.scheme(), crate::Setting::VerifyOnly(setting), &output)
        .ok_or(ParseError::Invalid)
}

const EXTENDED: char = '_';
const ENCRYPTIONS_CHARACTERS: usize = 4;
const OUTPUT_CHARACTERS: usize = 11;

/// The output alone is written as MIME writes Base64, with crypt(3)'s alphabet.
const HIGH_BITS_FIRST: GeneralPurpose = GeneralPurpose::new(&CRYPT, NO_PAD);
