//! The jobs that wait, in the order in which they start.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::{
    super::{estimate::Cost, work::CallerNumber},
    Job, Running, Schedule,
    shares::Shares,
};

/// The place of a job among those of both queues: its start, and its arrival.
pub(super) type Place = (Duration, Instant);

/// A job in a queue.
#[derive(Debug)]
pub(crate) struct Waiting<J> {
    pub(crate) job: J,
    pub(crate) cost: Cost,
    pub(crate) deadline: Instant,
    pub(crate) since: Instant,
    /// Its place among the jobs of all callers: see [`Shares`](super::shares::Shares).
    pub(crate) start: Duration,
    /// Its share of a full worker's time, by the last estimate.
    pub(crate) core_time: Duration,
}

impl<J: Job> Waiting<J> {
    pub(super) fn running(&self) -> Running {
        Running { caller: self.job.caller(), rest: self.cost, deadline: self.deadline }
    }

    pub(super) fn place(&self) -> Place {
        (self.start, self.since)
    }
}

/// Waiting jobs in the order of their starts. The jobs of one caller are first in, first out.
#[derive(Debug)]
pub(super) struct Queue<J> {
    pub(super) jobs: VecDeque<Waiting<J>>,
    /// The sum of the jobs' core times.
    pub(super) core_time: Duration,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self { jobs: VecDeque::new(), core_time: Duration::ZERO }
    }
}

impl<J: Job> Queue<J> {
    pub(super) fn insert(&mut self, waiting: Waiting<J>) {
        self.core_time += waiting.core_time;
        self.jobs.insert(self.position(waiting.start), waiting);
    }

    pub(super) fn remove(&mut self, position: usize) -> Option<Waiting<J>> {
        let waiting = self.jobs.remove(position)?;
        self.core_time -= waiting.core_time;
        Some(waiting)
    }

    /// Removes the caller's last job.
    pub(super) fn remove_last_of(&mut self, caller: CallerNumber) -> Option<Waiting<J>> {
        self.remove(self.jobs.iter().rposition(|waiting| waiting.job.caller() == caller)?)
    }

    pub(super) fn forget_abandoned(&mut self, shares: &mut Shares, now: Instant) {
        self.jobs.retain(|waiting| {
            let gone = waiting.job.abandoned();
            if gone {
                shares.left(waiting.job.caller(), waiting.core_time, now);
            }
            !gone
        });
        self.recount();
    }

    /// Follows a change of several jobs.
    pub(super) fn recount(&mut self) {
        self.core_time = self.jobs.iter().map(|waiting| waiting.core_time).sum();
    }

    /// Returns the position of a new job with this start.
    fn position(&self, start: Duration) -> usize {
        self.jobs.partition_point(|waiting| waiting.start <= start)
    }

    /// Returns the jobs before a new job with this start.
    pub(super) fn before(&self, start: Duration) -> impl Iterator<Item = &Waiting<J>> {
        self.jobs.range(..self.position(start))
    }

    /// Returns the first job that needs memory.
    pub(super) fn first_in_memory(&self) -> Option<&Waiting<J>> {
        let needs_memory = |job: &&Waiting<J>| job.cost.memory_bytes > 0 && !job.job.abandoned();
        self.jobs.iter().take(LOOK_AHEAD).find(needs_memory)
    }
}

/// The waiting jobs of a caller, and their work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backlog {
    pub(super) jobs: usize,
    pub(super) work: Duration,
}

/// Returns what waits of each caller.
pub(super) fn backlogs<'a, J: Job + 'a>(
    waiting: impl Iterator<Item = &'a Waiting<J>>,
) -> Vec<(CallerNumber, Backlog)> {
    let mut backlogs: Vec<(CallerNumber, Backlog)> = Vec::new();
    for Waiting { job, core_time, .. } in waiting {
        let caller = job.caller();
        let at = backlogs.iter().position(|(of, _)| *of == caller).unwrap_or_else(|| {
            backlogs.push((caller, Backlog::default()));
            backlogs.len() - 1
        });
        backlogs[at].1.jobs += 1;
        backlogs[at].1.work += *core_time;
    }
    backlogs
}

/// Both queues together.
impl<J: Job> Schedule<J> {
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Waiting<J>> {
        self.sliced.jobs.iter().chain(&self.whole.jobs)
    }

    pub(super) fn queue_of(&self, cost: Cost) -> &Queue<J> {
        if self.workers.runs_in_lanes(cost) { &self.sliced } else { &self.whole }
    }

    pub(super) fn queue_of_mut(&mut self, cost: Cost) -> &mut Queue<J> {
        if self.workers.runs_in_lanes(cost) { &mut self.sliced } else { &mut self.whole }
    }

    pub(super) fn waiting_core_time(&self) -> Duration {
        self.sliced.core_time + self.whole.core_time
    }

    /// Returns the memory that a job with this place leaves to earlier ones.
    ///
    /// Memory goes to the jobs of both queues in the order of their starts. So a large hash does
    /// not wait for ever while small ones come and go.
    pub(super) fn reserved_before(&self, cost: Cost, place: Place) -> u64 {
        if cost.memory_bytes == 0 {
            return 0;
        }
        let place = (place, self.workers.runs_in_lanes(cost));
        let queues = [(&self.sliced, true), (&self.whole, false)];
        let first = queues.map(|(queue, in_lanes)| {
            queue.first_in_memory().map(|first| ((first.place(), in_lanes), first.cost))
        });
        let earlier = first.into_iter().flatten().filter(|(other, _)| *other < place);
        earlier.map(|(_, cost)| cost.memory_bytes).max().unwrap_or(0)
    }
}

/// The number of waiting jobs that a boundary inspects. A job that must wait for another worker
/// does not block the jobs behind it.
pub(super) const LOOK_AHEAD: usize = 32;
