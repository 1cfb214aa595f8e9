//! A cancelled hash gives its lane to the next one. This is the only test of its program, because
//! it measures time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    hint::black_box,
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, scrypt};
use saltern_kernels::{Admitted, Ceilings, Password};
use saltern_pool::{Pool, PoolSettings, Work};

/// The next hash waits for the lane, or for its memory. The times are those of the processor, so that
/// other programs may take it. The best quarter of the trials counts, because such programs also
/// take the caches.
#[test]
fn a_cancelled_hash_gives_its_lane_to_the_next_within_2_ms_and_the_wipe() {
    const TRIALS: usize = 24;
    const MOST: usize = 20 * TRIALS;
    let scrypt = Params::Scrypt(scrypt::Params::new(15, 8, 8).unwrap());
    for (memory_mib, kept_mib, params) in
        [(8, 72, argon2id(8, 128)), (64, 72, argon2id(64, 4)), (32, 34, scrypt)]
    {
        let settings = PoolSettings {
            queue: None,
            argon2_lanes: "1".parse().ok(),
            kept_bytes: kept_mib << 20,
            ..PoolSettings::new(NonZeroUsize::MIN)
        };
        let pool = Pool::start(&settings).unwrap();
        let submit = |params| pool.submit(work(params)).unwrap();
        let hash = |params| {
            let before = computed();
            submit(params).wait().unwrap();
            computed().saturating_sub(before)
        };
        let next = argon2id(8, 1);
        // The first hash of each kind takes its memory from the system.
        let [_, alone] = [hash(next), hash(next)];
        let [_, whole] = [hash(params), hash(params)];
        let trial = || {
            let before = computed();
            let cancelled = submit(params);
            let waiting = submit(next);
            while computed().saturating_sub(before) < whole / 4 {
                thread::sleep(Duration::from_micros(200));
            }
            let left = computed();
            drop(cancelled);
            waiting.wait().unwrap();
            // This thread may have woken too late.
            let was_computing = left.saturating_sub(before) < whole * 3 / 4;
            was_computing.then(|| computed().saturating_sub(left).saturating_sub(alone))
        };
        let mut trials: Vec<_> = (0..MOST).filter_map(|_| trial()).take(TRIALS).collect();
        assert_eq!(trials.len(), TRIALS, "{memory_mib} MiB: most hashes ended before they were cancelled");
        trials.sort();
        let freed_after = trials[TRIALS / 4];
        let wipe = wipe_time(memory_mib << 20);
        assert!(
            freed_after <= Duration::from_millis(2) + wipe,
            "{memory_mib} MiB: {freed_after:?}, of which {wipe:?} for the wipe; a hash takes {whole:?}"
        );
    }
}

fn argon2id(memory_mib: u32, passes: u32) -> Params {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    Params::Argon2(argon2::Params::new(variant, version, memory_mib << 10, passes, 1).unwrap())
}

fn work(params: Params) -> Work {
    let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
    let ceilings = Ceilings {
        argon2_memory_kib: 1 << 16,
        argon2_memory_passes_kib: 1 << 20,
        argon2_parallelism: 1,
        scrypt_memory_bytes: 1 << 26,
        scrypt_n_r_p: 1 << 22,
        ..Ceilings::default()
    };
    let admitted = Admitted::new(setting, &ceilings).unwrap();
    Work::new(admitted, Password::new(b"password").unwrap(), Instant::now() + Duration::from_hours(1))
}

/// Returns the processor time that this process has used.
fn computed() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap()
}

/// Returns the time in which this machine writes so many bytes.
fn wipe_time(bytes: usize) -> Duration {
    let mut memory = vec![1_u8; bytes];
    let wipe = |_| {
        let started = Instant::now();
        memory.fill(0);
        black_box(&memory);
        started.elapsed()
    };
    (0..5).map(wipe).max().unwrap()
}
