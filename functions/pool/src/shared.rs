//! What the workers and the callers of the pool share: the schedule under its lock.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    schedule::{SLICE, Schedule, Wake},
    settings::PoolSettings,
    submitted::{Reply, Submitted},
    work::{Done, Dropped, Refused, Work},
};
use saltern_kernels::{Arena, Kernels};

/// The schedule, and a condition variable for each thread that may sleep.
#[derive(Debug)]
pub(super) struct Shared {
    schedule: Mutex<Schedule<Submitted>>,
    lane_doorbells: Vec<Condvar>,
    block_doorbells: Vec<Condvar>,
    /// The memory of each core, for both of its workers.
    pub(super) arenas: Vec<Arena>,
    /// How long an arena keeps memory that no hash uses.
    pub(super) kept_for: Duration,
    kernels: Kernels,
    /// Held by each wrapped hash that was taken: its layers may need workers of both kinds.
    wrapped: Arc<()>,
}

impl Shared {
    pub(super) fn new(schedule: Schedule<Submitted>, settings: &PoolSettings) -> Self {
        let workers = settings.workers.get();
        let doorbells = || (0..workers).map(|_| Condvar::new()).collect();
        Self {
            schedule: Mutex::new(schedule),
            lane_doorbells: doorbells(),
            block_doorbells: doorbells(),
            arenas: (0..workers).map(|_| Arena::new(settings.kept_bytes)).collect(),
            kept_for: settings.kept_for,
            kernels: settings.kernels,
            wrapped: Arc::default(),
        }
    }

    /// Lets a worker sleep that finds nothing to do. Of a closed pool it sleeps for a slice only, or
    /// ends: then this returns true.
    pub(super) fn rest(
        &self,
        schedule: MutexGuard<'_, Schedule<Submitted>>,
        other: Option<Wake>,
        worker: Wake,
    ) -> bool {
        if !schedule.workers.closed {
            self.ring(other);
            self.sleep(schedule, worker);
            return false;
        }
        let ends = !schedule.waits_for_memory() && Arc::strong_count(&self.wrapped) == 1;
        drop(schedule);
        if !ends {
            thread::sleep(SLICE);
        }
        ends
    }

    /// Takes a job, or refuses it at once.
    pub(super) fn submit(&self, work: Work, reply: Reply) -> Result<(), Refused> {
        let urgency = work.urgency;
        let job = Submitted::new(work, reply, &self.wrapped, self.kernels);
        let cost = job.cost;
        let mut schedule = self.lock();
        let now = Instant::now();
        let deadline = job.deadline(&schedule.estimates, now);
        let taken = schedule.submit(job, cost, deadline, urgency, now);
        let displaced = schedule.take_displaced();
        let displaced: Vec<_> = schedule.refusals(Vec::new(), displaced).collect();
        drop(schedule);
        for (job, dropped) in displaced {
            job.fail(dropped);
        }
        self.ring(taken?);
        Ok(())
    }

    /// Answers a job, or takes its outer layer to the queue.
    pub(super) fn answer(&self, job: Submitted, answer: Result<Done, Dropped>) {
        let outer = match answer {
            Ok(done) => job.done(done),
            Err(dropped) => return job.fail(dropped),
        };
        let Some(outer) = outer else { return };
        let cost = outer.cost;
        let mut schedule = self.lock();
        let now = Instant::now();
        let deadline = outer.deadline(&schedule.estimates, now);
        let wake = schedule.resume(outer, cost, deadline, now);
        drop(schedule);
        self.ring(wake);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Schedule<Submitted>> {
        // A panic does not leave the schedule inconsistent: kernels run outside the lock.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn doorbells(&self) -> impl Iterator<Item = &Condvar> {
        self.lane_doorbells.iter().chain(&self.block_doorbells)
    }

    fn doorbell(&self, worker: Wake) -> &Condvar {
        match worker {
            Wake::LaneWorker(i) => &self.lane_doorbells[i],
            Wake::BlockWorker(i) => &self.block_doorbells[i],
        }
    }

    /// Wakes a worker, if there is one to wake.
    pub(super) fn ring(&self, worker: Option<Wake>) {
        if let Some(worker) = worker {
            self.doorbell(worker).notify_one();
        }
    }

    /// Sleeps until the thread is woken, or until the core's memory has been idle for long and is
    /// released.
    fn sleep(&self, mut schedule: MutexGuard<'_, Schedule<Submitted>>, worker: Wake) {
        schedule.workers.sleep(worker);
        let (Wake::LaneWorker(core) | Wake::BlockWorker(core)) = worker;
        let arena = &self.arenas[core];
        let asleep = |schedule: &mut Schedule<Submitted>| !schedule.workers.awake(worker);
        let doorbell = self.doorbell(worker);
        if arena.resident_bytes() > 0 {
            drop(doorbell.wait_timeout_while(schedule, self.kept_for, asleep));
            arena.release_if_idle(self.kept_for);
        } else {
            drop(doorbell.wait_while(schedule, asleep));
        }
    }
}
