//! bcrypt in modular crypt format: `$2b$<cost>$<22 characters of salt><31 characters of output>`.
//! Source: `crypt_blowfish` (Openwall), `crypt(5)`.

use core::fmt;

use base64::{
    Engine as _,
    alphabet::BCRYPT,
    engine::{GeneralPurpose, GeneralPurposeConfig, general_purpose::NO_PAD},
};
use zeroize::Zeroizing;

use crate::{Encoded, NEW_SALT_BYTES, ParseError, phc};

/// Lowest cost that the format can state.
pub const MIN_COST: u32 = 4;

/// Highest cost that the format can state. Admission stops far below it.
pub const MAX_COST: u32 = 31;

/// Length of the salt, in bytes.
pub const SALT_BYTES: usize = 16;

/// Length of the output, in bytes: the reference drops the last byte of 24.
pub const OUTPUT_BYTES: usize = 23;

/// Bytes of a password that bcrypt reads; the rest has no effect.
pub const MAX_PASSWORD_BYTES: usize = 72;

const SALT_CHARACTERS: usize = 22;
const OUTPUT_CHARACTERS: usize = 31;

/// 22 characters carry 132 bits, four more than the salt has.
const SALT_PADDING_BITS: u8 = 0b1111;

const STRICT: GeneralPurpose = GeneralPurpose::new(&BCRYPT, NO_PAD);
const PADDING_BITS_IGNORED: GeneralPurpose =
    GeneralPurpose::new(&BCRYPT, GeneralPurposeConfig::with_decode_allow_trailing_bits(NO_PAD, true));

/// Cost of bcrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    cost: u32,
}

impl Params {
    /// `cost` is the binary logarithm of the number of key expansions, [`MIN_COST`] to [`MAX_COST`].
    #[must_use]
    pub const fn new(cost: u32) -> Option<Self> {
        if cost < MIN_COST || cost > MAX_COST { None } else { Some(Self { cost }) }
    }

    /// Binary logarithm of the number of key expansions.
    #[must_use]
    pub const fn cost(self) -> u32 {
        self.cost
    }
}

/// The prefixes that name today's algorithm. They differ in the bugs of software long gone, not in what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// `$2a$`
    A,
    /// `$2b$`, what new hashes carry
    B,
    /// `$2y$`
    Y,
}

/// A bcrypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    prefix: Prefix,
    params: Params,
    salt: [u8; SALT_BYTES],
    /// The four bits that follow the salt in its last character; zero in the canonical form.
    salt_padding: u8,
}

impl Setting {
    pub(crate) fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        Self { prefix: Prefix::B, params, salt, salt_padding: 0 }
    }

    /// The cost.
    #[must_use]
    pub fn params(&self) -> Params {
        self.params
    }

    /// The salt.
    #[must_use]
    pub fn salt(&self) -> &[u8; SALT_BYTES] {
        &self.salt
    }

    /// What stands between the first two dollar signs.
    pub(crate) const fn prefix(&self) -> &'static str {
        match self.prefix {
            Prefix::A => "2a",
            Prefix::B => "2b",
            Prefix::Y => "2y",
        }
    }

    /// Whether the salt's last character is as the reference software prints it.
    pub(crate) const fn has_canonical_salt(&self) -> bool {
        self.salt_padding == 0
    }

    /// The salt as it is printed.
    pub(crate) fn salt_text(&self) -> String {
        let mut salt = STRICT.encode(self.salt);
        let last = salt.split_off(SALT_CHARACTERS - 1);
        salt + &with_padding(&last, self.salt_padding)
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, cost) = (self.prefix(), self.params.cost);
        write!(f, "${prefix}${cost:02}${}{}", self.salt_text(), output_text(output))
    }
}

/// Reads a hash in modular crypt format.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let (prefix, rest) = phc::split_id(stored)?;
    let prefix = match prefix {
        "2a" => Prefix::A,
        "2b" => Prefix::B,
        "2y" => Prefix::Y,
        _ => return Err(ParseError::Invalid),
    };
    let (cost, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let two_digits = cost.len() == 2 && cost.bytes().all(|b| b.is_ascii_digit());
    if !two_digits || rest.len() != SALT_CHARACTERS + OUTPUT_CHARACTERS || !rest.is_ascii() {
        return Err(ParseError::Invalid);
    }
    let cost = cost.parse().map_err(|_| ParseError::Invalid)?;
    let params = Params::new(cost).ok_or(ParseError::Invalid)?;
    let (salt_text, output_text) = rest.split_at(SALT_CHARACTERS);
    let salt = PADDING_BITS_IGNORED.decode(salt_text).map_err(|_| ParseError::Invalid)?;
    let output = Zeroizing::new(STRICT.decode(output_text).map_err(|_| ParseError::Invalid)?);
    let salt = salt.try_into().map_err(|_| ParseError::Invalid)?;
    let salt_padding = padding_of(&salt_text[SALT_CHARACTERS - 1..]);
    let setting = Setting { prefix, params, salt, salt_padding };
    Encoded::new(crate::Setting::Bcrypt(setting), &output).ok_or(ParseError::Invalid)
}

/// An output as it is printed.
pub(crate) fn output_text(output: &[u8]) -> String {
    STRICT.encode(output)
}

/// The padding bits of a salt's last character.
fn padding_of(last: &str) -> u8 {
    let value = BCRYPT.as_str().find(last).and_then(|i| u8::try_from(i).ok()).unwrap_or(0);
    value & SALT_PADDING_BITS
}

/// A salt's last character with its padding bits set.
fn with_padding(last: &str, padding: u8) -> String {
    let alphabet = BCRYPT.as_str();
    let index = alphabet.find(last).unwrap_or(0) | usize::from(padding);
    alphabet[index..=index].to_owned()
}
