//! Assigns work to workers and refuses work: a state machine without threads, clocks or kernels.
//!
//! Lane workers hold many hashes at once, and new ones join at slice boundaries. Block workers
//! compute one hash at a time, from start to end. Each kind of worker has its own queue. The same
//! estimates count both queues.
//!
//! `queue` keeps the order of the jobs, `shares` that of their callers. `workers` knows what each
//! worker holds. `forecast` tells when a job would be done, and `refusal` which jobs are not taken.

mod forecast;
mod queue;
mod refusal;
mod shares;
mod workers;

use std::{
    mem,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

pub(crate) use self::queue::Waiting;
use self::{
    queue::{LOOK_AHEAD, Queue},
    shares::Shares,
    workers::{BlockWorker, Sleep, Workers},
};
use super::{
    estimate::{Cost, Estimates},
    work::{Caller, QueueLimits, Refused, Urgency},
};

/// A job, as the schedule knows it.
pub(crate) trait Job {
    /// Whether the caller has gone.
    fn abandoned(&self) -> bool;

    /// The program that waits for the job.
    fn caller(&self) -> Caller;
}

/// The approximate time between two boundaries. It is short compared with a hash, so that joining
/// is quick, and long compared with the cost of a boundary.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

/// A part of a job that was computed whole: a layer of a hash of one reading of the password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) cost: Cost,
    /// Its time on all its cores.
    pub(crate) core_time: Duration,
}

/// A lane in use, as its worker last reported it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    /// The remaining work.
    pub(crate) rest: Cost,
    pub(crate) deadline: Instant,
}

/// A thread to wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    LaneWorker(usize),
    BlockWorker(usize),
}

/// The jobs that a worker took from its queue.
#[derive(Debug)]
pub(crate) struct Found<J> {
    /// Jobs to start.
    pub(crate) started: Vec<Waiting<J>>,
    /// Jobs to answer: even alone they can no longer meet their deadline.
    pub(crate) expired: Vec<J>,
    /// Jobs to answer: the jobs ahead of them take too long.
    pub(crate) overloaded: Vec<J>,
}

impl<J> Found<J> {
    const NOTHING: Self = Self { started: Vec::new(), expired: Vec::new(), overloaded: Vec::new() };
}

#[derive(Debug)]
pub(crate) struct Schedule<J> {
    pub(crate) estimates: Estimates,
    limits: Option<QueueLimits>,
    pub(crate) workers: Workers,
    sliced: Queue<J>,
    whole: Queue<J>,
    shares: Shares,
    /// Jobs to answer: they made room for a caller with less waiting work.
    displaced: Vec<J>,
    /// When the waiting jobs are judged again.
    next_judgement: Option<Instant>,
    /// For each algorithm with a job rejected as impossible: the next time to test its bound.
    next_tries: [Option<Instant>; Algorithm::ALL.len()],
}

impl<J: Job> Schedule<J> {
    /// Makes a schedule for `workers` cores. The algorithms in `sliced_algorithms` run in lanes.
    pub(crate) fn new(
        workers: usize,
        sliced_algorithms: Vec<Algorithm>,
        estimates: Estimates,
        limits: Option<QueueLimits>,
    ) -> Self {
        Self {
            estimates,
            limits,
            workers: Workers::new(workers, sliced_algorithms),
            sliced: Queue::default(),
            whole: Queue::default(),
            shares: Shares::default(),
            displaced: Vec::new(),
            next_judgement: None,
            next_tries: [None; Algorithm::ALL.len()],
        }
    }

    /// Sets the number of workers that compute whole hashes.
    pub(crate) fn with_block_workers(mut self, workers: usize) -> Self {
        self.workers.block.resize_with(workers, BlockWorker::default);
        self
    }

    /// Takes a job and returns the thread to wake for it, or refuses the job.
    pub(crate) fn submit(
        &mut self,
        job: J,
        cost: Cost,
        deadline: Instant,
        urgency: Urgency,
        now: Instant,
    ) -> Result<Option<Wake>, Refused> {
        let start = self.shares.next_start(job.caller());
        if self.is_hopeless(Running { rest: cost, deadline }, now) {
            if !self.is_time_for_a_try(cost, deadline, start, now) {
                return Err(Refused::DeadlineExceeded);
            }
            self.estimates.doubt_bound(cost.algorithm);
        }
        let core_time = self.estimates.core_time(cost);
        let refusal = |schedule: &Self| schedule.refusal(cost, deadline, urgency, start, now);
        if self.is_full(core_time) || refusal(self).is_some() {
            // Jobs without a caller must not take the place of others.
            self.sliced.forget_abandoned();
            self.whole.forget_abandoned();
            if let Some(refusal) = refusal(self) {
                self.queue_of_mut(cost).note_refusal(now);
                return Err(refusal);
            }
            self.make_room(start, core_time)?;
        }
        if self.nothing_waits() {
            self.shares = Shares::default();
        }
        let start = self.shares.charge(job.caller(), core_time);
        let waiting = Waiting { job, cost, deadline, since: now, start, core_time };
        self.queue_of_mut(cost).insert(waiting, now);
        Ok(self.wake(cost, start))
    }

