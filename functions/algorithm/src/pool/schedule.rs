//! Assigns work to workers and refuses work: a state machine without threads, clocks or kernels.
//!
//! Lane workers hold many hashes at once, and new ones join at slice boundaries. Block workers
//! compute one hash at a time, from start to end. Each kind of worker has its own queue. The same
//! estimates count both queues.

use std::{
    collections::VecDeque,
    mem,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

use super::{
    estimate::{Cost, Estimates, gain_side_by_side},
    work::{Caller, QueueLimits, Refused, Urgency},
};

/// A job, as the schedule knows it.
pub(crate) trait Job {
    /// Whether the caller has gone.
    fn abandoned(&self) -> bool;

    /// The program that waits for the job.
    fn caller(&self) -> Caller;
}

/// A job in a queue.
#[derive(Debug)]
pub(crate) struct Waiting<J> {
    pub(crate) job: J,
    pub(crate) cost: Cost,
    pub(crate) deadline: Instant,
    pub(crate) since: Instant,
    /// Its place among the jobs of all callers: see [`Shares`].
    start: Duration,
    /// Its share of a full worker's time, by the last estimate.
    core_time: Duration,
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
    sliced_algorithms: Vec<Algorithm>,
    sliced: Queue<J>,
    whole: Queue<J>,
    shares: Shares,
    /// Jobs to answer: they made room for a caller with less waiting work.
    displaced: Vec<J>,
    lane_workers: Vec<LaneWorker>,
    block_workers: Vec<BlockWorker>,
    /// When the waiting jobs are judged again.
    next_judgement: Option<Instant>,
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
            shares: Shares::default(),
            displaced: Vec::new(),
            lane_workers: (0..workers).map(|_| LaneWorker::default()).collect(),
            block_workers: (0..workers).map(|_| BlockWorker::default()).collect(),
            next_judgement: None,
            next_tries: [None; Algorithm::ALL.len()],
            closed: false,
        }
    }

    /// Sets the number of workers that compute whole hashes.
    pub(crate) fn with_block_workers(mut self, workers: usize) -> Self {
        self.block_workers.resize_with(workers, BlockWorker::default);
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

    /// Wakes a sleeping worker that has the memory for this job, and returns its thread.
    fn wake(&mut self, cost: Cost, start: Duration) -> Option<Wake> {
        let reserved = self.reserved_before(cost, start);
        let may_wake = |sleep, core| sleep == Sleep::Asleep && self.has_memory(core, cost, reserved);
        if self.runs_in_lanes(cost) {
            let worker = self.lane_workers.iter().enumerate().position(|(i, w)| may_wake(w.sleep, i))?;
            self.lane_workers[worker].sleep = Sleep::Woken;
            Some(Wake::LaneWorker(worker))
        } else {
            let worker = self.block_workers.iter().enumerate().position(|(i, w)| may_wake(w.sleep, i))?;
            self.block_workers[worker].sleep = Sleep::Woken;
            Some(Wake::BlockWorker(worker))
        }
    }

    /// Whether a core has memory for a hash beside those that it holds and `reserved` bytes. Both
    /// workers of a core share its memory.
    fn has_memory(&self, core: usize, cost: Cost, reserved: u64) -> bool {
        if cost.memory_bytes == 0 {
            return true;
        }
        let in_lanes = self.lane_workers[core].lanes.iter().map(|lane| lane.rest.memory_bytes);
        let whole = self.block_workers.get(core).and_then(|worker| worker.busy);
        let held: u64 = in_lanes.chain(whole.map(|(cost, _)| cost.memory_bytes)).sum();
        self.estimates.holds(held + reserved, cost)
    }

    /// Returns the memory that a job with this place leaves to earlier ones.
    ///
    /// Memory goes to the jobs of both queues in the order of their starts. So a large hash does
    /// not wait for ever while small ones come and go.
    fn reserved_before(&self, cost: Cost, start: Duration) -> u64 {
        if cost.memory_bytes == 0 {
            return 0;
        }
        let place = (start, self.runs_in_lanes(cost));
        let queues = [(&self.sliced, true), (&self.whole, false)];
        let first = queues.map(|(queue, in_lanes)| queue.first_in_memory().map(|(s, c)| ((s, in_lanes), c)));
        let earlier = first.into_iter().flatten().filter(|(other, _)| *other < place);
        earlier.map(|(_, cost)| cost.memory_bytes).max().unwrap_or(0)
    }

    /// Returns the jobs that made room for another job since the last call, to be answered.
    pub(crate) fn take_displaced(&mut self) -> Vec<J> {
        mem::take(&mut self.displaced)
    }

    /// Returns the time after which the pool would probably take work that it refuses now.
    pub(crate) fn retry_after(&self) -> Duration {
        (self.waiting_core_time() / self.workers()).max(LEAST_RETRY_AFTER)
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
        let mut found = Found::NOTHING;
        self.judge_again(&mut found, now);
        let mut position = 0;
        while position < self.sliced.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.sliced.jobs[position];
            let reserved = self.reserved_before(waiting.cost, waiting.start);
            let gone = waiting.job.abandoned();
            let rest = Running { rest: waiting.cost, deadline: waiting.deadline };
            let expired = self.is_hopeless(rest, now);
            if !gone && !expired && !self.should_join(worker, rest, reserved, now) {
                position += 1;
                continue;
            }
            let Some(waiting) = self.sliced.remove(position) else { break };
            if expired {
                found.expired.push(waiting.job);
            } else if !gone {
                self.lane_workers[worker].lanes.push(rest);
                self.shares.taken(waiting.start);
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
    fn is_time_for_a_try(&mut self, cost: Cost, deadline: Instant, start: Duration, now: Instant) -> bool {
        let starts_at_once = self.forecast(cost, deadline, start, now).is_none();
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
        let lanes = &self.lane_workers[worker].lanes;
        let together = LaneCounts::of_lanes(lanes.iter());
        let share = SLICE / together.algorithms().max(1);
        let algorithms = Algorithm::ALL.into_iter().filter(|&algorithm| together.of(algorithm) > 0);
        algorithms
            .map(|algorithm| {
                let of_it = lanes.iter().map(|lane| lane.rest).filter(|rest| rest.algorithm == algorithm);
                let largest_bytes = of_it.map(|rest| rest.memory_bytes).max().unwrap_or(0);
                let gain = gain_side_by_side(algorithm, largest_bytes);
                let side_by_side = if gain { together.of(algorithm) } else { 1 };
                (algorithm, self.estimates.work_within(algorithm, side_by_side, share))
            })
            .collect()
    }

    /// Returns the next hash for a free block worker, if there is one.
    pub(crate) fn block_free(&mut self, worker: usize, now: Instant) -> Found<J> {
        self.block_workers[worker] = BlockWorker { sleep: Sleep::Awake, busy: None };
        let mut found = Found::NOTHING;
        self.judge_again(&mut found, now);
        let mut position = 0;
        while found.started.is_empty() && position < self.whole.jobs.len().min(LOOK_AHEAD) {
            let waiting = &self.whole.jobs[position];
            let gone = waiting.job.abandoned();
            let expired = self.is_hopeless(Running { rest: waiting.cost, deadline: waiting.deadline }, now);
            let reserved = self.reserved_before(waiting.cost, waiting.start);
            if !gone && !expired && !self.has_memory(worker, waiting.cost, reserved) {
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
                self.block_workers[worker].busy = Some((waiting.cost, now));
                self.shares.taken(waiting.start);
                found.started.push(waiting);
            }
        }
        found
    }

    /// Notes that a block worker has ended a job. `measured` are the parts that it computed.
    pub(crate) fn block_done(&mut self, worker: usize, measured: &[Part]) {
        self.block_workers[worker].busy = None;
        // A reference crate computes an inner layer, also of an algorithm that has lanes.
        for Part { cost, core_time } in measured {
            if !self.runs_in_lanes(*cost) {
                self.estimates.measured(cost.algorithm, 1, cost.work, *core_time);
            }
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

    /// Whether a job is computed in lanes.
    pub(crate) fn runs_in_lanes(&self, cost: Cost) -> bool {
        !cost.whole && self.sliced_algorithms.contains(&cost.algorithm)
    }

    fn refusal(
        &self,
        cost: Cost,
        deadline: Instant,
        urgency: Urgency,
        start: Duration,
        now: Instant,
    ) -> Option<Refused> {
        let pressure = urgency == Urgency::Optional && self.is_under_pressure();
        let forecast = self.forecast(cost, deadline, start, now);
        let late = forecast.is_some_and(|forecast| forecast.finish > deadline);
        let stands = self.limits.is_some() && self.queue_of(cost).stands(now);
        let slow = |forecast: Forecast| {
            let mean_hash = self.mean_duration(self.queue_of(cost));
            forecast.wait > longest_wait_in_a_standing_queue(mean_hash)
        };
        (pressure || late || (stands && forecast.is_some_and(slow))).then(|| self.overloaded())
    }

    fn overloaded(&self) -> Refused {
        Refused::Overloaded { retry_after: self.retry_after() }
    }

    /// Whether the queue has no room for a job.
    ///
    /// If nothing waits, an operation longer than the bound has room. Otherwise it would never be
    /// taken.
    fn is_full(&self, core_time: Duration) -> bool {
        let operations = self.sliced.jobs.len() + self.whole.jobs.len();
        self.is_over_limits(operations, self.waiting_core_time(), core_time)
    }

    /// Whether these waiting operations, with this work, leave no room for a job.
    fn is_over_limits(&self, operations: usize, work: Duration, core_time: Duration) -> bool {
        let Some(limits) = self.limits else { return false };
        let most_work = limits.work_per_worker * self.workers();
        operations >= limits.operations || (operations > 0 && work + core_time > most_work)
    }

    /// Displaces waiting jobs that would start after the end of this job, until this job has room.
    /// If all of them together make too little room, displaces none.
    fn make_room(&mut self, start: Duration, core_time: Duration) -> Result<(), Refused> {
        let [sliced, whole] = [&self.sliced, &self.whole].map(|queue| queue.before_end(start + core_time));
        if self.is_over_limits(sliced.0 + whole.0, sliced.1 + whole.1, core_time) {
            return Err(self.overloaded());
        }
        while self.is_full(core_time) {
            let is_sliced = self.sliced.last_start() > self.whole.last_start();
            let queue = if is_sliced { &mut self.sliced } else { &mut self.whole };
            let Some(displaced) = queue.remove_last() else { break };
            self.displaced.push(displaced.job);
        }
        Ok(())
    }

    /// Judges the waiting jobs again, from time to time. Estimates may have risen since a job was
    /// taken. Jobs of other callers may stand before it now.
    ///
    /// The forecast has no head room, so that only jobs leave that would surely be late.
    fn judge_again(&mut self, found: &mut Found<J>, now: Instant) {
        if self.next_judgement.is_some_and(|next| now < next) {
            return;
        }
        self.next_judgement = Some(now + JUDGE_EVERY);
        let (of_sliced, of_whole) = (self.workers(), self.holders());
        let free_lanes = Algorithm::ALL.map(|of| free_lanes(&self.lane_workers, of, &self.estimates));
        let idle = self.block_workers.iter().filter(|worker| worker.busy.is_none()).count();
        for (queue, workers, free) in [
            (&mut self.sliced, of_sliced, free_lanes),
            (&mut self.whole, of_whole, [idle; Algorithm::ALL.len()]),
        ] {
            let mut ahead = Duration::ZERO;
            for mut waiting in mem::take(&mut queue.jobs) {
                let alone = self.estimates.least_duration(waiting.cost);
                let left = waiting.deadline.saturating_duration_since(now);
                // Work that starts together with this job does not delay its start.
                let starts_at_once = queue.jobs.len() < free[waiting.cost.algorithm as usize];
                let wait = if starts_at_once { Duration::ZERO } else { ahead / workers };
                let in_time = wait + alone <= left;
                if left.is_zero() || alone > left {
                    found.expired.push(waiting.job);
                } else if !in_time {
                    found.overloaded.push(waiting.job);
                } else if !waiting.job.abandoned() {
                    waiting.core_time = self.estimates.core_time(waiting.cost);
                    ahead += waiting.core_time;
                    queue.jobs.push_back(waiting);
                }
            }
            queue.recount();
        }
    }

    /// Whether the queue is too long for optional work.
    fn is_under_pressure(&self) -> bool {
        let bound =
            self.limits.map(|limits| limits.work_per_worker / SHARE_FOR_OPTIONAL_WORK * self.workers());
        bound.is_some_and(|bound| self.waiting_core_time() > bound)
    }

    /// Returns when a job with this place would be done; `None` if it can start at once.
    fn forecast(&self, cost: Cost, deadline: Instant, start: Duration, now: Instant) -> Option<Forecast> {
        let (position, ahead) = self.queue_of(cost).before(start);
        let (wait, own) = if self.runs_in_lanes(cost) {
            self.lane_forecast(cost, deadline, position, ahead, now)?
        } else {
            self.block_forecast(cost, position, ahead, now)?
        };
        Some(Forecast { wait, finish: now + with_head_room(wait + own) })
    }

    /// Returns the wait for a lane, and the time in it; `None` if the job can start at once.
    fn lane_forecast(
        &self,
        cost: Cost,
        deadline: Instant,
        position: usize,
        ahead: Duration,
        now: Instant,
    ) -> Option<(Duration, Duration)> {
        let joining = Running { rest: cost, deadline };
        let open = (0..self.lane_workers.len()).any(|w| self.may_join(w, joining, 0, now));
        if open && position == 0 {
            return None;
        }
        let own = self.estimates.duration(cost, self.estimates.width_of(cost));
        if open && position < free_lanes(&self.lane_workers, cost.algorithm, &self.estimates) {
            return Some((Duration::ZERO, own));
        }
        let first_lane = self.lane_workers.iter().map(|w| w.next_to_finish(&self.estimates)).min();
        Some((first_lane.unwrap_or_default() + ahead / self.workers(), own))
    }

    /// Returns the wait for a block worker, and the time on it; `None` if the job can start at
    /// once.
    fn block_forecast(
        &self,
        cost: Cost,
        position: usize,
        ahead: Duration,
        now: Instant,
    ) -> Option<(Duration, Duration)> {
        let mut workers = self.block_workers.iter().enumerate();
        let idle = workers.any(|(core, w)| w.busy.is_none() && self.has_memory(core, cost, 0));
        if idle && position == 0 {
            return None;
        }
        let running: Duration = self.block_workers.iter().map(|w| w.rest(&self.estimates, now)).sum();
        Some(((running + ahead) / self.holders(), self.estimates.duration(cost, 1)))
    }

    /// Whether a job joins this worker. It does not if it may join another worker that has fewer
    /// lanes.
    fn should_join(&self, worker: usize, joining: Running, reserved: u64, now: Instant) -> bool {
        let lanes = self.lane_workers[worker].lanes.len();
        let emptier = |w: usize| {
            let other = &self.lane_workers[w];
            other.sleep != Sleep::Asleep
                && other.lanes.len() < lanes
                && self.may_join(w, joining, reserved, now)
        };
        self.may_join(worker, joining, reserved, now) && !(0..self.lane_workers.len()).any(emptier)
    }

    /// Whether a job may join this worker.
    ///
    /// It may not if the worker has no room or its core has no memory. It may not if the job, or a
    /// job already running there, would then miss its deadline.
    fn may_join(&self, worker: usize, joining: Running, reserved: u64, now: Instant) -> bool {
        let lanes = &self.lane_workers[worker].lanes;
        if !self.has_memory(worker, joining.rest, reserved) {
            return false;
        }
        if lanes.is_empty() {
            return true;
        }
        if self.lane_workers[worker].free_lanes(joining.rest.algorithm, &self.estimates) == 0 {
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

    fn queue_of(&self, cost: Cost) -> &Queue<J> {
        if self.runs_in_lanes(cost) { &self.sliced } else { &self.whole }
    }

    fn queue_of_mut(&mut self, cost: Cost) -> &mut Queue<J> {
        if self.runs_in_lanes(cost) { &mut self.sliced } else { &mut self.whole }
    }

    /// Returns the mean duration of the jobs in a queue, on a full worker; zero if it is empty.
    ///
    /// The bound on the wait follows it. If the bound followed the job that comes, callers with
    /// long hashes would be refused first.
    fn mean_duration(&self, queue: &Queue<J>) -> Duration {
        let own = |cost: Cost| self.estimates.duration(cost, self.estimates.width_of(cost));
        let all: Duration = queue.jobs.iter().map(|waiting| own(waiting.cost)).sum();
        all.checked_div(u32::try_from(queue.jobs.len()).unwrap_or(u32::MAX)).unwrap_or_default()
    }

    fn nothing_waits(&self) -> bool {
        self.sliced.jobs.is_empty() && self.whole.jobs.is_empty()
    }

    fn waiting_core_time(&self) -> Duration {
        self.sliced.core_time + self.whole.core_time
    }

    fn workers(&self) -> u32 {
        u32::try_from(self.lane_workers.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the number of workers that compute whole hashes.
    fn holders(&self) -> u32 {
        u32::try_from(self.block_workers.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// A forecast for a job that cannot start at once.
#[derive(Clone, Copy)]
struct Forecast {
    wait: Duration,
    /// With head room.
    finish: Instant,
}

/// Waiting jobs in the order of their starts. The jobs of one caller are first in, first out.
#[derive(Debug)]
struct Queue<J> {
    jobs: VecDeque<Waiting<J>>,
    /// The sum of the jobs' core times.
    core_time: Duration,
    /// Since when there is always a job.
    occupied_since: Option<Instant>,
    /// The last refusal while it stood.
    refused: Option<Instant>,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self { jobs: VecDeque::new(), core_time: Duration::ZERO, occupied_since: None, refused: None }
    }
}

impl<J: Job> Queue<J> {
    fn insert(&mut self, waiting: Waiting<J>, now: Instant) {
        self.occupied_since.get_or_insert(now);
        self.core_time += waiting.core_time;
        self.jobs.insert(self.position(waiting.start), waiting);
    }

    fn remove(&mut self, position: usize) -> Option<Waiting<J>> {
        let waiting = self.jobs.remove(position)?;
        self.core_time -= waiting.core_time;
        self.note_emptiness();
        Some(waiting)
    }

    fn remove_last(&mut self) -> Option<Waiting<J>> {
        self.remove(self.jobs.len().checked_sub(1)?)
    }

    fn forget_abandoned(&mut self) {
        self.jobs.retain(|waiting| !waiting.job.abandoned());
        self.recount();
    }

    /// Follows a change of several jobs.
    fn recount(&mut self) {
        self.core_time = self.jobs.iter().map(|waiting| waiting.core_time).sum();
        self.note_emptiness();
    }

    fn note_emptiness(&mut self) {
        self.occupied_since = self.occupied_since.filter(|_| !self.jobs.is_empty());
    }

    /// Whether the load lasts: the workers have not emptied the queue for some time.
    ///
    /// A worker takes all jobs that it has room for at each boundary. So a queue under normal load
    /// is empty after each boundary. A short queue is at times empty under overload too, so it also
    /// stands while jobs are refused.
    fn stands(&self, now: Instant) -> bool {
        let lasts = |since: Option<Instant>| since.map(|since| now.saturating_duration_since(since));
        lasts(self.occupied_since).is_some_and(|time| time >= STANDING_AFTER)
            || lasts(self.refused).is_some_and(|time| time < CALM_AFTER)
    }

    /// Follows a refusal.
    fn note_refusal(&mut self, now: Instant) {
        if self.stands(now) {
            self.refused = Some(now);
        }
    }

    /// Returns the position of a new job with this start.
    fn position(&self, start: Duration) -> usize {
        self.jobs.partition_point(|waiting| waiting.start <= start)
    }

    /// Returns the position of a new job with this start, and the work before it.
    fn before(&self, start: Duration) -> (usize, Duration) {
        let position = self.position(start);
        (position, self.work_before(position))
    }

    /// Returns the number of jobs that start before this end of another job, and their work.
    fn before_end(&self, end: Duration) -> (usize, Duration) {
        let position = self.jobs.partition_point(|waiting| waiting.start < end);
        (position, self.work_before(position))
    }

    /// Returns the work before a position. A new job's position is usually near the end.
    fn work_before(&self, position: usize) -> Duration {
        let behind: Duration = self.jobs.range(position..).map(|waiting| waiting.core_time).sum();
        self.core_time.saturating_sub(behind)
    }

    /// Returns the start and the cost of the first job that needs memory.
    fn first_in_memory(&self) -> Option<(Duration, Cost)> {
        let needs_memory = |job: &&Waiting<J>| job.cost.memory_bytes > 0 && !job.job.abandoned();
        let first = self.jobs.iter().take(LOOK_AHEAD).find(needs_memory);
        first.map(|waiting| (waiting.start, waiting.cost))
    }

    fn last_start(&self) -> Option<Duration> {
        self.jobs.back().map(|waiting| waiting.start)
    }
}

/// Shares the workers among the callers that wait: start-time fair queueing.
///
/// Virtual time is work. A job starts when its caller's last job ends, but not before the present.
/// Jobs are taken in the order of their starts. So callers that wait at the same time get the same
/// work done, and a caller that did not wait starts at the present.
#[derive(Debug, Default)]
struct Shares {
    /// The start of the last job that a worker took.
    present: Duration,
    /// The callers whose next job starts after the present, with that start.
    next_starts: Vec<(Caller, Duration)>,
}

impl Shares {
    fn next_start(&self, caller: Caller) -> Duration {
        let next = self.next_starts.iter().find(|(other, _)| *other == caller);
        next.map_or(self.present, |&(_, start)| start.max(self.present))
    }

    /// Adds a job to the work of its caller, and returns the start of the job.
    fn charge(&mut self, caller: Caller, core_time: Duration) -> Duration {
        let start = self.next_start(caller);
        self.next_starts.retain(|&(other, next)| other != caller && next > self.present);
        if self.next_starts.len() >= MOST_CALLERS {
            self.next_starts.clear();
        }
        self.next_starts.push((caller, start + core_time));
        start
    }

    fn taken(&mut self, start: Duration) {
        self.present = self.present.max(start);
    }
}

#[derive(Debug, Default)]
struct LaneWorker {
    sleep: Sleep,
    lanes: Vec<Running>,
}

/// Returns how many hashes of an algorithm have room on all workers.
fn free_lanes(workers: &[LaneWorker], algorithm: Algorithm, estimates: &Estimates) -> usize {
    workers.iter().map(|worker| worker.free_lanes(algorithm, estimates)).sum()
}

impl LaneWorker {
    /// Returns how many hashes of an algorithm have room beside its lanes.
    fn free_lanes(&self, algorithm: Algorithm, estimates: &Estimates) -> usize {
        let share = |algorithm| FULL / estimates.width(algorithm);
        let used: usize = self.lanes.iter().map(|lane| share(lane.rest.algorithm)).sum();
        FULL.saturating_sub(used) / share(algorithm)
    }

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

/// Returns the longest forecast wait of a job that joins a queue that stands, whose hashes take so
/// long on average. A longer queue serves no more callers, and each of them later.
fn longest_wait_in_a_standing_queue(mean_hash: Duration) -> Duration {
    SHORT_STAY.saturating_sub(mean_hash).clamp(SHORTEST_QUEUE, LONGEST_QUEUE)
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

/// A queue that was not empty for so long stands: the load lasts. A shorter burst may queue up to
/// its deadlines.
const STANDING_AFTER: Duration = Duration::from_millis(2500);

/// The time without a refusal after which an emptied queue no longer stands. At 1.5 times the
/// capacity a third of all jobs are refused, so refusals are much closer together.
const CALM_AFTER: Duration = Duration::from_millis(500);

/// The wait in a queue that stands, with the mean hash. Nine of ten served callers wait at most
/// 300 ms. A forecast is right on average, so the rest is for its errors.
const SHORT_STAY: Duration = Duration::from_millis(270);

/// The longest wait in a queue that stands. The contract's bound is 200 ms.
const LONGEST_QUEUE: Duration = Duration::from_millis(140);

/// The shortest bound on the wait. A shorter queue would at times be empty when a lane ends, and
/// capacity would be lost.
const SHORTEST_QUEUE: Duration = Duration::from_millis(40);

/// The time between two judgements of the waiting jobs. It is short compared with a deadline. It is
/// long compared with a walk over a full queue, which takes some dozens of microseconds.
const JUDGE_EVERY: Duration = Duration::from_millis(100);

/// The most callers whose work is remembered. Beyond it all callers start at the present again.
const MOST_CALLERS: usize = 1024;

/// The shortest `retry_after`. A shorter one would bring the caller back to the same queue.
const LEAST_RETRY_AFTER: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
