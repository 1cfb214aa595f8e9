//! A module for each kernel: it compares the contenders of its algorithm.

pub(crate) mod argon2;
pub(crate) mod bcrypt;
pub(crate) mod crypt;
pub(crate) mod pbkdf2;
pub(crate) mod scrypt;

use super::{
    figure::{Figure, Wanted},
    rounds::Measurement,
};
use saltern_algorithm::{Admitted, Ceilings, CostOutOfBounds};
use saltern_encoded::{
    NEW_SALT_BYTES, Params, Setting,
    argon2::{Params as Argon2Params, Variant, Version},
    bcrypt::MAX_COST,
};

/// Returns a new hash's setting with these parameters.
pub(super) fn admitted(params: Params) -> Result<Admitted, CostOutOfBounds> {
    Admitted::new(Setting::fresh(params, [0xa5; NEW_SALT_BYTES]), &CEILINGS)
}

/// Returns argon2id's parameters with p = 1.
#[expect(clippy::unwrap_used, reason = "the costs are constants")]
pub(super) const fn argon2id(memory_kib: u32, passes: u32) -> Params {
    Params::Argon2(Argon2Params::new(Variant::Id, Version::V19, memory_kib, passes, 1).unwrap())
}

/// Returns the figure of several hashes side by side, from a measurement of contenders that
/// [`in_lanes`] names.
fn side_by_side(cost: &str, wanted: Wanted, measured: Option<&Measurement>) -> Figure {
    let row = |at_once| measured.and_then(|measured| measured.row(&in_lanes(at_once)));
    let gain = |at_once| row(at_once).map_or(f64::NAN, |row| row.hashes_per_core_ratio);
    Figure::new(
        format!("{cost}, {CALLERS_A_CORE} lanes: hashes per core against one after the other"),
        wanted,
        row(CALLERS_A_CORE).map_or_else(Vec::new, |row| row.hashes_per_core_ratio_samples.clone()),
    )
    .with_note(format!("2 lanes {:.2} ×, 4 lanes {:.2} ×", gain(2), gain(4)))
}

/// Returns the name of the contender with this many hashes side by side.
fn in_lanes(at_once: usize) -> String {
    format!("lanes x{at_once}")
}

/// Callers of each core, for the figures of lanes.
const CALLERS_A_CORE: usize = 3;

/// The password of contenders that need no other.
pub(super) const PASSWORD: &str = "correct horse battery";

/// The ceilings that the settings of all contenders need, with any cost of the command line.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: MAX_COST,
    argon2_memory_kib: 256 << 10,
    argon2_memory_passes_kib: 256 << 10,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: u64::MAX,
    sha_crypt_rounds: u64::MAX,
    scrypt_memory_bytes: 128 << 20,
    scrypt_n_r_p: 1 << 20,
};
