//! Tests each rule, then every order of events on small machines.

use std::{cell::Cell, collections::HashSet, rc::Rc};

use super::*;

const MS: Duration = Duration::from_millis(1);

/// A job with a number, and whether its caller has gone.
#[derive(Clone, Debug)]
struct Numbered {
    number: usize,
    gone: Rc<Cell<bool>>,
}

impl Numbered {
    fn new(number: usize) -> Self {
        Self { number, gone: Rc::default() }
    }
}

impl Job for Numbered {
    fn abandoned(&self) -> bool {
        self.gone.get()
    }
}

const LANES: usize = 4;

/// One bcrypt hash alone takes 100 ms; four together take 160 ms. An argon2 hash takes 20 ms,
/// whole.
const BCRYPT: Cost = Cost { algorithm: Algorithm::Bcrypt, work: 100 };
const ARGON2: Cost = Cost { algorithm: Algorithm::Argon2id, work: 20 };

fn machine(workers: usize, limits: Option<QueueLimits>) -> Schedule<Numbered> {
    let mut estimates = Estimates::new(|algorithm| if algorithm == Algorithm::Bcrypt { LANES } else { 1 });
    for (lanes, milliseconds) in [(1, 100), (2, 110), (3, 130), (4, 160)] {
        estimates.measured(Algorithm::Bcrypt, lanes, 100, MS * milliseconds);
    }
    estimates.measured(Algorithm::Argon2id, 1, 20, MS * 20);
    let mut schedule = Schedule::new(workers, vec![Algorithm::Bcrypt], estimates, limits);
    for worker in 0..workers {
        schedule.sleep(Wake::LaneWorker(worker));
        schedule.sleep(Wake::BlockWorker(worker));
    }
    schedule
}

fn started(found: &Found<Numbered>) -> Vec<usize> {
    found.started.iter().map(|w| w.job.number).collect()
}

/// Makes lanes with `rest` remaining units each.
fn lanes(n: usize, rest: u64, deadline: Instant) -> impl Iterator<Item = Running> {
    (0..n).map(move |_| Running { rest: Cost { algorithm: Algorithm::Bcrypt, work: rest }, deadline })
}

#[test]
fn jobs_go_to_idle_workers_first() {
    let (mut schedule, now) = (machine(2, None), Instant::now());
    let deadline = now + MS * 1000;
    for number in 0..4 {
        let wake = schedule.submit(Numbered::new(number), BCRYPT, deadline, Urgency::Required, now);
        let expected = (number < 2).then_some(Wake::LaneWorker(number));
        assert_eq!(wake, Ok(expected), "each sleeper is woken once");
    }
    let first = schedule.lane_boundary(0, lanes(0, 0, deadline), now);
    assert_eq!(started(&first), [0], "the second job is left to the other worker");
    let second = schedule.lane_boundary(1, lanes(0, 0, deadline), now);
    assert_eq!(started(&second), [1, 2], "now they are level, and one more may stack here");
    let again = schedule.lane_boundary(0, lanes(1, 99, deadline), now);
    assert_eq!(started(&again), [3]);
}

#[test]
fn joining_never_makes_a_running_hash_miss_its_deadline() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    // Alone it takes 100 ms; beside another hash it would take 110 ms.
    let tight = now + MS * 105;
    assert!(schedule.submit(Numbered::new(0), BCRYPT, tight, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, tight), now)), [0]);
    assert!(schedule.submit(Numbered::new(1), BCRYPT, now + MS * 1000, Urgency::Required, now).is_ok());
    let held = schedule.lane_boundary(0, lanes(1, 100, tight), now);
    assert_eq!(started(&held), [0; 0], "it waits");
    let later = now + MS * 60;
    let joined = schedule.lane_boundary(0, lanes(1, 40, tight), later);
    assert_eq!(started(&joined), [1], "forty units side by side are done in time");
}

#[test]
fn a_job_that_must_wait_does_not_block_the_jobs_behind_it() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 1000;
    assert!(schedule.submit(Numbered::new(0), BCRYPT, far, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, far), now)), [0]);
    let joining = |number, deadline| (Numbered::new(number), deadline);
    let two_more = [joining(1, now + MS * 215), joining(2, far)];
    for (job, deadline) in two_more {
        assert!(schedule.submit(job, BCRYPT, deadline, Urgency::Required, now).is_ok());
    }
    // In 110 ms job 1 has 105 ms left: enough alone, too little beside another hash.
    let later = now + MS * 110;
    assert_eq!(started(&schedule.lane_boundary(0, lanes(1, 50, far), later)), [2]);
}

