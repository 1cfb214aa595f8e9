//! A cancelled hash gives its lane to the next one. This is the only test of its program, because
//! it measures time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    hint::black_box,
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use saltern_algorithm::{Admitted, Ceilings, Password, Pool, PoolSettings, Work};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, scrypt};

/// The next hash waits for the lane, or for its memory. The best quarter of the trials
/// counts, because other programs disturb some.
#[test]
fn a_cancelled_hash_gives_its_lane_to_the_next_within_2_ms_and_the_wipe() {
    const TRIALS: u32 = 24;
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
        let hashed = submit(params).wait().unwrap().hashed;
        let mut trials: Vec<_> = (1..=TRIALS)
            .filter_map(|number| {
                let cancelled = submit(params);
                let queued_at = Instant::now();
                let next = submit(argon2id(8, 1));
                thread::sleep(hashed / 4 + Duration::from_micros(40) * number);
                let delayed_before = delayed();
                let left = Instant::now();
                drop(cancelled);
                let started = queued_at + next.wait().unwrap().queued;
                // On a busy system the hash may have ended before.
                let freed_after = started.checked_duration_since(left)?;
                Some(freed_after.saturating_sub(delayed().saturating_sub(delayed_before)))
            })
            .collect();
        trials.sort();
        assert!(!trials.is_empty(), "{memory_mib} MiB: every hash had ended before");
        let freed_after = trials[trials.len() / 4];
        let wipe = wipe_time(memory_mib << 20);
        assert!(
            freed_after <= Duration::from_millis(2) + wipe,
            "{memory_mib} MiB: {freed_after:?}, of which {wipe:?} for the wipe; a hash takes {hashed:?}"
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

/// Returns how long the threads of this process were ready to run and others had the cores.
/// Returns zero if the system does not tell.
///
/// Source: "Scheduler Statistics" of the Linux kernel's documentation, `/proc/<pid>/schedstat`.
fn delayed() -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| {
            let times = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            Some(Duration::from_nanos(times.split(' ').nth(1)?.parse().ok()?))
        })
        .sum()
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
