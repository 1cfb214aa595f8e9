//! The pool with real threads: every caller gets its own answer, and abandoned work is not
//! computed.

use std::{
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use saltern_encoded::{Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use saltern_kernels::{Admitted, Ceilings, Kernels, Password, compute};
use saltern_pool::{Dropped, Pool, PoolSettings, QueueLimits, Refused, Ticket, Work, Workers as _};

const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 15,
    argon2_memory_kib: 1 << 18,
    argon2_memory_passes_kib: 1 << 20,
    argon2_parallelism: 16,
    pbkdf2_iterations_blocks: 5_000_000,
    scrypt_memory_bytes: 1 << 27,
    scrypt_n_r_p: 1 << 22,
    sha_crypt_rounds: u64::MAX,
};

fn pool(kernels: Kernels, queue: Option<QueueLimits>) -> Pool {
    let workers = NonZeroUsize::new(2).unwrap();
    let argon2_lanes = "4".parse().ok();
    Pool::start(&PoolSettings { kernels, queue, argon2_lanes, ..PoolSettings::new(workers) }).unwrap()
}

fn admitted(params: Params, salt: u64) -> Admitted {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&salt.to_le_bytes());
    Admitted::new(Setting::fresh(params, bytes), &CEILINGS).unwrap()
}

fn bcrypt(cost: u32, salt: u64) -> Admitted {
    admitted(Params::Bcrypt(bcrypt::Params::new(cost).unwrap()), salt)
}

fn password(number: u64) -> Password {
    Password::new(format!("password {number}").as_bytes()).unwrap()
}

fn submit(pool: &Pool, admitted: Admitted, number: u64, within: Duration) -> Result<Ticket, Refused> {
    pool.submit(Work::new(admitted, password(number), Instant::now() + within))
}

/// Also on a machine whose other programs slow the first measurements.
const AMPLE: Duration = Duration::from_hours(1);

/// Cheap hashes of all kinds and several costs, mixed.
fn mixed(number: u64) -> Admitted {
    let pbkdf2 = |prf, iterations: u64| {
        let iterations = u32::try_from(iterations).unwrap();
        Params::Pbkdf2(pbkdf2::Params::new(prf, iterations).unwrap())
    };
    let argon2 = |variant, memory_kib, passes| {
        let version = argon2::Version::V19;
        Params::Argon2(argon2::Params::new(variant, version, memory_kib, passes, 1).unwrap())
    };
    let scrypt = |log_n, r, p| {
        let [r, p] = [r, p].map(|number: u64| u32::try_from(number).unwrap());
        Params::Scrypt(scrypt::Params::new(log_n, r, p).unwrap())
    };
    let params = match number % 8 {
        // Large enough for a lane, and in all variants.
        6 if number % 64 == 6 => argon2(argon2::Variant::Id, 8 << 10, 1),
        6 if number % 64 == 14 => argon2(argon2::Variant::D, 9 << 10, 1),
        6 if number % 64 == 22 => argon2(argon2::Variant::I, 11 << 10, 1),
        0 | 1 => Params::Bcrypt(bcrypt::Params::new(4).unwrap()),
        2 => Params::Bcrypt(bcrypt::Params::new(5).unwrap()),
        3 => pbkdf2(pbkdf2::Prf::Sha1, 1 + number % 97),
        4 => pbkdf2(pbkdf2::Prf::Sha256, 1 + number % 89),
        5 => pbkdf2(pbkdf2::Prf::Sha512, 1 + number % 83),
        6 => {
            let version = argon2::Version::V19;
            Params::Argon2(argon2::Params::new(argon2::Variant::Id, version, 64, 1, 2).unwrap())
        }
        // Lanes of one r are computed side by side, although their N and p differ.
        _ if number % 16 == 7 => scrypt(if number % 32 == 7 { 4 } else { 6 }, 2, 1 + number % 3),
        _ => scrypt(5, 1 + number % 7, 1),
    };
    admitted(params, number)
}

