//! Many large hashes at once where the system gives memory for one: the process lives.
#![cfg(target_os = "linux")]
use std::{
    env, fs,
    num::NonZeroUsize,
    process::{self, Command},
    thread,
    time::{Duration, Instant},
};

use saltern_kernels::{Admitted, Ceilings, Kernels, Password};
use saltern_pool::{Dropped, Pool, PoolSettings, Work};

#[test]
fn hashes_beyond_the_address_space_are_refused_and_the_process_lives() {
    let test = "hashes_beyond_the_address_space_are_refused_and_the_process_lives";
    let Ok(kernels) = env::var(KERNELS) else {
        return Kernels::ALL.into_iter().for_each(|kernels| run_again(test, kernels));
    };
    let workers = NonZeroUsize::new(4).unwrap();
    let settings =
        PoolSettings { kernels: kernels.parse().unwrap(), queue: None, ..PoolSettings::new(workers) };
    let pool = Pool::start(&settings).unwrap();
    wait_until_the_threads_sleep(2 * workers.get());
    compute(&pool, &["$y$j45$........$"; 8]);
    limit_address_space(address_space() + ROOM + LARGE_BYTES * 3 / 2);
    let large = ["$y$jCT$........$", "$y$/CT$........$", "$7$DU..../....SodiumChloride$"];
    let answers = compute(&pool, &large.repeat(4));
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert!(!done.is_empty() && !refused.is_empty(), "one hash has room, and four have none");
    assert!(refused.iter().all(|answer| *answer == Err(Dropped::NoMemory)), "{refused:?}");
    compute(&pool, &["$y$j45$........$"; 8]).into_iter().for_each(Result::unwrap);
}

/// After the first hash the system keeps the stack of its thread, so the second hash could start a
/// thread. The system has no more memory for it.
#[test]
fn lanes_without_memory_for_their_threads_are_computed_by_one() {
    let test = "lanes_without_memory_for_their_threads_are_computed_by_one";
    if env::var(KERNELS).is_err() {
        return run_again(test, Kernels::Own);
    }
    let pool = Pool::start(&PoolSettings::new(NonZeroUsize::MIN)).unwrap();
    wait_until_the_threads_sleep(2);
    let lanes = ["$argon2id$v=19$m=16384,t=1,p=4$c29tZXNhbHQ$"];
    compute(&pool, &lanes).into_iter().for_each(Result::unwrap);
    limit_address_space(address_space());
    compute(&pool, &lanes.repeat(2)).into_iter().for_each(Result::unwrap);
}

/// Each worker computes one large hash at a time. An arena that is kept from the hash before does
/// not count twice.
#[test]
fn many_large_hashes_at_once_use_the_memory_of_one_for_each_worker() {
    let test = "many_large_hashes_at_once_use_the_memory_of_one_for_each_worker";
    let Ok(kernels) = env::var(KERNELS) else {
        return Kernels::ALL.into_iter().for_each(|kernels| run_again(test, kernels));
    };
    let workers = NonZeroUsize::new(3).unwrap();
    let kernels = kernels.parse().unwrap();
    let settings = PoolSettings { kernels, queue: None, ..PoolSettings::new(workers) };
    let pool = Pool::start(&settings).unwrap();
    wait_until_the_threads_sleep(2 * workers.get());
    let before = memory_kib("VmRSS:");
    // 32 MiB each.
    let large =
        ["$argon2id$v=19$m=32768,t=1,p=1$c29tZXNhbHQ$", "$y$jAT$........$", "$7$BU..../....SodiumChloride$"];
    compute(&pool, &large.repeat(5)).into_iter().for_each(Result::unwrap);
    let most = 3 * 32 * 1024 + ROOM / 1024;
    let used = memory_kib("VmHWM:") - before;
    assert!(used <= most, "{used} KiB, at most {most}");
}

/// Runs a test once more in another process, because the limit concerns a whole process.
fn run_again(test: &str, kernels: Kernels) {
    let mut again = Command::new(env::current_exe().unwrap());
    let test = format!("little_memory::{test}");
    let output = again.args(["--exact", &test]).env(KERNELS, kernels.name()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kernels:?}: {} {said}", output.status);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("1 passed"), "no test is called {test}: {printed}");
}

/// Computes all hashes at once. Each output is zero, in the alphabet of its scheme.
fn compute(pool: &Pool, stored: &[&str]) -> Vec<Result<(), Dropped>> {
    let ceilings = Ceilings {
        argon2_memory_kib: 32 << 10,
        argon2_memory_passes_kib: 32 << 10,
        argon2_parallelism: 4,
        scrypt_memory_bytes: LARGE_BYTES,
        scrypt_n_r_p: 1 << 22,
        ..Ceilings::default()
    };
    let submit = |stored: &&str| {
        let zero = if stored.starts_with("$argon2") { "A" } else { "." };
        let stored = format!("{stored}{}", zero.repeat(43));
        let setting = saltern_encoded::parse(&stored).unwrap().setting().clone();
        let admitted = Admitted::new(setting, &ceilings).unwrap();
        let password = Password::new(b"password").unwrap();
        pool.submit(Work::new(admitted, password, Instant::now() + AMPLE)).unwrap()
    };
    let tickets: Vec<_> = stored.iter().map(submit).collect();
    tickets.into_iter().map(|ticket| ticket.wait().map(drop)).collect()
}

/// Waits until all threads of the pool have run: at its start a thread takes memory for its stacks.
fn wait_until_the_threads_sleep(threads: usize) {
    let sleeps = |task: &fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.contains("(saltern-") && stat.contains(") S ")
    };
    while fs::read_dir("/proc/self/task").unwrap().flatten().filter(sleeps).count() < threads {
        thread::sleep(Duration::from_millis(1));
    }
}

fn address_space() -> u64 {
    memory_kib("VmSize:") * 1024
}

/// Returns a value of this process's memory (`proc_pid_status(5)`).
fn memory_kib(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn limit_address_space(bytes: u64) {
    let pid = process::id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, &format!("--as={bytes}")]).status().unwrap();
    assert!(limited.success());
}

/// The kernels of the second process, by their name.
const KERNELS: &str = "SALTERN_TEST_LITTLE_MEMORY";

/// 128 MiB: N = 2^15, r = 32.
const LARGE_BYTES: u64 = 128 << 20;

/// Memory that every large allocation leaves for small ones.
const ROOM: u64 = 32 << 20;

const AMPLE: Duration = Duration::from_mins(10);
