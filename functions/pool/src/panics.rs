//! The pool when a kernel or a worker panics: the panic costs one request and no worker.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    cell::Cell,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use saltern_encoded::{Params, Setting, argon2, scrypt};

use super::{Done, Dropped, Pool, PoolSettings, Ticket, Work};
use saltern_kernels::{Admitted, Ceilings, Kernels, Password};

/// A password that starts with this text makes the kernel panic.
const PANICS: &str = "\u{1}panic-in-the-kernel\u{1}";

/// A password that starts with this text makes its lane panic when the lane finishes.
const PANICS_AT_THE_END: &str = "\u{1}panic-at-the-end\u{1}";

/// A password that starts with this text makes the worker panic, outside every kernel.
const PANICS_IN_THE_WORKER: &str = "\u{1}panic-in-the-worker\u{1}";

/// Adds the panic that the password demands to a part of a hash, which runs under a guard.
///
/// A worker calls this once for a hash that is computed whole. It calls this twice for a hash in a
/// lane: when the lane starts and when it finishes.
pub(super) fn planted<T>(password: &[u8], run: impl FnOnce() -> T) -> impl FnOnce() -> T {
    thread_local! {
        static STARTED: Cell<bool> = const { Cell::new(false) };
    }
    let demands = |fault: &str| password.starts_with(fault.as_bytes());
    assert!(!demands(PANICS_IN_THE_WORKER));
    let panics = demands(PANICS) || (demands(PANICS_AT_THE_END) && STARTED.replace(!STARTED.get()));
    move || {
        assert!(!panics);
        run()
    }
}

const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: EXPENSIVE,
    argon2_memory_kib: ARGON2_MEMORY_KIB,
    argon2_memory_passes_kib: ARGON2_MEMORY_KIB as u64,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 0,
    scrypt_memory_bytes: 1 << 20,
    scrypt_n_r_p: 1 << 13,
    sha_crypt_rounds: 0,
};

/// The bcrypt cost of a hash that is still running when the next one starts.
const EXPENSIVE: u32 = 14;

/// Large enough for a lane.
const ARGON2_MEMORY_KIB: u32 = 8 << 10;

/// One worker of each kind, so that a test notices a lost worker.
fn pool(kernels: Kernels) -> Pool {
    Pool::start(&PoolSettings { kernels, queue: None, ..PoolSettings::new(NonZeroUsize::MIN) }).unwrap()
}

fn bcrypt(cost: u32) -> Params {
    Params::Bcrypt(saltern_encoded::bcrypt::Params::new(cost).unwrap())
}

fn argon2id() -> Params {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    Params::Argon2(argon2::Params::new(variant, version, ARGON2_MEMORY_KIB, 1, 1).unwrap())
}

fn scrypt() -> Params {
    Params::Scrypt(scrypt::Params::new(10, 8, 1).unwrap())
}

fn hash(pool: &Pool, params: Params, password: &str) -> Result<Done, Dropped> {
    submit(pool, params, password).wait()
}

fn submit(pool: &Pool, params: Params, password: &str) -> Ticket {
    let admitted = Admitted::new(Setting::fresh(params, [7; 16]), &CEILINGS).unwrap();
    let password = Password::new(password.as_bytes()).unwrap();
    pool.submit(Work::new(admitted, password, Instant::now() + Duration::from_hours(1))).unwrap()
}

#[test]
fn a_panic_costs_one_request_and_no_worker() {
    for kernels in Kernels::ALL {
        let pool = pool(kernels);
        for fault in [PANICS, PANICS_AT_THE_END, PANICS_IN_THE_WORKER] {
            // A hash that is computed whole has no separate end.
            if (kernels, fault) == (Kernels::Crates, PANICS_AT_THE_END) {
                continue;
            }
            // Twice: a worker that started again must work as before.
            for params in [bcrypt(4), bcrypt(4), argon2id(), argon2id(), scrypt(), scrypt()] {
                assert_eq!(hash(&pool, params, fault).unwrap_err(), Dropped::Fault, "{kernels:?} {fault:?}");
                assert!(hash(&pool, params, "another").is_ok(), "{kernels:?} {fault:?}");
            }
        }
    }
}

#[test]
fn a_lane_that_panics_at_its_end_does_not_affect_other_lanes() {
    let pool = pool(Kernels::Own);
    let neighbour = submit(&pool, bcrypt(EXPENSIVE), "another");
    assert_eq!(hash(&pool, bcrypt(4), PANICS_AT_THE_END).unwrap_err(), Dropped::Fault);
    assert!(neighbour.wait().is_ok());
}

/// The hashes that the worker held end with a fault. Then all its lanes are free.
#[test]
fn a_worker_that_started_again_has_all_its_lanes_free() {
    let pool = pool(Kernels::Own);
    let held: Vec<_> = (0..3).map(|_| submit(&pool, bcrypt(EXPENSIVE), "another")).collect();
    assert_eq!(hash(&pool, bcrypt(4), PANICS_IN_THE_WORKER).unwrap_err(), Dropped::Fault);
    for held in held {
        assert_eq!(held.wait().unwrap_err(), Dropped::Fault);
    }
    assert_eq!(hash(&pool, bcrypt(4), "another").unwrap().lanes, 1);
}
