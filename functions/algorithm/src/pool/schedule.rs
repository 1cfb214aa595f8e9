//! Assigns work to workers and refuses work: a state machine without threads, clocks or kernels.
//!
//! Lane workers hold many hashes at once, and new ones join at slice boundaries. Block workers
//! compute one hash at a time, from start to end. Each kind of worker has its own queue. The same
//! estimates count both queues.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

use super::{
    estimate::{Cost, Estimates},
    work::{QueueLimits, Refused, Urgency},
};

/// A job, as the schedule knows it.
pub(crate) trait Job {
    /// Whether the caller has gone.
    fn abandoned(&self) -> bool;
}

/// A job in a queue.
#[derive(Debug)]
pub(crate) struct Waiting<J> {
    pub(crate) job: J,
    pub(crate) cost: Cost,
    pub(crate) deadline: Instant,
    pub(crate) since: Instant,
}

/// The approximate time between two boundaries. It is short compared with a hash, so that joining
/// is quick, and long compared with the cost of a boundary.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

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
    /// Jobs to answer: they can no longer meet their deadline.
    pub(crate) expired: Vec<J>,
}

#[derive(Debug)]
pub(crate) struct Schedule<J> {
    pub(crate) estimates: Estimates,
    limits: Option<QueueLimits>,
    sliced_algorithms: Vec<Algorithm>,
    sliced: Queue<J>,
    whole: Queue<J>,
    lane_workers: Vec<LaneWorker>,
    block_workers: Vec<BlockWorker>,
    /// For each algorithm with a job rejected as impossible: the next time to test its bound.
    next_tries: [Option<Instant>; Algorithm::ALL.len()],
    closed: bool,
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
            sliced_algorithms,
            sliced: Queue::default(),
            whole: Queue::default(),
            lane_workers: (0..workers).map(|_| LaneWorker::default()).collect(),
            block_workers: (0..workers).map(|_| BlockWorker::default()).collect(),
            next_tries: [None; Algorithm::ALL.len()],
            closed: false,
        }
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
        if self.is_hopeless(Running { rest: cost, deadline }, now) {
            if !self.is_time_for_a_try(cost, deadline, now) {
                return Err(Refused::DeadlineExceeded);
            }
            self.estimates.doubt_bound(cost.algorithm);
        }
        let refused = |schedule: &Self| schedule.refusal(cost, deadline, urgency, now);
        if refused(self).is_some() {
            // Jobs without a caller must not take the place of others.
            self.sliced.forget_abandoned();
            self.whole.forget_abandoned();
            if let Some(refusal) = refused(self) {
                return Err(refusal);
            }
        }
        let waiting = Waiting { job, cost, deadline, since: now };
        if self.runs_in_lanes(cost.algorithm) {
            self.sliced.push(waiting);
            Ok(wake_one(self.lane_workers.iter_mut().map(|w| &mut w.sleep)).map(Wake::LaneWorker))
        } else {
            self.whole.push(waiting);
            Ok(wake_one(self.block_workers.iter_mut().map(|w| &mut w.sleep)).map(Wake::BlockWorker))
        }
    }

    /// Handles a slice boundary. `running` are the lanes of the worker; started jobs join them.
    pub(crate) fn lane_boundary(
        &mut self,
        worker: usize,
        running: impl Iterator<Item = Running>,
        now: Instant,
    ) -> Found<J> {
        let own = &mut self.lane_workers[worker];
        own.sleep = Sleep::Awake;
        own.lanes.clear();
        own.lanes.extend(running);
        let mut found = Found { started: Vec::new(), expired: Vec::new() };
        let mut position = 0;
        while position < self.sliced.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.sliced.jobs[position];
            let gone = waiting.job.abandoned();
            let rest = Running { rest: waiting.cost, deadline: waiting.deadline };
            let expired = self.is_hopeless(rest, now);
            if !gone && !expired && !self.should_join(worker, rest, now) {
                position += 1;
                continue;
            }
            let Some(waiting) = self.sliced.remove(position) else { break };
            if expired {
                found.expired.push(waiting.job);
            } else if !gone {
                self.lane_workers[worker].lanes.push(rest);
                found.started.push(waiting);
            }
        }
        found
    }

    /// Whether the remaining work cannot meet its deadline, even alone on a core.
    pub(crate) fn is_hopeless(&self, running: Running, now: Instant) -> bool {
        running.deadline <= now || self.estimates.least_duration(running.rest) > running.deadline - now
    }

    /// Whether to take a job that seems impossible, to test the bound.
    ///
    /// A bound that is too high refuses jobs, so they are not measured, and it would stay too high.
    /// So from time to time an idle worker computes one of them.
    fn is_time_for_a_try(&mut self, cost: Cost, deadline: Instant, now: Instant) -> bool {
        let starts_at_once = self.finish(cost, deadline, now).is_none();
        let next_try = self.next_tries[cost.algorithm as usize].get_or_insert(now + TRY_EVERY);
        let tries = deadline > now && starts_at_once && *next_try <= now;
        if tries {
            *next_try = now + TRY_EVERY;
        }
        tries
    }

    /// Returns the worker's next slices: each algorithm that it holds, with the work per lane that
    /// fills the algorithm's share of a slice.
    pub(crate) fn slices(&self, worker: usize) -> Vec<(Algorithm, u64)> {
        let together = LaneCounts::of_lanes(self.lane_workers[worker].lanes.iter());
        let share = SLICE / together.algorithms().max(1);
        let algorithms = Algorithm::ALL.into_iter().filter(|&algorithm| together.of(algorithm) > 0);
        algorithms
            .map(|algorithm| {
                (algorithm, self.estimates.work_within(algorithm, together.of(algorithm), share))
            })
            .collect()
    }

    /// Returns the next hash for a free block worker, if there is one.
    pub(crate) fn block_free(&mut self, worker: usize, now: Instant) -> Found<J> {
        self.block_workers[worker] = BlockWorker { sleep: Sleep::Awake, busy: None };
        let mut found = Found { started: Vec::new(), expired: Vec::new() };
        while found.started.is_empty() {
            let Some(waiting) = self.whole.remove(0) else { break };
            if waiting.job.abandoned() {
                continue;
            }
            if self.is_hopeless(Running { rest: waiting.cost, deadline: waiting.deadline }, now) {
                found.expired.push(waiting.job);
            } else {
                self.block_workers[worker].busy = Some((waiting.cost, now));
                found.started.push(waiting);
            }
        }
        found
    }

    /// Notes that a block worker has ended a hash. `measured` is its time, unless it failed.
    pub(crate) fn block_done(&mut self, worker: usize, measured: Option<(Cost, Duration)>) {
        self.block_workers[worker].busy = None;
        if let Some((cost, elapsed)) = measured {
            self.estimates.measured(cost.algorithm, 1, cost.work, elapsed);
        }
    }

    /// Notes that a worker panicked and starts again. All work that it held is lost.
    pub(crate) fn begin_again(&mut self, worker: Wake) {
        match worker {
            Wake::LaneWorker(i) => self.lane_workers[i] = LaneWorker::default(),
            Wake::BlockWorker(i) => self.block_workers[i] = BlockWorker::default(),
        }
    }

    /// Notes that a worker has nothing to do and sleeps.
    pub(crate) fn sleep(&mut self, worker: Wake) {
        match worker {
            Wake::LaneWorker(i) => self.lane_workers[i].sleep = Sleep::Asleep,
            Wake::BlockWorker(i) => self.block_workers[i].sleep = Sleep::Asleep,
        }
    }

    /// Whether the worker was woken since it went to sleep.
    pub(crate) fn awake(&self, worker: Wake) -> bool {
        let sleep = match worker {
            Wake::LaneWorker(i) => self.lane_workers[i].sleep,
            Wake::BlockWorker(i) => self.block_workers[i].sleep,
        };
        sleep != Sleep::Asleep || self.closed
    }

    /// Makes the workers end when their queue is empty.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    pub(crate) fn closed(&self) -> bool {
        self.closed
    }

    /// Whether an algorithm is computed in lanes.
    pub(crate) fn runs_in_lanes(&self, algorithm: Algorithm) -> bool {
        self.sliced_algorithms.contains(&algorithm)
    }

    fn refusal(&self, cost: Cost, deadline: Instant, urgency: Urgency, now: Instant) -> Option<Refused> {
        let nothing_waits = self.sliced.jobs.is_empty() && self.whole.jobs.is_empty();
        let ahead = self.waiting_core_time();
        let overloaded = || {
            let drained = ahead / self.workers();
            Some(Refused::Overloaded { retry_after: drained.max(LEAST_RETRY_AFTER) })
        };
        if urgency == Urgency::Optional && self.is_under_pressure(ahead) {
            return overloaded();
        }
        if let Some(limits) = self.limits {
            let full = self.sliced.jobs.len() + self.whole.jobs.len() >= limits.operations;
            let work = ahead + self.estimates.core_time(cost);
            // If nothing waits, an operation longer than the bound is taken. Otherwise it would
            // never be.
            if full || (!nothing_waits && work > limits.work_per_worker * self.workers()) {
                return overloaded();
            }
        }
        match self.finish(cost, deadline, now) {
            Some(finish) if finish > deadline => overloaded(),
            _ => None,
        }
    }

    /// Whether the queue is too long for optional work.
    fn is_under_pressure(&self, ahead: Duration) -> bool {
        let bound =
            self.limits.map(|limits| limits.work_per_worker / SHARE_FOR_OPTIONAL_WORK * self.workers());
        bound.is_some_and(|bound| ahead > bound)
    }

    /// Returns when `cost` would be done; `None` if it can start at once.
    fn finish(&self, cost: Cost, deadline: Instant, now: Instant) -> Option<Instant> {
        if self.runs_in_lanes(cost.algorithm) {
            self.lane_finish(cost, deadline, now)
        } else {
            self.block_finish(cost, now)
        }
    }

    /// Returns when `cost` would be done in lanes; `None` if it can start at once.
    fn lane_finish(&self, cost: Cost, deadline: Instant, now: Instant) -> Option<Instant> {
        let joining = Running { rest: cost, deadline };
        let open = (0..self.lane_workers.len()).any(|w| self.may_join(w, joining, now));
        if open && self.sliced.jobs.is_empty() {
            return None;
        }
        let first_lane = self.lane_workers.iter().map(|w| w.next_to_finish(&self.estimates)).min();
        let wait = first_lane.unwrap_or_default() + self.sliced.core_time(&self.estimates) / self.workers();
        let own = self.estimates.duration(cost, self.estimates.width(cost.algorithm));
        Some(now + with_head_room(wait + own))
    }

    /// Returns when a block worker would finish `cost`; `None` if it can start at once.
    fn block_finish(&self, cost: Cost, now: Instant) -> Option<Instant> {
        let idle = self.block_workers.iter().any(|w| w.busy.is_none());
        if idle && self.whole.jobs.is_empty() {
            return None;
        }
        let running: Duration = self.block_workers.iter().map(|w| w.rest(&self.estimates, now)).sum();
        let wait = (running + self.whole.core_time(&self.estimates)) / self.workers();
        Some(now + with_head_room(wait + self.estimates.duration(cost, 1)))
    }

    /// Whether a job joins this worker. It does not if it may join another worker that has fewer
    /// lanes.
    fn should_join(&self, worker: usize, joining: Running, now: Instant) -> bool {
        let lanes = self.lane_workers[worker].lanes.len();
        let emptier = |w: usize| {
            let other = &self.lane_workers[w];
            other.sleep != Sleep::Asleep && other.lanes.len() < lanes && self.may_join(w, joining, now)
        };
        self.may_join(worker, joining, now) && !(0..self.lane_workers.len()).any(emptier)
    }

    /// Whether a job may join this worker.
    ///
    /// It may not if the worker has no room, or if the job, or a job already running there, would
    /// then miss its deadline.
    fn may_join(&self, worker: usize, joining: Running, now: Instant) -> bool {
        let lanes = &self.lane_workers[worker].lanes;
        if lanes.is_empty() {
            return true;
        }
        let share = |running: &Running| FULL / self.estimates.width(running.rest.algorithm);
        if lanes.iter().map(share).sum::<usize>() + share(&joining) > FULL {
            return false;
        }
        let finish = |running: &Running, together: &LaneCounts| {
            let alongside = self.estimates.duration(running.rest, together.of(running.rest.algorithm));
            now + alongside * together.algorithms()
        };
        let before = LaneCounts::of_lanes(lanes.iter());
        let after = LaneCounts::of_lanes(lanes.iter().chain([&joining]));
        let pushed_past = |running: &Running| {
            finish(running, &before) <= running.deadline && finish(running, &after) > running.deadline
        };
        finish(&joining, &after) <= joining.deadline && !lanes.iter().any(pushed_past)
    }

    fn waiting_core_time(&self) -> Duration {
        self.sliced.core_time(&self.estimates) + self.whole.core_time(&self.estimates)
    }

    fn workers(&self) -> u32 {
        u32::try_from(self.lane_workers.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// Waiting jobs, first in, first out, and the sum of their work.
#[derive(Debug)]
struct Queue<J> {
    jobs: VecDeque<Waiting<J>>,
    work: [u64; Algorithm::ALL.len()],
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self { jobs: VecDeque::new(), work: [0; Algorithm::ALL.len()] }
    }
}

impl<J: Job> Queue<J> {
    fn push(&mut self, waiting: Waiting<J>) {
        self.work[waiting.cost.algorithm as usize] += waiting.cost.work;
        self.jobs.push_back(waiting);
    }

    fn remove(&mut self, position: usize) -> Option<Waiting<J>> {
        let waiting = self.jobs.remove(position)?;
        self.work[waiting.cost.algorithm as usize] -= waiting.cost.work;
        Some(waiting)
    }

    fn forget_abandoned(&mut self) {
        let work = &mut self.work;
        self.jobs.retain(|waiting| {
            let abandoned = waiting.job.abandoned();
            if abandoned {
                work[waiting.cost.algorithm as usize] -= waiting.cost.work;
            }
            !abandoned
        });
    }

    fn core_time(&self, estimates: &Estimates) -> Duration {
        let of_algorithm = |algorithm: Algorithm| {
            estimates.core_time(Cost { algorithm, work: self.work[algorithm as usize] })
        };
        Algorithm::ALL.into_iter().map(of_algorithm).sum()
    }
}

#[derive(Debug, Default)]
struct LaneWorker {
    sleep: Sleep,
    lanes: Vec<Running>,
}

impl LaneWorker {
    /// Returns the time until its first lane is free.
    fn next_to_finish(&self, estimates: &Estimates) -> Duration {
        let together = LaneCounts::of_lanes(self.lanes.iter());
        let rest = |lane: &Running| {
            estimates.duration(lane.rest, together.of(lane.rest.algorithm)) * together.algorithms()
        };
        self.lanes.iter().map(rest).min().unwrap_or_default()
    }
}

#[derive(Debug, Default)]
struct BlockWorker {
    sleep: Sleep,
    /// The cost of the hash in progress, and its start.
    busy: Option<(Cost, Instant)>,
}

impl BlockWorker {
    fn rest(&self, estimates: &Estimates, now: Instant) -> Duration {
        let Some((cost, since)) = self.busy else { return Duration::ZERO };
        estimates.duration(cost, 1).saturating_sub(now.saturating_duration_since(since))
    }
}

/// Whether a worker's thread runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sleep {
    #[default]
    Awake,
    Asleep,
    /// Woken, but not yet running. The next job wakes another worker.
    Woken,
}

