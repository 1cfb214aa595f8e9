//! The workers: a bounded queue in front of one thread per core.
//!
//! `schedule` assigns work to workers and refuses work; it has no threads. `estimate` predicts how
//! long work takes, from measurements. `lane_worker` is a thread that computes many hashes at once,
//! `block_worker` a thread that computes one hash after the other. Each core has one of each.

mod block_worker;
mod estimate;
mod first_estimates;
mod lane;
mod lane_worker;
#[cfg(feature = "load-model")]
pub mod load_model;
mod one_core;
mod schedule;
mod task;
mod work;

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

use saltern_encoded::{Algorithm, pbkdf2::Prf};
use tokio::sync::oneshot;

pub use self::one_core::OneCore;
pub use self::work::{Done, Dropped, QueueLimits, Refused, Urgency, Work};
use self::{
    estimate::{Cost, Estimates},
    schedule::{Schedule, Wake},
    task::Task,
};
use crate::{Kernels, bcrypt, kernels::WholeKernel, pbkdf2};

/// The settings of a pool.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// Number of workers: one for each core that the pool may use.
    pub workers: NonZeroUsize,
    /// Which code computes.
    pub kernels: Kernels,
    /// Bounds on waiting work; `None` if the front door bounds it (a batch on classic Lambda).
    pub queue: Option<QueueLimits>,
    /// bcrypt hashes at once on each worker, 1 to [`MOST_BCRYPT_LANES`]; `None` for as many as the
    /// L1 data cache holds.
    pub bcrypt_lanes: Option<NonZeroUsize>,
    /// Memory that each worker may keep between two hashes, in bytes. A worker that has used more
    /// gives all of it back right after the hash.
    pub kept_bytes: u64,
}

impl PoolSettings {
    /// Returns the default settings for so many cores: this crate's own kernels, the contract's
    /// queue, and memory for OWASP's largest argon2id.
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

/// Work that was taken. If the ticket is dropped, the worker drops the work.
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Result<Done, Dropped>>);

impl Ticket {
    /// Blocks the thread until the work is done or dropped. Asynchronous code awaits the ticket
    /// instead.
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

/// The workers and their queue. Dropping the pool finishes all taken work and ends the threads.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
    #[cfg(feature = "load-model")]
    model: Option<load_model::Model>,
}

impl Pool {
    /// Measures this machine for a few milliseconds and starts the workers.
    ///
    /// # Errors
    /// [`io::Error`] if the system gives no thread.
    pub fn start(settings: &PoolSettings) -> io::Result<Self> {
        let workers = settings.workers.get();
        let mut estimates = Estimates::new(|algorithm| width(settings, algorithm));
        first_estimates::measure(settings, &mut estimates);
        let sliced = Algorithm::ALL
            .into_iter()
            .filter(|&algorithm| runs_in_lanes(settings.kernels, algorithm))
            .collect();
        let schedule = Schedule::new(workers, sliced, estimates, settings.queue);
        let mut pool = Self {
            shared: Arc::new(Shared::new(schedule, workers)),
            threads: Vec::new(),
            #[cfg(feature = "load-model")]
            model: None,
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

    /// Takes the work, or refuses it at once.
    ///
    /// # Errors
    /// [`Refused`], with the reason.
    pub fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        #[cfg(feature = "load-model")]
        let work = match load_model::take(self.model.as_ref(), work) {
            Ok(ticket) => return Ok(ticket),
            Err(returned) => returned,
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

    /// Returns the memory that the workers hold for Argon2 and scrypt, in bytes.
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

/// Runs a worker until it returns.
///
/// Kernels run under [`Task::guarded`]. If the worker's own code panics, all work that it held is
/// answered as a fault, and the worker starts again.
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

/// Keeps a panic that repeats from using a whole core.
const PAUSE_AFTER_A_PANIC: Duration = Duration::from_millis(10);

/// Whether an algorithm is computed in slices, beside other hashes. All others are computed whole.
fn runs_in_lanes(kernels: Kernels, algorithm: Algorithm) -> bool {
    let has_lanes = matches!(
        algorithm,
        Algorithm::Bcrypt | Algorithm::Pbkdf2Sha1 | Algorithm::Pbkdf2Sha256 | Algorithm::Pbkdf2Sha512
    );
    has_lanes && kernels == Kernels::Own
}

/// Returns the number of lanes of an algorithm on a full worker.
fn width(settings: &PoolSettings, algorithm: Algorithm) -> usize {
    if !runs_in_lanes(settings.kernels, algorithm) {
        return 1;
    }
    match algorithm {
        Algorithm::Bcrypt => {
            let asked_for = settings.bcrypt_lanes.map(NonZeroUsize::get);
            asked_for.unwrap_or_else(bcrypt::lanes::lanes_that_fit_l1).min(MOST_BCRYPT_LANES)
        }
        Algorithm::Pbkdf2Sha1 => pbkdf2::lanes::width(Prf::Sha1),
        Algorithm::Pbkdf2Sha256 => pbkdf2::lanes::width(Prf::Sha256),
        Algorithm::Pbkdf2Sha512 => pbkdf2::lanes::width(Prf::Sha512),
        _ => 1,
    }
}

/// The schedule, and a condition variable for each thread that may sleep.
#[derive(Debug)]
struct Shared {
    schedule: Mutex<Schedule<Task>>,
    lane_doorbells: Vec<Condvar>,
    block_doorbells: Vec<Condvar>,
    /// Bytes that each block worker's arena holds, for metrics.
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
        // A panic does not leave the schedule inconsistent: kernels run outside the lock.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doorbell(&self, worker: Wake) -> &Condvar {
        match worker {
            Wake::LaneWorker(i) => &self.lane_doorbells[i],
            Wake::BlockWorker(i) => &self.block_doorbells[i],
        }
    }

    /// Sleeps until the thread is woken or `at_most` has passed. Returns whether it was woken.
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
