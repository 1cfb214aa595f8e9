//! What the measured times of work tell: estimates, and how many hashes of Argon2 run side by side.

use std::time::{Duration, Instant};

use saltern_encoded::Algorithm;

use super::{Job, Learner, Schedule, queue::Waiting};

/// A slice of a worker: each of its lanes of an algorithm did `work`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) algorithm: Algorithm,
    pub(crate) lanes: usize,
    pub(crate) work: u64,
    pub(crate) elapsed: Duration,
    /// Whether hashes like these are computed side by side.
    pub(crate) side_by_side: bool,
}

impl<J: Job> Schedule<J> {
    /// Follows a slice.
    pub(crate) fn measured(&mut self, slice: Slice, now: Instant) {
        let Slice { algorithm, lanes, work, elapsed, side_by_side } = slice;
        self.estimates.measured(algorithm, lanes, work, elapsed);
        let Some(learner) = &mut self.learner else { return };
        if algorithm == Algorithm::Argon2id && side_by_side {
            let lanes_now = self.workers.lane.iter().flat_map(|worker| worker.lanes.iter().copied());
            let hashes = || self.sliced.jobs.iter().map(Waiting::running).chain(lanes_now.clone());
            let callers = self.shares.active(now);
            // The next hash of each other caller must find memory too, and no hash be late.
            let may_try = |width: usize| {
                let beside = u64::try_from(width + callers - 2).unwrap_or(u64::MAX);
                hashes().filter(|hash| hash.rest.algorithm == algorithm).all(|hash| {
                    now + self.estimates.duration(hash.rest, width) <= hash.deadline
                        && self.estimates.holds(hash.rest.memory_bytes.saturating_mul(beside), hash.rest)
                })
            };
            learner.measured(lanes, work, elapsed, now, may_try);
        }
        self.estimates.set_width(Algorithm::Argon2id, learner.width_now());
    }

    /// Returns how many large hashes of Argon2 run side by side, apart from trials.
    pub(crate) fn argon2_lanes(&self) -> usize {
        self.learner.as_ref().map_or_else(|| self.estimates.width(Algorithm::Argon2id), Learner::width)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{CallerNumber, Running},
        *,
    };
    use crate::{
        estimate::{Cost, Estimates},
        schedule::tests::{MS, Numbered},
        work::Urgency,
    };

    const MIB: u64 = 1 << 20;

    /// A hash of 100 ms and 64 MiB.
    const HASH: Cost = Cost::new(Algorithm::Argon2id, 100).in_memory(64 * MIB);

    /// Returns the lanes of a worker after two seconds full of such hashes with this time left, and
    /// another of `other` after each.
    fn tried(memory_bytes: u64, callers: u64, left: Duration, other: Option<Algorithm>) -> usize {
        let start = Instant::now();
        let mut estimates = Estimates::new(|_| 1).with_memory(memory_bytes);
        estimates.measured(Algorithm::Argon2id, 1, 100, MS * 100);
        let mut schedule =
            Schedule::new(1, vec![Algorithm::Argon2id], estimates, None).with_learner(Some(Learner::new(1)));
        for caller in 0..callers {
            let job = Numbered::of(CallerNumber(caller), 0);
            let deadline = start + MS * 60_000;
            assert!(schedule.submit(job, HASH, deadline, Urgency::Required, start).is_ok());
        }
        for at in 0..2_000 {
            let now = start + MS * at;
            let deadline = now + left;
            let running = Running { caller: CallerNumber(0), rest: HASH, deadline };
            drop(schedule.lane_boundary(0, [running].into_iter(), now));
            let slice = |algorithm| Slice { algorithm, lanes: 1, work: 1, elapsed: MS, side_by_side: true };
            schedule.measured(slice(Algorithm::Argon2id), now);
            if let Some(other) = other {
                schedule.measured(slice(other), now);
            }
            assert_eq!(schedule.argon2_lanes(), 1, "a trial");
        }
        schedule.estimates.width(Algorithm::Argon2id)
    }

    #[test]
    fn another_width_is_tried_if_it_harms_no_hash() {
        let long = MS * 10_000;
        assert_eq!(tried(128 * MIB, 1, long, None), 2);
        assert_eq!(tried(127 * MIB, 1, long, None), 1, "the memory does not hold two");
        assert_eq!(tried(128 * MIB, 2, long, None), 1, "another caller finds no memory");
        assert_eq!(tried(192 * MIB, 2, long, None), 2);
        assert_eq!(tried(128 * MIB, 1, MS * 199, None), 1, "it would be late");
        assert_eq!(tried(128 * MIB, 1, MS * 200, None), 2);
        assert_eq!(tried(128 * MIB, 1, long, Some(Algorithm::Bcrypt)), 2, "beside other hashes too");
    }
}
