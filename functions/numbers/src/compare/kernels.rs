//! Which contenders are measured for each algorithm, and the figures that follow.

use core::{error::Error, iter};
use std::sync::Arc;

use crate::measure::{Meter, median};
use saltern_algorithm::paths::{Argon2, Scrypt, pbkdf2_paths};
use saltern_encoded::{
    Params,
    pbkdf2::{self, Prf},
    scrypt,
};

use super::{
    arguments::Kernel,
    bounds::{
        ARGON2_19, ARGON2_46, ARGON2_64_3, ARGON2_64_4, ARGON2_256, ARGON2_CRATE, BCRYPT_10, CRATES, IN_TURN,
        KERNELS, KernelBound, ONE_BY_ONE, ONE_HASH, SCRYPT_CRATE, WHOLE,
    },
    contenders::{
        Hashes, argon2_in_lanes, argon2_whole, bcrypt_in_lanes, by_argon2_c, by_aws_lc, by_crate,
        by_libxcrypt, by_worker, fastest_argon2, lanes, pbkdf2_in_lanes, scrypt_in_lanes,
    },
    cores,
    figure::{Bound, Figure},
    rounds::{Measurement, measure},
    summary::Progress,
};

type Measurements = Result<Vec<Measurement>, Box<dyn Error>>;

/// Measures one kernel, or all.
pub(super) fn measurements(only: Option<Kernel>, rounds: usize, progress: &Progress) -> Measurements {
    let mut measurements = Vec::new();
    for (kernel, name, measure) in ALGORITHMS {
        if only.is_none_or(|only| only == kernel) {
            progress.print(name);
            measurements.extend(measure(rounds)?);
        }
    }
    Ok(measurements)
}

/// Returns the figures of the measured settings.
pub(super) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    KERNELS.iter().filter_map(|bound| figure(bound, measurements)).collect()
}

fn figure(bound: &KernelBound, measurements: &[Measurement]) -> Option<Figure> {
    let &KernelBound { setting, of, against, must } = bound;
    let mut measured = measurements.iter().filter(|own| own.setting == setting).peekable();
    measured.peek()?;
    let quantity = match must {
        Bound::AtMost(_) => "time",
        Bound::AtLeast(_) => "hashes per core",
    };
    let what = format!("{setting}, {of}: {quantity} against {against}");
    let found = measured.find_map(|own| Some((own, own.row(of)?, own.row(against)?)));
    let Some((measurement, row, baseline)) = found else {
        return Some(Figure::new(what, must, &[]).with_note("this machine has no such contender"));
    };
    let samples = match must {
        Bound::AtMost(_) => row.call_time_against(baseline),
        Bound::AtLeast(_) => row.hashes_per_core_against(baseline),
    };
    let variant = row.name[of.len()..].strip_prefix(", ").map(str::to_owned);
    let other = baseline.name[against.len()..].strip_prefix(", ");
    let other = other.filter(|_| variant.is_none()).map(|other| format!("against {other}"));
    let fewer_and_more = [row.at_once - 1, row.at_once + 1].map(lanes);
    let beside = fewer_and_more.iter().filter(|_| of.ends_with(" lanes")).filter_map(|name| {
        let gain = median(&measurement.row(name)?.hashes_per_core_against(baseline));
        Some(format!("{name} {gain:.2} ×"))
    });
    let note: Vec<_> = variant.into_iter().chain(other).chain(beside).collect();
    Some(Figure::new(what, must, &samples).with_note(note.join(", ")))
}

fn bcrypt(rounds: usize) -> Measurements {
    let hashes = Hashes::new(BCRYPT_10.params, MOST_BCRYPT_LANES)?;
    let mut contenders = vec![by_libxcrypt(&hashes)?, by_crate(CRATES, &hashes)];
    contenders.extend((1..=MOST_BCRYPT_LANES).map(|at_once| bcrypt_in_lanes(&hashes, at_once)));
    let expected = hashes.outputs()?;
    Ok(vec![measure(BCRYPT_10.name, lanes_here(&hashes), &expected, vec![contenders], rounds)?])
}

