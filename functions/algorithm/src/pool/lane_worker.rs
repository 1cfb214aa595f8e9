//! A thread that computes many hashes at once, in slices: continuous batching.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;

use super::{
    estimate::Cost,
    lane::{self, Lane},
    schedule::{Job as _, Running, Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{Done, Dropped},
};
use crate::Output;

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
        let unwanted = active.extract_if(.., |a| a.job.abandoned() || schedule.is_hopeless(a.running(), now));
        answers.extend(unwanted.map(|a| (a.job, Err(Dropped::DeadlineExceeded))));
        let found = schedule.lane_boundary(worker, active.iter().map(Active::running), now);
        answers.extend(schedule.refusals(found.expired, found.overloaded));
        let nothing_to_do = active.is_empty() && found.started.is_empty() && answers.is_empty();
        if nothing_to_do && schedule.closed() {
            return;
        }
        if nothing_to_do {
            shared.sleep(schedule, Wake::LaneWorker(worker), None);
            continue;
        }
        let slices = schedule.slices(worker);
        drop(schedule);
        // The schedule knows the free lanes before the answers are out. A caller may send its next
        // request at once, and this worker should take it.
        for (job, answer) in answers.drain(..) {
            job.answer(answer);
        }
        active.extend(found.started.into_iter().filter_map(Active::start));
        let lanes = active.len();
        for a in &mut active {
            a.most_lanes = a.most_lanes.max(lanes);
        }
        for (algorithm, work) in slices {
            measured.extend(advance(&mut active, algorithm, work));
        }
        answers.extend(finished(&mut active));
    }
}

/// A lane in use.
struct Active {
    lane: Lane,
    job: Submitted,
    algorithm: Algorithm,
    deadline: Instant,
    since: Instant,
    started: Instant,
    most_lanes: usize,
    /// The output of the first reading of the password, while the lane computes the second.
    first: Option<Output>,
}

impl Active {
    /// Starts a hash. If the start panics, answers its caller and returns `None`.
    fn start(waiting: Waiting<Submitted>) -> Option<Self> {
        let Waiting { job, cost, deadline, since, .. } = waiting;
        let started = Instant::now();
        let lane = job.guarded(|| Lane::start(&job.admitted, job.password.expose()));
        let Ok(Some(lane)) = lane else {
            job.answer(Err(Dropped::Fault));
            return None;
        };
        let algorithm = cost.algorithm;
        Some(Self { lane, job, algorithm, deadline, since, started, most_lanes: 0, first: None })
    }

    fn running(&self) -> Running {
        let work = self.lane.remaining() + if self.has_second() { self.job.admitted.work() } else { 0 };
        Running { rest: Cost::new(self.algorithm, work), deadline: self.deadline }
    }

    /// Whether a second reading of the password waits for the lane.
    fn has_second(&self) -> bool {
        self.first.is_none() && self.job.second.is_some()
    }

    /// Ends a lane without remaining work: continues with the second reading of the password, or
    /// returns the answer.
    fn next(self) -> ControlFlow<(Submitted, Result<Done, Dropped>), Self> {
        let has_second = self.has_second();
        let Self { lane, job, first, .. } = self;
        let ended = job.guarded(|| {
            let output = lane.finish(&job.admitted);
            let second = job.second.as_ref().filter(|_| has_second);
            (output, second.and_then(|second| Lane::start(&job.admitted, second.expose())))
        });
        let (queued, hashed) = (self.started - self.since, self.started.elapsed());
        match ended {
            Ok((output, Some(lane))) => {
                ControlFlow::Continue(Self { lane, job, first: Some(output), ..self })
            }
            Ok((output, None)) => {
                let (output, second) = match first {
                    Some(first) => (first, Some(output)),
                    None => (output, None),
                };
                let done = Done { output, second, queued, hashed, lanes: self.most_lanes };
                ControlFlow::Break((job, Ok(done)))
            }
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
fn advance(active: &mut Vec<Active>, algorithm: Algorithm, work: u64) -> Option<Measurement> {
    let of_algorithm = |a: &&mut Active| a.algorithm == algorithm;
    let lanes = active.iter().filter(|a| a.algorithm == algorithm).count();
    let least_rest = active.iter().filter(|a| a.algorithm == algorithm).map(|a| a.lane.remaining()).min()?;
    let work = work.min(least_rest);
    let started = Instant::now();
    let slice = AssertUnwindSafe(|| {
        lane::advance(algorithm, active.iter_mut().filter(of_algorithm).map(|a| &mut a.lane), work);
    });
    if catch_unwind(slice).is_err() {
        // The lanes are interleaved, so the faulty one is unknown: all of them fail.
        for faulty in active.extract_if(.., |a| a.algorithm == algorithm) {
            faulty.job.answer(Err(Dropped::Fault));
        }
        return None;
    }
    Some(Measurement { algorithm, lanes, work, elapsed: started.elapsed() })
}

/// Ends the lanes without remaining work, and returns the answers to their callers.
fn finished(active: &mut Vec<Active>) -> Vec<(Submitted, Result<Done, Dropped>)> {
    let ended: Vec<_> = active.extract_if(.., |a| a.lane.remaining() == 0).collect();
    let mut answers = Vec::new();
    for ended in ended {
        match ended.next() {
            ControlFlow::Continue(next) => active.push(next),
            ControlFlow::Break(answer) => answers.push(answer),
        }
    }
    answers
}