#[test]
fn refuses_work_that_cannot_meet_its_deadline() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let mut submit = |deadline| schedule.submit(Numbered::new(0), BCRYPT, deadline, Urgency::Required, now);
    assert_eq!(submit(now), Err(Refused::DeadlineExceeded));
    assert_eq!(submit(now + MS * 99), Err(Refused::DeadlineExceeded));
    assert!(submit(now + MS * 101).is_ok());
}

/// Most of the time of a tiny hash is its fixed cost, so its speed does not apply to expensive
/// hashes.
#[test]
fn a_tiny_hash_does_not_mark_expensive_ones_as_impossible() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let [tiny, dear] = [1, 480_000].map(|work| Cost { algorithm: Algorithm::Sha1Crypt, work });
    schedule.block_done(0, Some((tiny, Duration::from_micros(20))));
    let second = now + MS * 1000;
    assert!(schedule.submit(Numbered::new(0), dear, second, Urgency::Required, now).is_ok());
    let found = schedule.block_free(0, now);
    assert_eq!((started(&found), found.expired.len()), (vec![0], 0));
    schedule.block_done(0, Some((dear, MS * 100)));
    let too_soon = schedule.submit(Numbered::new(1), dear, now + MS * 99, Urgency::Required, now);
    assert_eq!(too_soon, Err(Refused::DeadlineExceeded), "now its speed is known");
}

/// The only measured hash was interrupted, so all hashes of its algorithm seem ten times too slow.
#[test]
fn a_test_from_time_to_time_corrects_a_wrong_bound() {
    let (mut schedule, start) = (machine(1, None), Instant::now());
    let dear = Cost { algorithm: Algorithm::Sha1Crypt, work: 480_000 };
    schedule.block_done(0, Some((dear, MS * 1000)));
    let submit = |schedule: &mut Schedule<Numbered>, number, now| {
        schedule.submit(Numbered::new(number), dear, now + MS * 500, Urgency::Required, now)
    };
    for now in [start, start + TRY_EVERY / 2] {
        assert_eq!(submit(&mut schedule, 0, now), Err(Refused::DeadlineExceeded));
    }
    let later = start + TRY_EVERY;
    schedule.submit(Numbered::new(1), ARGON2, later + MS * 100, Urgency::Required, later).unwrap();
    assert_eq!(
        submit(&mut schedule, 2, later),
        Err(Refused::DeadlineExceeded),
        "no try while somebody waits"
    );
    assert_eq!(started(&schedule.block_free(0, later)), [1]);
    assert_eq!(submit(&mut schedule, 3, later), Err(Refused::DeadlineExceeded), "nor while all are at work");
    schedule.block_done(0, None);
    assert!(submit(&mut schedule, 4, later).is_ok());
    assert_eq!(started(&schedule.block_free(0, later)), [4]);
    schedule.block_done(0, Some((dear, MS * 100)));
    assert!(submit(&mut schedule, 5, later).is_ok(), "and it stays right");
}

#[test]
fn a_test_that_confirms_the_bound_is_not_repeated_at_once() {
    let (mut schedule, start) = (machine(1, None), Instant::now());
    let submit = |schedule: &mut Schedule<Numbered>, now| {
        schedule.submit(Numbered::new(0), BCRYPT, now + MS * 50, Urgency::Required, now)
    };
    assert_eq!(submit(&mut schedule, start), Err(Refused::DeadlineExceeded));
    let later = start + TRY_EVERY;
    assert!(submit(&mut schedule, later).is_ok());
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, later), later)), [0]);
    schedule.estimates.measured(Algorithm::Bcrypt, 1, 1, MS);
    for now in [later, later + TRY_EVERY / 2] {
        assert_eq!(submit(&mut schedule, now), Err(Refused::DeadlineExceeded));
    }
}

#[test]
fn refuses_work_if_the_wait_in_the_queue_passes_its_deadline() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 10_000;
    assert_eq!(schedule.lane_boundary(0, lanes(LANES, 100, far), now).started.len(), 0);
    // The first lane is free in 160 ms, and the hash takes 160 ms: 360 ms with head room.
    let mut submit = |deadline| schedule.submit(Numbered::new(0), BCRYPT, deadline, Urgency::Required, now);
    assert!(matches!(submit(now + MS * 359), Err(Refused::Overloaded { .. })));
    assert!(submit(now + MS * 360).is_ok());
    // One job waits now: 40 ms of a worker's time more, 45 ms with head room.
    assert!(matches!(submit(now + MS * 404), Err(Refused::Overloaded { .. })));
    assert!(submit(now + MS * 405).is_ok());
}

