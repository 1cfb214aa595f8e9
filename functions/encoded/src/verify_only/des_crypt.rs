//! DES of crypt(3): `<2 characters of salt><11 characters>`; and its extension by BSDi:
//! `_<4 characters of rounds><4 characters of salt><11 characters>`.
//! Source: Morris and Thompson, "Password Security: A Case History", 1979; David Burren, FreeSec
//! `crypt-des.c`.

use crate::{
    ParseError, Weakness, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    reading::Reading,
    scheme::{ANY_BEGINNING, Parse, SchemeRow},
    verify_only,
};

pub(crate) static BSDI: SchemeRow = SchemeRow {
    begins: &["_"],
    labels: &["{CRYPT}", "{crypt}"],
    reading: Reading { seven_bits: true, ..Reading::C_STRING },
    ..SchemeRow::new("bsdi-crypt", Parse::Text(parse_extended))
};

pub(crate) static TRADITIONAL: SchemeRow = SchemeRow {
    begins: ANY_BEGINNING,
    is: is_traditional,
    labels: &["{CRYPT}", "{DES-CRYPT}", "{crypt}"],
    reading: Reading { most_bytes: Some(MAX_PASSWORD_BYTES), seven_bits: true, ..Reading::C_STRING },
    weakness: Some(Weakness::Fast),
    ..SchemeRow::new("des-crypt", Parse::Text(parse_traditional))
};

/// Encryptions of every traditional hash.
pub const TRADITIONAL_ENCRYPTIONS: u32 = 25;

/// Bytes of a password that the traditional form uses.
pub const MAX_PASSWORD_BYTES: usize = 8;

/// Length of the output, in bytes: a block of DES.
pub const OUTPUT_BYTES: usize = 8;

/// The two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// BSDi: the whole password, 24 bits of salt, a chosen number of encryptions.
    Extended,
    /// Eight bytes of the password, 12 bits of salt, 25 encryptions.
    Traditional,
}

/// A setting of DES.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    form: Form,
    encryptions: u32,
    salt: String,
    /// The number that the text of the salt encodes.
    salt_bits: u32,
}

impl Setting {
    /// The form.
    pub const fn form(&self) -> Form {
        self.form
    }

    /// How often a block is encrypted, at least once.
    pub const fn encryptions(&self) -> u32 {
        self.encryptions
    }

    /// The salt, as text.
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    /// The salt's 12 or 24 bits. Bit `i` exchanges the bits `i` and `i + 24` of DES's expanded
    /// half.
    pub const fn salt_bits(&self) -> u32 {
        self.salt_bits
    }
}

/// Whether a text has 13 characters of the alphabet. A traditional hash has no other mark.
pub(crate) fn is_traditional(text: &str) -> bool {
    text.len() == TRADITIONAL_CHARACTERS && crypt::is_in_alphabet(text)
}

fn parse_extended(text: &str) -> Result<Parts, ParseError> {
    let rest = text.strip_prefix('_').ok_or(ParseError::Invalid)?;
    let (encryptions, rest) = rest.split_at_checked(ENCRYPTIONS_CHARACTERS).ok_or(ParseError::Invalid)?;
    let encryptions = crypt::number(encryptions)?;
    if encryptions == 0 {
        return Err(ParseError::Invalid);
    }
    parse(Form::Extended, encryptions, text, rest.split_at_checked(4))
}

fn parse_traditional(text: &str) -> Result<Parts, ParseError> {
    parse(Form::Traditional, TRADITIONAL_ENCRYPTIONS, text, text.split_at_checked(2))
}

fn parse(
    form: Form,
    encryptions: u32,
    text: &str,
    salt_and_output: Option<(&str, &str)>,
) -> Result<Parts, ParseError> {
    let (salt, output) = salt_and_output.ok_or(ParseError::Invalid)?;
    let salt_bits = crypt::number(salt)?;
    let setting = Setting { form, encryptions, salt: salt.to_owned(), salt_bits };
    let setting = crate::Setting::VerifyOnly(verify_only::VerifyOnlySetting::DesCrypt(setting));
    Parts::new(text, OutputText::read(Encoding::DesBase64, output)?, setting)
}

const ENCRYPTIONS_CHARACTERS: usize = 4;
const TRADITIONAL_CHARACTERS: usize = 13;
