//! Which jobs the schedule does not take, and which waiting jobs leave again.

use std::{
    mem,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

use super::{
    super::work::{CallerNumber, Refused, Urgency},
    Found, Job, Running, Schedule,
    forecast::Forecast,
    queue::{Backlog, Queue, backlogs},
};

impl<J: Job> Schedule<J> {
    pub(super) fn refusal(
        &self,
        joining: Running,
        urgency: Urgency,
        start: Duration,
        now: Instant,
    ) -> Option<Refused> {
        let queue = self.queue_of(joining.rest);
        let pressure = urgency == Urgency::Optional && self.is_under_pressure(joining.caller, now);
        let forecast = self.forecast(joining, start, now);
        let late = forecast.is_some_and(|forecast| forecast.finish > joining.deadline);
        let stands = self.limits.is_some() && self.shares.stands(joining.caller, now);
        let slow = |forecast: Forecast| {
            let mean_hash = self.mean_duration(queue, joining.caller);
            forecast.wait > longest_wait_in_a_standing_queue(mean_hash)
        };
        (pressure || late || (stands && forecast.is_some_and(slow))).then(|| self.overloaded())
    }

    fn overloaded(&self) -> Refused {
        Refused::Overloaded { retry_after: self.retry_after() }
    }

    /// Returns the time after which the pool would probably take work that it refuses now.
    pub(crate) fn retry_after(&self) -> Duration {
        (self.waiting_core_time() / self.workers.cores()).max(LEAST_RETRY_AFTER)
    }

    /// Whether the queue has no room for a job.
    pub(super) fn is_full(&self, core_time: Duration) -> bool {
        let jobs = self.sliced.jobs.len() + self.whole.jobs.len();
        self.is_over_limits(Backlog { jobs, work: self.waiting_core_time() }, core_time, 1)
    }

    /// Whether a backlog leaves no room for a job in one of so many equal parts of the queue.
    ///
    /// If nothing waits, an operation longer than the bound has room. Otherwise it would never be
    /// taken.
    fn is_over_limits(&self, backlog: Backlog, core_time: Duration, parts: u32) -> bool {
        let Some(limits) = self.limits else { return false };
        let most_work = limits.work_per_worker * self.workers.cores() / parts;
        let most_jobs = limits.operations / usize::try_from(parts).unwrap_or(usize::MAX);
        backlog.jobs > 0 && (backlog.jobs >= most_jobs || backlog.work + core_time > most_work)
    }

    /// Makes room in a full queue for a job of a caller that has less in it than its part: displaces
    /// the last jobs of those that have more.
    ///
    /// Each active caller has an equal part. What then is too much is less than one long job of each.
    pub(super) fn make_room(
        &mut self,
        caller: CallerNumber,
        core_time: Duration,
        now: Instant,
    ) -> Result<(), Refused> {
        let parts = self.shares.active_with(caller, now);
        let own = backlogs(self.waiting().filter(|waiting| waiting.job.caller() == caller)).pop();
        if self.is_full(core_time) && self.is_over_limits(own.unwrap_or_default().1, core_time, parts) {
            return Err(self.overloaded());
        }
        while self.is_full(core_time) {
            let others = backlogs(self.waiting()).into_iter().filter(|(of, backlog)| {
                *of != caller && backlog.jobs > 1 && self.is_over_limits(*backlog, Duration::ZERO, parts)
            });
            let Some((most, _)) = others.max_by_key(|(_, backlog)| (backlog.work, backlog.jobs)) else {
                break;
            };
            let last = |queue: &Queue<J>| {
                queue.jobs.iter().rfind(|waiting| waiting.job.caller() == most).map(|waiting| waiting.start)
            };
            let is_sliced = last(&self.sliced) > last(&self.whole);
            let queue = if is_sliced { &mut self.sliced } else { &mut self.whole };
            let Some(displaced) = queue.remove_last_of(most) else { break };
            self.shares.left(most, displaced.core_time, now);
            self.displaced.push(displaced.job);
        }
        Ok(())
    }

    /// Whether the work of this caller that waits is too long for its optional work.
    fn is_under_pressure(&self, caller: CallerNumber, now: Instant) -> bool {
        let Some(limits) = self.limits else { return false };
        let bound = limits.work_per_worker / SHARE_FOR_OPTIONAL_WORK * self.workers.cores();
        let callers = u32::try_from(self.shares.active(now)).unwrap_or(u32::MAX);
        let own = self.waiting().filter(|waiting| waiting.job.caller() == caller);
        own.map(|waiting| waiting.core_time).sum::<Duration>() > bound / callers
    }

    /// Judges the waiting jobs again, from time to time. Estimates may have risen since a job was
    /// taken. Jobs of other callers may stand before it now.
    ///
    /// The forecast has no head room, so that only jobs leave that would surely be late.
    pub(super) fn judge_again(&mut self, found: &mut Found<J>, now: Instant) {
        if self.next_judgement.is_some_and(|next| now < next) {
            return;
        }
        self.next_judgement = Some(now + JUDGE_EVERY);
        let (of_sliced, of_whole) = (self.workers.cores(), self.workers.holders());
        let free_lanes = Algorithm::ALL.map(|of| self.workers.spare_lanes(of, &self.estimates));
        let idle = self.workers.block.iter().filter(|worker| worker.busy.is_none()).count();
        for (queue, gives_way, workers, free) in [
            (&mut self.sliced, true, of_sliced, free_lanes),
            (&mut self.whole, false, of_whole, [idle; Algorithm::ALL.len()]),
        ] {
            // What each caller has had, and its work so far. That of callers that have had more gives way.
            let mut works: Vec<(CallerNumber, Duration, Duration)> = Vec::new();
            for mut waiting in mem::take(&mut queue.jobs) {
                let caller = waiting.job.caller();
                let used = self.shares.used(caller);
                let delays =
                    |of: &&(CallerNumber, Duration, Duration)| !gives_way || of.0 == caller || of.1 < used;
                let ahead: Duration = works.iter().filter(delays).map(|(.., work)| work).sum();
                let alone = self.estimates.least_duration(waiting.cost);
                let left = waiting.deadline.saturating_duration_since(now);
                // Work that starts together with this job does not delay its start.
                let starts_at_once = queue.jobs.len() < free[waiting.cost.algorithm as usize];
                let wait = if starts_at_once { Duration::ZERO } else { ahead / workers };
                let in_time = wait + alone <= left;
                let expired = left.is_zero() || alone > left;
                if expired || !in_time || waiting.job.abandoned() {
                    self.shares.left(caller, waiting.core_time, now);
                    let answered = if expired { &mut found.expired } else { &mut found.overloaded };
                    answered.push(waiting.job);
                } else {
                    let anew = self.estimates.core_time_with(waiting.cost, waiting.job.later());
                    self.shares.correct(caller, waiting.core_time, anew, now);
                    waiting.core_time = anew;
                    match works.iter_mut().find(|(of, ..)| *of == caller) {
                        Some((.., work)) => *work += waiting.core_time,
                        None => works.push((caller, used, waiting.core_time)),
                    }
                    queue.jobs.push_back(waiting);
                }
            }
            queue.recount();
        }
    }

    /// Whether to take a job that seems impossible, to test the bound.
    ///
    /// A bound that is too high refuses jobs, so they are not measured, and it would stay too high.
    /// So from time to time an idle worker computes one of them.
    pub(super) fn is_time_for_a_try(&mut self, joining: Running, start: Duration, now: Instant) -> bool {
        let starts_at_once = self.forecast(joining, start, now).is_none();
        let next_try = self.next_tries[joining.rest.algorithm as usize].get_or_insert(now + TRY_EVERY);
        let tries = joining.deadline > now && starts_at_once && *next_try <= now;
        if tries {
            *next_try = now + TRY_EVERY;
        }
        tries
    }
}

/// Returns the longest forecast wait of a job that joins a queue that stands, whose hashes take so
/// long on average. A longer queue serves no more callers, and each of them later.
fn longest_wait_in_a_standing_queue(mean_hash: Duration) -> Duration {
    SHORT_STAY.saturating_sub(mean_hash).clamp(SHORTEST_QUEUE, LONGEST_QUEUE)
}

/// Optional work is taken while the queue holds at most this fraction (one divided by it) of its
/// work.
///
/// So all rehashes of a batch of logins are done under normal load, and none during a spike.
const SHARE_FOR_OPTIONAL_WORK: u32 = 4;

/// The time between two tests of a bound that refuses jobs. A wrong bound does not last long, and a
/// useless hash is rare.
pub(super) const TRY_EVERY: Duration = Duration::from_secs(10);

/// The wait in a queue that stands, with the mean hash. In the model of the tests nine of ten served
/// callers wait at most 250 ms then. LIMITS.md has what was measured.
pub(super) const SHORT_STAY: Duration = Duration::from_millis(230);

/// The longest wait in a queue that stands.
pub(super) const LONGEST_QUEUE: Duration = Duration::from_millis(140);

/// The shortest bound on the wait. A shorter queue would at times be empty when a lane ends, and
/// capacity would be lost.
pub(super) const SHORTEST_QUEUE: Duration = Duration::from_millis(40);

/// The time between two judgements of the waiting jobs. It is short compared with a deadline. It is
/// long compared with a walk over a full queue, which takes some dozens of microseconds.
const JUDGE_EVERY: Duration = Duration::from_millis(100);

/// The shortest `retry_after`. A shorter one would bring the caller back to the same queue.
const LEAST_RETRY_AFTER: Duration = Duration::from_millis(100);
