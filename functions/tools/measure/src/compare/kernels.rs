//! Which contenders are measured for each algorithm, and the figures that follow.

use core::error::Error;
use std::sync::Arc;

use crate::measure::{Limit, median};
use saltern_encoded::{
    Params,
    pbkdf2::{self, Prf},
    scrypt,
};
use saltern_kernels::paths::{Argon2, Scrypt, pbkdf2_paths};
use serde::Serialize;

use super::{
    Part,
    bounds::{
        ARGON2_19, ARGON2_46, ARGON2_64_3, ARGON2_64_4, ARGON2_256, ARGON2_CRATE, BCRYPT_10, CRATES, IN_TURN,
        KERNELS, KernelBound, ONE_BY_ONE, ONE_HASH, SCRYPT_CRATE, SHA256, SHA512,
    },
    contenders::{
        Hashes, LIBXCRYPT, MOST_OF_BCRYPT_RUST, argon2_in_lanes, argon2_whole, bcrypt_in_lanes, by_argon2_c,
        by_aws_lc, by_bcrypt_rust, by_crate, by_libxcrypt, by_limit, by_worker, lanes, pbkdf2_at_once,
        scrypt_in_lanes,
    },
    cores,
    figure::{Bound, Figure, to_three_decimals},
    rounds::{self, Contender, Measurement},
};

type Measurements = Result<Vec<Measurement>, Box<dyn Error>>;

/// Returns the figures of the measured settings.
pub(super) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    KERNELS.iter().filter_map(|bound| figure(bound, measurements)).collect()
}

/// Returns nothing if the setting was not measured.
fn figure(bound: &KernelBound, measurements: &[Measurement]) -> Option<Figure> {
    let &KernelBound { setting, of, against, must } = bound;
    let measurement = measurements.iter().find(|own| own.setting == setting)?;
    let quantity = match must {
        Bound::AtMost(_) => "time",
        Bound::AtLeast(_) => "hashes per core",
    };
    let what = format!("{setting}, {of}: {quantity} against {against}");
    let (Some(row), Some(baseline)) = (measurement.row(of), measurement.row(against)) else {
        return Some(Figure::new(what, must, &[], "this machine has no such contender".to_owned()));
    };
    let samples = match must {
        Bound::AtMost(_) => row.call_time_against(baseline),
        Bound::AtLeast(_) => row.hashes_per_core_against(baseline),
    };
    let other = baseline.name[against.len()..].strip_prefix(", ").map(|other| format!("against {other}"));
    let fewer_and_more = [row.at_once - 1, row.at_once + 1].map(lanes);
    let beside = fewer_and_more.iter().filter(|_| of.ends_with(" lanes")).filter_map(|name| {
        let gain = median(&measurement.row(name)?.hashes_per_core_against(baseline));
        Some(format!("{name} {gain:.2} ×"))
    });
    let note: Vec<_> = other.into_iter().chain(beside).collect();
    Some(Figure::new(what, must, &samples, note.join(", ")))
}

/// The hashes per core in lanes.
#[derive(Serialize)]
pub(super) struct Lanes {
    /// The milliseconds of a hash by libxcrypt, one after the other.
    libxcrypt_ms: f64,
    /// With one lane, two and so on: how many times libxcrypt's rate.
    ratios: Vec<f64>,
}

/// Returns the lanes of bcrypt-10, if they were measured.
pub(super) fn bcrypt_10_lanes(measurements: &[Measurement]) -> Option<Lanes> {
    let bcrypt = measurements.iter().find(|measurement| measurement.setting == BCRYPT_10.name)?;
    let libxcrypt = bcrypt.row(LIBXCRYPT)?;
    let ratio = |at_once| {
        let ratios = bcrypt.row(&lanes(at_once))?.hashes_per_core_against(libxcrypt);
        Some(to_three_decimals(median(&ratios)))
    };
    let libxcrypt_ms = to_three_decimals(libxcrypt.hash_ms());
    Some(Lanes { libxcrypt_ms, ratios: (1..).map_while(ratio).collect() })
}

/// Measures the contenders of each core.
fn measure(
    setting: impl Into<String>,
    hashes: &Hashes,
    cores: Vec<Vec<Contender<'_>>>,
    rounds: usize,
) -> Result<Measurement, Box<dyn Error>> {
    let measured = rounds::measure(setting, &hashes.outputs()?, cores, rounds)?;
    Ok(measured.with_limit(Limit::of(hashes.admitted.setting())))
}

fn bcrypt(rounds: usize) -> Measurements {
    let hashes = Hashes::new(BCRYPT_10.params, MOST_OF_BCRYPT_RUST)?;
    let mut contenders = vec![by_libxcrypt(&hashes)?, by_crate(CRATES, &hashes), by_limit(&hashes)?];
    for at_once in [1, MOST_OF_BCRYPT_RUST / 2, MOST_OF_BCRYPT_RUST] {
        contenders.push(by_bcrypt_rust(&hashes, at_once)?);
    }
    contenders.extend((1..=MOST_BCRYPT_LANES).map(|at_once| bcrypt_in_lanes(&hashes, at_once)));
    Ok(vec![measure(BCRYPT_10.name, &hashes, vec![contenders], rounds)?])
}