/// The others wait. Each worker that holds a hash keeps its memory.
#[test]
fn only_the_holders_have_a_hash_in_memory() {
    let settings = PoolSettings {
        holders: NonZeroUsize::MIN,
        queue: None,
        ..PoolSettings::new(NonZeroUsize::new(3).unwrap())
    };
    let pool = Pool::start(&settings).unwrap();
    let params = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 4096, 1, 1).unwrap();
    let hash = |number| submit(&pool, admitted(Params::Argon2(params), number), number, AMPLE).unwrap();
    let tickets: Vec<_> = (0..20).map(hash).collect();
    for ticket in tickets {
        ticket.wait().unwrap();
        assert!(pool.arena_bytes() <= 4 << 20);
    }
}

/// An answer must never go to another user.
#[test]
fn thousands_of_interleaved_requests_each_get_their_own_answer() {
    for kernels in Kernels::ALL {
        let pool = pool(kernels, None);
        let tickets: Vec<_> = (0..3000).map(|n| submit(&pool, mixed(n), n, AMPLE).unwrap()).collect();
        for (number, ticket) in (0..).zip(tickets) {
            let done = ticket.wait().unwrap();
            let expected = compute(&mixed(number), password(number).expose()).unwrap();
            assert!(done.output.matches(expected.expose()), "{kernels:?}: request {number}");
        }
    }
}

#[test]
fn abandoned_work_is_not_done() {
    for kernels in Kernels::ALL {
        let pool = pool(kernels, None);
        // Some minutes of work. Only the last hash has a caller.
        let abandoned: Vec<_> = (0..1000).map(|n| submit(&pool, bcrypt(13, n), n, AMPLE).ok()).collect();
        drop(abandoned);
        let started = Instant::now();
        submit(&pool, bcrypt(4, 1), 1, AMPLE).unwrap().wait().unwrap();
        drop(pool);
        assert!(started.elapsed() < Duration::from_mins(1), "{kernels:?}: {:?}", started.elapsed());
    }
}

/// Each of these hashes takes more than a minute. It has begun when the hash behind it is done.
#[test]
fn a_loop_of_digests_ends_when_its_caller_leaves() {
    let sha_crypt_rounds = 999_999_999;
    for (before, zeros) in [
        (format!("$5$rounds={sha_crypt_rounds}$salt$"), 43),
        (format!("$6$rounds={sha_crypt_rounds}$salt$"), 86),
        ("$P$Ssaltsalt".into(), 22),
        ("$S$Ssaltsalt".into(), 43),
        (format!("$sha1${}$saltsalt$", u32::MAX), 28),
        (format!("$md5,rounds={}$saltsalt$$", u32::MAX / 2), 22),
    ] {
        let stored = before + &".".repeat(zeros);
        let setting = saltern_encoded::parse(&stored).unwrap().setting().clone();
        let long = Admitted::new(setting, &CEILINGS).unwrap();
        let pool =
            Pool::start(&PoolSettings { queue: None, ..PoolSettings::new(NonZeroUsize::MIN) }).unwrap();
        let started = Instant::now();
        let abandoned = submit(&pool, long, 1, 1_000 * AMPLE).unwrap();
        submit(&pool, bcrypt(4, 1), 2, 1_000 * AMPLE).unwrap().wait().unwrap();
        drop(abandoned);
        drop(pool);
        assert!(started.elapsed() < Duration::from_mins(1), "{stored}: {:?}", started.elapsed());
    }
}

#[test]
fn work_that_cannot_meet_its_deadline_is_refused_at_once() {
    for kernels in Kernels::ALL {
        let pool = pool(kernels, None);
        let refused_after = |_| {
            let started = Instant::now();
            let refused = submit(&pool, bcrypt(15, 1), 1, Duration::from_millis(5)).unwrap_err();
            assert_eq!(refused, Refused::DeadlineExceeded, "{kernels:?}");
            started.elapsed()
        };
        // The hash takes longer on every machine. A busy one may interrupt some of the refusals.
        let took = (0..10).map(refused_after).min().unwrap();
        assert!(took < Duration::from_secs(1), "{took:?}");
    }
}

/// A machine so busy that no hash is done gets more time.
#[test]
fn accepted_work_is_answered_in_time_or_dropped() {
    for kernels in Kernels::ALL {
        let longer = [2, 20, 200].map(Duration::from_secs);
        let some_done = longer.into_iter().any(|within| answers_come_in_time(kernels, within));
        assert!(some_done, "{kernels:?}");
    }
}

