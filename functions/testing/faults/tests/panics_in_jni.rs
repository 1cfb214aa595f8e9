//! The library for the JVM: a panic in a kernel costs one hash.
//!
//! The library exports only the names that the JVM calls, so this test compiles its source again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../../client-scala/native/kernels/src/pools.rs"]
mod pools;
#[path = "../../../../client-scala/native/kernels/src/waits.rs"]
mod waits;

use std::{num::NonZeroUsize, time::Duration};

use pools::NotComputed;
use saltern_algorithm::{Ceilings, Output, Password};
use saltern_faults::PANICS;

#[test]
fn a_panic_in_a_kernel_costs_one_hash() {
    let pool = pools::open(NonZeroUsize::MIN, 0, CEILINGS).unwrap();
    for setting in [BCRYPT, ARGON2] {
        assert_eq!(computed(pool, setting, PANICS).unwrap_err(), NotComputed::Fault);
        assert!(computed(pool, setting, "another").is_ok());
    }
    pools::close(pool);
}

fn computed(pool: i64, setting: &str, password: &str) -> Result<Output, NotComputed> {
    let password = Password::new(password.as_bytes()).unwrap();
    pools::compute(pool, 1, setting.as_bytes(), password, Duration::from_mins(1))
}

const BCRYPT: &str = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const ARGON2: &str =
    "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 5,
    argon2_memory_kib: 64,
    argon2_memory_passes_kib: 64,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 0,
    sha_crypt_rounds: 0,
    scrypt_memory_bytes: 0,
    scrypt_n_r_p: 0,
};
