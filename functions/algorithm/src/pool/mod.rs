//! The workers: a bounded queue in front of one thread per core.
//!
//! `schedule` decides who computes what and what is refused, without threads; `estimate` knows how long work takes,
//! by measurement. `lane_worker` is a thread that computes many hashes at once, `block_worker` one that computes them one
//! after the other; each core has one of both.

mod block_worker;
mod calibration;
mod estimate;
mod lane;
mod lane_worker;
mod one_core;
mod schedule;
#[cfg(feature = "load-model")]
mod stand_in;
mod task;

use std::{
    future::Future,
    io,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use saltern_encoded::pbkdf2::Prf;
use tokio::sync::oneshot;

pub use self::one_core::OneCore;
#[cfg(feature = "load-model")]
pub use self::stand_in::Reply;
use self::{
    estimate::{Cost, Estimates, Kind},
    schedule::{Schedule, Wake},
    task::Task,
};
use crate::{Admitted, Kernels, Output, Password, bcrypt, kernels::WholeKernel, pbkdf2};

/// How a pool is built.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// Workers, one for each core that may be used.
    pub workers: NonZeroUsize,
    /// Which code computes.
    pub kernels: Kernels,
    /// Bounds on waiting work; `None` where the front door bounds it (a batch on classic Lambda).
    pub queue: Option<QueueLimits>,
    /// bcrypt hashes at once on each worker, 1 to [`MOST_BCRYPT_LANES`]; `None` for what the L1 data cache holds.
    pub bcrypt_lanes: Option<NonZeroUsize>,
    /// Memory that each worker may keep between two hashes, in bytes. More is given back right after use.
    pub kept_bytes: u64,
}

impl PoolSettings {
    /// The usual settings for so many cores: lanes, the contract's queue, and memory for OWASP's largest argon2id.
    #[must_use]
    pub fn new(workers: NonZeroUsize) -> Self {
        Self {
            workers,
            kernels: Kernels::default(),
            queue: Some(QueueLimits::default()),
            bcrypt_lanes: None,
            kept_bytes: KEPT_BYTES,
        }
    }
}

/// The most bcrypt hashes that a worker computes at once.
pub const MOST_BCRYPT_LANES: usize = bcrypt::lanes::MAX_LANES;

/// 46 MiB: the largest memory among OWASP's recommendations for argon2id.
const KEPT_BYTES: u64 = 46 << 20;

/// Bounds on waiting work. Work that has started does not count.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Operations, over all workers.
    pub operations: usize,
    /// Estimated work, for each worker.
    pub work_per_worker: Duration,
}

impl Default for QueueLimits {
    /// The contract's: 1,024 operations and 2 s of estimated work for each worker.
    fn default() -> Self {
        Self { operations: 1024, work_per_worker: Duration::from_secs(2) }
    }
}

/// One hash to compute.
#[derive(Debug)]
pub struct Work {
    /// What to compute.
    pub admitted: Admitted,
    /// For which password.
    pub password: Password,
    /// When the answer is worth nothing any more.
    pub deadline: Instant,
    /// Whether it may be refused for others' sake.
    pub urgency: Urgency,
}

/// Whether work may be refused for others' sake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Somebody waits for it.
    Required,
    /// Done only where little waits: the upgrade of a hash after a login.
    Optional,
}

/// Why work was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The work alone does not fit before the deadline: nobody can do it in time.
    DeadlineExceeded,
    /// The queue is full, or the wait ahead makes the deadline unreachable.
    Overloaded {
        /// When the same work would probably be taken.
        retry_after: Duration,
    },
}

/// Why work that was taken was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// Its deadline passed, before or during the computation.
    DeadlineExceeded,
    /// A fault of ours: the kernel panicked, or the pool ended.
    Fault,
    /// The system gave no memory for it.
    NoMemory,
}

/// A computed hash.
#[derive(Debug)]
pub struct Done {
    /// What was computed.
    pub output: Output,
    /// From being taken to the first instruction.
    pub queued: Duration,
    /// From there to the last.
    pub hashed: Duration,
    /// The most lanes that its worker had in use meanwhile, its own among them; 1 for what is computed whole.
    pub lanes: usize,
}

/// Work that was taken. Dropping it tells the worker that nobody waits any more.
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Result<Done, Dropped>>);

impl Ticket {
    /// Blocks the thread until the work is done or dropped. Not for asynchronous code, which awaits the ticket.
    ///
    /// # Errors
    /// [`Dropped`], with the reason.
    pub fn wait(self) -> Result<Done, Dropped> {
        self.0.blocking_recv().unwrap_or(Err(Dropped::Fault))
    }
}

impl Future for Ticket {
    type Output = Result<Done, Dropped>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or(Err(Dropped::Fault)))
    }
}

/// The workers and their queue. Dropping the pool finishes what was taken and ends the threads.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
    #[cfg(feature = "load-model")]
    stand_in: Option<stand_in::StandIn>,
}

impl Pool {
    /// Measures this machine for a few milliseconds and starts the workers.
    ///
    /// # Errors
    /// [`io::Error`] where the system gives no thread.
    pub fn start(settings: &PoolSettings) -> io::Result<Self> {
        let workers = settings.workers.get();
        let mut estimates = Estimates::new(|kind| width(settings, kind));
        calibration::measure(settings, &mut estimates);
        let sliced = Kind::ALL.into_iter().filter(|&kind| runs_in_lanes(settings.kernels, kind)).collect();
        let schedule = Schedule::new(workers, sliced, estimates, settings.queue);
        let mut pool = Self {
            shared: Arc::new(Shared::new(schedule, workers)),
            threads: Vec::new(),
            #[cfg(feature = "load-model")]
            stand_in: None,
        };
        for worker in 0..workers {
            let mut kernel = WholeKernel::new(settings.kernels, settings.kept_bytes);
            pool.spawn(Wake::LaneWorker(worker), move |shared| lane_worker::run(shared, worker))?;
            pool.spawn(Wake::BlockWorker(worker), move |shared| {
                block_worker::run(shared, worker, &mut kernel);
            })?;
        }
        Ok(pool)
    }

