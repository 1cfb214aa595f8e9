//! The first estimates: measures this machine for a few milliseconds at start-up.
//!
//! So the first deadlines are compared with this machine's speed.

use std::{
    iter,
    time::{Duration, Instant},
};

use saltern_encoded::{Algorithm, NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, parse, pbkdf2, scrypt};
use saltern_kernels::{
    Admitted, Arena, Ceilings, WholeKernel,
    lanes::{self, Lane},
};

use super::{
    estimate::{Cost, Estimates},
    settings::PoolSettings,
};

/// Measures each algorithm: one alone, and a full worker if the algorithm runs in lanes. So each
/// algorithm has an estimate before its first hash.
pub(super) fn measure(settings: &PoolSettings, estimates: &mut Estimates) {
    let arena = Arena::new(KEPT_BYTES);
    let mut kernel = WholeKernel::new(settings.kernels, arena.clone());
    for admitted in small_hashes() {
        let cost = Cost::of(&admitted, iter::once(PASSWORD), settings.kernels);
        let (algorithm, work) = (cost.algorithm, cost.work);
        // The smallest verify-only hash is too short for a part of it.
        let is_verify_only = matches!(admitted.setting(), Setting::VerifyOnly(_));
        if is_verify_only || !settings.runs_in_lanes(cost) {
            let run = || kernel.compute(&admitted, PASSWORD).is_ok();
            let Some(elapsed) = shortest(timed(run)) else { continue };
            if is_verify_only {
                estimates.measured(algorithm, 1, work, elapsed);
            } else {
                estimates.measured_at_start(algorithm, 1, work, elapsed);
            }
            estimate_like(estimates, cost, elapsed);
            continue;
        }
        for lanes in [1, estimates.width(algorithm)] {
            let start = |_| Lane::start(&admitted, PASSWORD, &arena).ok().flatten();
            let mut lanes: Vec<_> = (0..lanes).filter_map(start).collect();
            let work = lanes.iter().map(Lane::remaining).min().unwrap_or(0) / PARTS_OF_A_LANE;
            let run = || {
                lanes::advance(algorithm, lanes.iter_mut(), work);
                true
            };
            if let Some(elapsed) = shortest(timed(run)) {
                estimates.measured_at_start(algorithm, lanes.len(), work, elapsed);
                if lanes.len() == 1 {
                    estimate_like(estimates, Cost::new(algorithm, work), elapsed);
                }
            }
        }
    }
}

/// Estimates the algorithms that are not measured from this measured one.
fn estimate_like(estimates: &mut Estimates, measured: Cost, elapsed: Duration) {
    for (like, _) in NOT_MEASURED.into_iter().filter(|(_, algorithm)| *algorithm == measured.algorithm) {
        estimates.measured(like, 1, measured.work, elapsed * SLOWER_THAN_MEASURED);
        // That time is an upper bound and no lower one.
        estimates.doubt_bound(like);
    }
}

/// Measures the same work several times and returns the shortest time; `None` if a run fails.
///
/// A time can only be too long, because the system may interrupt a run. A run is short compared
/// with the time slices of a busy system, so most runs are not interrupted.
fn shortest(run: impl FnMut() -> Option<Duration>) -> Option<Duration> {
    iter::repeat_with(run).take(RUNS).min().flatten()
}

/// Measures each call; `None` if the call fails.
fn timed(mut run: impl FnMut() -> bool) -> impl FnMut() -> Option<Duration> {
    move || {
        let started = Instant::now();
        run().then(|| started.elapsed())
    }
}

/// Returns one hash of each algorithm. A run takes between some microseconds and half a
/// millisecond.
///
/// That is long enough to measure and short enough for a cold start.
fn small_hashes() -> impl Iterator<Item = Admitted> {
    let pbkdf2 = |prf| pbkdf2::Params::new(prf, PBKDF2_ITERATIONS).map(Params::Pbkdf2);
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    let smallest = [
        argon2::Params::new(variant, version, ARGON2_MEMORY_KIB, 1, 1).map(Params::Argon2),
        bcrypt::Params::new(bcrypt::MIN_COST).map(Params::Bcrypt),
        pbkdf2(pbkdf2::Prf::Sha1),
        pbkdf2(pbkdf2::Prf::Sha256),
        pbkdf2(pbkdf2::Prf::Sha512),
        scrypt::Params::new(SCRYPT_LOG_N, SCRYPT_R, 1).map(Params::Scrypt),
    ];
    let made = smallest.into_iter().flatten().map(|params| Setting::fresh(params, [0; NEW_SALT_BYTES]));
    let verify_only = VERIFY_ONLY.into_iter().filter_map(|(before, zeros)| {
        let stored = before.to_owned() + &".".repeat(zeros);
        parse(&stored).ok().map(|encoded| encoded.setting().clone())
    });
    made.chain(verify_only).filter_map(|setting| Admitted::new(setting, &CEILINGS).ok())
}

