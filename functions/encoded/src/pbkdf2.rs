//! PBKDF2 as a PHC string: `$pbkdf2-sha512$i=210000,l=32$<salt>$<output>`; SHA-1 is `$pbkdf2$`.
//! Source: RFC 8018 §5.2; RustCrypto `pbkdf2`, `src/phc.rs`.

use core::fmt;

use crate::{Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, phc};

/// The hash function under HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prf {
    /// HMAC-SHA-1
    Sha1,
    /// HMAC-SHA-256
    Sha256,
    /// HMAC-SHA-512
    Sha512,
}

impl Prf {
    /// Length of one output block, in bytes.
    #[must_use]
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

/// Hash function and cost of PBKDF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    prf: Prf,
    iterations: u32,
}

impl Params {
    /// At least one iteration.
    #[must_use]
    pub const fn new(prf: Prf, iterations: u32) -> Option<Self> {
        if iterations == 0 { None } else { Some(Self { prf, iterations }) }
    }

    /// The hash function under HMAC.
    #[must_use]
    pub const fn prf(self) -> Prf {
        self.prf
    }

    /// Iterations for each output block.
    #[must_use]
    pub const fn iterations(self) -> u32 {
        self.iterations
    }
}

/// A PBKDF2 setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    params: Params,
    salt: Vec<u8>,
    output_bytes: usize,
}

impl Setting {
    pub(crate) const fn new(params: Params, salt: Vec<u8>, output_bytes: usize) -> Self {
        Self { params, salt, output_bytes }
    }

    pub(crate) fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        Self { params, salt: salt.to_vec(), output_bytes: NEW_OUTPUT_BYTES }
    }

    /// Hash function and cost.
    #[must_use]
    pub fn params(&self) -> Params {
        self.params
    }

    /// The salt.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Length of the output, in bytes.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        self.output_bytes
    }

    /// Output blocks: each costs the full number of iterations.
    #[must_use]
    pub fn output_blocks(&self) -> usize {
        self.output_bytes.div_ceil(self.params.prf.block_bytes())
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.params.prf {
            Prf::Sha1 => "$pbkdf2",
            Prf::Sha256 => "$pbkdf2-sha256",
            Prf::Sha512 => "$pbkdf2-sha512",
        })?;
        write!(f, "$i={},l={}", self.params.iterations, self.output_bytes)?;
        write!(f, "${}${}", phc::encode(&self.salt), phc::encode(output))
    }
}

/// Reads a PHC string.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let (prf, rest) = phc::split_id(stored)?;
    let prf = match prf {
        "pbkdf2" => Prf::Sha1,
        "pbkdf2-sha256" => Prf::Sha256,
        _ => Prf::Sha512,
    };
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let (iterations, length) = costs.split_once(',').ok_or(ParseError::Invalid)?;
    let params = Params::new(prf, phc::field(iterations, "i")?).ok_or(ParseError::Invalid)?;
    let length = phc::field(length, "l")?;
    let (salt, output) = phc::salt_and_output(rest)?;
    if usize::try_from(length) != Ok(output.len()) || output.len() < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    let setting = Setting::new(params, salt, output.len());
    Encoded::new(crate::Setting::Pbkdf2(setting), &output).ok_or(ParseError::Invalid)
}
