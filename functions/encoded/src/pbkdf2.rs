//! PBKDF2 as a PHC string: `$pbkdf2-sha512$i=210000,l=32$<salt>$<output>`; SHA-1 is `$pbkdf2$`.
//! Source: RFC 8018 §5.2; RustCrypto `pbkdf2`, `src/phc.rs`.

use strum::{EnumString, IntoStaticStr};

use crate::{
    ParseError,
    parts::Parts,
    phc,
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$pbkdf2$i=", "$pbkdf2-sha1$i=", "$pbkdf2-sha256$i=", "$pbkdf2-sha512$i="],
    ..SchemeRow::new("pbkdf2", Parse::Text(parse))
};

/// The hash function under HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr)]
pub enum Prf {
    /// HMAC-SHA-1
    #[strum(serialize = "pbkdf2")]
    Sha1,
    /// HMAC-SHA-256
    #[strum(serialize = "pbkdf2-sha256")]
    Sha256,
    /// HMAC-SHA-512
    #[strum(serialize = "pbkdf2-sha512")]
    Sha512,
}

impl Prf {
    /// Length of one output block, in bytes.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }

    /// The id between the first two dollar signs.
    pub(crate) fn id(self) -> &'static str {
        self.into()
    }
}

/// Hash function and cost of PBKDF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    prf: Prf,
    iterations: u32,
}

impl Params {
    /// Returns `None` for zero iterations.
    pub const fn new(prf: Prf, iterations: u32) -> Option<Self> {
        if iterations == 0 { None } else { Some(Self { prf, iterations }) }
    }

    /// The hash function under HMAC.
    pub const fn prf(self) -> Prf {
        self.prf
    }

    /// Iterations for each output block.
    pub const fn iterations(self) -> u32 {
        self.iterations
    }
}

/// A PBKDF2 setting.
pub type Setting = phc::Setting<Params>;

impl Setting {
    /// Output blocks. Each takes the full number of iterations.
    pub fn output_blocks(&self) -> usize {
        self.output_bytes().div_ceil(self.params().prf.block_bytes())
    }

    /// The text of a new hash up to its output.
    pub(crate) fn head(&self) -> String {
        let Params { prf, iterations } = self.params();
        format!("${}$i={iterations},l={}${}$", prf.id(), self.output_bytes(), phc::salt_text(self.salt()))
    }
}

/// Reads a PHC string.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let (id, rest) = phc::split_id(text)?;
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let (iterations, length) = match costs.split_once(',') {
        Some((iterations, length)) => (iterations, Some(phc::field(length, "l")?)),
        None => (costs, None),
    };
    let prf = match (length, id) {
        // In strings without a length the Node package @phc/pbkdf2 names every function.
        (None, "pbkdf2-sha1") => Some(Prf::Sha1),
        (None, "pbkdf2") => None,
        _ => id.parse().ok(),
    };
    let params = prf.and_then(|prf| Params::new(prf, phc::field(iterations, "i").ok()?));
    let params = params.ok_or(ParseError::Invalid)?;
    let (salt, output) = phc::salt_and_output(rest)?;
    let output_bytes = match length {
        Some(bytes) => usize::try_from(bytes).map_err(|_| ParseError::Invalid)?,
        // One block of the hash function.
        None => params.prf.block_bytes(),
    };
    if output_bytes < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    Parts::new(text, output, crate::Setting::Pbkdf2(Setting::new(params, salt, output_bytes)))
}
