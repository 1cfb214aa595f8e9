//! A thread that computes many hashes at once, in slices: continuous batching.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

use super::{
    estimate::{Cost, gain_side_by_side},
    lane::{self, Lane},
    schedule::{Job as _, Running, SLICE, Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{Done, Dropped},
};
use crate::{OutOfMemory, Output, arena::Arena};

/// Works until the pool is closed, its queue is empty and its lanes are done.
pub(super) fn run(shared: &Shared, worker: usize) {
    let mut active: Vec<Active> = Vec::new();
    let mut measured: Vec<Measurement> = Vec::new();
    let mut answers: Vec<(Submitted, Result<Done, Dropped>)> = Vec::new();
    loop {
        let mut schedule = shared.lock();
        for Measurement { algorithm, lanes, work, elapsed } in measured.drain(..) {
            schedule.estimates.measured(algorithm, lanes, work, elapsed);
        }
        let now = Instant::now();
        let unwanted: Vec<_> =
            active.extract_if(.., |a| a.job.abandoned() || schedule.is_hopeless(a.running(), now)).collect();
        if !unwanted.is_empty() {
            // The wipe of a large memory takes milliseconds, so not under the lock. Until then the
            // memory is in use, and other work must not count on it.
            drop(schedule);
            answers.extend(unwanted.into_iter().map(|a| (a.job, Err(Dropped::DeadlineExceeded))));
            continue;
        }
        let found = schedule.lane_boundary(worker, active.iter().map(Active::running), now);
        answers.extend(schedule.refusals(found.expired, found.overloaded));
        let other = schedule.wake_for_memory();
        let nothing_to_do = active.is_empty() && found.started.is_empty() && answers.is_empty();
        if nothing_to_do && schedule.closed() {
            if !schedule.waits_for_memory() {
                return;
            }
            drop(schedule);
            thread::sleep(SLICE);
            continue;
        }
        if nothing_to_do {
            shared.ring(other);
            shared.sleep(schedule, Wake::LaneWorker(worker));
            continue;
        }
        let slices = schedule.slices(worker);
        drop(schedule);
        shared.ring(other);
        // The schedule knows the free lanes before the answers are out. A caller may send its next
        // request at once, and this worker should take it.
        for (job, answer) in answers.drain(..) {
            job.answer(answer);
        }
        let arena = &shared.arenas[worker];
        active.extend(found.started.into_iter().filter_map(|waiting| Active::start(waiting, arena)));
        let lanes = active.len();
        for a in &mut active {
            a.most_lanes = a.most_lanes.max(lanes);
        }
        for (algorithm, work) in slices {
            measured.extend(advance(&mut active, algorithm, work));
        }
        answers.extend(finished(&mut active, arena));
        if active.iter().all(|a| a.cost.memory_bytes == 0) {
            arena.release_if_idle();
        }
    }
}

/// A lane in use.
struct Active {
    lane: Lane,
    job: Submitted,
    cost: Cost,
    deadline: Instant,
    since: Instant,
    started: Instant,
    most_lanes: usize,
    /// The output of the first reading of the password, while the lane computes the second.
    first: Option<Output>,
}

impl Active {
    /// Starts a hash. If the start panics or there is no memory, answers its caller and returns
    /// `None`.
    fn start(waiting: Waiting<Submitted>, arena: &Arena) -> Option<Self> {
        let Waiting { job, cost, deadline, since, .. } = waiting;
        let started = Instant::now();
        let lane = job.guarded(|| Lane::start(&job.admitted, job.password.expose(), arena));
        match lane {
            Ok(Ok(Some(lane))) => {
                Some(Self { lane, job, cost, deadline, since, started, most_lanes: 0, first: None })
            }
            Ok(Err(OutOfMemory)) => {
                job.answer(Err(Dropped::NoMemory));
                None
            }
            Ok(Ok(None)) | Err(_) => {
                job.answer(Err(Dropped::Fault));
                None
            }
        }
    }

    fn running(&self) -> Running {
        let work = self.lane.remaining() + if self.has_second() { self.job.admitted.work() } else { 0 };
        Running { rest: self.cost.rest(work), deadline: self.deadline }
    }

    /// Whether a second reading of the password waits for the lane.
    fn has_second(&self) -> bool {
        self.first.is_none() && self.job.second.is_some()
    }

    /// Ends a lane without remaining work: continues with the second reading of the password, or
    /// returns the answer.
    fn next(self, arena: &Arena) -> ControlFlow<(Submitted, Result<Done, Dropped>), Self> {
        let has_second = self.has_second();
        let Self { lane, job, first, .. } = self;
        let ended = job.guarded(|| {
            let output = lane.finish(&job.admitted);
            let second = job.second.as_ref().filter(|_| has_second);
            let second = second.map(|second| Lane::start(&job.admitted, second.expose(), arena));
            Ok::<_, OutOfMemory>((output, second.transpose()?.flatten()))
        });
        let (queued, hashed) = (self.started - self.since, self.started.elapsed());
        match ended {
            Ok(Ok((output, Some(lane)))) => {
                ControlFlow::Continue(Self { lane, job, first: Some(output), ..self })
            }
            Ok(Ok((output, None))) => {
                let (output, second) = match first {
                    Some(first) => (first, Some(output)),
                    None => (output, None),
                };
                let done = Done { output, second, queued, hashed, lanes: self.most_lanes };
                ControlFlow::Break((job, Ok(done)))
            }
            Ok(Err(OutOfMemory)) => ControlFlow::Break((job, Err(Dropped::NoMemory))),
            Err(dropped) => ControlFlow::Break((job, Err(dropped))),
        }
    }
}

struct Measurement {
    algorithm: Algorithm,
    lanes: usize,
    work: u64,
    elapsed: Duration,
}

/// Computes one slice on the lanes of an algorithm: `work` units on each, or fewer if a lane ends.
///
/// If the lanes gain nothing side by side, computes only the one that ends first. So none ends
/// later than beside the others.
fn advance(active: &mut Vec<Active>, algorithm: Algorithm, work: u64) -> Option<Measurement> {
    let of_algorithm = || active.iter().filter(|a| a.cost.algorithm == algorithm);
    let together_bytes = of_algorithm().map(|a| a.cost.memory_bytes).sum();
    let mut lanes: Vec<&mut Lane> =
        active.iter_mut().filter(|a| a.cost.algorithm == algorithm).map(|a| &mut a.lane).collect();
    if !gain_side_by_side(together_bytes) {
        lanes = lanes.into_iter().min_by_key(|lane| lane.remaining()).into_iter().collect();
    }
    let work = lanes.iter().map(|lane| lane.remaining()).min()?.min(work);
    let together = lanes.len();
    let started = Instant::now();
    let slice = AssertUnwindSafe(|| lane::advance(algorithm, lanes.into_iter(), work));
    if catch_unwind(slice).is_err() {
        // The lanes are interleaved, so the faulty one is unknown: all of them fail.
        for faulty in active.extract_if(.., |a| a.cost.algorithm == algorithm) {
            faulty.job.answer(Err(Dropped::Fault));
        }
        return None;
    }
    Some(Measurement { algorithm, lanes: together, work, elapsed: started.elapsed() })
}

/// Ends the lanes without remaining work, and returns the answers to their callers.
fn finished(active: &mut Vec<Active>, arena: &Arena) -> Vec<(Submitted, Result<Done, Dropped>)> {
    let ended: Vec<_> = active.extract_if(.., |a| a.lane.remaining() == 0).collect();
    let mut answers = Vec::new();
    for ended in ended {
        match ended.next(arena) {
            ControlFlow::Continue(next) => active.push(next),
            ControlFlow::Break(answer) => answers.push(answer),
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use std::iter;

    use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2};
    use tokio::sync::oneshot;

    use super::*;
    use crate::{Admitted, Ceilings, Kernels, Password, pool::work::Caller};

    /// Starts an Argon2 hash, and computes some of its blocks.
    fn lane(memory_mib: u32, blocks: u64, arena: &Arena) -> Active {
        let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
        let params = argon2::Params::new(variant, version, memory_mib << 10, 2, 1).unwrap();
        let setting = Setting::fresh(Params::Argon2(params), [0; NEW_SALT_BYTES]);
        let ceilings = Ceilings {
            argon2_memory_kib: 1 << 16,
            argon2_memory_passes_kib: 1 << 17,
            argon2_parallelism: 1,
            ..Ceilings::default()
        };
        let admitted = Admitted::new(setting, &ceilings).unwrap();
        let password = Password::new(b"password").unwrap();
        let cost = Cost::of(&admitted, iter::once(password.expose()), Kernels::Own);
        let mut lane = Lane::start(&admitted, password.expose(), arena).unwrap().unwrap();
        lane::advance(cost.algorithm, iter::once(&mut lane), blocks);
        let (reply, _) = oneshot::channel();
        let job = Submitted { admitted, password, second: None, caller: Caller::default(), reply };
        let now = Instant::now();
        Active { lane, job, cost, deadline: now, since: now, started: now, most_lanes: 0, first: None }
    }

    /// Two hashes of 19 MiB are slower side by side than one after the other.
    #[test]
    fn small_hashes_are_computed_side_by_side_only_if_they_gain() {
        const ALL: u64 = 1_000;
        let arena = Arena::new(0);
        for (memory_mib, computed) in [
            (vec![19], vec![ALL]),
            (vec![19, 19], vec![0, ALL]),
            (vec![19, 19, 19], vec![ALL; 3]),
            (vec![8, 8, 8, 8], vec![0, 0, 0, ALL]),
            (vec![46, 46], vec![ALL; 2]),
            (vec![64, 8], vec![ALL; 2]),
        ] {
            let mut active: Vec<_> =
                (0..).zip(&memory_mib).map(|(blocks, mib)| lane(*mib, blocks, &arena)).collect();
            let before: Vec<_> = active.iter().map(|a| a.lane.remaining()).collect();
            let measured = advance(&mut active, Algorithm::Argon2id, ALL).unwrap();
            let done = before.iter().zip(&active).map(|(before, a)| before - a.lane.remaining());
            assert_eq!(done.collect::<Vec<_>>(), computed, "{memory_mib:?}");
            let lanes = computed.iter().filter(|computed| **computed > 0).count();
            assert_eq!((measured.lanes, measured.work), (lanes, ALL), "{memory_mib:?}");
        }
    }
}
