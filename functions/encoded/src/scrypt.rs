//! scrypt as a PHC string: `$scrypt$ln=17,r=8,p=1$<salt>$<output>`.
//! Source: RFC 7914; RustCrypto `scrypt`, `src/phc.rs`; passlib prints the same.

use crate::{
    ParseError,
    parts::Parts,
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow =
    SchemeRow { begins: &["$scrypt$"], ..SchemeRow::new("scrypt", Parse::Text(parse)) };

/// Largest `ln` that is read, so that `N` has at most 64 bits.
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
    /// `N = 2^log_n` (1 to 63), block size `r` and parallelization `p`.
    ///
    /// Returns `None` unless `r` and `p` are at least 1, `r·p < 2^30` and `N < 2^(16·r)` (RFC 7914
    /// §2).
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
    pub const fn log_n(self) -> u8 {
        self.log_n
    }

    /// Block size `r`, in units of 128 bytes.
    pub const fn r(self) -> u32 {
        self.r
    }

    /// Parallelization `p`.
    pub const fn p(self) -> u32 {
        self.p
    }
}

/// An scrypt setting.
pub type Setting = phc::Setting<Params>;

impl Setting {
    /// The text of a new hash up to its output.
    pub(crate) fn head(&self) -> String {
        let Params { log_n, r, p } = self.params();
        format!("$scrypt$ln={log_n},r={r},p={p}${}$", phc::salt_text(self.salt()))
    }
}

/// Reads a PHC string.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let (_scrypt, rest) = phc::split_id(text)?;
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let [n, r, p] = fields(costs, ',')?;
    // `n=` is a deviation of `SCHEMES.md`.
    let log_n = if n.starts_with("n=") { phc::log_2(phc::field(n, "n")?)? } else { phc::field(n, "ln")? };
    let (r, p) = (phc::field(r, "r")?, phc::field(p, "p")?);
    let log_n = u8::try_from(log_n).map_err(|_| ParseError::Invalid)?;
    let params = Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    let (salt, output) = phc::salt_and_output(rest)?;
    let output_bytes = output.bytes.len();
    if output_bytes < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    Parts::new(text, output, crate::Setting::Scrypt(Setting::new(params, salt, output_bytes)))
}
