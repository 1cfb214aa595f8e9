use core::str::FromStr;
use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use saltern_encoded::Params;
use saltern_kernels::Kernels;
use serde::{Deserialize, Serialize};

use super::{file::Sourced, name_of, params_named};

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

/// Parses the name in Lambda's API.
impl FromStr for Architecture {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, &'static str> {
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or("write arm64 or x86_64")
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
    policies: Vec<(Params, Row)>,
    batches: BTreeMap<String, Batches>,
}

#[derive(Clone, Debug, Deserialize)]
struct Row {
    arm64_milliseconds: u64,
    x86_64_milliseconds: u64,
    extrapolated: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Batches {
    /// The number of hashes, and their time in percent of one hash's. Begins with 1.
    percent: BTreeMap<u64, u64>,
    extrapolated: bool,
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
    /// The reason why the file cannot be read.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let policies = file.policies.into_iter().map(|(name, row)| match params_named(&name) {
            Ok(params) => Ok((params, row)),
            Err(error) => Err(format!("{name}: {error}")),
        });
        let mut policies: Vec<_> = policies.collect::<Result<_, _>>()?;
        policies.sort_by_key(|(params, _)| (params.algorithm(), work(*params)));
        if let Some([(params, _), _]) = policies.array_windows().find(|[(one, _), (next, _)]| one == next) {
            return Err(format!("{} is there twice", name_of(*params)));
        }
        for (algorithm, row) in &file.batch_percent_of_one {
            if row.percent.first_key_value() != Some((&1, &100)) {
                return Err(format!("{algorithm}: a batch of 1 takes 100 percent of one"));
            }
        }
        if file.reference_memory_mb.value == 0 {
            return Err("reference_memory_mb is 0".to_owned());
        }
        let reference_memory_mb = file.reference_memory_mb.value;
        Ok(Self { reference_memory_mb, policies, batches: file.batch_percent_of_one })
    }

    /// Returns the memory in MB with which a function has one virtual CPU.
    #[must_use]
    pub fn reference_memory_mb(&self) -> u64 {
        self.reference_memory_mb
    }

    /// Returns the time of one hash; `None` for an algorithm without a row.
    ///
    /// Below the reference memory the time grows in proportion; above it, the time stays. For
    /// parameters without a row, the time of the nearest row is scaled by the work, and
    /// extrapolated.
    #[must_use]
    pub fn one(&self, params: Params, architecture: Architecture, memory_mb: u64) -> Option<Planned> {
        self.batch(params, architecture, memory_mb, 1, Kernels::Own)
    }

    /// Returns the time of a batch, until its last hash is done.
    #[must_use]
    pub fn batch(
        &self,
        params: Params,
        architecture: Architecture,
        memory_mb: u64,
        hashes: u64,
        kernels: Kernels,
    ) -> Option<Planned> {
        let one = self.one_at_reference(params, architecture)?;
        let share = hashes.div_ceil(self.vcpus(memory_mb));
        let batches = self.batches.get(params.algorithm().name()).filter(|_| kernels == Kernels::Own);
        let basis_points = batches.map_or(10_000 * share, |batches| batches.basis_points(share));
        let nanos = one.duration.as_nanos()
            * u128::from(basis_points)
            * u128::from(self.reference_memory_mb.max(memory_mb))
            / (10_000 * u128::from(memory_mb.max(1)));
        let by_lanes = share > 1 && batches.is_some_and(|batches| batches.extrapolated);
        Some(Planned {
            duration: Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
            is_extrapolated: one.is_extrapolated || by_lanes,
        })
    }

    /// Returns the whole virtual CPUs, at least one. Each computes its share of a batch.
    fn vcpus(&self, memory_mb: u64) -> u64 {
        (memory_mb / self.reference_memory_mb).max(1)
    }

    /// Returns the row of these parameters. If there is none, returns the row with the nearest
    /// work.
    fn nearest(&self, params: Params) -> Option<&(Params, Row)> {
        let of_algorithm = self.policies.iter().filter(|(row, _)| row.algorithm() == params.algorithm());
        of_algorithm.min_by_key(|(row, _)| (*row != params, ratio(work(*row), work(params))))
    }

    fn one_at_reference(&self, params: Params, architecture: Architecture) -> Option<Planned> {
        let (row, milliseconds) = self.nearest(params)?;
        let at_row = match architecture {
            Architecture::Arm64 => milliseconds.arm64_milliseconds,
            Architecture::X86_64 => milliseconds.x86_64_milliseconds,
        };
        let nanos = u128::from(at_row) * NANOS_PER_MS * u128::from(work(params)) / u128::from(work(*row));
        Some(Planned {
            duration: Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
            is_extrapolated: milliseconds.extrapolated || *row != params,
        })
    }
}

/// Returns the work in the algorithm's unit, in which time is linear. It is at least 1.
#[must_use]
pub fn work(params: Params) -> u64 {
    match params {
        Params::Argon2(params) => u64::from(params.memory_kib()) * u64::from(params.passes()),
        Params::Bcrypt(params) => 1 << params.cost(),
        Params::Pbkdf2(params) => u64::from(params.iterations()),
        Params::Scrypt(params) => {
            let blocks = u64::from(params.r()).saturating_mul(u64::from(params.p()));
            blocks.saturating_mul(1_u64.checked_shl(params.log_n().into()).unwrap_or(u64::MAX))
        }
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
                // Without a difference: in a file of your own a larger batch can take less time.
                (at(percent_few) * (many - hashes) + at(percent_many) * (hashes - few)) / (many - few)
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
    batch_percent_of_one: BTreeMap<String, Batches>,
}

const NANOS_PER_MS: u128 = 1_000_000;
