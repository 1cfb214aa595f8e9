//! The pools that clients have opened, by number. An unknown or closed number is an error.

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

use saltern_encoded::Setting;
use saltern_kernels::{Admitted, Ceilings, Output, Password};
use saltern_pool::{Dropped, Pool, PoolSettings, Refused, Work};

use crate::waits::Waits;

/// The reason why nothing was computed. `NativeCalls` has the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotComputed {
    /// The wait in the queue would pass the deadline.
    Overloaded = 1,
    /// The deadline has passed, or is too near.
    DeadlineExceeded = 2,
    /// A fault of this library.
    Fault = 3,
    /// A cost is over its ceiling.
    CostOutOfBounds = 4,
    /// The setting is verify-only or wrapped, or the password is too long. The JVM must compute the
    /// hash.
    NotReadHere = 5,
    /// No pool has this number.
    Closed = 6,
    /// The system gave no memory for the hash.
    NoMemory = 7,
    /// The caller has cancelled the hash.
    Cancelled = 8,
}

impl From<Dropped> for NotComputed {
    fn from(dropped: Dropped) -> Self {
        match dropped {
            Dropped::DeadlineExceeded => Self::DeadlineExceeded,
            Dropped::Fault => Self::Fault,
            Dropped::NoMemory => Self::NoMemory,
            Dropped::Overloaded { .. } => Self::Overloaded,
        }
    }
}

/// Starts the workers of a client. Returns their number, which is never 0. The hashes of a worker
/// use `kept_bytes` of memory at once, and the worker may keep as much between two hashes.
pub(crate) fn open(workers: NonZeroUsize, kept_bytes: u64, ceilings: Ceilings) -> io::Result<i64> {
    let settings = settings(workers, kept_bytes);
    let pool = Pool::start(&settings)?;
    let pool = Arc::new(Open { pool, ceilings, waits: Waits::default() });
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    lock().insert(number, pool);
    Ok(number)
}

/// Closes a pool. Its workers end after the last running hash.
pub(crate) fn close(number: i64) {
    let closed = lock().remove(&number);
    // Outside the lock, because this joins the workers.
    drop(closed);
}

/// Ends the wait of a call to [`compute`] and drops its work. Does nothing for a call that does not
/// wait.
pub(crate) fn cancel(number: i64, call: i64) {
    let open = lock().get(&number).cloned();
    if let Some(open) = open {
        open.waits.cancel(call);
    }
}

/// Computes one hash. The calling thread waits.
///
/// The caller chooses `call`; [`cancel`] finds the call by it. `setting` is the text of a hash with
/// any output of the right length.
pub(crate) fn compute(
    number: i64,
    call: i64,
    setting: &[u8],
    password: Password,
    left: Duration,
) -> Result<Output, NotComputed> {
    let open = lock().get(&number).cloned().ok_or(NotComputed::Closed)?;
    let text = str::from_utf8(setting).map_err(|_| NotComputed::NotReadHere)?;
    let encoded = saltern_encoded::parse(text).map_err(|_| NotComputed::NotReadHere)?;
    let setting = match encoded.setting() {
        setting @ (Setting::Argon2(_) | Setting::Bcrypt(_) | Setting::Pbkdf2(_) | Setting::Scrypt(_)) => {
            setting.clone()
        }
        Setting::VerifyOnly(_) | Setting::Wrapped(_) => return Err(NotComputed::NotReadHere),
    };
    let admitted = Admitted::new(setting, &open.ceilings).map_err(|_| NotComputed::CostOutOfBounds)?;
    let deadline = Instant::now().checked_add(left).ok_or(NotComputed::DeadlineExceeded)?;
    let ticket =
        open.pool.submit(Work::new(admitted, password, deadline)).map_err(|refused| match refused {
            Refused::DeadlineExceeded => NotComputed::DeadlineExceeded,
            Refused::Overloaded { .. } => NotComputed::Overloaded,
        })?;
    let answer = open.waits.wait(call, ticket).ok_or(NotComputed::Cancelled)?;
    Ok(answer?.output)
}

fn settings(workers: NonZeroUsize, kept_bytes: u64) -> PoolSettings {
    // The client has its own queue.
    PoolSettings { queue: None, kept_bytes, ..PoolSettings::new(workers) }
}

struct Open {
    pool: Pool,
    ceilings: Ceilings,
    waits: Waits,
}

/// The next number. No number is used twice: a call to a closed pool must not reach another
/// client's.
static NEXT: AtomicI64 = AtomicI64::new(1);