fn pbkdf2(rounds: usize) -> Measurements {
    let functions =
        [("PBKDF2-SHA512", Prf::Sha512), ("PBKDF2-SHA256", Prf::Sha256), ("PBKDF2-SHA1", Prf::Sha1)];
    let measure = |(setting, prf)| {
        let params = pbkdf2::Params::new(prf, ITERATIONS).ok_or("PBKDF2's range")?;
        let hashes = Hashes::new(Params::Pbkdf2(params), MOST_PBKDF2_LANES)?;
        let mut contenders = vec![
            by_crate(&format!("{ONE_BY_ONE}, pbkdf2 crate"), &hashes),
            by_aws_lc(&format!("{ONE_BY_ONE}, aws-lc-rs"), params, &hashes),
        ];
        contenders.extend(PBKDF2_LANES.map(|at_once| pbkdf2_in_lanes(&hashes, at_once, None)));
        for (path, streams) in pbkdf2_paths(prf) {
            let of = |at_once| format!("{at_once} at once by {path}");
            let has_bound =
                |at_once| KERNELS.iter().any(|own| own.setting == setting && own.of == of(at_once));
            let measured =
                (1..=MOST_PBKDF2_LANES).filter(|at_once| streams.contains(at_once) || has_bound(*at_once));
            contenders.extend(measured.map(|at_once| pbkdf2_in_lanes(&hashes, at_once, Some(path))));
        }
        let conditions = format!(", {ITERATIONS} iterations{}", lanes_here(&hashes));
        measure(setting, conditions, &hashes.outputs()?, vec![contenders], rounds)
    };
    functions.into_iter().map(measure).collect()
}

fn argon2(rounds: usize) -> Measurements {
    let mut measurements = Vec::new();
    for cost in [ARGON2_19, ARGON2_46] {
        let hashes = Hashes::new(cost.params, 1)?;
        let mut contenders = vec![by_crate(ARGON2_CRATE, &hashes), by_argon2_c(&hashes)?];
        contenders.extend(Argon2::paths(hashes.admitted.memory_bytes()).into_iter().map(
            |(instructions, kernel)| {
                argon2_whole(format!("{ONE_HASH}, {instructions}"), &Arc::new(kernel), &hashes)
            },
        ));
        measurements.push(measure(cost.name, "", &hashes.outputs()?, vec![contenders], rounds)?);
    }
    for cost in [ARGON2_19, ARGON2_46, ARGON2_64_3, ARGON2_64_4, ARGON2_256] {
        let hashes = Hashes::new(cost.params, MOST_ARGON2_LANES)?;
        let kernels = (0..cores()).map(|_| fastest_argon2(&hashes)).collect::<Result<Vec<_>, _>>()?;
        let lone = |kernel| vec![argon2_whole(WHOLE, kernel, &hashes), argon2_in_lanes(kernel, &hashes, 1)];
        let side_by_side = |kernel| {
            let in_lanes = (1..=MOST_ARGON2_LANES).map(|at_once| argon2_in_lanes(kernel, &hashes, at_once));
            iter::once(argon2_whole(IN_TURN, kernel, &hashes)).chain(in_lanes).collect()
        };
        let (setting, expected) = (format!("{}, all cores busy", cost.name), hashes.outputs()?);
        // A lone hash is measured apart: after several hashes its memory is in no cache. It gets
        // more rounds, because its result is near its bound.
        let cores = kernels.iter().map(lone).collect();
        measurements.push(measure(&setting, ", a lone hash", &expected, cores, rounds * LONE_ROUNDS)?);
        let cores = kernels.iter().map(side_by_side).collect();
        measurements.push(measure(&setting, ", hashes side by side", &expected, cores, rounds)?);
    }
    Ok(measurements)
}