#[test]
fn the_queue_is_bounded_in_operations_and_in_work() {
    let now = Instant::now();
    let far = now + MS * 60_000;
    let count = Some(QueueLimits { operations: 3, work_per_worker: MS * 60_000 });
    let work = Some(QueueLimits { operations: 1000, work_per_worker: MS * 130 });
    for limits in [count, work] {
        let mut schedule = machine(1, limits);
        let accepted = (0..10).filter(|&number| {
            schedule.submit(Numbered::new(number), BCRYPT, far, Urgency::Required, now).is_ok()
        });
        assert_eq!(accepted.count(), 3, "{limits:?}");
    }
}

#[test]
fn an_operation_longer_than_the_bound_is_taken_if_the_queue_is_empty() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 10, work_per_worker: MS });
    let mut schedule = machine(1, Some(limits));
    let far = now + MS * 60_000;
    assert!(schedule.submit(Numbered::new(0), BCRYPT, far, Urgency::Required, now).is_ok());
    let second = schedule.submit(Numbered::new(1), BCRYPT, far, Urgency::Required, now);
    assert!(matches!(second, Err(Refused::Overloaded { .. })));
}

#[test]
fn optional_work_is_refused_under_load() {
    let now = Instant::now();
    let far = now + MS * 60_000;
    // Taken while at most a quarter of 160 ms waits: two argon2 hashes of 20 ms.
    let limits = QueueLimits { operations: 100, work_per_worker: MS * 160 };
    for (limits, accepted) in [(Some(limits), 3), (None, 10)] {
        let mut schedule = machine(1, limits);
        let taken = (0..10).filter(|&number| {
            schedule.submit(Numbered::new(number), ARGON2, far, Urgency::Optional, now).is_ok()
        });
        assert_eq!(taken.count(), accepted, "{limits:?}");
        let required = schedule.submit(Numbered::new(99), ARGON2, far, Urgency::Required, now);
        assert!(required.is_ok(), "{limits:?}");
    }
}

#[test]
fn jobs_without_a_caller_hold_no_place() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 2, work_per_worker: MS * 60_000 });
    let mut schedule = machine(1, Some(limits));
    let far = now + MS * 60_000;
    let leaving = Numbered::new(0);
    for job in [leaving.clone(), Numbered::new(1)] {
        assert!(schedule.submit(job, ARGON2, far, Urgency::Required, now).is_ok());
    }
    leaving.gone.set(true);
    assert!(schedule.submit(Numbered::new(2), ARGON2, far, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.block_free(0, now)), [1]);
}

#[test]
fn a_job_that_expires_in_the_queue_is_answered_and_not_started() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    for (number, deadline) in [(0, now + MS * 200), (1, now + MS * 60_000)] {
        assert!(schedule.submit(Numbered::new(number), ARGON2, deadline, Urgency::Required, now).is_ok());
    }
    let found = schedule.block_free(0, now + MS * 300);
    assert_eq!((found.expired.len(), started(&found)), (1, vec![1]));
}

/// Tests every order of submissions, departures and boundaries, with two workers and five jobs of
/// two classes.
///
/// In every state no job waits while all workers that could take it sleep (no lost wake-up), and no
/// job is held twice. From every state the workers finish all remaining jobs (no starvation).
#[test]
fn no_order_of_events_loses_a_job() {
    let mut seen = HashSet::new();
    explore(&Model::new(), &mut seen);
    assert!(seen.len() > 1000, "only {} states were reached", seen.len());
}

/// A machine that takes one event at a time. It is rebuilt from its history, because a schedule
/// cannot be cloned.
#[derive(Clone)]
struct Model {
    history: Vec<Event>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Submit,
    Leave(usize),
    /// An awake lane worker reaches a boundary. Its oldest lane is done, if it has one.
    Boundary(usize),
    /// An awake block worker is free.
    Free(usize),
}

/// The visible part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    submitted: usize,
    gone: Vec<bool>,
    done: Vec<bool>,
    lanes: Vec<Vec<usize>>,
    busy: Vec<Option<usize>>,
    asleep: Vec<bool>,
    waiting: Vec<usize>,
}

const WORKERS: usize = 2;
/// Even jobs are sliced, odd jobs are whole.
const JOBS: usize = 5;

impl Model {
    fn new() -> Self {
        Self { history: Vec::new() }
    }

