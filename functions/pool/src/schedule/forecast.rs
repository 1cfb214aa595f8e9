//! When a job would be done.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    time::{Duration, Instant},
};

use super::{
    super::{estimate::Cost, work::CallerNumber},
    Job, Running, Schedule,
    queue::Queue,
};

/// A forecast for a job that cannot start at once.
#[derive(Clone, Copy)]
pub(super) struct Forecast {
    pub(super) wait: Duration,
    /// With head room.
    pub(super) finish: Instant,
}

impl<J: Job> Schedule<J> {
    /// Returns when a job with this place would be done; `None` if it can start at once.
    pub(super) fn forecast(&self, joining: Running, start: Duration, now: Instant) -> Option<Forecast> {
        let cost = joining.rest;
        let (wait, own) = if self.workers.runs_in_lanes(cost) {
            self.lane_forecast(joining, start, now)?
        } else {
            self.block_forecast(joining, start, now)?
        };
        // A caller gets at least its share of the workers, and may get no more.
        let callers = u32::try_from(self.shares.active(now)).unwrap_or(u32::MAX);
        let shared = own * callers.max(self.workers.cores()) / self.workers.cores();
        Some(Forecast { wait, finish: now + with_head_room(wait + shared) })
    }

    /// Returns the wait for a lane, and the time in it; `None` if the job can start at once.
    fn lane_forecast(&self, joining: Running, start: Duration, now: Instant) -> Option<(Duration, Duration)> {
        let Running { caller, rest: cost, .. } = joining;
        let wait = self.wait_for_lane(joining, start, now, &self.stays(caller))?;
        // The others delay it until they have had as much, and not until their hashes end.
        let beside_own = self.wait_for_lane(joining, start, now, &|lane: &Running| lane.caller == caller);
        let lanes = || self.workers.lane.iter().flat_map(|worker| &worker.lanes);
        let waiting = self.queue_of(cost).before(start).map(|waiting| waiting.job.caller());
        let others: HashSet<_> =
            lanes().map(|lane| lane.caller).chain(waiting).filter(|of| *of != caller).collect();
        let leads: Duration = others.into_iter().map(|of| self.shares.lead(caller, of)).sum();
        // No more lanes than there are hashes of its kind: another caller's loops of digests slow it by its share only.
        let waiting = self.queue_of(cost).jobs.iter().map(|waiting| waiting.cost);
        let like =
            lanes().map(|lane| lane.rest).chain(waiting).filter(|of| of.algorithm == cost.algorithm).count();
        let own = self.estimates.duration(cost, self.estimates.width_of(cost).min(like + 1));
        Some((wait.min(beside_own.unwrap_or_default() + leads), own))
    }

    /// Returns the wait for a lane beside those that stay; `None` if the job can start at once.
    fn wait_for_lane(
        &self,
        joining: Running,
        start: Duration,
        now: Instant,
        stays: &impl Fn(&Running) -> bool,
    ) -> Option<Duration> {
        let open = (0..self.workers.lane.len())
            .any(|w| self.workers.may_join(w, joining, 0, now, &self.estimates, stays));
        // Jobs that give way may be before it too. They do not delay it.
        let before = || self.queue_of(joining.rest).before(start).filter(|waiting| stays(&waiting.running()));
        let number = before().count();
        if open && number == 0 {
            return None;
        }
        if open && number < self.workers.free_lanes(joining, &self.estimates, stays) {
            return Some(Duration::ZERO);
        }
        // Lanes that began together end together, so each of the next jobs is given its lane.
        let lanes = self.workers.lane.iter().flat_map(|w| w.rests(&self.estimates, stays));
        let mut ends: BinaryHeap<_> = lanes.map(Reverse).collect();
        let lanes = ends.len();
        for waiting in before().take(lanes) {
            if let Some(mut soonest) = ends.peek_mut() {
                soonest.0 += self.estimates.duration(waiting.cost, self.estimates.width_of(waiting.cost));
            }
        }
        let soonest = ends.peek().map_or(Duration::ZERO, |soonest| soonest.0);
        let ahead: Duration = before().skip(lanes).map(|waiting| waiting.core_time).sum();
        Some(soonest + ahead / self.workers.cores())
    }

    /// Returns the wait for a block worker, and the time on it; `None` if the job can start at
    /// once.
    fn block_forecast(
        &self,
        joining: Running,
        start: Duration,
        now: Instant,
    ) -> Option<(Duration, Duration)> {
        let cost = joining.rest;
        let mut workers = self.workers.block.iter().enumerate();
        // The last worker is there for other callers.
        let held = self.would_hold_the_last_worker(joining.caller, now);
        let idle = !held
            && workers.any(|(core, w)| {
                w.busy.is_none() && self.workers.has_memory(core, joining, 0, &self.estimates)
            });
        let mut before = self.queue_of(cost).before(start).peekable();
        if idle && before.peek().is_none() {
            return None;
        }
        let running: Duration = self.workers.block.iter().map(|w| w.rest(&self.estimates, now)).sum();
        let ahead: Duration = before.map(|waiting| waiting.core_time).sum();
        let holders = self.workers.holders() - u32::from(held);
        Some(((running + ahead) / holders, self.estimates.duration(cost, 1)))
    }

    /// Whether the remaining work cannot meet its deadline, even alone on a core.
    pub(crate) fn is_hopeless(&self, running: Running, now: Instant) -> bool {
        running.deadline <= now || self.estimates.least_duration(running.rest) > running.deadline - now
    }

    /// Returns the mean duration of a caller's jobs in a queue, on a full worker; zero if it has none.
    ///
    /// The bound on the wait follows it. If the bound followed the job that comes, those with long
    /// hashes would be refused first. If it followed the jobs of all callers, one with long hashes
    /// would have those of the others refused.
    pub(super) fn mean_duration(&self, queue: &Queue<J>, caller: CallerNumber) -> Duration {
        let own = |cost: Cost| self.estimates.duration(cost, self.estimates.width_of(cost));
        let jobs = || queue.jobs.iter().filter(|waiting| waiting.job.caller() == caller);
        let all: Duration = jobs().map(|waiting| own(waiting.cost)).sum();
        all.checked_div(u32::try_from(jobs().count()).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}

/// Adds an eighth to a forecast.
///
/// Under overload the queue is as long as deadlines allow, so every job that is taken just fits. If
/// the forecast were only right on average, half of those jobs would be late.
fn with_head_room(forecast: Duration) -> Duration {
    forecast + forecast / 8
}
