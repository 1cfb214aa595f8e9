//! The first estimates: measures this machine for a few milliseconds at start-up.
//!
//! So the first deadlines are compared with this machine's speed.

use std::time::Instant;

use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};

use super::{
    estimate::{Cost, Estimates},
    lane::{self, Lane},
    settings::PoolSettings,
};
use crate::{Admitted, Ceilings, compute::WholeKernel};

/// Measures each algorithm: one alone, and a full worker if the algorithm runs in lanes.
pub(super) fn measure(settings: &PoolSettings, estimates: &mut Estimates) {
    let mut kernel = WholeKernel::new(settings.kernels, 0);
    for admitted in small_hashes() {
        let cost = Cost::of(&admitted, PASSWORD);
        if settings.lanes(cost.algorithm).is_none() {
            let started = Instant::now();
            let computed = kernel.compute(&admitted, PASSWORD);
            if computed.is_ok() {
                estimates.measured_at_start(cost.algorithm, 1, cost.work, started.elapsed());
            }
            continue;
        }
        for lanes in [1, estimates.width(cost.algorithm)] {
            let mut lanes: Vec<_> = (0..lanes).filter_map(|_| Lane::start(&admitted, PASSWORD)).collect();
            let work = lanes.iter().map(Lane::remaining).min().unwrap_or(0) / SHARE_OF_A_LANE;
            let started = Instant::now();
            lane::advance(cost.algorithm, lanes.iter_mut(), work);
            estimates.measured_at_start(cost.algorithm, lanes.len(), work, started.elapsed());
        }
    }
}

/// Returns one hash of each algorithm, each of some hundred microseconds.
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
    let settings = smallest.into_iter().flatten().map(|params| Setting::fresh(params, [0; NEW_SALT_BYTES]));
    settings.filter_map(|setting| Admitted::new(setting, &CEILINGS).ok())
}

const PASSWORD: &[u8] = b"first estimates";

/// Half a hash is enough to time a lane.
const SHARE_OF_A_LANE: u64 = 2;

const ARGON2_MEMORY_KIB: u32 = 512;
const PBKDF2_ITERATIONS: u32 = 500;
const SCRYPT_LOG_N: u8 = 8;
const SCRYPT_R: u32 = 8;

/// Just high enough for the hashes that are measured here.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: bcrypt::MIN_COST,
    argon2_memory_kib: ARGON2_MEMORY_KIB,
    argon2_memory_passes_kib: ARGON2_MEMORY_KIB as u64,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 2 * PBKDF2_ITERATIONS as u64,
    sha_crypt_rounds: 0,
    scrypt_memory_bytes: 1 << 20,
    scrypt_n_r_p: 1 << 12,
};