const PASSWORD: &[u8] = b"first estimates";

/// The smallest hashes of the verify-only schemes: the text before the output, and the characters
/// of the output.
const VERIFY_ONLY: [(&str, usize); 9] = [
    ("..", 11),
    ("{SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=", 0),
    ("$1$saltsalt$", 22),
    ("$P$5saltsalt", 22),
    ("$S$5saltsalt", 43),
    ("$sha1$100$saltsalt$", 28),
    ("$5$rounds=1000$saltsalt$", 43),
    ("$6$rounds=1000$saltsalt$", 86),
    ("$y$j45$........$", 43),
];

/// The algorithms that are not measured at the start, each with a measured algorithm of the same
/// unit. The smallest hash of Sun takes too long for a cold start, and a hash of Firebase needs the
/// settings of a project.
const NOT_MEASURED: [(Algorithm, Algorithm); 2] =
    [(Algorithm::SunMd5, Algorithm::Md5Crypt), (Algorithm::Firebase, Algorithm::Scrypt)];

/// An algorithm takes at most this many times as long as the algorithm that was measured for it.
const SLOWER_THAN_MEASURED: u32 = 3;

/// The runs of each measurement. If one run in three is interrupted, one start in two hundred has
/// no undisturbed run.
const RUNS: usize = 5;

/// A lane does all runs of a measurement within one hash.
const PARTS_OF_A_LANE: u64 = 8;
const _: () = assert!(RUNS as u64 <= PARTS_OF_A_LANE);

/// Memory for the hashes that are measured here. Only the first run waits for it. It is less than a
/// huge page, so that a small hash does not get one.
const KEPT_BYTES: u64 = 1 << 20;

const ARGON2_MEMORY_KIB: u32 = 512;
const PBKDF2_ITERATIONS: u32 = 500;
const SCRYPT_LOG_N: u8 = 7;
const SCRYPT_R: u32 = 8;

/// Just high enough for the hashes that are measured here.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: bcrypt::MIN_COST,
    argon2_memory_kib: ARGON2_MEMORY_KIB,
    argon2_memory_passes_kib: ARGON2_MEMORY_KIB as u64,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 2 * PBKDF2_ITERATIONS as u64,
    sha_crypt_rounds: 1000,
    scrypt_memory_bytes: 1 << 20,
    scrypt_n_r_p: 1 << 12,
};

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use saltern_kernels::Kernels;

    #[test]
    fn every_algorithm_has_an_estimate_before_its_first_hash() {
        for kernels in Kernels::ALL {
            let settings = PoolSettings { kernels, ..PoolSettings::new(NonZeroUsize::MIN) };
            let mut estimates = settings.estimates();
            measure(&settings, &mut estimates);
            let other_name = [Algorithm::Argon2d, Algorithm::Argon2i, Algorithm::Wrapped];
            for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| !other_name.contains(algorithm)) {
                let unit = estimates.duration(Cost::new(algorithm, 1_000), 1);
                let plausible = Duration::from_micros(1)..Duration::from_secs(1_000);
                assert!(plausible.contains(&unit), "{kernels:?} {algorithm:?}: {unit:?}");
            }
        }
    }

    /// The system interrupts every run but one.
    #[test]
    fn an_interrupted_run_does_not_count() {
        let [undisturbed, interrupted] = [400, 13_400].map(Duration::from_micros);
        for lucky in 0..RUNS {
            let mut runs = (0..RUNS).map(|run| if run == lucky { undisturbed } else { interrupted });
            assert_eq!(shortest(|| runs.next()), Some(undisturbed));
            assert_eq!(runs.next(), None);
        }
    }

    #[test]
    fn a_failed_run_gives_no_measurement() {
        let mut runs = [None, Some(Duration::from_micros(400))].into_iter().cycle();
        assert_eq!(shortest(|| runs.next().flatten()), None);
    }
}
