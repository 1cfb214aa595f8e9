use core::{fmt, str::FromStr};
use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use serde::{Deserialize, Serialize};

use crate::file::{Sourced, Unreadable};

/// The processor of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// Graviton.
    Arm64,
    /// Intel or AMD.
    X86_64,
}

impl Architecture {
    /// All architectures.
    pub const ALL: [Self; 2] = [Self::Arm64, Self::X86_64];

    /// Returns the name in Lambda's API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::X86_64 => "x86_64",
        }
    }
}

/// Whether a worker computes several hashes in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lanes {
    /// `SALTERN_KERNELS=lanes`, the default.
    SideBySide,
    /// `SALTERN_KERNELS=crates`, one hash after the other.
    OneByOne,
}

/// The parameters in the names of `durations.json`: `bcrypt-11`, `argon2id-19456-2-1` (memory in
/// KiB, passes, parallelism), `pbkdf2-sha512-100000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameters {
    /// Argon2id.
    Argon2id {
        /// The memory in KiB.
        memory_kib: u32,
        /// The number of passes, t.
        passes: u32,
        /// The parallelism, p.
        parallelism: u32,
    },
    /// bcrypt.
    Bcrypt {
        /// The binary logarithm of the key expansions.
        cost: u32,
    },
    /// PBKDF2 with HMAC-SHA-512.
    Pbkdf2Sha512 {
        /// The iterations for one output block.
        iterations: u32,
    },
}

impl Parameters {
    /// Returns the name of the algorithm.
    #[must_use]
    pub fn algorithm(self) -> &'static str {
        match self {
            Self::Argon2id { .. } => "argon2id",
            Self::Bcrypt { .. } => "bcrypt",
            Self::Pbkdf2Sha512 { .. } => "pbkdf2-sha512",
        }
    }

    /// Returns the work in the algorithm's unit, in which time is linear.
    fn work(self) -> u64 {
        match self {
            Self::Argon2id { memory_kib, passes, .. } => u64::from(memory_kib) * u64::from(passes),
            Self::Bcrypt { cost } => 1 << cost.min(MAX_BCRYPT_COST),
            Self::Pbkdf2Sha512 { iterations } => u64::from(iterations),
        }
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm())?;
        match self {
            Self::Argon2id { memory_kib, passes, parallelism } => {
                write!(f, "-{memory_kib}-{passes}-{parallelism}")
            }
            Self::Bcrypt { cost } => write!(f, "-{cost}"),
            Self::Pbkdf2Sha512 { iterations } => write!(f, "-{iterations}"),
        }
    }
}

/// The text is not the name of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotParameters;

impl fmt::Display for NotParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write parameters such as bcrypt-11, argon2id-19456-2-1 or pbkdf2-sha512-100000")
    }
}

impl core::error::Error for NotParameters {}

impl FromStr for Parameters {
    type Err = NotParameters;

    fn from_str(text: &str) -> Result<Self, NotParameters> {
        let numbers = |algorithm: &str| -> Option<Vec<u32>> {
            let rest = text.strip_prefix(algorithm)?.strip_prefix('-')?;
            rest.split('-').map(|number| number.parse().ok().filter(|&number| number > 0)).collect()
        };
        if let Some([memory_kib, passes, parallelism]) = numbers("argon2id").as_deref() {
            return Ok(Self::Argon2id {
                memory_kib: *memory_kib,
                passes: *passes,
                parallelism: *parallelism,
            });
        }
        if let Some([cost @ MIN_BCRYPT_COST..=MAX_BCRYPT_COST]) = numbers("bcrypt").as_deref() {
            return Ok(Self::Bcrypt { cost: *cost });
        }
        match numbers("pbkdf2-sha512").as_deref() {
            Some([iterations]) => Ok(Self::Pbkdf2Sha512 { iterations: *iterations }),
            _ => Err(NotParameters),
        }
    }
}

/// A time for capacity plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The time.
    pub duration: Duration,
    /// Whether the time is extrapolated from another measurement, and not measured on Lambda.
    pub is_extrapolated: bool,
}

/// The times of hashes on Lambda.
#[derive(Clone, Debug)]
pub struct Durations {
    reference_memory_mb: u64,
    policies: BTreeMap<Parameters, Milliseconds>,
    batches: BTreeMap<String, Batches>,
}

#[derive(Clone, Debug)]
struct Milliseconds {
    arm64: u64,
    x86_64: u64,
    is_extrapolated: bool,
}

#[derive(Clone, Debug)]
struct Batches {
    /// The number of hashes, and their time in percent of one hash's. Begins with 1.
    percent: BTreeMap<u64, u64>,
    is_extrapolated: bool,
}