/// Returns whether some of the work was done. A busy machine may wake this thread late: the best of
/// three trials counts.
fn answers_come_in_time(kernels: Kernels, within: Duration) -> bool {
    for _ in 0..3 {
        match time_too_late(kernels, within) {
            None => return false,
            Some(Duration::ZERO) => return true,
            Some(_) => {}
        }
    }
    panic!("{kernels:?}: answers came late")
}

/// Sends more work than fits. Returns how much too late the answers came; `None` if none was done.
fn time_too_late(kernels: Kernels, within: Duration) -> Option<Duration> {
    let pool = pool(kernels, Some(QueueLimits::default()));
    let deadline = Instant::now() + within;
    let answers: Vec<_> = (0..800).map(|n| submit(&pool, bcrypt(10, n), n, within)).collect();
    assert!(answers.iter().any(|a| matches!(a, Err(Refused::Overloaded { .. }))), "{kernels:?}");
    let mut hashed = Vec::new();
    for ticket in answers.into_iter().flatten() {
        match ticket.wait() {
            Ok(done) => hashed.push(done.hashed),
            Err(Dropped::DeadlineExceeded | Dropped::Overloaded { .. }) => {}
            Err(dropped) => panic!("{kernels:?}: {dropped:?}"),
        }
    }
    let longest = hashed.into_iter().max()?;
    // A whole hash is not dropped in the middle, and on a busy machine it may take long.
    let latest = deadline + 2 * longest + Duration::from_secs(1);
    Some(latest.elapsed())
}

/// Both are one work: in lanes and computed whole, with one layer and with two.
#[test]
fn both_readings_of_a_password_are_computed() {
    let outer = format!("$argon2id$v=19$m=64,t=1,p=1${}${}", "A".repeat(22), "A".repeat(43));
    for kernels in Kernels::ALL {
        let pool = pool(kernels, Some(QueueLimits::default()));
        for stored in [
            format!("$2b$05${}", ".".repeat(53)),
            format!("$6$rounds=1000$salt${}", ".".repeat(86)),
            format!("$saltern-wrap{outer}$$sha1$100$saltsalt${}", ".".repeat(28)),
        ] {
            let setting = saltern_encoded::parse(&stored).unwrap().setting().clone();
            let admitted = Admitted::new(setting, &CEILINGS).unwrap();
            let work = Work::new(admitted.clone(), password(1), Instant::now() + AMPLE);
            let work = Work { second: Some(password(2)), ..work };
            let done = pool.submit(work).unwrap().wait().unwrap();
            let outputs = [Some(done.output), done.second].map(Option::unwrap);
            for (number, output) in (1..).zip(outputs) {
                let expected = compute(&admitted, password(number).expose()).unwrap();
                assert!(output.matches(expected.expose()), "{kernels:?}: {stored}, reading {number}");
            }
        }
    }
}

/// Each caller sends its next request as soon as it has an answer. The worker that answered must
/// take it, and not the other worker, which has a lane in use.
#[test]
fn two_callers_on_two_cores_use_one_each() {
    let pool = pool(Kernels::Own, Some(QueueLimits::default()));
    let calls = |caller| {
        let pool = &pool;
        (0..100).map(move |n| submit(pool, bcrypt(6, n), caller, AMPLE).unwrap().wait().unwrap().lanes).max()
    };
    let most_lanes = thread::scope(|scope| {
        [0, 1].map(|caller| scope.spawn(move || calls(caller))).map(|calls| calls.join().unwrap())
    });
    assert_eq!(most_lanes, [Some(1); 2]);
}

