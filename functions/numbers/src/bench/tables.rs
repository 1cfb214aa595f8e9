//! The plan: the tables of published benchmarks.

use saltern_algorithm::Admitted;
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2::Prf, scrypt};

use super::ceilings::BENCH_CEILINGS;
use saltern_program::number::grouped;

/// The cost that the rows of a table differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CostName {
    /// bcrypt's cost.
    Cost,
    /// PBKDF2's iterations.
    Iterations,
    /// Argon2's m, in KiB.
    MemoryKib,
    /// scrypt's N.
    N,
    /// sha-crypt's rounds.
    Rounds,
}

impl CostName {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Iterations => "iterations",
            Self::MemoryKib => "memory",
            Self::N => "N",
            Self::Rounds => "rounds",
        }
    }

    pub(super) fn label(self, cost: u64) -> String {
        match self {
            Self::Cost => cost.to_string(),
            Self::Iterations | Self::Rounds => grouped(cost),
            Self::MemoryKib if cost.is_multiple_of(KIB_PER_MIB) => format!("{} MiB", cost / KIB_PER_MIB),
            Self::MemoryKib => format!("{} KiB", grouped(cost)),
            Self::N => format!("2^{}", cost.ilog2()),
        }
    }
}

/// Rows that differ only in the cost.
pub(super) struct PlannedSeries {
    /// The parameters of all its rows; empty if the cost is the only parameter.
    pub(super) name: String,
    /// In order of work.
    pub(super) rows: Vec<PlannedRow>,
}

/// A setting to measure.
pub(super) struct PlannedRow {
    pub(super) cost: u64,
    pub(super) work: u64,
    /// `None` above the bench's ceiling: it is not measured.
    pub(super) admitted: Option<Admitted>,
}

pub(super) fn bcrypt_series() -> Vec<PlannedSeries> {
    let costs = (bcrypt::MIN_COST..=BENCH_CEILINGS.bcrypt_cost).chain([bcrypt::MAX_COST]);
    let rows = costs.filter_map(|cost| {
        let params = bcrypt::Params::new(cost)?;
        Some(row(u64::from(cost), 1 << cost, fresh(Params::Bcrypt(params))))
    });
    vec![PlannedSeries { name: String::new(), rows: rows.collect() }]
}

pub(super) fn pbkdf2_series(prf: Prf) -> Vec<PlannedSeries> {
    [PUBLISHED_OUTPUT_BYTES, prf.block_bytes()]
        .map(|output_bytes| {
            let blocks = output_bytes.div_ceil(prf.block_bytes()) as u64;
            let rows = PBKDF2_ITERATIONS.map(|iterations| {
                row(iterations, iterations * blocks, stored(&pbkdf2_text(prf, iterations, output_bytes)))
            });
            let noun = if blocks == 1 { "block" } else { "blocks" };
            let name = format!("{output_bytes} bytes of output ({blocks} {noun})");
            PlannedSeries { name, rows: rows.into() }
        })
        .into()
}

pub(super) fn sha512_crypt_series() -> Vec<PlannedSeries> {
    let rows = SHA512_CRYPT_ROUNDS.map(|rounds| {
        let output = ".".repeat(SHA512_CRYPT_CHARACTERS);
        row(
            rounds,
            rounds + PASSWORD_BLOCKS,
            stored(&format!("$6$rounds={rounds}$saltsaltsaltsalt${output}")),
        )
    });
    vec![PlannedSeries { name: String::new(), rows: rows.into() }]
}

pub(super) fn argon2_series() -> Vec<PlannedSeries> {
    ARGON2_PASSES.map(argon2_series_of).into()
}

fn argon2_series_of(passes: u32) -> PlannedSeries {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    let rows = ARGON2_MEMORY_KIB.iter().filter_map(|&memory_kib| {
        let params = argon2::Params::new(variant, version, memory_kib, passes, 1)?;
        let work = u64::from(memory_kib) * u64::from(passes);
        Some(row(u64::from(memory_kib), work, fresh(Params::Argon2(params))))
    });
    PlannedSeries { name: format!("t = {passes}"), rows: rows.collect() }
}

pub(super) fn scrypt_series() -> Vec<PlannedSeries> {
    let rows = SCRYPT_LOG_N.filter_map(|log_n| {
        let params = scrypt::Params::new(log_n, SCRYPT_R, 1)?;
        let n = 1_u64 << log_n;
        Some(row(n, n * u64::from(SCRYPT_R), fresh(Params::Scrypt(params))))
    });
    vec![PlannedSeries { name: String::new(), rows: rows.collect() }]
}

