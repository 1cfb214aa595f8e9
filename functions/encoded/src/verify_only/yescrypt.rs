//! yescrypt: `$y$<parameters>$<salt>$<43 characters>`.
//!
//! The parameters are the flavour, the binary logarithm of N, and r. If another parameter is not
//! its default, a mask follows. The mask tells which are stated: p, t, g, and the logarithm of the
//! size of a table in memory (ROM).
//! Source: Openwall yescrypt 1.1.0, `yescrypt-common.c`; libxcrypt `lib/crypt-yescrypt.c`.

use crate::{
    ParseError, crypt,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc::fields,
    reading::Reading,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$y$"],
    labels: &["{CRYPT}", "{crypt}"],
    reading: Reading::C_STRING,
    ..SchemeRow::new("yescrypt", Parse::Text(parse))
};

/// Largest binary logarithm of N that is read.
pub const MAX_LOG_N: u32 = 63;

/// Largest product of `r` and `p`, as in scrypt.
pub const MAX_R_P: u64 = crate::scrypt::MAX_R_P;

/// Longest salt, in bytes.
pub const MAX_SALT_BYTES: usize = 64;

/// Length of the output, in bytes.
pub const OUTPUT_BYTES: usize = 32;

/// The manner of mixing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// As in scrypt.
    Classic,
    /// Reads and writes, six rounds, tables of 12 KiB: the default of `crypt_gensalt`.
    ReadWrite,
    /// Writes once, reads many times.
    Worm,
}

impl Flavour {
    const ALL: [Self; 3] = [Self::Classic, Self::ReadWrite, Self::Worm];

    const fn number(self) -> u32 {
        match self {
            Self::Classic => 0,
            Self::ReadWrite => 0b10_1111,
            Self::Worm => 1,
        }
    }
}

/// Cost of yescrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    flavour: Flavour,
    log_n: u32,
    r: u32,
    p: u32,
    t: u32,
}

impl Params {
    /// The parameters, if the reference software computes them.
    ///
    /// `N` is 2 to 2^63, `r` and `p` are at least 1, `r·p < 2^30`. With [`Flavour::ReadWrite`] each
    /// of `p` has at least four blocks. [`Flavour::Classic`] has no `t`.
    fn checked(self) -> Option<Self> {
        let Self { flavour, log_n, r, p, t } = self;
        let in_range = (1..=MAX_LOG_N).contains(&log_n)
            && r > 0
            && p > 0
            && u64::from(r) * u64::from(p) <= MAX_R_P
            && match flavour {
                Flavour::Classic => t == 0,
                Flavour::ReadWrite => self.n() / u64::from(p) >= LEAST_BLOCKS,
                Flavour::Worm => true,
            };
        in_range.then_some(self)
    }

    /// The manner of mixing.
    pub const fn flavour(self) -> Flavour {
        self.flavour
    }

    /// `N`, the CPU and memory cost.
    pub const fn n(self) -> u64 {
        1 << self.log_n
    }

    /// Block size, in units of 128 bytes.
    pub const fn r(self) -> u32 {
        self.r
    }

    /// Parallelization.
    pub const fn p(self) -> u32 {
        self.p
    }

    /// Additional time in the same memory.
    pub const fn t(self) -> u32 {
        self.t
    }

    /// The cost of computing. The work is exact if `t` is 0 and the memory is written once;
    /// otherwise it is an upper bound.
    pub const fn cost(self) -> verify_only::Cost {
        let blocks = self.n().saturating_mul(self.r as u64);
        // With reading and writing all of p share the memory. Otherwise they use it one after the
        // other.
        let (turns, tables) = match self.flavour {
            Flavour::Classic | Flavour::Worm => (self.p as u64, 0),
            Flavour::ReadWrite => (1, TABLES_BLOCKS),
        };
        verify_only::Cost::Memory {
            blocks,
            other_blocks: (self.p as u64).saturating_mul(self.r as u64 + tables),
            work: blocks.saturating_mul(turns).saturating_mul(self.t as u64 + 1),
        }
    }
}

/// A yescrypt setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    params: Params,
    salt: Vec<u8>,
}

impl Setting {
    /// The cost.
    pub const fn params(&self) -> Params {
        self.params
    }

    /// The salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }
}

