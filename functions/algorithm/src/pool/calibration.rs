//! A few milliseconds of measuring at start-up, so that the first deadlines are judged by this machine's speed.

use std::time::{Duration, Instant};

use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};

use super::estimate::{Cost, Kind};
use crate::{Admitted, Ceilings, kernels::WholeKernel};

/// Measures each kind of hash once, whole: kind, work and time.
pub(super) fn of_whole_kernels(kernel: &mut WholeKernel) -> Vec<(Kind, u64, Duration)> {
    let mut measured = Vec::new();
    for admitted in small_hashes() {
        let started = Instant::now();
        let computed = kernel.compute(&admitted, PASSWORD);
        let elapsed = started.elapsed();
        if computed.is_ok() {
            let cost = Cost::of(&admitted);
            measured.push((cost.kind, cost.work, elapsed));
        }
    }
    measured
}

/// One hash of each kind that takes some hundred microseconds: long enough to tell, short enough for a cold start.
fn small_hashes() -> Vec<Admitted> {
    let pbkdf2 = |prf| pbkdf2::Params::new(prf, 500).map(Params::Pbkdf2);
    let argon2 =
        argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 512, 1, 1).map(Params::Argon2);
    let smallest = [
        argon2,
        bcrypt::Params::new(bcrypt::MIN_COST).map(Params::Bcrypt),
        pbkdf2(pbkdf2::Prf::Sha1),
        pbkdf2(pbkdf2::Prf::Sha256),
        pbkdf2(pbkdf2::Prf::Sha512),
        scrypt::Params::new(8, 8, 1).map(Params::Scrypt),
    ];
    let settings = smallest.into_iter().flatten().map(|params| Setting::fresh(params, [0; NEW_SALT_BYTES]));
    settings.filter_map(|setting| Admitted::new(setting, &CALIBRATION_CEILINGS).ok()).collect()
}

const PASSWORD: &[u8] = b"calibration";

/// Just above what is measured here.
const CALIBRATION_CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: bcrypt::MIN_COST,
    argon2_memory_kib: 512,
    argon2_memory_passes_kib: 512,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 1000,
    scrypt_memory_bytes: 1 << 20,
    scrypt_n_r_p: 1 << 12,
};