    fn after(&self, event: Event) -> Self {
        let mut history = self.history.clone();
        history.push(event);
        Self { history }
    }

    /// Replays the history.
    fn state(&self) -> State {
        let now = Instant::now();
        let deadline = now + MS * 60_000;
        let mut schedule = machine(WORKERS, None);
        let jobs: Vec<Numbered> = (0..JOBS).map(Numbered::new).collect();
        let (mut submitted, mut done) = (0, vec![false; JOBS]);
        let mut lanes: Vec<Vec<usize>> = vec![Vec::new(); WORKERS];
        let mut busy: Vec<Option<usize>> = vec![None; WORKERS];
        for &event in &self.history {
            match event {
                Event::Submit => {
                    let cost = if submitted % 2 == 0 { BCRYPT } else { ARGON2 };
                    let job = jobs[submitted].clone();
                    let taken = schedule.submit(job, cost, deadline, Urgency::Required, now);
                    assert!(taken.is_ok(), "{:?}", self.history);
                    submitted += 1;
                }
                Event::Leave(job) => jobs[job].gone.set(true),
                Event::Boundary(worker) => {
                    if !lanes[worker].is_empty() {
                        done[lanes[worker].remove(0)] = true;
                    }
                    lanes[worker].retain(|&job| !jobs[job].gone.get());
                    let running = self::lanes(lanes[worker].len(), 50, deadline);
                    let found = schedule.lane_boundary(worker, running, now);
                    lanes[worker].extend(started(&found));
                    if lanes[worker].is_empty() {
                        schedule.sleep(Wake::LaneWorker(worker));
                    }
                }
                Event::Free(worker) => {
                    if let Some(job) = busy[worker].take() {
                        done[job] = true;
                    }
                    busy[worker] = started(&schedule.block_free(worker, now)).first().copied();
                    if busy[worker].is_none() {
                        schedule.sleep(Wake::BlockWorker(worker));
                    }
                }
            }
        }
        let held: Vec<usize> = lanes.iter().flatten().chain(busy.iter().flatten()).copied().collect();
        assert_eq!(held.len(), held.iter().collect::<HashSet<_>>().len(), "held twice: {:?}", self.history);
        let workers = (0..WORKERS).map(Wake::LaneWorker).chain((0..WORKERS).map(Wake::BlockWorker));
        let asleep = workers.map(|w| !schedule.awake(w)).collect();
        let gone: Vec<bool> = jobs.iter().map(|job| job.gone.get()).collect();
        let waiting =
            (0..submitted).filter(|job| !done[*job] && !gone[*job] && !held.contains(job)).collect();
        State { submitted, gone, done, lanes, busy, asleep, waiting }
    }
}

impl State {
    /// Returns all possible next events, first the steps of the workers.
    fn events(&self) -> Vec<Event> {
        let mut events = self.steps();
        if self.submitted < JOBS {
            events.push(Event::Submit);
        }
        // Two of the jobs may lose their caller at any moment.
        events
            .extend((0..self.submitted.min(2)).filter(|&j| !self.gone[j] && !self.done[j]).map(Event::Leave));
        events
    }

    /// Returns the steps of workers that are awake.
    fn steps(&self) -> Vec<Event> {
        let lane_workers = (0..WORKERS).filter(|&w| !self.asleep[w]).map(Event::Boundary);
        let block_workers = (0..WORKERS).filter(|&w| !self.asleep[WORKERS + w]).map(Event::Free);
        lane_workers.chain(block_workers).collect()
    }
}

fn explore(model: &Model, seen: &mut HashSet<State>) {
    let state = model.state();
    if !seen.insert(state.clone()) {
        return;
    }
    for class in 0..2 {
        let waits = state.waiting.iter().any(|job| job % 2 == class);
        let all_asleep = (0..WORKERS).all(|w| state.asleep[class * WORKERS + w]);
        assert!(!(waits && all_asleep), "a lost wake-up after {:?}", model.history);
    }
    assert_everyone_is_served(model);
    for event in state.events() {
        explore(&model.after(event), seen);
    }
}

/// Without further submissions the workers finish all jobs.
fn assert_everyone_is_served(model: &Model) {
    let mut model = model.clone();
    let mut rounds = 0;
    loop {
        let state = model.state();
        let Some(&step) = state.steps().get(rounds % state.steps().len().max(1)) else {
            assert!(state.waiting.is_empty(), "starved after {:?}", model.history);
            return;
        };
        model = model.after(step);
        rounds += 1;
        assert!(rounds < 200, "no end after {:?}", model.history);
    }
}
