//! The ceilings of `saltern-measure bench`, far above those of the service.

use saltern_kernels::Ceilings;

/// The highest costs of the published tables. They are private to `bench`: no document, setting or
/// request raises another ceiling to them (`xtask/tests/tree.rs` asserts where ceilings are
/// written).
pub(super) const BENCH_CEILINGS: Ceilings = Ceilings {
    // About 15 s on a current CPU.
    bcrypt_cost: 18,
    // The largest memory that policies.json admits.
    argon2_memory_kib: 256 << 10,
    argon2_memory_passes_kib: 5 * (256 << 10),
    argon2_parallelism: 1,
    // The last row of the published table, in two blocks.
    pbkdf2_iterations_blocks: 2 * 900_001,
    sha_crypt_rounds: 1_000_000,
    // N = 2^18 with r = 8.
    scrypt_memory_bytes: 256 << 20,
    scrypt_n_r_p: 1 << 21,
};