/// All cores do the same, so that they share the way to the memory.
fn scrypt(rounds: usize) -> Measurements {
    let measure = |log_n| {
        let params = scrypt::Params::new(log_n, SCRYPT_R, 1).ok_or("scrypt's range")?;
        let hashes = Hashes::new(Params::Scrypt(params), MOST_SCRYPT_LANES)?;
        let keep_bytes =
            MOST_SCRYPT_LANES as u64 * hashes.admitted.memory_bytes().next_multiple_of(HUGE_PAGE_BYTES);
        let contenders = || {
            let mut contenders = vec![by_crate(SCRYPT_CRATE, &hashes)];
            for (place, (instructions, kernel)) in Scrypt::paths(keep_bytes).into_iter().enumerate() {
                let kernel = Arc::new(kernel);
                // The fastest kernel has every number of lanes.
                let all_or_one = (1..=MOST_SCRYPT_LANES)
                    .filter(|at_once| place == 0 || [1, MOST_SCRYPT_LANES].contains(at_once));
                contenders.extend(all_or_one.map(|at_once| {
                    let name = if at_once == 1 { ONE_HASH.to_owned() } else { lanes(at_once) };
                    scrypt_in_lanes(format!("{name}, {instructions}"), &kernel, &hashes, at_once)
                }));
            }
            contenders
        };
        let cores = iter::repeat_with(contenders).take(cores()).collect();
        let setting = format!("scrypt N=2^{log_n} r={SCRYPT_R}, all cores busy");
        measure(setting, "", &hashes.outputs()?, cores, rounds)
    };
    SCRYPT_LOG_N.into_iter().map(measure).collect()
}

fn crypt(rounds: usize) -> Measurements {
    let measure = |(name, setting)| {
        let hashes = Hashes::by_crypt(setting)?;
        let contenders =
            vec![by_libxcrypt(&hashes)?, by_worker(ONE_HASH, &hashes), by_crate(CRATES, &hashes)];
        measure(name, "", &hashes.outputs()?, vec![contenders], rounds)
    };
    CRYPT.into_iter().map(measure).collect()
}

fn lanes_here(hashes: &Hashes) -> String {
    format!(" (a worker here has {})", lanes(Meter::new().lanes(&hashes.admitted)))
}

type Measure = fn(usize) -> Measurements;

const ALGORITHMS: [(Kernel, &str, Measure); 5] = [
    (Kernel::Bcrypt, "bcrypt kernels", bcrypt),
    (Kernel::Pbkdf2, "PBKDF2 kernels", pbkdf2),
    (Kernel::Argon2, "argon2id kernels", argon2),
    (Kernel::Scrypt, "scrypt kernels", scrypt),
    (Kernel::Crypt, "schemes of crypt(3)", crypt),
];

/// Lanes of the widest bcrypt kernel.
const MOST_BCRYPT_LANES: usize = 8;

/// Enough for a stable time. Time is linear in iterations, so ratios also hold for 210,000 and
/// 600,000.
const ITERATIONS: u32 = 50_000;

/// Numbers of lanes for the fastest kernels. Each code path is also measured with all its kernels.
const PBKDF2_LANES: [usize; 8] = [1, 2, 3, 4, 6, 8, 16, MOST_PBKDF2_LANES];

/// Lanes of the widest kernel.
const MOST_PBKDF2_LANES: usize = 32;

/// The most lanes that are measured. A worker has four.
const MOST_ARGON2_LANES: usize = 5;

/// A lone hash gets so many times the rounds.
const LONE_ROUNDS: usize = 5;

/// Node's default and OWASP's first recommendation.
const SCRYPT_LOG_N: [u8; 2] = [14, 17];

/// The r of all recommendations.
const SCRYPT_R: u32 = 8;

/// The lanes of a worker.
const MOST_SCRYPT_LANES: usize = 4;

/// Arenas keep memory in huge pages.
const HUGE_PAGE_BYTES: u64 = 2 << 20;

/// The usual cost of each scheme.
const CRYPT: [(&str, &str); 9] = [
    ("BSDi's DES, 725 encryptions", "_J9..salt"),
    ("DES", "sa"),
    ("md5-crypt", "$1$saltsalt"),
    ("scrypt in modular crypt format, N=2^14, r=8, p=1", "$7$C6..../....saltsaltsaltsalt"),
    ("sha1-crypt, 20,000 rounds", "$sha1$20000$saltsalt"),
    ("sha256-crypt, 5,000 rounds", "$5$saltsaltsaltsalt"),
    ("sha512-crypt, 5,000 rounds", "$6$saltsaltsaltsalt"),
    ("Sun's MD5", "$md5$saltsalt$"),
    ("yescrypt, N=2^12, r=32", "$y$j9T$saltsaltsaltsaltsalts."),
];