fn pbkdf2(rounds: usize) -> Measurements {
    let functions =
        [(SHA512, Prf::Sha512), (SHA256, Prf::Sha256), ("PBKDF2-SHA1, 50,000 iterations", Prf::Sha1)];
    let measure = |(setting, prf)| {
        let params = pbkdf2::Params::new(prf, ITERATIONS).ok_or("PBKDF2's range")?;
        let hashes = Hashes::new(Params::Pbkdf2(params), MOST_PBKDF2_LANES)?;
        let mut contenders = vec![
            by_crate(&format!("{ONE_BY_ONE}, pbkdf2 crate"), &hashes),
            by_aws_lc(&format!("{ONE_BY_ONE}, aws-lc-rs"), params, &hashes),
            by_limit(&hashes)?,
        ];
        for (path, streams) in pbkdf2_paths(prf) {
            // All kernels of the path, and the eight hashes of the bounds.
            let measured =
                (1..=MOST_PBKDF2_LANES).filter(|at_once| streams.contains(at_once) || *at_once == 8);
            contenders.extend(measured.map(|at_once| pbkdf2_at_once(&hashes, at_once, path)));
        }
        measure(setting, &hashes, vec![contenders], rounds)
    };
    functions.into_iter().map(measure).collect()
}

fn argon2(rounds: usize) -> Measurements {
    let mut measurements = Vec::new();
    for cost in [ARGON2_19, ARGON2_46] {
        let hashes = Hashes::new(cost.params, 1)?;
        let kernel = Arc::new(Argon2::new(hashes.memory_bytes()));
        let own = argon2_whole(ONE_HASH, &kernel, &hashes);
        let contenders = vec![by_argon2_c(&hashes)?, by_crate(ARGON2_CRATE, &hashes), own];
        measurements.push(measure(cost.name, &hashes, vec![contenders], rounds)?);
    }
    for cost in [ARGON2_19, ARGON2_46, ARGON2_64_3, ARGON2_64_4, ARGON2_256] {
        let hashes = Hashes::new(cost.params, MOST_ARGON2_LANES)?;
        let contenders = |_| {
            let kernel = Arc::new(Argon2::new(hashes.memory_bytes()));
            let in_lanes = (1..=MOST_ARGON2_LANES).map(|at_once| argon2_in_lanes(&kernel, &hashes, at_once));
            let one_by_one = [argon2_whole(IN_TURN, &kernel, &hashes), by_limit(&hashes)?];
            Ok(one_by_one.into_iter().chain(in_lanes).collect())
        };
        let cores = (0..cores()).map(contenders).collect::<Result<_, Box<dyn Error>>>()?;
        let setting = format!("{}, all cores busy", cost.name);
        measurements.push(measure(setting, &hashes, cores, rounds)?);
    }
    Ok(measurements)
}

/// All cores do the same, so that they share the way to the memory.
fn scrypt(rounds: usize) -> Measurements {
    let measure = |log_n| {
        let params = scrypt::Params::new(log_n, SCRYPT_R, 1).ok_or("scrypt's range")?;
        let hashes = Hashes::new(Params::Scrypt(params), MOST_SCRYPT_LANES)?;
        let contenders = |_| {
            let kernel = Arc::new(Scrypt::new(hashes.memory_bytes()));
            let in_lanes = (1..=MOST_SCRYPT_LANES).map(|at_once| scrypt_in_lanes(&kernel, &hashes, at_once));
            let one_by_one = [by_crate(SCRYPT_CRATE, &hashes), by_limit(&hashes)?];
            Ok(one_by_one.into_iter().chain(in_lanes).collect())
        };
        let cores = (0..cores()).map(contenders).collect::<Result<_, Box<dyn Error>>>()?;
        let setting = format!("scrypt N=2^{log_n} r={SCRYPT_R}, all cores busy");
        measure(setting, &hashes, cores, rounds)
    };
    SCRYPT_LOG_N.into_iter().map(measure).collect()
}

fn crypt(rounds: usize) -> Measurements {
    let measure = |(name, setting)| {
        let hashes = Hashes::by_crypt(setting)?;
        let contenders =
            vec![by_libxcrypt(&hashes)?, by_worker(ONE_HASH, &hashes), by_crate(CRATES, &hashes)];
        measure(name, &hashes, vec![contenders], rounds)
    };
    CRYPT.into_iter().map(measure).collect()
}

type Measure = fn(usize) -> Measurements;

pub(super) const ALGORITHMS: [(Part, &str, Measure); 5] = [
    (Part::Bcrypt, "bcrypt kernels", bcrypt),
    (Part::Pbkdf2, "PBKDF2 kernels", pbkdf2),
    (Part::Argon2, "argon2id kernels", argon2),
    (Part::Scrypt, "scrypt kernels", scrypt),
    (Part::Crypt, "sha256-crypt and sha512-crypt", crypt),
];

/// Lanes of the widest bcrypt kernel.
const MOST_BCRYPT_LANES: usize = 8;

/// Enough for a stable time. Time is linear in iterations, so ratios also hold for 210,000 and
/// 600,000.
const ITERATIONS: u32 = 50_000;

/// Lanes of the widest kernel.
const MOST_PBKDF2_LANES: usize = 32;

/// The most lanes that are measured. A worker has four.
const MOST_ARGON2_LANES: usize = 5;

/// Node's default and OWASP's first recommendation.
const SCRYPT_LOG_N: [u8; 2] = [14, 17];

/// The r of all recommendations.
const SCRYPT_R: u32 = 8;

/// The lanes of a worker.
const MOST_SCRYPT_LANES: usize = 4;

/// The usual cost of each scheme that has its own kernel.
const CRYPT: [(&str, &str); 2] = [
    ("sha256-crypt, 5,000 rounds", "$5$saltsaltsaltsalt"),
    ("sha512-crypt, 5,000 rounds", "$6$saltsaltsaltsalt"),
];
