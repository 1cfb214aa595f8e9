//! The workers: what each holds, which memory is left, and who sleeps.

use std::time::{Duration, Instant};

use saltern_encoded::Algorithm;

use super::{
    super::estimate::{Cost, Estimates, gain_side_by_side},
    Running, SLICE, Turn, Wake,
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
    pub(super) fn wake(&mut self, job: Running, reserved: u64, estimates: &Estimates) -> Option<Wake> {
        let may_wake =
            |sleep, core| sleep == Sleep::Asleep && self.has_memory(core, job, reserved, estimates);
        if self.runs_in_lanes(job.rest) {
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

    /// Whether a core has memory for a hash beside those that it holds, and `before` bytes of earlier
    /// jobs. Both workers of a core share its memory. A caller leaves a part of it to others, and has
    /// that part whoever waits.
    pub(super) fn has_memory(
        &self,
        core: usize,
        joining: Running,
        before: u64,
        estimates: &Estimates,
    ) -> bool {
        let cost = joining.rest;
        if cost.memory_bytes == 0 {
            return true;
        }
        let whole = self.block.get(core).and_then(|worker| worker.busy);
        let hashes = || self.lane[core].lanes.iter().copied().chain(whole.map(|whole| whole.job));
        let held: u64 = hashes().map(|hash| hash.rest.memory_bytes).sum();
        let own = hashes().filter(|hash| hash.caller == joining.caller);
        let own = own.map(|hash| hash.rest.memory_bytes).sum();
        let before = if estimates.is_within_reserve(own, cost) { 0 } else { before };
        estimates.holds(held + before, cost) && (held == 0 || estimates.leaves_reserve(own, cost))
    }

    /// Whether a job waits only for the end of other lanes of this worker: its algorithm has a lane left,
    /// and its core the memory.
    pub(super) fn lacks_room(
        &self,
        worker: usize,
        joining: Running,
        reserved: u64,
        estimates: &Estimates,
    ) -> bool {
        let (lanes, algorithm) = (&self.lane[worker], joining.rest.algorithm);
        lanes.count(algorithm, |_| true) < estimates.width(algorithm)
            && lanes.spare_lanes(algorithm, estimates) == 0
            && self.has_memory(worker, joining, reserved, estimates)
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
        stays: &impl Fn(&Running) -> bool,
    ) -> bool {
        let staying = |w: usize| self.lane[w].lanes.iter().filter(|lane| stays(lane)).count();
        let lanes = staying(worker);
        let emptier = |w: usize| {
            self.lane[w].sleep != Sleep::Asleep
                && staying(w) < lanes
                && self.may_join(w, joining, reserved, now, estimates, stays)
        };
        self.may_join(worker, joining, reserved, now, estimates, stays) && !(0..self.lane.len()).any(emptier)
    }

    /// Whether a job may join this worker.
    ///
    /// It may not if the worker has no room or its core has no memory. It may not if the job, or a
    /// job that goes on beside it, would then miss its deadline. Lanes that give way to it keep
    /// their memory, and at most as many of them as a full worker has.
    pub(super) fn may_join(
        &self,
        worker: usize,
        joining: Running,
        reserved: u64,
        now: Instant,
        estimates: &Estimates,
        stays: &impl Fn(&Running) -> bool,
    ) -> bool {
        let all = &self.lane[worker].lanes;
        if !self.has_memory(worker, joining, reserved, estimates) {
            return false;
        }
        if all.is_empty() {
            return true;
        }
        if self.lane[worker].free_lanes(joining, estimates, stays) == 0 {
            return false;
        }
        let lanes: Vec<&Running> = all.iter().filter(|lane| stays(lane)).collect();
        if lanes.is_empty() {
            return true;
        }
        let finish = |running: &Running, together: &LaneCounts| {
            let alongside = estimates.duration(running.rest, together.of(running.rest.algorithm));
            now + alongside * together.algorithms()
        };
        let before = LaneCounts::of_lanes(lanes.iter().copied());
        let after = LaneCounts::of_lanes(lanes.iter().copied().chain([&joining]));
        let pushed_past = |running: &Running| {
            finish(running, &before) <= running.deadline && finish(running, &after) > running.deadline
        };
        finish(&joining, &after) <= joining.deadline && !lanes.iter().copied().any(pushed_past)
    }

    /// Returns how many hashes of an algorithm have room beside all lanes, on all workers.
    pub(super) fn spare_lanes(&self, algorithm: Algorithm, estimates: &Estimates) -> usize {
        self.lane.iter().map(|worker| worker.spare_lanes(algorithm, estimates)).sum()
    }

    /// Returns how many more hashes like this one have room on all workers, if lanes give way.
    pub(super) fn free_lanes(
        &self,
        joining: Running,
        estimates: &Estimates,
        stays: &impl Fn(&Running) -> bool,
    ) -> usize {
        self.lane.iter().map(|worker| worker.free_lanes(joining, estimates, stays)).sum()
    }

    /// See [`Schedule::turn`](super::Schedule::turn). `used` is the computing time of a lane's caller.
    pub(super) fn turn(
        &self,
        worker: usize,
        used: impl Fn(&Running) -> Duration,
        estimates: &Estimates,
    ) -> Turn {
        let lanes = &self.lane[worker].lanes;
        let goes_on = self.lane[worker].go_on(used, estimates);
        let running = || lanes.iter().zip(&goes_on).filter(|(_, goes_on)| **goes_on).map(|(lane, _)| lane);
        let together = LaneCounts::of_lanes(running());
        let share = SLICE / together.algorithms().max(1);
        let algorithms = Algorithm::ALL.into_iter().filter(|&algorithm| together.of(algorithm) > 0);
        let slices = algorithms
            .map(|algorithm| {
                let of_it = running().map(|lane| lane.rest).filter(|rest| rest.algorithm == algorithm);
                let largest_bytes = of_it.map(|rest| rest.memory_bytes).max().unwrap_or(0);
                let gain = gain_side_by_side(algorithm, largest_bytes);
                let side_by_side = if gain { together.of(algorithm) } else { 1 };
                (algorithm, estimates.work_within(algorithm, side_by_side, share))
            })
            .collect();
        Turn { slices, goes_on }
    }
}

#[derive(Debug, Default)]
pub(super) struct LaneWorker {
    pub(super) sleep: Sleep,
    pub(super) lanes: Vec<Running>,
}

impl LaneWorker {
    /// Returns how many hashes of an algorithm have room beside all lanes.
    fn spare_lanes(&self, algorithm: Algorithm, estimates: &Estimates) -> usize {
        self.free(1, algorithm, estimates, |_| true)
    }

    /// Returns how many more hashes like this one have room, if lanes that do not stay give way.
    ///
    /// Beyond a full worker a caller may have one lane, and more only while it leaves most of that
    /// room to others. So the next callers find some.
    fn free_lanes(
        &self,
        joining: Running,
        estimates: &Estimates,
        stays: &impl Fn(&Running) -> bool,
    ) -> usize {
        let algorithm = joining.rest.algorithm;
        let beside = self.free(1, algorithm, estimates, stays);
        let spare = self.spare_lanes(algorithm, estimates);
        if beside == 0 || spare > 0 {
            return beside.min(spare);
        }
        let own = |lane: &Running| lane.caller == joining.caller;
        let leaves_most = |all: usize, own: usize, full: usize, more: usize| {
            2 * (own + more) <= (MOST_IN_TURNS * full).saturating_sub(all)
        };
        let lanes = [self.count(algorithm, |_| true), self.count(algorithm, own)];
        let held = [self.held(estimates, |_| true), self.held(estimates, own)];
        let has_room = self.free(MOST_IN_TURNS, algorithm, estimates, |_| true) > 0;
        let leaves_most = leaves_most(lanes[0], lanes[1], estimates.width(algorithm), 1)
            && leaves_most(held[0], held[1], FULL, room(algorithm, estimates));
        usize::from(has_room && (held[1] == 0 || leaves_most))
    }

    /// Returns how many hashes of an algorithm have room in so many workers beside these lanes.
    fn free(
        &self,
        workers: usize,
        algorithm: Algorithm,
        estimates: &Estimates,
        beside: impl Fn(&Running) -> bool,
    ) -> usize {
        let of_it = self.count(algorithm, &beside);
        let left = (workers * FULL).saturating_sub(self.held(estimates, beside)) / room(algorithm, estimates);
        left.min((workers * estimates.width(algorithm)).saturating_sub(of_it))
    }

    /// Returns the room that these lanes take.
    fn held(&self, estimates: &Estimates, counts: impl Fn(&Running) -> bool) -> usize {
        self.lanes.iter().filter(|lane| counts(lane)).map(|lane| room(lane.rest.algorithm, estimates)).sum()
    }

    /// Returns the number of these lanes of an algorithm.
    fn count(&self, algorithm: Algorithm, counts: impl Fn(&Running) -> bool) -> usize {
        self.lanes.iter().filter(|lane| lane.rest.algorithm == algorithm && counts(lane)).count()
    }

    /// Returns which lanes go on: those of the callers that have had the least, as many as a full
    /// worker has. The lanes of callers that have had nearly the same go on together.
    fn go_on(&self, used: impl Fn(&Running) -> Duration, estimates: &Estimates) -> Vec<bool> {
        let used: Vec<Duration> = self.lanes.iter().map(used).collect();
        let least = used.iter().min().copied().unwrap_or_default();
        let mut order: Vec<usize> = (0..used.len()).filter(|&lane| used[lane] <= least + LEAD).collect();
        // Callers that have had the same take turns.
        let before = |lane: usize| {
            self.lanes[..lane].iter().filter(|other| other.caller == self.lanes[lane].caller).count()
        };
        order.sort_by_key(|&lane| (used[lane], before(lane)));
        let mut goes_on = vec![false; used.len()];
        let mut taken = 0;
        let mut of_each = [0; Algorithm::ALL.len()];
        for lane in order {
            let algorithm = self.lanes[lane].rest.algorithm;
            let room = room(algorithm, estimates);
            let of_it = &mut of_each[algorithm as usize];
            if taken + room <= FULL && *of_it < estimates.width(algorithm) {
                taken += room;
                *of_it += 1;
                goes_on[lane] = true;
            }
        }
        goes_on
    }

    /// Returns the time until each of the lanes that stay is free.
    pub(super) fn rests(
        &self,
        estimates: &Estimates,
        stays: &impl Fn(&Running) -> bool,
    ) -> impl Iterator<Item = Duration> {
        let staying = || self.lanes.iter().filter(|lane| stays(lane));
        let together = LaneCounts::of_lanes(staying());
        staying().map(move |lane| {
            estimates.duration(lane.rest, together.of(lane.rest.algorithm)) * together.algorithms()
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct BlockWorker {
    pub(super) sleep: Sleep,
    pub(super) busy: Option<Whole>,
}

/// A whole hash in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) job: Running,
    pub(super) since: Instant,
    /// Its computing time by the last estimate, and what its caller has paid for it in advance.
    pub(super) estimate: Duration,
    pub(super) charged: Duration,
}

impl BlockWorker {
    pub(super) fn rest(&self, estimates: &Estimates, now: Instant) -> Duration {
        let Some(Whole { job, since, .. }) = self.busy else { return Duration::ZERO };
        estimates.duration(job.rest, 1).saturating_sub(now.saturating_duration_since(since))
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

/// Returns the room that a lane of an algorithm takes. The lanes of one that never gain from each
/// other take turns, which may be long. So all of them leave half a worker to other hashes. A lane of
/// one with few lanes leaves room to others, so that a hash seldom waits until a worker is empty.
fn room(algorithm: Algorithm, estimates: &Estimates) -> usize {
    let parts = if gain_side_by_side(algorithm, u64::MAX) { 1 } else { 2 };
    (FULL / (parts * estimates.width(algorithm))).min(MOST_ROOM)
}

/// The capacity of a worker.
const FULL: usize = 1 << 20;

/// The most that a lane takes.
const MOST_ROOM: usize = FULL / 4;

/// The lanes of a worker that take turns are at most so many times those that it computes at once.
const MOST_IN_TURNS: usize = 2;

/// How much more computing time than another a caller may have had for its lanes to go on beside
/// the other's. Lanes together are faster than one after the other.
const LEAD: Duration = Duration::from_millis(4);
