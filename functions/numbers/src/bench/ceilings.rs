//! What `saltern-numbers bench` may compute: far more than anybody may ask of what serves.

use saltern_algorithm::Ceilings;

/// The bench's own ceilings: what the published tables reach. They are private to `bench`, and no document, setting or
/// request raises another ceiling to them (`xtask/tests/tree.rs` holds where ceilings are written).
pub(super) const BENCH_CEILINGS: Ceilings = Ceilings {
    // A quarter of a minute on a CPU of today.
    bcrypt_cost: 18,
    // The largest that policies.json admits.
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