impl Durations {
    /// Returns the times of `infra/modules/password-hasher/durations.json`.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub fn documented() -> &'static Self {
        static DOCUMENTED: LazyLock<Durations> = LazyLock::new(|| {
            let text = include_str!("../../../../infra/modules/password-hasher/durations.json");
            Durations::read(text).expect("durations.json has durations")
        });
        &DOCUMENTED
    }

    /// Reads a file of that format, for your own measurements.
    ///
    /// # Errors
    /// [`Unreadable`] with the reason.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let file: File = serde_json::from_str(text).map_err(Unreadable::new)?;
        let policies = file.policies.into_iter().map(|(name, row)| {
            let parameters: Parameters =
                name.parse().map_err(|error| Unreadable::new(format!("{name}: {error}")))?;
            let milliseconds = Milliseconds {
                arm64: row.arm64_milliseconds,
                x86_64: row.x86_64_milliseconds,
                is_extrapolated: row.extrapolated,
            };
            Ok((parameters, milliseconds))
        });
        let batches = file.batch_percent_of_one.into_iter().map(|(algorithm, row)| {
            if row.percent.first_key_value() != Some((&1, &100)) {
                return Err(Unreadable::new(format!("{algorithm}: a batch of 1 takes 100 percent of one")));
            }
            Ok((algorithm, Batches { percent: row.percent, is_extrapolated: row.extrapolated }))
        });
        let (policies, batches) = (policies.collect::<Result<_, _>>()?, batches.collect::<Result<_, _>>()?);
        if file.reference_memory_mb.value == 0 {
            return Err(Unreadable::new("reference_memory_mb is 0"));
        }
        Ok(Self { reference_memory_mb: file.reference_memory_mb.value, policies, batches })
    }

    /// Returns the memory in MB with which a function has one virtual CPU.
    #[must_use]
    pub fn reference_memory_mb(&self) -> u64 {
        self.reference_memory_mb
    }

    /// Returns the parameters with a row.
    pub fn known(&self) -> impl Iterator<Item = Parameters> + '_ {
        self.policies.keys().copied()
    }

    /// Returns the time of one hash; `None` for an algorithm without a row.
    ///
    /// Below the reference memory the time grows in proportion; above it, the time stays. For
    /// parameters without a row, the time of the nearest row is scaled by the work, and
    /// extrapolated.
    #[must_use]
    pub fn one(&self, parameters: Parameters, architecture: Architecture, memory_mb: u64) -> Option<Planned> {
        self.batch(parameters, architecture, memory_mb, 1, Lanes::SideBySide)
    }

    /// Returns the time of a batch, until its last hash is done.
    #[must_use]
    pub fn batch(
        &self,
        parameters: Parameters,
        architecture: Architecture,
        memory_mb: u64,
        hashes: u64,
        lanes: Lanes,
    ) -> Option<Planned> {
        let one = self.one_at_reference(parameters, architecture)?;
        let share = hashes.div_ceil(self.vcpus(memory_mb));
        let batches = self.batches.get(parameters.algorithm()).filter(|_| lanes == Lanes::SideBySide);
        let basis_points = batches.map_or(10_000 * share, |batches| batches.basis_points(share));
        let nanos = one.duration.as_nanos()
            * u128::from(basis_points)
            * u128::from(self.reference_memory_mb.max(memory_mb))
            / (10_000 * u128::from(memory_mb.max(1)));
        let by_lanes = share > 1 && batches.is_some_and(|batches| batches.is_extrapolated);
        Some(Planned {
            duration: Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
            is_extrapolated: one.is_extrapolated || by_lanes,
        })
    }

    /// Returns the whole virtual CPUs, at least one. Each computes its share of a batch.
    fn vcpus(&self, memory_mb: u64) -> u64 {
        (memory_mb / self.reference_memory_mb).max(1)
    }

    fn one_at_reference(&self, parameters: Parameters, architecture: Architecture) -> Option<Planned> {
        let of_algorithm = self.policies.iter().filter(|(row, _)| row.algorithm() == parameters.algorithm());
        let (row, milliseconds) = of_algorithm.min_by_key(|(row, _)| {
            // The row of these parameters first, then the row with the nearest work.
            (**row != parameters, ratio(row.work(), parameters.work()))
        })?;
        let at_row = match architecture {
            Architecture::Arm64 => milliseconds.arm64,
            Architecture::X86_64 => milliseconds.x86_64,
        };
        let nanos =
            u128::from(at_row) * NANOS_PER_MS * u128::from(parameters.work()) / u128::from(row.work().max(1));
        Some(Planned {
            duration: Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
            is_extrapolated: milliseconds.is_extrapolated || *row != parameters,
        })
    }
}

impl Batches {
    /// Returns the time of this number of hashes, in hundredths of a percent of one hash's time.
    /// Between two rows it is interpolated. Above the last row, full batches of its size are added,
    /// and the rest.
    fn basis_points(&self, hashes: u64) -> u64 {
        let at = |percent: u64| 100 * percent;
        let Some((&widest, &percent)) = self.percent.last_key_value() else { return at(100) * hashes };
        if hashes > widest {
            return at(percent) * (hashes / widest) + self.basis_points(hashes % widest);
        }
        let below = self.percent.range(..=hashes).next_back();
        let above = self.percent.range(hashes..).next();
        match (below, above) {
            (Some((&few, &percent_few)), Some((&many, &percent_many))) if many > few => {
                let (low, high) = (at(percent_few), at(percent_many));
                low + (high - low) * (hashes - few) / (many - few)
            }
            (Some((_, &percent)), _) => at(percent),
            (None, _) => 0,
        }
    }
}

/// Returns the larger of two amounts of work in thousandths of the smaller.
fn ratio(a: u64, b: u64) -> u64 {
    a.max(b).saturating_mul(1000) / a.min(b).max(1)
}

#[derive(Deserialize)]
struct File {
    reference_memory_mb: Sourced<u64>,
    policies: BTreeMap<String, Row>,
    batch_percent_of_one: BTreeMap<String, BatchRow>,
}

#[derive(Deserialize)]
struct Row {
    arm64_milliseconds: u64,
    x86_64_milliseconds: u64,
    extrapolated: bool,
}

#[derive(Deserialize)]
struct BatchRow {
    percent: BTreeMap<u64, u64>,
    extrapolated: bool,
}

const NANOS_PER_MS: u128 = 1_000_000;

/// The range of bcrypt's cost.
const MIN_BCRYPT_COST: u32 = 4;
const MAX_BCRYPT_COST: u32 = 31;
