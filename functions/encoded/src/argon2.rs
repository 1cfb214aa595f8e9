//! Argon2 as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<output>`.
//! Source: RFC 9106; phc-winner-argon2 `src/encoding.c`.

use core::fmt;

use crate::{Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, phc};

/// Shortest output, in bytes (RFC 9106 §3.1).
pub const MIN_OUTPUT_BYTES: usize = 4;

/// Memory blocks of 1 KiB that each lane needs at least (RFC 9106 §3.1).
pub const MIN_MEMORY_KIB_PER_LANE: u32 = 8;

/// Most lanes that the algorithm knows (RFC 9106 §3.1). Admission stops far below it.
pub const MAX_PARALLELISM: u32 = (1 << 24) - 1;

/// How memory is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// By the data: fastest against time-memory trade-offs, open to side channels. Verified only.
    D,
    /// Independent of the data. Verified only.
    I,
    /// The first half pass independent of the data, the rest by it: what RFC 9106 recommends.
    Id,
}

/// Version of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// 16 (0x10): later passes overwrite blocks.
    V16,
    /// 19 (0x13), RFC 9106: later passes XOR into blocks.
    V19,
}

impl Version {
    const fn number(self) -> u32 {
        match self {
            Self::V16 => 16,
            Self::V19 => 19,
        }
    }
}

/// Variant, version and cost of Argon2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    variant: Variant,
    version: Version,
    memory_kib: u32,
    passes: u32,
    parallelism: u32,
}

impl Params {
    /// Memory cost `m` in KiB (at least 8 a lane), time cost `t` in passes (at least 1), `p` lanes (1 to 2^24 - 1).
    #[must_use]
    pub const fn new(
        variant: Variant,
        version: Version,
        memory_kib: u32,
        passes: u32,
        parallelism: u32,
    ) -> Option<Self> {
        // Parallelism is bounded before it is multiplied.
        let lanes_valid = parallelism >= 1 && parallelism <= MAX_PARALLELISM;
        if !lanes_valid || passes == 0 || memory_kib < parallelism * MIN_MEMORY_KIB_PER_LANE {
            return None;
        }
        Some(Self { variant, version, memory_kib, passes, parallelism })
    }

    /// How memory is addressed.
    #[must_use]
    pub const fn variant(self) -> Variant {
        self.variant
    }

    /// Version of the algorithm.
    #[must_use]
    pub const fn version(self) -> Version {
        self.version
    }

    /// Memory cost `m`, in KiB.
    #[must_use]
    pub const fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Time cost `t`, in passes over the memory.
    #[must_use]
    pub const fn passes(self) -> u32 {
        self.passes
    }

    /// Degree of parallelism `p`, in lanes.
    #[must_use]
    pub const fn parallelism(self) -> u32 {
        self.parallelism
    }
}

/// An Argon2 setting.
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
    /// Software older than the `v=` field means version 16 by leaving it out.
    NoVersion,
    /// The costs stand in the order m, p, t.
    ParallelismBeforePasses,
    /// The costs stand in the order t, m, p.
    PassesBeforeMemory,
}

impl Setting {
    pub(crate) fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        let (salt, output_bytes) = (salt.to_vec(), NEW_OUTPUT_BYTES);
        Self { params, salt, output_bytes, spelling: Spelling::Canonical }
    }

    /// Variant, version and cost.
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

    /// Version 19, in the reference software's spelling.
    pub(crate) fn is_as_printed_today(&self) -> bool {
        self.params.version == Version::V19 && self.spelling == Spelling::Canonical
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Params { variant, version, memory_kib, passes, parallelism } = self.params;
        f.write_str(match variant {
            Variant::D => "$argon2d",
            Variant::I => "$argon2i",
            Variant::Id => "$argon2id",
        })?;
        if self.spelling != Spelling::NoVersion {
            write!(f, "$v={}", version.number())?;
        }
        match self.spelling {
            Spelling::Canonical | Spelling::NoVersion => {
                write!(f, "$m={memory_kib},t={passes},p={parallelism}")?;
            }
            Spelling::ParallelismBeforePasses => write!(f, "$m={memory_kib},p={parallelism},t={passes}")?,
            Spelling::PassesBeforeMemory => write!(f, "$t={passes},m={memory_kib},p={parallelism}")?,
        }
        write!(f, "${}${}", phc::encode(&self.salt), phc::encode(output))
    }
}

/// Reads a PHC string.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let (variant, rest) = phc::split_id(stored)?;
    let variant = match variant {
        "argon2d" => Variant::D,
        "argon2i" => Variant::I,
        "argon2id" => Variant::Id,
        _ => return Err(ParseError::Invalid),
    };
    let (first, after_first) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let (version, costs, rest) = if first.starts_with("v=") {
        let version = match phc::field(first, "v")? {
            16 => Version::V16,
            19 => Version::V19,
            _ => return Err(ParseError::Unsupported),
        };
        let (costs, rest) = after_first.split_once('$').ok_or(ParseError::Invalid)?;
        (Some(version), costs, rest)
    } else {
        (None, first, after_first)
    };
    // Argon2id is younger than the field: nothing ever printed it without.
    if version.is_none() && variant == Variant::Id {
        return Err(ParseError::Invalid);
    }
    // A secret key or associated data changes what is computed; without them every password would be wrong.
    if costs.contains(",keyid=") || costs.contains(",data=") {
        return Err(ParseError::Unsupported);
    }
    let mut costs = costs.split(',');
    let mut next = || costs.next().ok_or(ParseError::Invalid);
    let (first, second, third) = (next()?, next()?, next()?);
    if costs.next().is_some() {
        return Err(ParseError::Invalid);
    }
    let (memory, passes, parallelism, spelling) = match version {
        None => (first, second, third, Spelling::NoVersion),
        Some(_) if second.starts_with("p=") => (first, third, second, Spelling::ParallelismBeforePasses),
        Some(_) if first.starts_with("t=") => (second, first, third, Spelling::PassesBeforeMemory),
        Some(_) => (first, second, third, Spelling::Canonical),
    };
    let (memory_kib, passes, parallelism) =
        (phc::field(memory, "m")?, phc::field(passes, "t")?, phc::field(parallelism, "p")?);
    let params = Params::new(variant, version.unwrap_or(Version::V16), memory_kib, passes, parallelism)
        .ok_or(ParseError::Invalid)?;
    let (salt, output) = phc::salt_and_output(rest)?;
    if output.len() < MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    let setting = Setting { params, salt, output_bytes: output.len(), spelling };
    Encoded::new(crate::Setting::Argon2(setting), &output).ok_or(ParseError::Invalid)
}