    /// Wakes a worker for a job that waits for memory, and returns its thread.
    ///
    /// A worker sleeps although such jobs wait. Other workers call this whenever they may have
    /// released memory.
    pub(crate) fn wake_for_memory(&mut self) -> Option<Wake> {
        let [sliced, whole] = [&self.sliced, &self.whole].map(Queue::first_in_memory);
        [sliced, whole].into_iter().flatten().find_map(|(start, cost)| self.wake(cost, start))
    }

    /// Whether a job in a queue needs memory.
    pub(crate) fn waits_for_memory(&self) -> bool {
        [&self.sliced, &self.whole].into_iter().any(|queue| queue.first_in_memory().is_some())
    }

    /// Wakes a sleeping worker for a waiting job, and returns its thread.
    fn wake(&mut self, cost: Cost, start: Duration) -> Option<Wake> {
        let reserved = self.reserved_before(cost, start);
        self.workers.wake(cost, reserved, &self.estimates)
    }

    /// Returns the jobs that made room for another job since the last call, to be answered.
    pub(crate) fn take_displaced(&mut self) -> Vec<J> {
        mem::take(&mut self.displaced)
    }

    /// Handles a slice boundary. `running` are the lanes of the worker; started jobs join them.
    pub(crate) fn lane_boundary(
        &mut self,
        worker: usize,
        running: impl Iterator<Item = Running>,
        now: Instant,
    ) -> Found<J> {
        let own = &mut self.workers.lane[worker];
        own.sleep = Sleep::Awake;
        own.lanes.clear();
        own.lanes.extend(running);
        let mut found = Found::NOTHING;
        self.judge_again(&mut found, now);
        let mut position = 0;
        while position < self.sliced.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.sliced.jobs[position];
            let reserved = self.reserved_before(waiting.cost, waiting.start);
            let gone = waiting.job.abandoned();
            let rest = Running { rest: waiting.cost, deadline: waiting.deadline };
            let expired = self.is_hopeless(rest, now);
            if !gone && !expired && !self.workers.should_join(worker, rest, reserved, now, &self.estimates) {
                position += 1;
                continue;
            }
            let Some(waiting) = self.sliced.remove(position) else { break };
            if expired {
                found.expired.push(waiting.job);
            } else if !gone {
                self.workers.lane[worker].lanes.push(rest);
                self.shares.taken(waiting.start);
                found.started.push(waiting);
            }
        }
        found
    }

    /// Returns the next hash for a free block worker, if there is one.
    pub(crate) fn block_free(&mut self, worker: usize, now: Instant) -> Found<J> {
        self.workers.block[worker] = BlockWorker { sleep: Sleep::Awake, busy: None };
        let mut found = Found::NOTHING;
        self.judge_again(&mut found, now);
        let mut position = 0;
        while found.started.is_empty() && position < self.whole.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.whole.jobs[position];
            let gone = waiting.job.abandoned();
            let expired = self.is_hopeless(Running { rest: waiting.cost, deadline: waiting.deadline }, now);
            let reserved = self.reserved_before(waiting.cost, waiting.start);
            if !gone && !expired && !self.workers.has_memory(worker, waiting.cost, reserved, &self.estimates)
            {
                position += 1;
                continue;
            }
            let Some(waiting) = self.whole.remove(position) else { break };
            if gone {
                continue;
            }
            if expired {
                found.expired.push(waiting.job);
            } else {
                self.workers.block[worker].busy = Some((waiting.cost, now));
                self.shares.taken(waiting.start);
                found.started.push(waiting);
            }
        }
        found
    }

    /// Notes that a block worker has ended a job. `measured` are the parts that it computed.
    pub(crate) fn block_done(&mut self, worker: usize, measured: &[Part]) {
        self.workers.block[worker].busy = None;
        // A reference crate may compute an inner layer, also of an algorithm that has lanes.
        for Part { cost, core_time } in measured {
            if !self.workers.runs_in_lanes(*cost) || self.estimates.is_measured_whole(cost.algorithm) {
                self.estimates.measured(cost.algorithm, 1, cost.work, *core_time);
            }
        }
    }

    /// Returns the worker's next slices: each algorithm that it holds, with the work per lane that
    /// fills the algorithm's share of a slice.
    pub(crate) fn slices(&self, worker: usize) -> Vec<(Algorithm, u64)> {
        self.workers.slices(worker, &self.estimates)
    }
}

#[cfg(test)]
mod tests;
