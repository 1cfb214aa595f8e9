//! The workers: what each holds, which memory is left, and who sleeps.

use std::time::{Duration, Instant};

use saltern_encoded::Algorithm;

use super::{
    super::estimate::{Cost, Estimates, gain_side_by_side},
    Running, SLICE, Wake,
};

/// The workers of all cores. Each core has one that computes in lanes, and all or some of the cores
/// one that computes whole hashes.
#[derive(Debug)]
pub(crate) struct Workers {
    pub(super) lane: Vec<LaneWorker>,
    pub(super) block: Vec<BlockWorker>,
    /// The algorithms that are computed in lanes.
    sliced_algorithms: Vec<Algorithm>,
    /// Whether the workers end when their queue is empty.
    pub(crate) closed: bool,
}

impl Workers {
    pub(super) fn new(cores: usize, sliced_algorithms: Vec<Algorithm>) -> Self {
        Self {
            lane: (0..cores).map(|_| LaneWorker::default()).collect(),
            block: (0..cores).map(|_| BlockWorker::default()).collect(),
            sliced_algorithms,
            closed: false,
        }
    }

    /// Whether a job is computed in lanes.
    pub(super) fn runs_in_lanes(&self, cost: Cost) -> bool {
        !cost.whole && self.sliced_algorithms.contains(&cost.algorithm)
    }

