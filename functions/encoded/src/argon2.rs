//! Argon2 as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<output>`.
//! Source: RFC 9106; phc-winner-argon2 `src/encoding.c`.

use strum::{EnumString, IntoStaticStr};

use crate::{
    ParseError,
    parts::Parts,
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$argon2d$", "$argon2i$", "$argon2id$"],
    labels: &["{ARGON2ID}", "{ARGON2I}", "{ARGON2}", "{argon2@SpringSecurity_v5_8}", "{argon2}"],
    ..SchemeRow::new("argon2", Parse::Text(parse))
};

/// Shortest output, in bytes (RFC 9106 §3.1).
pub const MIN_OUTPUT_BYTES: usize = 4;

/// Least memory of each lane, in KiB (RFC 9106 §3.1).
pub const MIN_MEMORY_KIB_PER_LANE: u32 = 8;

/// Most lanes (RFC 9106 §3.1). Admission stops far below this bound.
pub const MAX_PARALLELISM: u32 = (1 << 24) - 1;

/// How memory is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
pub enum Variant {
    /// By the data: resists time-memory trade-offs best, and leaks by side channels. Verified only.
    #[strum(serialize = "argon2d")]
    D,
    /// Independently of the data. Verified only.
    #[strum(serialize = "argon2i")]
    I,
    /// Independently of the data in the first half pass, then by the data. RFC 9106 recommends it.
    #[strum(serialize = "argon2id")]
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
    /// Memory cost `m` in KiB (at least 8 a lane), time cost `t` in passes (at least 1), `p` lanes
    /// (1 to 2^24 - 1).
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
    pub const fn variant(self) -> Variant {
        self.variant
    }

    /// Version of the algorithm.
    pub const fn version(self) -> Version {
        self.version
    }

    /// Memory cost `m`, in KiB.
    pub const fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Time cost `t`, in passes over the memory.
    pub const fn passes(self) -> u32 {
        self.passes
    }

    /// Degree of parallelism `p`, in lanes.
    pub const fn parallelism(self) -> u32 {
        self.parallelism
    }
}

/// An Argon2 setting.
pub type Setting = phc::Setting<Params>;

impl Setting {
    /// The text of a new hash up to its output.
    pub(crate) fn head(&self) -> String {
        let Params { variant, version, memory_kib, passes, parallelism } = self.params();
        let name: &str = variant.into();
        let (version, salt) = (version.number(), phc::salt_text(self.salt()));
        format!("${name}$v={version}$m={memory_kib},t={passes},p={parallelism}${salt}$")
    }
}

/// Reads a PHC string.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let (name, rest) = phc::split_id(text)?;
    let variant = name.parse::<Variant>().map_err(|_| ParseError::Invalid)?;
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
    // Argon2id is younger than the field: no software printed it without.
    if version.is_none() && variant == Variant::Id {
        return Err(ParseError::Invalid);
    }
    // A secret key or associated data changes the output. Without them no password would match.
    if costs.contains(",keyid=") || costs.contains(",data=") {
        return Err(ParseError::Unsupported);
    }
    let [first, second, third] = fields(costs, ',')?;
    let (memory, passes, parallelism) = match version {
        // The two other orders are deviations of `SCHEMES.md`.
        Some(_) if second.starts_with("p=") => (first, third, second),
        Some(_) if first.starts_with("t=") => (second, first, third),
        Some(_) | None => (first, second, third),
    };
    let (memory_kib, passes, parallelism) =
        (phc::field(memory, "m")?, phc::field(passes, "t")?, phc::field(parallelism, "p")?);
    let params = Params::new(variant, version.unwrap_or(Version::V16), memory_kib, passes, parallelism)
        .ok_or(ParseError::Invalid)?;
    let (salt, output) = phc::salt_and_output(rest)?;
    let output_bytes = output.bytes.len();
    if output_bytes < MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    Parts::new(text, output, crate::Setting::Argon2(Setting::new(params, salt, output_bytes)))
}
