//! The pools that clients have opened, by number: a number that is no pool's, or no longer, is answered and never followed.

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroUsize,
    str,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use saltern_algorithm::{
    Admitted, Ceilings, Dropped, Output, Password, Pool, PoolSettings, Refused, Urgency, Work,
};
use saltern_encoded::Setting;

use crate::waits::Waits;

/// Why nothing was computed. The numbers are `NativeCalls`'s own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// What waits ahead makes the deadline unreachable.
    Overloaded = 1,
    /// The time is over, or cannot suffice.
    DeadlineExceeded = 2,
    /// A fault of ours.
    Fault = 3,
    /// A cost over a ceiling.
    CostOutOfBounds = 4,
    /// A setting that has no form of its own among those that are made new, or a password above the bound: the JVM's to compute.
    NotReadHere = 5,
    /// No pool has this number.
    Closed = 6,
    /// The system gave no memory for the hash.
    NoMemory = 7,
    /// Whoever asked for it has cancelled it.
    Cancelled = 8,
}

/// Starts the workers of a client and gives them a number, which is never 0.
pub(crate) fn open(workers: NonZeroUsize, kept_bytes: u64, ceilings: Ceilings) -> io::Result<i64> {
    let usual = PoolSettings::new(workers);
    // The client's own queue stands in front.
    let settings = PoolSettings { queue: None, kept_bytes: usual.kept_bytes.min(kept_bytes), ..usual };
    let pool = Arc::new(Open { pool: Pool::start(&settings)?, ceilings, waits: Waits::default() });
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    lock().insert(number, pool);
    Ok(number)
}

/// Forgets a pool. Its workers end when the last hash under way has.
pub(crate) fn close(number: i64) {
    let closed = lock().remove(&number);
    // Not under the lock: it joins the workers.
    drop(closed);
}

/// Ends the wait of a call to [`compute`], which gives up its place. One that has ended, or has not come so far, is let be.
pub(crate) fn cancel(number: i64, call: i64) {
    let open = lock().get(&number).cloned();
    if let Some(open) = open {
        open.waits.cancel(call);
    }
}

/// Computes one hash, while the calling thread waits.
///
/// `call` is what [`cancel`] finds it by, of the caller's choice; `setting` is the text of a hash whose output is anything of the
/// right length.
pub(crate) fn compute(
    number: i64,
    call: i64,
    setting: &[u8],
    password: Password,
    left: Duration,
) -> Result<Output, Refusal> {
    let open = lock().get(&number).cloned().ok_or(Refusal::Closed)?;
    let text = str::from_utf8(setting).map_err(|_| Refusal::NotReadHere)?;
    let encoded = saltern_encoded::parse(text).map_err(|_| Refusal::NotReadHere)?;
    let setting = match encoded.setting() {
        setting @ (Setting::Argon2(_) | Setting::Bcrypt(_) | Setting::Pbkdf2(_) | Setting::Scrypt(_)) => {
            setting.clone()
        }
        Setting::VerifyOnly(_) | Setting::Wrapped(_) => return Err(Refusal::NotReadHere),
    };
    let admitted = Admitted::new(setting, &open.ceilings).map_err(|_| Refusal::CostOutOfBounds)?;
    let deadline = Instant::now().checked_add(left).ok_or(Refusal::DeadlineExceeded)?;
    let work = Work { admitted, password, deadline, urgency: Urgency::Required };
    let ticket = open.pool.submit(work).map_err(|refused| match refused {
        Refused::DeadlineExceeded => Refusal::DeadlineExceeded,
        Refused::Overloaded { .. } => Refusal::Overloaded,
    })?;
    let answer = open.waits.wait(call, ticket).ok_or(Refusal::Cancelled)?;
    let done = answer.map_err(|dropped| match dropped {
        Dropped::DeadlineExceeded => Refusal::DeadlineExceeded,
        Dropped::Fault => Refusal::Fault,
        Dropped::NoMemory => Refusal::NoMemory,
    })?;
    Ok(done.output)
}

struct Open {
    pool: Pool,
    ceilings: Ceilings,
    waits: Waits,
}

/// No number is given twice: whoever still asks for a closed pool must not meet another client's.
static NEXT: AtomicI64 = AtomicI64::new(1);