    /// Returns the number of workers that compute in lanes, which is that of cores.
    pub(super) fn cores(&self) -> u32 {
        u32::try_from(self.lane.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the number of workers that compute whole hashes.
    pub(super) fn holders(&self) -> u32 {
        u32::try_from(self.block.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Wakes a sleeping worker that has the memory for this job, and returns its thread.
    pub(super) fn wake(&mut self, cost: Cost, reserved: u64, estimates: &Estimates) -> Option<Wake> {
        let may_wake =
            |sleep, core| sleep == Sleep::Asleep && self.has_memory(core, cost, reserved, estimates);
        if self.runs_in_lanes(cost) {
            let worker = self.lane.iter().enumerate().position(|(i, w)| may_wake(w.sleep, i))?;
            self.lane[worker].sleep = Sleep::Woken;
            Some(Wake::LaneWorker(worker))
        } else {
            let worker = self.block.iter().enumerate().position(|(i, w)| may_wake(w.sleep, i))?;
            self.block[worker].sleep = Sleep::Woken;
            Some(Wake::BlockWorker(worker))
        }
    }

    /// Notes that a worker has nothing to do and sleeps.
    pub(crate) fn sleep(&mut self, worker: Wake) {
        match worker {
            Wake::LaneWorker(i) => self.lane[i].sleep = Sleep::Asleep,
            Wake::BlockWorker(i) => self.block[i].sleep = Sleep::Asleep,
        }
    }

    /// Whether the worker was woken since it went to sleep.
    pub(crate) fn awake(&self, worker: Wake) -> bool {
        let sleep = match worker {
            Wake::LaneWorker(i) => self.lane[i].sleep,
            Wake::BlockWorker(i) => self.block[i].sleep,
        };
        sleep != Sleep::Asleep || self.closed
    }

    /// Notes that a worker panicked and starts again. All work that it held is lost.
    pub(crate) fn begin_again(&mut self, worker: Wake) {
        match worker {
            Wake::LaneWorker(i) => self.lane[i] = LaneWorker::default(),
            Wake::BlockWorker(i) => self.block[i] = BlockWorker::default(),
        }
    }

    /// Whether a core has memory for a hash beside those that it holds and `reserved` bytes. Both
    /// workers of a core share its memory.
    pub(super) fn has_memory(&self, core: usize, cost: Cost, reserved: u64, estimates: &Estimates) -> bool {
        if cost.memory_bytes == 0 {
            return true;
        }
        let in_lanes = self.lane[core].lanes.iter().map(|lane| lane.rest.memory_bytes);
        let whole = self.block.get(core).and_then(|worker| worker.busy);
        let held: u64 = in_lanes.chain(whole.map(|(cost, _)| cost.memory_bytes)).sum();
        estimates.holds(held + reserved, cost)
    }

    /// Whether a job joins this worker. It does not if it may join another worker that has fewer
    /// lanes.
    pub(super) fn should_join(
        &self,
        worker: usize,
        joining: Running,
        reserved: u64,
        now: Instant,
        estimates: &Estimates,
    ) -> bool {
        let lanes = self.lane[worker].lanes.len();
        let emptier = |w: usize| {
            let other = &self.lane[w];
            other.sleep != Sleep::Asleep
                && other.lanes.len() < lanes
                && self.may_join(w, joining, reserved, now, estimates)
        };
        self.may_join(worker, joining, reserved, now, estimates) && !(0..self.lane.len()).any(emptier)
    }

    /// Whether a job may join this worker.
    ///
    /// It may not if the worker has no room or its core has no memory. It may not if the job, or a
    /// job already running there, would then miss its deadline.
    pub(super) fn may_join(
        &self,
        worker: usize,
        joining: Running,
        reserved: u64,
        now: Instant,
        estimates: &Estimates,
    ) -> bool {
        let lanes = &self.lane[worker].lanes;
        if !self.has_memory(worker, joining.rest, reserved, estimates) {
            return false;
        }
        if lanes.is_empty() {
            return true;
        }
        if self.lane[worker].free_lanes(joining.rest.algorithm, estimates) == 0 {
            return false;
        }
        let finish = |running: &Running, together: &LaneCounts| {
            let alongside = estimates.duration(running.rest, together.of(running.rest.algorithm));
            now + alongside * together.algorithms()
        };
        let before = LaneCounts::of_lanes(lanes.iter());
        let after = LaneCounts::of_lanes(lanes.iter().chain([&joining]));
        let pushed_past = |running: &Running| {
            finish(running, &before) <= running.deadline && finish(running, &after) > running.deadline
        };
        finish(&joining, &after) <= joining.deadline && !lanes.iter().any(pushed_past)
    }

    /// Returns how many hashes of an algorithm have room on all workers.
    pub(super) fn free_lanes(&self, algorithm: Algorithm, estimates: &Estimates) -> usize {
        self.lane.iter().map(|worker| worker.free_lanes(algorithm, estimates)).sum()
    }

    /// See [`Schedule::slices`](super::Schedule::slices).
    pub(super) fn slices(&self, worker: usize, estimates: &Estimates) -> Vec<(Algorithm, u64)> {
        let lanes = &self.lane[worker].lanes;
        let together = LaneCounts::of_lanes(lanes.iter());
        let share = SLICE / together.algorithms().max(1);
        let algorithms = Algorithm::ALL.into_iter().filter(|&algorithm| together.of(algorithm) > 0);
        algorithms
            .map(|algorithm| {
                let of_it = lanes.iter().map(|lane| lane.rest).filter(|rest| rest.algorithm == algorithm);
                let largest_bytes = of_it.map(|rest| rest.memory_bytes).max().unwrap_or(0);
                let gain = gain_side_by_side(algorithm, largest_bytes);
                let side_by_side = if gain { together.of(algorithm) } else { 1 };
                (algorithm, estimates.work_within(algorithm, side_by_side, share))
            })
            .collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct LaneWorker {
    pub(super) sleep: Sleep,
    pub(super) lanes: Vec<Running>,
}

impl LaneWorker {
    /// Returns how many hashes of an algorithm have room beside its lanes.
    fn free_lanes(&self, algorithm: Algorithm, estimates: &Estimates) -> usize {
        let share = |algorithm| FULL / estimates.width(algorithm);
        let used: usize = self.lanes.iter().map(|lane| share(lane.rest.algorithm)).sum();
        FULL.saturating_sub(used) / share(algorithm)
    }

    /// Returns the time until its first lane is free.
    pub(super) fn next_to_finish(&self, estimates: &Estimates) -> Duration {
        let together = LaneCounts::of_lanes(self.lanes.iter());
        let rest = |lane: &Running| {
            estimates.duration(lane.rest, together.of(lane.rest.algorithm)) * together.algorithms()
        };
        self.lanes.iter().map(rest).min().unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(super) struct BlockWorker {
    pub(super) sleep: Sleep,
    /// The cost of the hash in progress, and its start.
    pub(super) busy: Option<(Cost, Instant)>,
}

impl BlockWorker {
    pub(super) fn rest(&self, estimates: &Estimates, now: Instant) -> Duration {
        let Some((cost, since)) = self.busy else { return Duration::ZERO };
        estimates.duration(cost, 1).saturating_sub(now.saturating_duration_since(since))
    }
}

/// Whether a worker's thread runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sleep {
    #[default]
    Awake,
    Asleep,
    /// Woken, but not yet running. The next job wakes another worker.
    Woken,
}

/// The number of lanes of each algorithm on a worker. The algorithms take turns, one slice each.
pub(super) struct LaneCounts([usize; Algorithm::ALL.len()]);

impl LaneCounts {
    pub(super) fn of_lanes<'a>(lanes: impl Iterator<Item = &'a Running>) -> Self {
        let mut counts = [0; Algorithm::ALL.len()];
        for lane in lanes {
            counts[lane.rest.algorithm as usize] += 1;
        }
        Self(counts)
    }

    pub(super) fn of(&self, algorithm: Algorithm) -> usize {
        self.0[algorithm as usize]
    }

    pub(super) fn algorithms(&self) -> u32 {
        u32::try_from(self.0.iter().filter(|&&n| n > 0).count()).unwrap_or(u32::MAX)
    }
}

/// The capacity of a worker. A lane of an algorithm takes `FULL / width` of it.
const FULL: usize = 1 << 20;