#[test]
fn the_answer_has_the_number_of_lanes_in_use() {
    let workers = NonZeroUsize::MIN;
    let pool =
        Pool::start(&PoolSettings { bcrypt_lanes: NonZeroUsize::new(3), ..PoolSettings::new(workers) });
    let pool = pool.unwrap();
    let are_full = |_| {
        let tickets: Vec<_> = (0..5).map(|n| submit(&pool, bcrypt(9, n), n, AMPLE).unwrap()).collect();
        let lanes: Vec<_> = tickets.into_iter().map(|ticket| ticket.wait().unwrap().lanes).collect();
        assert!(lanes.iter().all(|lanes| (1..=3).contains(lanes)), "{lanes:?}");
        lanes.contains(&3)
    };
    // On a busy machine a hash may end before the next one comes.
    assert!((0..20).any(are_full));

    assert_eq!(pool.arena_bytes(), 0);
    let version = argon2::Version::V19;
    let params = Params::Argon2(argon2::Params::new(argon2::Variant::Id, version, 1024, 1, 1).unwrap());
    let done = submit(&pool, admitted(params, 0), 0, AMPLE).unwrap().wait().unwrap();
    assert_eq!(done.lanes, 1);
    assert!(pool.arena_bytes() >= 1 << 20, "{}", pool.arena_bytes());
}

/// The guide of the server states the usual time.
#[test]
fn memory_is_kept_for_the_next_hash_and_given_back_when_none_comes() {
    let usual = PoolSettings::new(NonZeroUsize::MIN);
    assert_eq!(usual.kept_for, Duration::from_secs(10));
    let guide = include_str!("../../server/README.md");
    assert!(guide.contains("The memory of a hash is kept for the next one, for 10 s."));

    let settings = PoolSettings { kept_for: Duration::from_millis(200), ..usual };
    let pool = Pool::start(&settings).unwrap();
    let begun = Instant::now();
    submit(&pool, argon2id(8, 1, 0), 0, AMPLE).unwrap().wait().unwrap();
    while pool.arena_bytes() > 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "{} bytes are kept", pool.arena_bytes());
        thread::sleep(Duration::from_millis(10));
    }
    assert!(begun.elapsed() >= settings.kept_for, "{:?}", begun.elapsed());
}

/// With r = 8.
fn scrypt(log_n: u8, p: u32, salt: u64) -> Admitted {
    admitted(Params::Scrypt(scrypt::Params::new(log_n, 8, p).unwrap()), salt)
}

fn argon2id(memory_mib: u32, passes: u32, salt: u64) -> Admitted {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    let params = argon2::Params::new(variant, version, memory_mib << 10, passes, 1).unwrap();
    admitted(Params::Argon2(params), salt)
}

/// Lanes, and hashes that are computed whole, share the memory of a core.
#[test]
fn hashes_in_memory_stay_within_the_memory_of_a_core() {
    let settings = PoolSettings {
        queue: None,
        argon2_lanes: "4".parse().ok(),
        kept_bytes: 40 << 20,
        ..PoolSettings::new(NonZeroUsize::MIN)
    };
    let pool = Pool::start(&settings).unwrap();
    let whole = |number| {
        let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
        let params = argon2::Params::new(variant, version, 16 << 10, 1, 2).unwrap();
        admitted(Params::Argon2(params), number)
    };
    let hash = |number: u64| match number % 5 {
        0 => whole(number),
        1 => argon2id(36, 1, number),
        2 => scrypt(14, 1, number),
        _ => argon2id(12, 1, number),
    };
    let tickets: Vec<_> = (0..40).map(|n| submit(&pool, hash(n), n, AMPLE).unwrap()).collect();
    let mut most_lanes = 0;
    for (number, ticket) in (0..).zip(tickets) {
        let done = ticket.wait().unwrap();
        most_lanes = most_lanes.max(done.lanes);
        let expected = compute(&hash(number), password(number).expose()).unwrap();
        assert!(done.output.matches(expected.expose()), "request {number}");
        assert!(pool.arena_bytes() <= settings.kept_bytes, "{}", pool.arena_bytes());
    }
    assert!((2..=3).contains(&most_lanes), "{most_lanes} lanes");
}

#[test]
fn a_closing_pool_answers_all_taken_work() {
    for kernels in Kernels::ALL {
        let pool = pool(kernels, None);
        let tickets: Vec<_> = (0..64).map(|n| submit(&pool, mixed(n), n, AMPLE).unwrap()).collect();
        drop(pool);
        for ticket in tickets {
            assert!(ticket.wait().is_ok(), "{kernels:?}");
        }
    }
}
