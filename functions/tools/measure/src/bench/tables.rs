//! The plan: the tables of published benchmarks.

use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2::Prf, scrypt};
use saltern_kernels::Admitted;

use super::ceilings::BENCH_CEILINGS;

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
    pub(super) admitted: Admitted,
}

pub(super) fn bcrypt_series() -> Vec<PlannedSeries> {
    let costs = bcrypt::MIN_COST..=BENCH_CEILINGS.bcrypt_cost;
    let params = costs.filter_map(|cost| Some((cost, Params::Bcrypt(bcrypt::Params::new(cost)?))));
    vec![of_params(String::new(), params)]
}

pub(super) fn pbkdf2_series(prf: Prf) -> Vec<PlannedSeries> {
    [PUBLISHED_OUTPUT_BYTES, prf.block_bytes()]
        .map(|output_bytes| {
            let blocks = output_bytes.div_ceil(prf.block_bytes());
            let noun = if blocks == 1 { "block" } else { "blocks" };
            let name = format!("{output_bytes} bytes of output ({blocks} {noun})");
            of_hashes(name, &PBKDF2_ITERATIONS, |iterations| pbkdf2_text(prf, iterations, output_bytes))
        })
        .into()
}

pub(super) fn sha512_crypt_series() -> Vec<PlannedSeries> {
    let output = ".".repeat(SHA512_CRYPT_CHARACTERS);
    let text = |rounds| format!("$6$rounds={rounds}$saltsaltsaltsalt${output}");
    vec![of_hashes(String::new(), &SHA512_CRYPT_ROUNDS, text)]
}

pub(super) fn argon2_series() -> Vec<PlannedSeries> {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    ARGON2_PASSES
        .map(|passes| {
            let params = ARGON2_MEMORY_KIB.into_iter().filter_map(|memory_kib| {
                let params = argon2::Params::new(variant, version, memory_kib, passes, 1)?;
                Some((memory_kib, Params::Argon2(params)))
            });
            of_params(format!("t = {passes}, p = 1"), params)
        })
        .into()
}

pub(super) fn scrypt_series() -> Vec<PlannedSeries> {
    let params = SCRYPT_LOG_N
        .filter_map(|log_n| Some((log_n.into(), Params::Scrypt(scrypt::Params::new(log_n, SCRYPT_R, 1)?))));
    vec![of_params(format!("r = {SCRYPT_R}, p = 1"), params)]
}

/// Returns the series of these costs and parameters.
fn of_params(name: String, params: impl Iterator<Item = (u32, Params)>) -> PlannedSeries {
    let settings = params.map(|(cost, params)| (cost.into(), Setting::fresh(params, [0; NEW_SALT_BYTES])));
    series(name, settings)
}

/// Returns the series of these costs of made-up hashes: no policy makes hashes of their scheme.
fn of_hashes(name: String, costs: &[u64], text: impl Fn(u64) -> String) -> PlannedSeries {
    let settings = costs.iter().filter_map(|&cost| {
        let encoded = saltern_encoded::parse(&text(cost)).ok()?;
        Some((cost, encoded.setting().clone()))
    });
    series(name, settings)
}

fn series(name: String, settings: impl Iterator<Item = (u64, Setting)>) -> PlannedSeries {
    let rows = settings.filter_map(|(cost, setting)| {
        Some(PlannedRow { cost, admitted: Admitted::new(setting, &BENCH_CEILINGS).ok()? })
    });
    PlannedSeries { name, rows: rows.collect() }
}

fn pbkdf2_text(prf: Prf, iterations: u64, output_bytes: usize) -> String {
    let id: &str = prf.into();
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

/// The memory of OWASP's five rows (Password Storage Cheat Sheet: 7, 9, 12, 19 and 46 MiB). Then
/// the 64 MiB of RFC 9106, twice and four times that.
const ARGON2_MEMORY_KIB: [u32; 8] = [7168, 9216, 12_288, 19_456, 47_104, 65_536, 131_072, 262_144];

/// From one pass to the most that OWASP names.
const ARGON2_PASSES: [u32; 5] = [1, 2, 3, 4, 5];

const SCRYPT_LOG_N: std::ops::RangeInclusive<u8> = 10..=18;

/// The usual value, also in OWASP's list.
const SCRYPT_R: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::benchmark;

    #[test]
    fn every_row_of_the_published_tables_is_admitted() {
        for benchmark in &benchmark::ALL {
            let series = (benchmark.plan)();
            let (count, rows) = match benchmark.title() {
                "bcrypt" => (1, 15),
                "sha512-crypt" => (1, SHA512_CRYPT_ROUNDS.len()),
                "argon2id" => (ARGON2_PASSES.len(), ARGON2_MEMORY_KIB.len()),
                "scrypt" => (1, 9),
                _ => (2, PBKDF2_ITERATIONS.len()),
            };
            assert_eq!(series.len(), count, "{benchmark:?}");
            for series in series {
                assert_eq!(series.rows.len(), rows, "{benchmark:?} {}", series.name);
                assert!(series.rows.is_sorted_by_key(|row| (row.cost, row.admitted.work())));
            }
        }
    }

    #[test]
    fn the_published_output_is_two_blocks_except_with_sha_512() {
        let work = |prf, series: usize| pbkdf2_series(prf)[series].rows[9].admitted.work();
        for (prf, blocks) in [(Prf::Sha1, 2), (Prf::Sha256, 2), (Prf::Sha512, 1)] {
            assert_eq!(work(prf, 0), blocks * 900_001);
            assert_eq!(work(prf, 1), 900_001);
        }
    }
}
