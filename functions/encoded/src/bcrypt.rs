//! bcrypt in modular crypt format: `$2b$<cost>$<22 characters of salt><31 characters of output>`.
//! Source: `crypt_blowfish` (Openwall), `crypt(5)`.

use base64::{
    Engine as _,
    alphabet::BCRYPT,
    engine::{GeneralPurpose, GeneralPurposeConfig, general_purpose::NO_PAD},
};

use crate::{
    NEW_SALT_BYTES, ParseError,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc,
    reading::Reading,
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$2a$", "$2b$", "$2y$"],
    labels: &["{BLF-CRYPT}", "{CRYPT}", "{bcrypt}", "{crypt}"],
    reading: READING,
    ..SchemeRow::new("bcrypt", Parse::Text(parse))
};

pub(crate) const READING: Reading = Reading { most_bytes: Some(MAX_PASSWORD_BYTES), ..Reading::C_STRING };

/// Lowest cost that the format can state.
pub const MIN_COST: u32 = 4;

/// Highest cost that the format can state. Admission stops far below this bound.
pub const MAX_COST: u32 = 31;

/// Length of the salt, in bytes.
pub const SALT_BYTES: usize = 16;

/// Length of the output, in bytes. The reference software drops the last of 24 bytes.
pub const OUTPUT_BYTES: usize = 23;

/// Bytes of a password that bcrypt uses. The rest has no effect.
pub const MAX_PASSWORD_BYTES: usize = 72;

/// Cost of bcrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    cost: u32,
}

impl Params {
    /// `cost` is the binary logarithm of the number of key expansions, [`MIN_COST`] to
    /// [`MAX_COST`].
    pub const fn new(cost: u32) -> Option<Self> {
        if cost < MIN_COST || cost > MAX_COST { None } else { Some(Self { cost }) }
    }

    /// Binary logarithm of the number of key expansions.
    pub const fn cost(self) -> u32 {
        self.cost
    }
}

/// A bcrypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    params: Params,
    salt: [u8; SALT_BYTES],
}

impl Setting {
    pub(crate) fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        Self { params, salt }
    }

    /// Joins a cost and a decoded salt.
    pub(crate) fn new(cost: u32, salt: &[u8]) -> Result<Self, ParseError> {
        let (params, salt) = (Params::new(cost), salt.try_into().ok());
        params.zip(salt).map(|(params, salt)| Self { params, salt }).ok_or(ParseError::Invalid)
    }

    /// The cost.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The salt.
    pub fn salt(&self) -> &[u8; SALT_BYTES] {
        &self.salt
    }

    /// The text of a new hash up to its output.
    pub(crate) fn head(&self) -> String {
        format!("$2b${:02}${}", self.params.cost, SALT.encode(self.salt))
    }
}

/// Reads a hash in modular crypt format. The prefixes stand for bugs of old software, and all mean
/// the same algorithm.
pub(crate) fn parse(text: &str) -> Result<Parts, ParseError> {
    let (_prefix, rest) = phc::split_id(text)?;
    let (cost, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let has_two_digits = cost.len() == 2 && cost.bytes().all(|b| b.is_ascii_digit());
    let (salt, output) = rest.split_at_checked(SALT_CHARACTERS).ok_or(ParseError::Invalid)?;
    if !has_two_digits {
        return Err(ParseError::Invalid);
    }
    let cost = cost.parse().map_err(|_| ParseError::Invalid)?;
    let salt = SALT.decode(salt).map_err(|_| ParseError::Invalid)?;
    let output = OutputText::read(Encoding::BcryptBase64, output)?;
    Parts::new(text, output, crate::Setting::Bcrypt(Setting::new(cost, &salt)?))
}

const SALT_CHARACTERS: usize = 22;

/// 22 characters carry 132 bits, four more than a salt has. Some software sets them: see
/// the deviations in `SCHEMES.md`.
const SALT: GeneralPurpose =
    GeneralPurpose::new(&BCRYPT, GeneralPurposeConfig::with_decode_allow_trailing_bits(NO_PAD, true));
