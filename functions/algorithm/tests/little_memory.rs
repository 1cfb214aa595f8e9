//! Many large hashes at once where the system gives memory for one: the process lives.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env, fs,
    num::NonZeroUsize,
    process::{self, Command},
    thread,
    time::{Duration, Instant},
};

use saltern_algorithm::{Admitted, Ceilings, Dropped, Kernels, Password, Pool, PoolSettings, Work};

/// Runs this test once more in another process, because the limit concerns a whole process.
#[test]
fn hashes_beyond_the_address_space_are_refused_and_the_process_lives() {
    let Ok(kernels) = env::var(KERNELS) else {
        for kernels in Kernels::ALL {
            let test = "hashes_beyond_the_address_space_are_refused_and_the_process_lives";
            let mut again = Command::new(env::current_exe().unwrap());
            let output = again.args(["--exact", test]).env(KERNELS, kernels.name()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{kernels:?}: {} {said}", output.status);
        }
        return;
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
    assert!(!done.is_empty(), "one hash has room");
    assert!(refused.iter().all(|answer| *answer == Err(Dropped::NoMemory)), "{refused:?}");
    compute(&pool, &["$y$j45$........$"; 8]).into_iter().for_each(Result::unwrap);
}

/// Computes all hashes at once.
fn compute(pool: &Pool, stored: &[&str]) -> Vec<Result<(), Dropped>> {
    let submit = |stored: &&str| {
        let stored = format!("{stored}{}", ".".repeat(43));
        let setting = saltern_encoded::parse(&stored).unwrap().setting().clone();
        let admitted = Admitted::new(setting, &CEILINGS).unwrap();
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
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').next().unwrap().parse().unwrap();
    pages * rustix::param::page_size() as u64
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

const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 0,
    argon2_memory_kib: 0,
    argon2_memory_passes_kib: 0,
    argon2_parallelism: 0,
    pbkdf2_iterations_blocks: 0,
    sha_crypt_rounds: 0,
    scrypt_memory_bytes: LARGE_BYTES,
    scrypt_n_r_p: 1 << 22,
};
