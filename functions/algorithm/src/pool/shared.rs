use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use super::{
    schedule::{Schedule, Wake},
    submitted::Submitted,
};

/// The schedule, and a condition variable for each thread that may sleep.
#[derive(Debug)]
pub(super) struct Shared {
    schedule: Mutex<Schedule<Submitted>>,
    lane_doorbells: Vec<Condvar>,
    block_doorbells: Vec<Condvar>,
    /// Bytes that each block worker's arena holds, for metrics.
    pub(super) arena_bytes: Vec<AtomicU64>,
}

impl Shared {
    pub(super) fn new(schedule: Schedule<Submitted>, workers: usize) -> Self {
        let doorbells = || (0..workers).map(|_| Condvar::new()).collect();
        Self {
            schedule: Mutex::new(schedule),
            lane_doorbells: doorbells(),
            block_doorbells: doorbells(),
            arena_bytes: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Schedule<Submitted>> {
        // A panic does not leave the schedule inconsistent: kernels run outside the lock.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn doorbells(&self) -> impl Iterator<Item = &Condvar> {
        self.lane_doorbells.iter().chain(&self.block_doorbells)
    }

    pub(super) fn doorbell(&self, worker: Wake) -> &Condvar {
        match worker {
            Wake::LaneWorker(i) => &self.lane_doorbells[i],
            Wake::BlockWorker(i) => &self.block_doorbells[i],
        }
    }

    /// Sleeps until the thread is woken or `at_most` has passed. Returns whether it was woken.
    pub(super) fn sleep(
        &self,
        mut schedule: MutexGuard<'_, Schedule<Submitted>>,
        worker: Wake,
        at_most: Option<Duration>,
    ) -> bool {
        schedule.sleep(worker);
        let asleep = |schedule: &mut Schedule<Submitted>| !schedule.awake(worker);
        let doorbell = self.doorbell(worker);
        let Some(at_most) = at_most else {
            drop(doorbell.wait_while(schedule, asleep).unwrap_or_else(PoisonError::into_inner));
            return true;
        };
        let waited = doorbell.wait_timeout_while(schedule, at_most, asleep);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}