    /// Takes work, or refuses it at once.
    ///
    /// # Errors
    /// [`Refused`], with the reason.
    pub fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        #[cfg(feature = "load-model")]
        let work = match &self.stand_in {
            None => work,
            Some(stand_in) => match stand_in.take(work) {
                Ok(ticket) => return Ok(ticket),
                Err(given_back) => given_back,
            },
        };
        let Work { admitted, password, deadline, urgency } = work;
        let (reply, ticket) = oneshot::channel();
        let cost = Cost::of(&admitted, password.expose());
        let task = Task { admitted, password, reply };
        let wake = self.shared.lock().submit(task, cost, deadline, urgency, Instant::now())?;
        if let Some(worker) = wake {
            self.shared.doorbell(worker).notify_one();
        }
        Ok(Ticket(ticket))
    }

    /// Memory that the workers hold for Argon2 and scrypt, in bytes.
    #[must_use]
    pub fn arena_bytes(&self) -> u64 {
        self.shared.arena_bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }

    fn spawn(&mut self, worker: Wake, run: impl FnMut(&Shared) + Send + 'static) -> io::Result<()> {
        let name = match worker {
            Wake::LaneWorker(number) => format!("saltern-lanes-{number}"),
            Wake::BlockWorker(number) => format!("saltern-block-{number}"),
        };
        let shared = Arc::clone(&self.shared);
        self.threads
            .push(thread::Builder::new().name(name).spawn(move || keep_running(&shared, worker, run))?);
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().close();
        self.shared.lane_doorbells.iter().chain(&self.shared.block_doorbells).for_each(Condvar::notify_one);
        for thread in self.threads.drain(..) {
            let _never_panics = thread.join();
        }
    }
}

/// Runs a worker until it ends by itself. Kernels run under a guard of their own; where the worker's own code panics, what
/// it held is answered as a fault, and it begins again.
fn keep_running(shared: &Shared, worker: Wake, mut run: impl FnMut(&Shared)) {
    while catch_unwind(AssertUnwindSafe(|| run(shared))).is_err() {
        let mut schedule = shared.lock();
        if schedule.closed() {
            return;
        }
        schedule.begin_again(worker);
        drop(schedule);
        thread::sleep(PAUSE_AFTER_A_PANIC);
    }
}

/// So that a panic that comes again and again does not take a core.
const PAUSE_AFTER_A_PANIC: Duration = Duration::from_millis(10);

/// Whether a kind is computed in slices beside others, or whole.
fn runs_in_lanes(kernels: Kernels, kind: Kind) -> bool {
    let has_lanes = matches!(kind, Kind::Bcrypt | Kind::Pbkdf2Sha1 | Kind::Pbkdf2Sha256 | Kind::Pbkdf2Sha512);
    has_lanes && kernels == Kernels::Lanes
}

/// Lanes of a kind on a full worker.
fn width(settings: &PoolSettings, kind: Kind) -> usize {
    if !runs_in_lanes(settings.kernels, kind) {
        return 1;
    }
    match kind {
        Kind::Bcrypt => {
            let asked_for = settings.bcrypt_lanes.map(NonZeroUsize::get);
            asked_for.unwrap_or_else(bcrypt::lanes::lanes_that_fit_l1).min(MOST_BCRYPT_LANES)
        }
        Kind::Pbkdf2Sha1 => pbkdf2::lanes::width(Prf::Sha1),
        Kind::Pbkdf2Sha256 => pbkdf2::lanes::width(Prf::Sha256),
        Kind::Pbkdf2Sha512 => pbkdf2::lanes::width(Prf::Sha512),
        _ => 1,
    }
}

/// The schedule, and a doorbell for each thread that may sleep.
#[derive(Debug)]
struct Shared {
    schedule: Mutex<Schedule<Task>>,
    lane_doorbells: Vec<Condvar>,
    block_doorbells: Vec<Condvar>,
    /// What each block worker's arena holds: for those who look from outside.
    arena_bytes: Vec<AtomicU64>,
}

impl Shared {
    fn new(schedule: Schedule<Task>, workers: usize) -> Self {
        let doorbells = || (0..workers).map(|_| Condvar::new()).collect();
        Self {
            schedule: Mutex::new(schedule),
            lane_doorbells: doorbells(),
            block_doorbells: doorbells(),
            arena_bytes: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule<Task>> {
        // The schedule holds no promise that a panic could break half-way: kernels run outside the lock.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doorbell(&self, worker: Wake) -> &Condvar {
        match worker {
            Wake::LaneWorker(i) => &self.lane_doorbells[i],
            Wake::BlockWorker(i) => &self.block_doorbells[i],
        }
    }

    /// Sleeps until woken or until `at_most` has passed. Says whether it was woken.
    fn sleep(
        &self,
        mut schedule: MutexGuard<'_, Schedule<Task>>,
        worker: Wake,
        at_most: Option<Duration>,
    ) -> bool {
        schedule.sleep(worker);
        let asleep = |schedule: &mut Schedule<Task>| !schedule.awake(worker);
        let doorbell = self.doorbell(worker);
        let Some(at_most) = at_most else {
            drop(doorbell.wait_while(schedule, asleep).unwrap_or_else(PoisonError::into_inner));
            return true;
        };
        let waited = doorbell.wait_timeout_while(schedule, at_most, asleep);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}