static POOLS: Mutex<BTreeMap<i64, Arc<Open>>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<i64, Arc<Open>>> {
    // Only single insertions and removals: a panic leaves the map consistent.
    POOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::thread;

    use saltern_pool::OneCore;

    use super::*;

    /// The hash of `U*U` at cost 5, by `crypt_blowfish`.
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

    fn computed(number: i64, setting: &str, password: &str, left: Duration) -> Result<Vec<u8>, NotComputed> {
        let password = Password::new(password.as_bytes()).unwrap();
        compute(number, CALL, setting.as_bytes(), password, left).map(|output| output.expose().to_vec())
    }

    #[test]
    fn a_pool_computes_until_it_is_closed() {
        let number = opened();
        let expected = saltern_encoded::parse(BCRYPT).unwrap().output().to_vec();
        assert_eq!(computed(number, BCRYPT, "U*U", LONG), Ok(expected));
        close(number);
        assert_eq!(computed(number, BCRYPT, "U*U", LONG), Err(NotComputed::Closed));
        close(number);
        assert_ne!(opened(), number);
    }

    #[test]
    fn argon2_has_as_many_lanes_as_the_memory_of_the_client_holds() {
        // The shipped policy needs 64 MiB.
        let setting = ARGON2.replacen("m=64,t=1", "m=65536,t=4", 1);
        let encoded = saltern_encoded::parse(&setting).unwrap();
        for (kept_mib, lanes) in [(46, 1), (128, 2), (256, 4), (1024, 4)] {
            let worker = OneCore::new(&settings(NonZeroUsize::MIN, kept_mib << 20));
            assert_eq!(worker.lanes(encoded.setting()), lanes, "{kept_mib} MiB");
        }
    }

    #[test]
    fn a_cancelled_hash_ends_its_call_and_gives_up_its_lane() {
        let ceilings = Ceilings { bcrypt_cost: 31, ..CEILINGS };
        let number = open(NonZeroUsize::MIN, 0, ceilings).unwrap();
        // It would take hours, so only the cancellation can end it.
        let endless = BCRYPT.replacen("05", "24", 1);
        let ages = Duration::from_secs(1 << 30);
        let began = Instant::now();
        let waiting = thread::spawn(move || computed(number, &endless, "U*U", ages));
        // The call may not wait yet, so cancel it until it ends.
        while !waiting.is_finished() {
            cancel(number, CALL + 1);
            thread::sleep(Duration::from_millis(20));
            assert!(began.elapsed() < LONG, "the call is not cancelled");
            cancel(number, CALL);
        }
        assert_eq!(waiting.join().unwrap(), Err(NotComputed::Cancelled));
        // This waits for the running hashes.
        close(number);
        assert!(began.elapsed() < LONG, "the lane goes on");
        cancel(number, CALL);
    }

    #[test]
    fn a_hash_that_no_kernel_may_compute_is_refused_with_the_reason() {
        let number = opened();
        let refused = |setting: &str, left| computed(number, setting, "x", left).unwrap_err();
        assert_eq!(refused("", LONG), NotComputed::NotReadHere);
        assert_eq!(refused("$2b$05$", LONG), NotComputed::NotReadHere);
        // DES is verify-only.
        assert_eq!(refused("{CRYPT}/.5HtJ1UHtEh2", LONG), NotComputed::NotReadHere);
        assert_eq!(refused(&BCRYPT.replacen("05", "16", 1), LONG), NotComputed::CostOutOfBounds);
        assert_eq!(refused(&ARGON2.replacen("m=64", "m=2048", 1), LONG), NotComputed::CostOutOfBounds);
        assert_eq!(refused(BCRYPT, Duration::ZERO), NotComputed::DeadlineExceeded);
        // A second of bcrypt in a tenth of a second.
        assert_eq!(
            refused(&BCRYPT.replacen("05", "15", 1), Duration::from_millis(100)),
            NotComputed::DeadlineExceeded
        );
    }

    #[test]
    fn a_panic_is_a_fault_of_the_library() {
        // The pool's own tests make a kernel panic.
        assert_eq!(NotComputed::from(Dropped::Fault) as u8, 3);
    }

    #[test]
    fn a_hash_without_memory_is_refused() {
        let ceilings = Ceilings { scrypt_memory_bytes: u64::MAX, scrypt_n_r_p: u64::MAX, ..CEILINGS };
        let number = open(NonZeroUsize::MIN, 0, ceilings).unwrap();
        // More memory than a processor can address, and time enough to fill it.
        let huge = "$scrypt$ln=48,r=8,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        assert_eq!(computed(number, huge, "x", Duration::from_secs(1 << 40)), Err(NotComputed::NoMemory));
    }
}
