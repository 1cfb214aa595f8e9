//! A module for each kernel: it compares the contenders of its algorithm.

pub(crate) mod argon2;
pub(crate) mod bcrypt;
pub(crate) mod crypt;
pub(crate) mod pbkdf2;

use saltern_algorithm::Ceilings;
use saltern_encoded::bcrypt::MAX_COST;

/// The ceilings that the settings of all contenders need, with any cost of the command line.
pub(super) const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: MAX_COST,
    argon2_memory_kib: 256 << 10,
    argon2_memory_passes_kib: 256 << 10,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: u64::MAX,
    sha_crypt_rounds: u64::MAX,
    scrypt_memory_bytes: 16 << 20,
    scrypt_n_r_p: 1 << 17,
};
