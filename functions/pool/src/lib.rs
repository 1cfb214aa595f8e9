//! The workers: a bounded queue in front of the threads that compute.
//!
//! `schedule` assigns work to workers and refuses work; it has no threads. `estimate` predicts how
//! long work takes, from measurements. `lane_worker` is a thread that computes many hashes at once,
//! `block_worker` a thread that computes one hash after the other. Each core has one of the first
//! kind, and each that may hold a hash in memory one of the second. `learner` learns how many hashes of
//! Argon2 a worker computes at once.

#![forbid(unsafe_code)]

mod argon2_lanes;
mod block_worker;
mod estimate;
mod first_estimates;
mod lane_worker;
mod learner;
mod one_core;
#[cfg(test)]
mod panics;
mod schedule;
mod settings;
mod shared;
mod submitted;
mod work;

use core::fmt;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar},
    thread,
    time::Duration,
};

use saltern_encoded::Algorithm;
use saltern_kernels::{Arena, WholeKernel};

pub use self::argon2_lanes::{Argon2Lanes, MOST_ARGON2_LANES};
pub use self::one_core::OneCore;
pub use self::settings::PoolSettings;
pub use self::submitted::{Reply, Ticket};
pub use self::work::{CallerNumber, Done, Dropped, QueueLimits, Refused, Urgency, Work};
use self::{
    schedule::{Schedule, Wake},
    shared::Shared,
};

/// The workers and their queue. Dropping the pool finishes all taken work and ends the threads.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Pool {
    /// Measures this machine for a few milliseconds and starts the workers.
    ///
    /// # Errors
    /// [`io::Error`] if the system gives no thread.
    pub fn start(settings: &PoolSettings) -> io::Result<Self> {
        let workers = settings.workers.get();
        let mut estimates = settings.estimates();
        let learner = settings.learner();
        if let Some(learner) = &learner {
            estimates.set_width(Algorithm::Argon2id, learner.width());
        }
        first_estimates::measure(settings, &mut estimates);
        let sliced =
            Algorithm::ALL.into_iter().filter(|&algorithm| settings.lanes(algorithm).is_some()).collect();
        let holders = settings.holders.get().min(workers);
        let schedule = Schedule::new(workers, sliced, estimates, settings.queue)
            .with_block_workers(holders)
            .with_learner(learner);
        let mut pool = Self { shared: Arc::new(Shared::new(schedule, settings)), threads: Vec::new() };
        for worker in 0..workers {
            pool.spawn(Wake::LaneWorker(worker), move |shared| lane_worker::run(shared, worker))?;
        }
        for worker in 0..holders {
            let arena = pool.shared.arenas[worker].clone();
            let mut kernel = WholeKernel::new(settings.kernels, arena);
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
        let (ticket, reply) = Ticket::with_reply();
        self.shared.submit(work, reply)?;
        Ok(ticket)
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

/// What computes hashes for a service: the pool, or a model of it.
pub trait Workers: fmt::Debug + Send + Sync + 'static {
    /// Takes the work, or refuses it at once.
    ///
    /// # Errors
    /// [`Refused`], with the reason.
    fn submit(&self, work: Work) -> Result<Ticket, Refused>;

    /// Returns the memory that is held for Argon2 and scrypt, in bytes.
    fn arena_bytes(&self) -> u64;

    /// Returns how many large Argon2 hashes each worker computes at once: the number of the settings,
    /// or what was learned.
    fn argon2_lanes(&self) -> usize;
}

impl Workers for Pool {
    fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        Self::submit(self, work)
    }

    fn arena_bytes(&self) -> u64 {
        self.shared.arenas.iter().map(Arena::resident_bytes).sum()
    }

    fn argon2_lanes(&self) -> usize {
        self.shared.lock().argon2_lanes()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().workers.closed = true;
        self.shared.doorbells().for_each(Condvar::notify_one);
        for thread in self.threads.drain(..) {
            let _never_panics = thread.join();
        }
    }
}

/// Runs a worker until it returns.
///
/// A panic in a kernel is caught where it runs. If the worker's own code panics, all work that it held
/// is answered as a fault, and the worker starts again.
fn keep_running(shared: &Shared, worker: Wake, mut run: impl FnMut(&Shared)) {
    while catch_unwind(AssertUnwindSafe(|| run(shared))).is_err() {
        let mut schedule = shared.lock();
        if schedule.workers.closed {
            return;
        }
        schedule.workers.begin_again(worker);
        drop(schedule);
        thread::sleep(PAUSE_AFTER_A_PANIC);
    }
}

/// Keeps a panic that repeats from using a whole core.
const PAUSE_AFTER_A_PANIC: Duration = Duration::from_millis(10);
