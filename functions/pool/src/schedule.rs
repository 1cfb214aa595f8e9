//! Assigns work to workers and refuses work: a state machine without threads, clocks or kernels.
//!
//! Lane workers hold many hashes at once, and new ones join at slice boundaries. Block workers
//! compute one hash at a time, from start to end. Each kind of worker has its own queue. The same
//! estimates count both queues.
//!
//! `queue` keeps the order of the jobs, `shares` the computing time of their callers. `workers` knows
//! what each worker holds. `forecast` tells when a job would be done, and `refusal` which jobs are not
//! taken. `learning` follows what was measured.

mod forecast;
mod learning;
mod queue;
mod refusal;
mod shares;
mod workers;

use std::{
    mem,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

pub(crate) use self::{learning::Slice, queue::Waiting};
use self::{
    queue::{LOOK_AHEAD, Place, Queue},
    shares::Shares,
    workers::{BlockWorker, Sleep, Whole, Workers},
};
use super::{
    estimate::{Cost, Estimates},
    learner::Learner,
    work::{CallerNumber, QueueLimits, Refused, Urgency},
};

/// A job, as the schedule knows it.
pub(crate) trait Job {
    /// Whether the caller has gone.
    fn abandoned(&self) -> bool;

    /// The program that waits for the job.
    fn caller(&self) -> CallerNumber;

    /// The cost of what follows this job: it is taken with it, and comes to the queue after it.
    fn later(&self) -> Option<Cost> {
        None
    }
}

/// The approximate time between two boundaries. It is short compared with a hash, so that joining
/// is quick, and long compared with the cost of a boundary.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

/// A part of a job that was computed whole: the hash of one reading of the password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) cost: Cost,
    /// Its time on all its cores.
    pub(crate) core_time: Duration,
}