fn parse(text: &str) -> Result<Parts, ParseError> {
    let [_before, _id, params, salt, output] = fields(text, '$')?;
    let (params, salt) = (parse_params(params)?, Encoding::Crypt.decode(salt)?.to_vec());
    if salt.len() > MAX_SALT_BYTES {
        return Err(ParseError::Invalid);
    }
    let setting =
        crate::Setting::VerifyOnly(verify_only::VerifyOnlySetting::Yescrypt(Setting { params, salt }));
    Parts::new(text, OutputText::read(Encoding::Crypt, output)?, setting)
}

fn parse_params(text: &str) -> Result<Params, ParseError> {
    let mut rest = text.bytes();
    let flavour = take(&mut rest, 0)?;
    let (log_n, r) = (take(&mut rest, 1)?, take(&mut rest, 1)?);
    let mask = if rest.len() == 0 { 0 } else { take(&mut rest, 1)? };
    let mut optional =
        |bit, least, default| if mask & bit == 0 { Ok(default) } else { take(&mut rest, least) };
    let (p, t) = (optional(HAS_P, 2, 1)?, optional(HAS_T, 1, 0)?);
    let (upgrades, rom) = (optional(HAS_UPGRADES, 1, 0)?, optional(HAS_ROM, 1, 0)?);
    if rest.len() > 0 || mask > HAS_P | HAS_T | HAS_UPGRADES | HAS_ROM {
        return Err(ParseError::Invalid);
    }
    // The reference software computes no upgrades. The content of a table in memory is not known
    // here.
    if upgrades != 0 || rom != 0 {
        return Err(ParseError::Unsupported);
    }
    let known = Flavour::ALL.into_iter().find(|known| known.number() == flavour);
    let flavour = known.ok_or(ParseError::Unsupported)?;
    Params { flavour, log_n, r, p, t }.checked().ok_or(ParseError::Invalid)
}

/// Reads a number that is at least `least`. Its first character tells how many follow; the highest
/// bits come first.
fn take(text: &mut impl Iterator<Item = u8>, least: u32) -> Result<u32, ParseError> {
    let mut next = || crypt::value(text.next().ok_or(ParseError::Invalid)?);
    let first = next()?;
    let mut number = least;
    for (more, (start, end)) in (0_u32..).zip(FIRST_CHARACTERS) {
        if first > end {
            number += (end + 1 - start) << (6 * more);
            continue;
        }
        let mut beyond = first - start;
        for _ in 0..more {
            beyond = beyond << 6 | next()?;
        }
        return Ok(number + beyond);
    }
    Err(ParseError::Invalid)
}

/// The first and the last value of a first character after which no character follows, then one,
/// two, and so on.
const FIRST_CHARACTERS: [(u32, u32); 6] = [(0, 47), (48, 55), (56, 59), (60, 61), (62, 62), (63, 63)];

const HAS_P: u32 = 1;
const HAS_T: u32 = 2;
const HAS_UPGRADES: u32 = 4;
const HAS_ROM: u32 = 8;

/// Least blocks of each of `p` for [`Flavour::ReadWrite`].
const LEAST_BLOCKS: u64 = 4;

/// The tables of each of `p`: 12 KiB in blocks of 128 bytes.
const TABLES_BLOCKS: u64 = 96;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_one_text() {
        let ends = [0, 47, 48, 559, 560, 16_943, 16_944, 541_231, 541_232, 17_318_447, 17_318_448];
        for number in ends.into_iter().chain([1 << 29, (1 << 30) + 17_318_447]) {
            let mut text = String::new();
            push(&mut text, number, 0);
            let mut bytes = text.bytes();
            assert_eq!(take(&mut bytes, 0), Ok(number), "{text}");
            assert_eq!(bytes.len(), 0, "{text}");
        }
    }

    /// Writes a number that [`take`] reads.
    fn push(text: &mut String, number: u32, least: u32) {
        let mut beyond = number.saturating_sub(least);
        for (more, (start, end)) in (0_u32..).zip(FIRST_CHARACTERS) {
            let held = (end + 1 - start) << (6 * more);
            if beyond >= held {
                beyond -= held;
                continue;
            }
            text.push(crypt::character(start + (beyond >> (6 * more))));
            text.extend((0..more).rev().map(|place| crypt::character(beyond >> (6 * place))));
            return;
        }
    }
}