static POOLS: Mutex<BTreeMap<i64, Arc<Open>>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<i64, Arc<Open>>> {
    // Single insertions and removals: a panic leaves nothing half done.
    POOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::thread;

    use super::*;

    /// What `crypt_blowfish` makes of `U*U`, at cost 5.
    const BCRYPT: &str = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
    const ARGON2: &str =
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const LONG: Duration = Duration::from_mins(1);
    const CALL: i64 = 1;

    const CEILINGS: Ceilings = Ceilings {
        bcrypt_cost: 15,
        argon2_memory_kib: 1 << 10,
        argon2_memory_passes_kib: 1 << 10,
        argon2_parallelism: 1,
        pbkdf2_iterations_blocks: 1000,
        sha_crypt_rounds: 0,
        scrypt_memory_bytes: 1 << 20,
        scrypt_n_r_p: 1 << 10,
    };

    fn opened() -> i64 {
        open(NonZeroUsize::MIN, 0, CEILINGS).unwrap()
    }

    fn computed(number: i64, setting: &str, password: &str, left: Duration) -> Result<Vec<u8>, Refusal> {
        let password = Password::new(password.as_bytes()).unwrap();
        compute(number, CALL, setting.as_bytes(), password, left).map(|output| output.expose().to_vec())
    }

    #[test]
    fn a_pool_computes_until_it_is_closed() {
        let number = opened();
        let expected = saltern_encoded::parse(BCRYPT).unwrap().output().to_vec();
        assert_eq!(computed(number, BCRYPT, "U*U", LONG), Ok(expected));
        close(number);
        assert_eq!(computed(number, BCRYPT, "U*U", LONG), Err(Refusal::Closed));
        close(number);
        assert_ne!(opened(), number);
    }

    #[test]
    fn a_cancelled_hash_ends_its_call_and_gives_up_its_lane() {
        let ceilings = Ceilings { bcrypt_cost: 31, ..CEILINGS };
        let number = open(NonZeroUsize::MIN, 0, ceilings).unwrap();
        // Hours: whatever ends it is not its own end.
        let endless = BCRYPT.replacen("05", "24", 1);
        let ages = Duration::from_secs(1 << 30);
        let began = Instant::now();
        let waiting = thread::spawn(move || computed(number, &endless, "U*U", ages));
        // A call that has not come to its wait is let be: again, until one has.
        while !waiting.is_finished() {
            cancel(number, CALL + 1);
            thread::sleep(Duration::from_millis(20));
            assert!(began.elapsed() < LONG, "the call is not cancelled");
            cancel(number, CALL);
        }
        assert_eq!(waiting.join().unwrap(), Err(Refusal::Cancelled));
        // It waits for what the workers have under way.
        close(number);
        assert!(began.elapsed() < LONG, "the lane goes on");
        cancel(number, CALL);
    }

    #[test]
    fn what_is_not_for_a_kernel_is_refused_by_its_reason() {
        let number = opened();
        let refused = |setting: &str, left| computed(number, setting, "x", left).unwrap_err();
        assert_eq!(refused("", LONG), Refusal::NotReadHere);
        assert_eq!(refused("$2b$05$", LONG), Refusal::NotReadHere);
        // DES: read, and only ever verified.
        assert_eq!(refused("{CRYPT}/.5HtJ1UHtEh2", LONG), Refusal::NotReadHere);
        assert_eq!(refused(&BCRYPT.replacen("05", "16", 1), LONG), Refusal::CostOutOfBounds);
        assert_eq!(refused(&ARGON2.replacen("m=64", "m=2048", 1), LONG), Refusal::CostOutOfBounds);
        assert_eq!(refused(BCRYPT, Duration::ZERO), Refusal::DeadlineExceeded);
        // A second of bcrypt in a tenth of one.
        assert_eq!(
            refused(&BCRYPT.replacen("05", "15", 1), Duration::from_millis(100)),
            Refusal::DeadlineExceeded
        );
    }

    #[test]
    fn a_hash_that_gets_no_memory_says_so() {
        let ceilings = Ceilings { scrypt_memory_bytes: u64::MAX, scrypt_n_r_p: u64::MAX, ..CEILINGS };
        let number = open(NonZeroUsize::MIN, 0, ceilings).unwrap();
        // More than a processor addresses, and ages to fill it.
        let huge = "$scrypt$ln=48,r=8,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        assert_eq!(computed(number, huge, "x", Duration::from_secs(1 << 40)), Err(Refusal::NoMemory));
    }
}
