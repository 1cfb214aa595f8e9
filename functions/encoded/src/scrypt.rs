//! scrypt as a PHC string: `$scrypt$ln=17,r=8,p=1$<salt>$<output>`.
//! Source: RFC 7914; RustCrypto `scrypt`, `src/phc.rs`; passlib prints the same.

use core::fmt;

use crate::{Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, phc};

/// Largest `ln` that is read: `N` must be a number that a 64-bit machine can name.
pub const MAX_LOG_N: u8 = 63;

/// Largest product of `r` and `p` (RFC 7914 §2).
pub const MAX_R_P: u64 = (1 << 30) - 1;

/// Cost of scrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    log_n: u8,
    r: u32,
    p: u32,
}

impl Params {
    /// `N = 2^log_n` (1 to 63), block size `r` and parallelization `p` (at least 1, `r·p < 2^30`, `N < 2^(16·r)`;
    /// RFC 7914 §2).
    #[must_use]
    pub const fn new(log_n: u8, r: u32, p: u32) -> Option<Self> {
        // Each factor fits in 32 bits, so the product fits in 64.
        let r_p = r as u64 * p as u64;
        if log_n == 0 || log_n > MAX_LOG_N || r_p == 0 || r_p > MAX_R_P {
            return None;
        }
        // N < 2^(128·r/8).
        if log_n as u64 >= r as u64 * 16 {
            return None;
        }
        Some(Self { log_n, r, p })
    }

    /// Binary logarithm of `N`, the CPU and memory cost.
    #[must_use]
    pub const fn log_n(self) -> u8 {
        self.log_n
    }

    /// Block size `r`, in units of 128 bytes.
    #[must_use]
    pub const fn r(self) -> u32 {
        self.r
    }

    /// Parallelization `p`.
    #[must_use]
    pub const fn p(self) -> u32 {
        self.p
    }
}

/// An scrypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    params: Params,
    salt: Vec<u8>,
    output_bytes: usize,
    spelling: Spelling,
}

/// What is spelt otherwise than the reference software spells it ([`DEVIATIONS`](crate::DEVIATIONS)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Canonical,
    /// `n=` and `N` itself, where others have `ln=` and its logarithm.
    WholeN,
}

impl Setting {
    pub(crate) const fn new(params: Params, salt: Vec<u8>, output_bytes: usize) -> Self {
        Self { params, salt, output_bytes, spelling: Spelling::Canonical }
    }

    pub(crate) fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        Self::new(params, salt.to_vec(), NEW_OUTPUT_BYTES)
    }

    /// The cost.
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

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Params { log_n, r, p } = self.params;
        match self.spelling {
            Spelling::Canonical => write!(f, "$scrypt$ln={log_n},r={r},p={p}")?,
            Spelling::WholeN => write!(f, "$scrypt$n={},r={r},p={p}", 1_u64 << log_n)?,
        }
        write!(f, "${}${}", phc::encode(&self.salt), phc::encode(output))
    }
}

/// Reads a PHC string.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let (_scrypt, rest) = phc::split_id(stored)?;
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let spelling = if costs.starts_with("n=") { Spelling::WholeN } else { Spelling::Canonical };
    let mut costs = costs.split(',');
    let mut cost = |name| phc::field(costs.next().ok_or(ParseError::Invalid)?, name);
    let log_n = match spelling {
        Spelling::Canonical => cost("ln")?,
        Spelling::WholeN => phc::log_2(cost("n")?)?,
    };
    let (r, p) = (cost("r")?, cost("p")?);
    if costs.next().is_some() {
        return Err(ParseError::Invalid);
    }
    let log_n = u8::try_from(log_n).map_err(|_| ParseError::Invalid)?;
    let params = Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    let (salt, output) = phc::salt_and_output(rest)?;
    if output.len() < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    let setting = Setting { params, salt, output_bytes: output.len(), spelling };
    Encoded::new(crate::Setting::Scrypt(setting), &output).ok_or(ParseError::Invalid)
}