fn row(cost: u64, work: u64, setting: Option<Setting>) -> PlannedRow {
    let admitted = setting.and_then(|setting| Admitted::new(setting, &BENCH_CEILINGS).ok());
    PlannedRow { cost, work, admitted }
}

#[allow(clippy::unnecessary_wraps, reason = "a setting that is made and one that is read are admitted alike")]
fn fresh(params: Params) -> Option<Setting> {
    Some(Setting::fresh(params, [0; NEW_SALT_BYTES]))
}

/// Returns the setting of a made-up hash. No policy makes hashes of this scheme.
fn stored(text: &str) -> Option<Setting> {
    saltern_encoded::parse(text).ok().map(|encoded| encoded.setting().clone())
}

fn pbkdf2_text(prf: Prf, iterations: u64, output_bytes: usize) -> String {
    let id = match prf {
        Prf::Sha1 => "pbkdf2",
        Prf::Sha256 => "pbkdf2-sha256",
        Prf::Sha512 => "pbkdf2-sha512",
    };
    // Zero bytes are the letter A in base64.
    let zeros = |bytes: usize| "A".repeat((bytes * 4).div_ceil(3));
    format!("${id}$i={iterations},l={output_bytes}${}${}", zeros(NEW_SALT_BYTES), zeros(output_bytes))
}

/// The output length of the published table (Foreman, 2021): two blocks of SHA-1 and of SHA-256,
/// one of SHA-512.
pub(super) const PUBLISHED_OUTPUT_BYTES: usize = 40;

/// The iterations of the published table.
const PBKDF2_ITERATIONS: [u64; 10] =
    [1, 100_001, 200_001, 300_001, 400_001, 500_001, 600_001, 700_001, 800_001, 900_001];

/// The rounds of the published table, and rounds between them.
const SHA512_CRYPT_ROUNDS: [u64; 8] = [1_000, 5_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];

const SHA512_CRYPT_CHARACTERS: usize = 86;

/// sha-crypt hashes the password before the rounds. A short one fills one block.
const PASSWORD_BLOCKS: u64 = 1;

/// The memory of OWASP's five rows (Password Storage Cheat Sheet: 7, 9, 12, 19 and 46 MiB). Then
/// the 64 MiB of RFC 9106, twice and four times that.
const ARGON2_MEMORY_KIB: [u32; 8] = [7168, 9216, 12_288, 19_456, 47_104, 65_536, 131_072, 262_144];

/// From one pass to the most that OWASP names.
const ARGON2_PASSES: [u32; 5] = [1, 2, 3, 4, 5];

const SCRYPT_LOG_N: std::ops::RangeInclusive<u8> = 10..=18;

/// The usual value, also in OWASP's list.
const SCRYPT_R: u32 = 8;

const KIB_PER_MIB: u64 = 1024;

#[cfg(test)]
mod tests {
    use saltern_encoded::Algorithm;

    use super::*;
    use crate::bench::benchmark;

    #[test]
    fn every_row_except_bcrypt_31_is_admitted() {
        for benchmark in &benchmark::ALL {
            for series in (benchmark.plan)() {
                assert!(series.rows.len() >= 8, "{benchmark:?} {}", series.name);
                assert!(series.rows.is_sorted_by_key(|row| row.work));
                for row in series.rows {
                    match row.admitted {
                        Some(admitted) => assert_eq!(admitted.work(), row.work, "{benchmark:?} {}", row.cost),
                        None => assert_eq!((benchmark.algorithm, row.cost), (Algorithm::Bcrypt, 31)),
                    }
                }
            }
        }
    }

    #[test]
    fn the_published_output_is_two_blocks_except_with_sha_512() {
        let work = |prf, series: usize| pbkdf2_series(prf)[series].rows[9].work;
        for (prf, blocks) in [(Prf::Sha1, 2), (Prf::Sha256, 2), (Prf::Sha512, 1)] {
            assert_eq!(work(prf, 0), blocks * 900_001);
            assert_eq!(work(prf, 1), 900_001);
        }
    }

    #[test]
    fn a_cost_is_written_in_the_unit_of_its_algorithm() {
        assert_eq!(CostName::N.label(1 << 17), "2^17");
        assert_eq!(CostName::MemoryKib.label(19_456), "19 MiB");
        assert_eq!(CostName::MemoryKib.label(1500), "1,500 KiB");
        assert_eq!(CostName::Iterations.label(900_001), "900,001");
    }
}