/// A job in a lane, as its worker last reported it, or one that waits or asks to be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) caller: CallerNumber,
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
    /// Jobs for the lane workers: of an algorithm for which `PoolSettings::lanes` has a number.
    sliced: Queue<J>,
    /// Jobs for the block workers.
    whole: Queue<J>,
    shares: Shares,
    /// What learns the lanes of Argon2, unless they are set.
    learner: Option<Learner>,
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
            learner: None,
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

    /// Lets the schedule learn the lanes of Argon2.
    pub(crate) fn with_learner(self, learner: Option<Learner>) -> Self {
        Self { learner, ..self }
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
        let joining = Running { caller: job.caller(), rest: cost, deadline };
        let start = |schedule: &Self| schedule.shares.next_start(joining.caller, schedule.first_start());
        if self.is_hopeless(joining, now) {
            if !self.is_time_for_a_try(joining, start(self), now) {
                return Err(Refused::DeadlineExceeded);
            }
            self.estimates.doubt_bound(cost.algorithm);
        }
        let core_time = self.estimates.core_time_with(cost, job.later());
        let refusal = |schedule: &Self| schedule.refusal(joining, urgency, start(schedule), now);
        if self.is_full(core_time) || refusal(self).is_some() {
            // Jobs without a caller must not take the place of others.
            self.sliced.forget_abandoned(&mut self.shares, now);
            self.whole.forget_abandoned(&mut self.shares, now);
            if let Some(refusal) = refusal(self) {
                self.shares.note_refusal(joining.caller, now);
                return Err(refusal);
            }
            self.make_room(joining.caller, core_time, now)?;
        }
        Ok(self.insert(job, joining, start(self), now))
    }

    /// Takes a job whose first part was computed. It was taken with that, so it is not refused now.
    pub(crate) fn resume(&mut self, job: J, cost: Cost, deadline: Instant, now: Instant) -> Option<Wake> {
        let joining = Running { caller: job.caller(), rest: cost, deadline };
        let start = self.shares.next_start(joining.caller, self.first_start());
        self.insert(job, joining, start, now)
    }

    fn insert(&mut self, job: J, joining: Running, start: Duration, now: Instant) -> Option<Wake> {
        let Running { caller, rest: cost, deadline } = joining;
        let core_time = self.estimates.core_time_with(cost, job.later());
        self.shares.submitted(caller, start, core_time, now);
        let waiting = Waiting { job, cost, deadline, since: now, start, core_time };
        self.queue_of_mut(cost).insert(waiting);
        self.wake(joining, (start, now))
    }

    /// Wakes a worker for a job that waits for memory or may take the last worker now, and returns its
    /// thread.
    ///
    /// A worker sleeps although such jobs wait. Other workers call this at each boundary: they may have
    /// released memory, and other callers may have left.
    pub(crate) fn wake_for_waiting(&mut self, now: Instant) -> Option<Wake> {
        let whole = self.whole.jobs.iter().take(LOOK_AHEAD).find(|Waiting { job, .. }| {
            !job.abandoned() && !self.would_hold_the_last_worker(job.caller(), now)
        });
        let first = [self.sliced.first_in_memory(), whole]
            .map(|waiting| waiting.map(|waiting| (waiting.running(), waiting.place())));
        first.into_iter().flatten().find_map(|(waiting, place)| self.wake(waiting, place))
    }

    /// Whether a job in a queue needs memory.
    pub(crate) fn waits_for_memory(&self) -> bool {
        [&self.sliced, &self.whole].into_iter().any(|queue| queue.first_in_memory().is_some())
    }

    /// Wakes a sleeping worker for a waiting job, and returns its thread.
    fn wake(&mut self, waiting: Running, place: Place) -> Option<Wake> {
        let reserved = self.reserved_before(waiting.rest, place);
        self.workers.wake(waiting, reserved, &self.estimates)
    }

    /// Returns the start of the first job of both queues.
    fn first_start(&self) -> Option<Duration> {
        [&self.sliced, &self.whole]
            .into_iter()
            .filter_map(|queue| queue.jobs.front())
            .map(|job| job.start)
            .min()
    }

    /// Whether a job joins this worker at a boundary. It does not if it may join another worker that
    /// has fewer lanes.
    fn should_join(&self, worker: usize, joining: Running, reserved: u64, now: Instant) -> bool {
        let stays = self.stays(joining.caller);
        self.workers.should_join(worker, joining, reserved, now, &self.estimates, &stays)
    }

    /// Returns which lanes stay beside those of a caller. Those of callers that have had as much or
    /// more give way.
    fn stays(&self, caller: CallerNumber) -> impl Fn(&Running) -> bool {
        move |lane| !self.shares.lead(caller, lane.caller).is_zero()
    }

    /// Whether a whole hash of this caller would take the last worker for such hashes, while others
    /// are active. They could not get it back before the hash ends.
    fn would_hold_the_last_worker(&self, caller: CallerNumber, now: Instant) -> bool {
        let workers = &self.workers.block;
        let own = workers.iter().filter_map(|worker| worker.busy).filter(|whole| whole.job.caller == caller);
        workers.len() > 1 && own.count() + 1 >= workers.len() && self.shares.active(now) > 1
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
        // Smaller hashes of the same caller would take each lane that ends, and this one never had room.
        let mut lacks_room = None;
        while position < self.sliced.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.sliced.jobs[position];
            let reserved = self.reserved_before(waiting.cost, waiting.place());
            let gone = waiting.job.abandoned();
            let joining = waiting.running();
            let expired = self.is_hopeless(joining, now);
            let waits = lacks_room == Some(joining.caller);
            if !gone && !expired && (waits || !self.should_join(worker, joining, reserved, now)) {
                if lacks_room.is_none() && self.workers.lacks_room(worker, joining, reserved, &self.estimates)
                {
                    lacks_room = Some(joining.caller);
                }
                position += 1;
                continue;
            }
            let Some(waiting) = self.sliced.remove(position) else { break };
            if expired || gone {
                self.shares.left(joining.caller, waiting.core_time, now);
                found.expired.extend(expired.then_some(waiting.job));
            } else {
                self.workers.lane[worker].lanes.push(joining);
                self.shares.taken(joining.caller, waiting.start, now);
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
            let whole = waiting.running();
            let expired = self.is_hopeless(whole, now);
            let reserved = self.reserved_before(waiting.cost, waiting.place());
            let may_start = self.workers.has_memory(worker, whole, reserved, &self.estimates)
                && !self.would_hold_the_last_worker(whole.caller, now);
            if !gone && !expired && !may_start {
                position += 1;
                continue;
            }
            let Some(waiting) = self.whole.remove(position) else { break };
            if expired || gone {
                self.shares.left(whole.caller, waiting.core_time, now);
                found.expired.extend(expired.then_some(waiting.job));
            } else {
                self.shares.taken(whole.caller, waiting.start, now);
                let (job, estimate) = (whole, waiting.core_time);
                let charged = self.shares.prepay(job.caller, estimate, now);
                self.workers.block[worker].busy = Some(Whole { job, since: now, estimate, charged });
                found.started.push(waiting);
            }
        }
        found
    }

    /// Notes that a block worker has ended a job. `measured` are the parts that it computed.
    pub(crate) fn block_done(&mut self, worker: usize, measured: &[Part], now: Instant) {
        if let Some(Whole { job, estimate, charged, .. }) = self.workers.block[worker].busy.take() {
            let took = measured.iter().map(|part| part.core_time).sum();
            self.shares.correct(job.caller, estimate, took, now);
            self.shares.recharge(job.caller, charged, took, now);
        }
        for Part { cost, core_time } in measured {
            self.estimates.measured(cost.algorithm, 1, cost.work, *core_time);
        }
    }

    /// Follows the computing time of a lane since it was last charged.
    pub(crate) fn charge(&mut self, caller: CallerNumber, core_time: Duration, now: Instant) {
        self.shares.charge(caller, core_time, now);
    }

    /// Follows the end of a lane: replaces the estimate of its job by the time that it took.
    pub(crate) fn lane_ended(
        &mut self,
        caller: CallerNumber,
        estimate: Duration,
        core_time: Duration,
        now: Instant,
    ) {
        self.shares.correct(caller, estimate, core_time, now);
    }

    /// Returns the worker's next slices.
    pub(crate) fn turn(&self, worker: usize) -> Turn {
        let used = |lane: &Running| self.shares.used(lane.caller);
        self.workers.turn(worker, used, &self.estimates)
    }
}

/// What a worker does until the next boundary.
pub(crate) struct Turn {
    /// Each algorithm, with the work per lane that fills the algorithm's share of a slice.
    pub(crate) slices: Vec<(Algorithm, u64)>,
    /// For each lane whether it goes on. Others give way to callers that have had less.
    pub(crate) goes_on: Vec<bool>,
}

#[cfg(test)]
mod crowd;
#[cfg(test)]
mod tests;