fn wake_one<'a>(workers: impl Iterator<Item = &'a mut Sleep>) -> Option<usize> {
    let (worker, sleep) = workers.enumerate().find(|(_, sleep)| **sleep == Sleep::Asleep)?;
    *sleep = Sleep::Woken;
    Some(worker)
}

/// Adds an eighth to a forecast.
///
/// Under overload the queue is as long as deadlines allow, so every job that is taken just fits. If
/// the forecast were only right on average, half of those jobs would be late.
fn with_head_room(forecast: Duration) -> Duration {
    forecast + forecast / 8
}

/// The number of lanes of each algorithm on a worker. The algorithms take turns, one slice each.
struct LaneCounts([usize; Algorithm::ALL.len()]);

impl LaneCounts {
    fn of_lanes<'a>(lanes: impl Iterator<Item = &'a Running>) -> Self {
        let mut counts = [0; Algorithm::ALL.len()];
        for lane in lanes {
            counts[lane.rest.algorithm as usize] += 1;
        }
        Self(counts)
    }

    fn of(&self, algorithm: Algorithm) -> usize {
        self.0[algorithm as usize]
    }

    fn algorithms(&self) -> u32 {
        u32::try_from(self.0.iter().filter(|&&n| n > 0).count()).unwrap_or(u32::MAX)
    }
}

/// The capacity of a worker. A lane of an algorithm takes `FULL / width` of it.
const FULL: usize = 1 << 20;

/// The number of waiting jobs that a boundary inspects. A job that must wait for another worker
/// does not block the jobs behind it.
const LOOK_AHEAD: usize = 32;

/// Optional work is taken while the queue holds at most this fraction (one divided by it) of its
/// work.
///
/// So all rehashes of a batch of logins are done under normal load, and none during a spike.
const SHARE_FOR_OPTIONAL_WORK: u32 = 4;

/// The time between two tests of a bound that refuses jobs. A wrong bound does not last long, and a
/// useless hash is rare.
const TRY_EVERY: Duration = Duration::from_secs(10);

/// The shortest `retry_after`. A shorter one would bring the caller back to the same queue.
const LEAST_RETRY_AFTER: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
