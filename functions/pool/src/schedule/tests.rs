//! Tests each rule, then every order of events on small machines.

use std::{cell::Cell, collections::HashSet, ops::Range, rc::Rc};

use super::{
    super::estimate::gain_side_by_side,
    refusal::{LONGEST_QUEUE, SHORT_STAY, SHORTEST_QUEUE, TRY_EVERY},
    shares::{ACTIVE_FOR, MOST_CALLERS, MOST_CLAIM, STANDING_AFTER},
    workers::LaneCounts,
    *,
};

pub(super) const MS: Duration = Duration::from_millis(1);

/// A job with a number, and whether its caller has gone.
#[derive(Clone, Debug)]
pub(super) struct Numbered {
    pub(super) number: usize,
    gone: Rc<Cell<bool>>,
    caller: CallerNumber,
}

impl Numbered {
    fn new(number: usize) -> Self {
        Self::of(CallerNumber::default(), number)
    }

    pub(super) fn of(caller: CallerNumber, number: usize) -> Self {
        Self { number, gone: Rc::default(), caller }
    }
}

impl Job for Numbered {
    fn abandoned(&self) -> bool {
        self.gone.get()
    }

    fn caller(&self) -> CallerNumber {
        self.caller
    }
}

const LANES: usize = 4;

/// One bcrypt hash alone takes 100 ms; four together take 160 ms. An argon2 hash takes 20 ms,
/// whole.
const BCRYPT: Cost = Cost::new(Algorithm::Bcrypt, 100);
const ARGON2: Cost = Cost::new(Algorithm::Argon2id, 20);

/// A worker full of bcrypt still takes one where a bcrypt ends.
#[test]
fn loops_of_digests_leave_half_of_a_worker_to_other_hashes() {
    let now = Instant::now();
    let (bcrypt, sha512) = (Cost::new(Algorithm::Bcrypt, 100), Cost::new(Algorithm::Sha512Crypt, 100));
    for (first, second, taken) in [(sha512, bcrypt, [4, 4]), (bcrypt, sha512, [8, 0])] {
        let mut estimates = Estimates::new(|algorithm| if algorithm == Algorithm::Bcrypt { 8 } else { 4 });
        for cost in [bcrypt, sha512] {
            estimates.measured(cost.algorithm, 1, cost.work, MS * 100);
        }
        let sliced = vec![Algorithm::Bcrypt, Algorithm::Sha512Crypt];
        let mut schedule = Schedule::new(1, sliced, estimates, None);
        let deadline = now + MS * 3_600_000;
        for cost in [[first; 10], [second; 10]].concat() {
            schedule.submit(Numbered::new(0), cost, deadline, Urgency::Required, now).unwrap();
        }
        let started = schedule.lane_boundary(0, [].into_iter(), now).started;
        let of = |cost: Cost| started.iter().filter(|waiting| waiting.cost == cost).count();
        assert_eq!([of(first), of(second)], taken);
        let rest = Running { caller: CallerNumber::default(), rest: bcrypt, deadline };
        let sha512s = schedule.workers.spare_lanes(Algorithm::Sha512Crypt, &schedule.estimates);
        assert_eq!(sha512s, 0);
        schedule.workers.lane[0].lanes = vec![rest; 7];
        assert_eq!(schedule.workers.spare_lanes(Algorithm::Sha512Crypt, &schedule.estimates), 1);
    }
}

/// In eight lanes it would take 400 ms, twice as long beside the other caller, and be refused.
#[test]
fn a_hash_is_forecast_beside_the_hashes_of_its_kind_and_not_in_full_lanes() {
    let now = Instant::now();
    let loops = Cost::new(Algorithm::Sha512Crypt, 100);
    let mut estimates = Estimates::new(|algorithm| if algorithm == Algorithm::Bcrypt { 8 } else { 4 });
    for (cost, lanes, milliseconds) in [(BCRYPT, 1, 100), (BCRYPT, 8, 400), (loops, 1, 100)] {
        estimates.measured(cost.algorithm, lanes, cost.work, MS * milliseconds);
    }
    let sliced = vec![Algorithm::Bcrypt, Algorithm::Sha512Crypt];
    let mut schedule = Schedule::new(1, sliced, estimates, Some(QueueLimits::default()));
    for (number, (caller, cost, milliseconds)) in
        [(1, loops, 60_000), (2, BCRYPT, 600), (2, BCRYPT, 600)].into_iter().enumerate()
    {
        let job = Numbered::of(CallerNumber(caller), number);
        let taken = schedule.submit(job, cost, now + MS * milliseconds, Urgency::Required, now);
        assert!(taken.is_ok(), "{number}");
    }
}

fn machine(workers: usize, limits: Option<QueueLimits>) -> Schedule<Numbered> {
    let mut estimates = Estimates::new(|algorithm| if algorithm == Algorithm::Bcrypt { LANES } else { 1 });
    for (lanes, milliseconds) in [(1, 100), (2, 110), (3, 130), (4, 160)] {
        estimates.measured(Algorithm::Bcrypt, lanes, 100, MS * milliseconds);
    }
    estimates.measured(Algorithm::Argon2id, 1, 20, MS * 20);
    let mut schedule = Schedule::new(workers, vec![Algorithm::Bcrypt], estimates, limits);
    for worker in 0..workers {
        schedule.workers.sleep(Wake::LaneWorker(worker));
        schedule.workers.sleep(Wake::BlockWorker(worker));
    }
    schedule
}

fn started(found: &Found<Numbered>) -> Vec<usize> {
    found.started.iter().map(|w| w.job.number).collect()
}

fn part(cost: Cost, core_time: Duration) -> Part {
    Part { cost, core_time }
}

/// Makes lanes with `rest` remaining units each.
fn lanes(n: usize, rest: u64, deadline: Instant) -> impl Iterator<Item = Running> {
    (0..n).map(move |_| Running {
        caller: CallerNumber::default(),
        rest: Cost::new(Algorithm::Bcrypt, rest),
        deadline,
    })
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
fn fewer_whole_hashes_run_at_once_than_there_are_workers() {
    let (mut schedule, now) = (machine(2, None).with_block_workers(1), Instant::now());
    let mut submit = |number, within| {
        schedule.submit(Numbered::new(number), ARGON2, now + MS * within, Urgency::Required, now)
    };
    assert_eq!(submit(0, 1000), Ok(Some(Wake::BlockWorker(0))));
    assert_eq!(submit(1, 1000), Ok(None), "nothing else may hold a hash");
    assert!(matches!(submit(2, 50), Err(Refused::Overloaded { .. })), "the third ends after 60 ms");
    assert!(submit(3, 100).is_ok());
    assert_eq!(started(&schedule.block_free(0, now)), [0]);
}

#[test]
fn a_caller_is_refused_whole_hashes_that_would_have_to_wait_for_its_own() {
    let (mut schedule, now) = (machine(2, None), Instant::now());
    let mut submit = |caller, number, within| {
        let job = Numbered::of(CallerNumber(caller), number);
        schedule.submit(job, ARGON2, now + MS * within, Urgency::Required, now)
    };
    assert!(submit(1, 0, 1000).is_ok());
    assert!(submit(2, 1, 1000).is_ok());
    assert_eq!(started(&schedule.block_free(0, now)), [0]);
    assert_eq!(started(&schedule.block_free(1, now)), [1]);
    schedule.block_done(1, &[], now);
    let mut submit = |number, within| {
        let job = Numbered::of(CallerNumber(1), number);
        schedule.submit(job, ARGON2, now + MS * within, Urgency::Required, now)
    };
    assert!(matches!(submit(2, 35), Err(Refused::Overloaded { .. })), "it ends after 40 ms");
    assert!(submit(3, 50).is_ok());
    assert_eq!(started(&schedule.block_free(1, now)), [0; 0], "the worker is there for the other caller");
    schedule.workers.sleep(Wake::BlockWorker(1));
    assert_eq!(schedule.wake_for_waiting(now), None);
    let alone = now + ACTIVE_FOR * 2;
    assert_eq!(schedule.wake_for_waiting(alone), Some(Wake::BlockWorker(1)), "the other caller has left");
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
    let [tiny, dear] = [1, 480_000].map(|work| Cost::new(Algorithm::Sha1Crypt, work));
    schedule.block_done(0, &[part(tiny, Duration::from_micros(20))], now);
    let second = now + MS * 1000;
    assert!(schedule.submit(Numbered::new(0), dear, second, Urgency::Required, now).is_ok());
    let found = schedule.block_free(0, now);
    assert_eq!((started(&found), found.expired.len()), (vec![0], 0));
    schedule.block_done(0, &[part(dear, MS * 100)], now);
    let too_soon = schedule.submit(Numbered::new(1), dear, now + MS * 99, Urgency::Required, now);
    assert_eq!(too_soon, Err(Refused::DeadlineExceeded), "now its speed is known");
}

/// The only measured hash was interrupted, so all hashes of its algorithm seem ten times too slow.
#[test]
fn a_test_from_time_to_time_corrects_a_wrong_bound() {
    let (mut schedule, start) = (machine(1, None), Instant::now());
    let dear = Cost::new(Algorithm::Sha1Crypt, 480_000);
    schedule.block_done(0, &[part(dear, MS * 1000)], start);
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
    schedule.block_done(0, &[], later);
    assert!(submit(&mut schedule, 4, later).is_ok());
    assert_eq!(started(&schedule.block_free(0, later)), [4]);
    schedule.block_done(0, &[part(dear, MS * 100)], later);
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
    assert!((0..LANES).all(|_| submit(now + MS * 360).is_ok()));
    // Each of them gets a lane, all at the same time. The next begins when they end.
    assert!(matches!(submit(now + MS * 539), Err(Refused::Overloaded { .. })));
    assert!(submit(now + MS * 540).is_ok());
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
fn optional_work_is_judged_by_the_waiting_work_of_its_own_caller() {
    let now = Instant::now();
    let far = now + MS * 60_000;
    let mut schedule = machine(1, Some(QueueLimits { operations: 100, work_per_worker: MS * 200 }));
    let mut submit = |caller, urgency| {
        schedule.submit(Numbered::of(CallerNumber(caller), 0), ARGON2, far, urgency, now).is_ok()
    };
    for _ in 0..8 {
        assert!(submit(1, Urgency::Required));
    }
    assert!(!submit(1, Urgency::Optional));
    // A quarter of 200 ms, for one of two callers: two hashes of 20 ms, since one may wait already.
    assert_eq!([(); 3].map(|()| submit(2, Urgency::Optional)), [true, true, false]);
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

/// The caller gets back what it was charged for them, before its job has a place.
#[test]
fn a_job_takes_the_place_of_those_that_its_caller_has_given_up() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 6, work_per_worker: MS * 60_000 });
    let mut schedule = machine(1, Some(limits));
    let mut submit = |job, within| schedule.submit(job, ARGON2, now + within, Urgency::Required, now).is_ok();
    let given_up = [0, 1, 2].map(|number| Numbered::of(CallerNumber(1), number));
    let others = [10, 11, 12].map(|number| Numbered::of(CallerNumber(2), number));
    assert!(given_up.iter().cloned().chain(others).all(|job| submit(job, MS * 60_000)));
    for job in &given_up {
        job.gone.set(true);
    }
    // Behind all others it would be late.
    assert!(submit(Numbered::of(CallerNumber(1), 3), MS * 90));
    let order: Vec<_> = (0..4).flat_map(|_| started(&schedule.block_free(0, now))).collect();
    assert_eq!(order, [10, 3, 11, 12]);
}

/// Its part bounds a caller in a full queue only.
#[test]
fn jobs_that_were_given_up_get_no_other_of_their_caller_refused() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 8, work_per_worker: MS * 60_000 });
    let mut schedule = machine(1, Some(limits));
    let mut submit = |job, within| schedule.submit(job, ARGON2, now + within, Urgency::Required, now).is_ok();
    let own: Vec<_> = (0..6).map(|number| Numbered::of(CallerNumber(1), number)).collect();
    assert!(own.iter().cloned().all(|job| submit(job, MS * 60_000)));
    assert!(submit(Numbered::of(CallerNumber(2), 10), MS * 60_000));
    own[..2].iter().for_each(|job| job.gone.set(true));
    // Behind those two it would be late.
    assert!(submit(Numbered::of(CallerNumber(1), 6), MS * 180), "five of eight wait");
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

/// A hash takes fifty times as long as expected, so the jobs behind it can no longer be in time.
#[test]
fn waiting_jobs_are_answered_when_their_wait_becomes_too_long() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let within = |milliseconds| now + MS * milliseconds;
    for (number, deadline) in [(0, 1_000), (1, 1_000), (2, 1_000), (3, 60_000)] {
        let job = Numbered::new(number);
        assert!(schedule.submit(job, ARGON2, within(deadline), Urgency::Required, now).is_ok());
    }
    assert_eq!(started(&schedule.block_free(0, now)), [0]);
    schedule.block_done(0, &[part(ARGON2, MS * 1_000)], now);
    let found = schedule.block_free(0, within(500));
    let overloaded: Vec<_> = found.overloaded.iter().map(|job| job.number).collect();
    assert_eq!((started(&found), overloaded, found.expired.len()), (vec![1], vec![2], 0));
    assert_eq!(schedule.whole.jobs.len(), 1, "the job with the far deadline waits");
}

#[test]
fn a_worker_takes_the_next_job_of_the_caller_that_it_has_just_answered() {
    let (mut schedule, now) = (machine(2, None), Instant::now());
    let far = now + MS * 1000;
    for number in 0..2 {
        assert!(schedule.submit(Numbered::new(number), BCRYPT, far, Urgency::Required, now).is_ok());
    }
    for worker in 0..2 {
        assert_eq!(started(&schedule.lane_boundary(worker, lanes(0, 0, far), now)), [worker]);
    }
    // Job 0 is done. Its caller gets the answer after this boundary.
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, far), now)), [0; 0]);
    assert!(schedule.submit(Numbered::new(2), BCRYPT, far, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.lane_boundary(1, lanes(1, 50, far), now)), [0; 0], "it is at work");
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, far), now)), [2]);
}

/// Another caller has sent all its jobs before.
#[test]
fn callers_that_wait_take_turns() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 60_000;
    let mut submit = |caller, number| {
        let job = Numbered::of(CallerNumber(caller), number);
        assert!(schedule.submit(job, ARGON2, far, Urgency::Required, now).is_ok());
    };
    (0..6).for_each(|number| submit(1, number));
    (10..12).for_each(|number| submit(2, number));
    (20..22).for_each(|number| submit(3, number));
    let order: Vec<_> = (0..10).flat_map(|_| started(&schedule.block_free(0, now))).collect();
    assert_eq!(order, [0, 10, 20, 1, 11, 21, 2, 3, 4, 5]);
}

/// A core holds three units. Each hash here needs one, in lanes or whole.
#[test]
fn a_core_holds_as_many_hashes_as_its_memory() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    schedule.estimates = schedule.estimates.clone().with_memory(3);
    let far = now + MS * 60_000;
    let [sliced, whole] = [BCRYPT, ARGON2].map(|cost| cost.in_memory(1));
    for (number, cost) in [sliced, whole, sliced, sliced, whole].into_iter().enumerate() {
        assert!(schedule.submit(Numbered::new(number), cost, far, Urgency::Required, now).is_ok());
    }
    let running = |n| {
        (0..n).map(move |_| Running { caller: CallerNumber::default(), rest: sliced.rest(50), deadline: far })
    };
    assert_eq!(started(&schedule.block_free(0, now)), [1]);
    assert_eq!(started(&schedule.lane_boundary(0, running(0), now)), [0, 2]);
    schedule.block_done(0, &[], now);
    assert_eq!(started(&schedule.block_free(0, now)), [0; 0], "job 3 came before job 4");
    assert_eq!(started(&schedule.lane_boundary(0, running(2), now)), [3]);
    assert_eq!(started(&schedule.block_free(0, now)), [0; 0], "all memory is in use");
    assert_eq!(started(&schedule.lane_boundary(0, running(2), now)), [0; 0]);
    assert_eq!(started(&schedule.block_free(0, now)), [4]);
}

/// A core holds four units, one of which is for others. The first caller wants all, in lanes and
/// whole.
#[test]
fn no_caller_takes_all_memory_from_the_others() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    schedule.estimates = schedule.estimates.clone().with_memory(4).with_reserve(1);
    let far = now + MS * 60_000;
    let [sliced, whole] = [BCRYPT, ARGON2].map(|cost| cost.in_memory(1));
    let submit = |schedule: &mut Schedule<Numbered>, caller, number, cost| {
        let job = Numbered::of(CallerNumber(caller), number);
        assert!(schedule.submit(job, cost, far, Urgency::Required, now).is_ok());
    };
    for (number, cost) in [whole, sliced, sliced, sliced, whole].into_iter().enumerate() {
        submit(&mut schedule, 1, number, cost);
    }
    let running = |n, caller| (0..n).map(move |_| Running { caller, rest: sliced.rest(50), deadline: far });
    assert_eq!(started(&schedule.block_free(0, now)), [0]);
    assert_eq!(started(&schedule.lane_boundary(0, running(0, CallerNumber(1)), now)), [1, 2]);
    // The other caller has its part although earlier jobs wait for memory, and no more than that.
    submit(&mut schedule, 2, 10, sliced);
    submit(&mut schedule, 2, 11, sliced);
    assert_eq!(started(&schedule.lane_boundary(0, running(2, CallerNumber(1)), now)), [10]);
    schedule.block_done(0, &[], now);
    let both = running(2, CallerNumber(1)).chain(running(1, CallerNumber(2)));
    assert_eq!(started(&schedule.lane_boundary(0, both, now)), [3], "what is released goes to the first");
}

/// Small hashes come all the time, and the large one needs all memory of the core.
#[test]
fn a_large_hash_gets_the_memory_before_later_small_ones() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    schedule.estimates = schedule.estimates.clone().with_memory(3);
    let far = now + MS * 60_000;
    let small = BCRYPT.in_memory(1);
    let large = ARGON2.in_memory(3);
    for (number, cost) in [small, large, small, BCRYPT].into_iter().enumerate() {
        let job = Numbered::of(CallerNumber(number as u64), number);
        let at = now + MS * u32::try_from(number).unwrap();
        assert!(schedule.submit(job, cost, far, Urgency::Required, at).is_ok());
    }
    let running = |n| {
        (0..n).map(move |_| Running { caller: CallerNumber::default(), rest: small.rest(50), deadline: far })
    };
    assert_eq!(started(&schedule.lane_boundary(0, running(0), now)), [0, 3], "job 3 needs no memory");
    assert_eq!(started(&schedule.block_free(0, now)), [0; 0]);
    schedule.workers.sleep(Wake::BlockWorker(0));
    assert_eq!(schedule.wake_for_waiting(now), None);
    assert_eq!(started(&schedule.lane_boundary(0, running(1), now)), [0; 0], "job 1 is before job 2");
    assert_eq!(started(&schedule.lane_boundary(0, running(0), now)), [0; 0]);
    assert_eq!(schedule.wake_for_waiting(now), Some(Wake::BlockWorker(0)));
    assert_eq!(started(&schedule.block_free(0, now)), [1]);
    schedule.workers.sleep(Wake::LaneWorker(0));
    assert_eq!(schedule.wake_for_waiting(now), None, "the large hash has all memory");
    schedule.block_done(0, &[], now);
    assert_eq!(schedule.wake_for_waiting(now), Some(Wake::LaneWorker(0)));
    assert_eq!(started(&schedule.lane_boundary(0, running(0), now)), [2]);
}

#[test]
fn the_estimates_count_the_lanes_that_the_memory_holds() {
    let mut estimates = machine(1, None).estimates;
    let hash = BCRYPT.in_memory(2);
    for (memory_bytes, lanes, core_time) in [(1, 1, 100), (4, 2, 55), (100, 4, 40)] {
        estimates = estimates.with_memory(memory_bytes);
        assert_eq!((estimates.width_of(hash), estimates.core_time(hash)), (lanes, MS * core_time));
        assert_eq!(estimates.width_of(BCRYPT), LANES);
        let mut whole = hash;
        whole.whole = true;
        assert_eq!(estimates.width_of(whole), 1);
    }
}

#[test]
fn a_worker_whose_lanes_do_not_gain_takes_one_hash_after_the_other() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 60_000;
    for number in 0..4 {
        assert!(schedule.submit(Numbered::new(number), BCRYPT, far, Urgency::Required, now).is_ok());
    }
    schedule.estimates.set_width(Algorithm::Bcrypt, 2);
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, far), now)), [0, 1]);
    schedule.estimates.set_width(Algorithm::Bcrypt, 1);
    assert_eq!(started(&schedule.lane_boundary(0, lanes(2, 50, far), now)), [0; 0]);
    assert_eq!(started(&schedule.lane_boundary(0, lanes(1, 50, far), now)), [0; 0]);
    assert_eq!(started(&schedule.lane_boundary(0, lanes(0, 0, far), now)), [2]);
}

/// The worker was late, so both wait when they are judged.
#[test]
fn a_job_that_starts_at_once_is_not_late_because_a_long_one_starts_before_it() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let long = Cost::new(Algorithm::Bcrypt, BCRYPT.work * 1_000_000);
    for (number, cost, milliseconds) in [(0, long, u32::MAX), (1, BCRYPT, 60_000)] {
        let deadline = now + MS * milliseconds;
        assert!(schedule.submit(Numbered::new(number), cost, deadline, Urgency::Required, now).is_ok());
    }
    let found = schedule.lane_boundary(0, lanes(0, 0, now), now + MS * 10);
    assert_eq!((started(&found), found.overloaded.len()), (vec![0, 1], 0));
}

/// The work counts, not the number of jobs.
#[test]
fn a_caller_with_expensive_jobs_gets_no_larger_share() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 60_000;
    let expensive = Cost::new(ARGON2.algorithm, 4 * ARGON2.work);
    for number in 0..3 {
        let job = Numbered::of(CallerNumber(1), number);
        assert!(schedule.submit(job, expensive, far, Urgency::Required, now).is_ok());
    }
    for number in 10..20 {
        let job = Numbered::of(CallerNumber(2), number);
        assert!(schedule.submit(job, ARGON2, far, Urgency::Required, now).is_ok());
    }
    let order: Vec<_> = (0..9).flat_map(|_| started(&schedule.block_free(0, now))).collect();
    assert_eq!(order, [0, 10, 11, 12, 13, 1, 14, 15, 16]);
}

#[test]
fn a_caller_that_fills_the_queue_makes_room_for_another() {
    let now = Instant::now();
    let far = now + MS * 60_000;
    let count = QueueLimits { operations: 5, work_per_worker: MS * 60_000 };
    let work = QueueLimits { operations: 1000, work_per_worker: MS * 100 };
    for limits in [count, work] {
        let mut schedule = machine(1, Some(limits));
        let mut submit = |caller, number| {
            let taken = schedule.submit(
                Numbered::of(CallerNumber(caller), number),
                ARGON2,
                far,
                Urgency::Required,
                now,
            );
            (taken.is_ok(), schedule.take_displaced().iter().map(|job| job.number).collect::<Vec<_>>())
        };
        for number in 0..5 {
            assert_eq!(submit(1, number), (true, vec![]));
        }
        assert_eq!(submit(1, 5), (false, vec![]), "the queue is full");
        assert_eq!(submit(2, 10), (true, vec![4]));
        assert_eq!(submit(2, 11), (true, vec![3]));
        assert_eq!(submit(2, 12), (false, vec![]), "both have their share");
        assert_eq!(submit(1, 6), (false, vec![]));
    }
}

/// The jobs of each alone may be longer than the bound, as on a machine of its own.
#[test]
fn a_long_job_of_one_caller_does_not_fill_the_queue_for_another() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 1000, work_per_worker: MS * 100 });
    let mut schedule = machine(1, Some(limits));
    let mut submit = |caller, number, work| {
        let cost = Cost::new(ARGON2.algorithm, work);
        let job = Numbered::of(CallerNumber(caller), number);
        let taken = schedule.submit(job, cost, now + MS * 60_000, Urgency::Required, now);
        assert!(schedule.take_displaced().is_empty());
        taken.is_ok()
    };
    assert!(submit(1, 0, 300), "nothing waits");
    assert!(!submit(1, 1, 20), "its part is full");
    assert!(submit(2, 10, 20) && submit(2, 11, 20));
    assert!(!submit(2, 12, 20), "its part is full");
}

/// A caller that is ahead of another waits until the other has had as much, not until the other's
/// hashes end.
#[test]
fn a_caller_a_little_ahead_of_another_is_not_refused_for_its_dear_work() {
    let start = Instant::now();
    for (ahead, taken) in [(30, true), (100, true), (1_000, false)] {
        let mut schedule = machine(1, Some(QueueLimits::default()));
        let dear = Cost::new(Algorithm::Bcrypt, 10_000);
        let submit = |schedule: &mut Schedule<Numbered>, caller, cost, now| {
            let job = Numbered::of(CallerNumber(caller), 0);
            schedule.submit(job, cost, start + MS * 60_000, Urgency::Required, now).is_ok()
        };
        assert!(submit(&mut schedule, 1, dear, start));
        drop(schedule.lane_boundary(0, [].into_iter(), start));
        let deadline = start + MS * 60_000;
        let held = [Running { caller: CallerNumber(1), rest: dear, deadline }; LANES];
        schedule.estimates.set_width(Algorithm::Bcrypt, LANES);
        drop(schedule.lane_boundary(0, held.into_iter(), start));
        assert!(submit(&mut schedule, 1, Cost::new(Algorithm::Bcrypt, 500), start));
        assert!(submit(&mut schedule, 2, Cost::new(Algorithm::Bcrypt, 1), start));
        schedule.charge(CallerNumber(2), MS * ahead, start);
        let now = start + STANDING_AFTER + MS;
        schedule.charge(CallerNumber(1), MS, now);
        assert_eq!(submit(&mut schedule, 2, BCRYPT, now), taken, "{ahead} ms ahead");
    }
}

/// The others have no more than their parts, and it has work already.
#[test]
fn a_job_that_is_refused_displaces_no_other() {
    let (now, limits) = (Instant::now(), QueueLimits { operations: 1000, work_per_worker: MS * 100 });
    let far = now + MS * 60_000;
    let mut schedule = machine(1, Some(limits));
    for number in 0..5 {
        let job = Numbered::of(CallerNumber(1), number);
        assert!(schedule.submit(job, ARGON2, far, Urgency::Required, now).is_ok());
    }
    for (number, work, displaced) in [(10, 30, vec![4, 3]), (11, 30, vec![])] {
        let job = Numbered::of(CallerNumber(2), number);
        let cost = Cost::new(ARGON2.algorithm, work);
        let taken = schedule.submit(job, cost, far, Urgency::Required, now);
        assert_eq!(taken.is_ok(), !displaced.is_empty(), "{number}");
        assert_eq!(schedule.take_displaced().iter().map(|job| job.number).collect::<Vec<_>>(), displaced);
    }
    let order: Vec<_> = (0..4).flat_map(|_| started(&schedule.block_free(0, now))).collect();
    assert_eq!(order, [0, 10, 1, 2]);
}

/// The sums of a queue follow each job. Random events of all kinds, over some seconds of time.
#[test]
fn the_sum_of_the_waiting_work_is_that_of_the_jobs() {
    let start = Instant::now();
    let limits = QueueLimits { operations: 40, work_per_worker: MS * 1_500 };
    let mut schedule = machine(2, Some(limits));
    let mut random = Random(1);
    let (mut jobs, mut displaced, mut most) = (Vec::new(), 0, 0);
    for step in 0..5_000_u32 {
        let now = start + MS * step;
        match random.below(10) {
            0..6 => {
                let job = Numbered::of(CallerNumber(random.below(3).into()), jobs.len());
                jobs.push(job.clone());
                let cost = if random.below(2) == 0 { BCRYPT } else { ARGON2 };
                let deadline = now + MS * random.below(3_000);
                let _refused = schedule.submit(job, cost, deadline, Urgency::Required, now);
                displaced += schedule.take_displaced().len();
            }
            6 => drop(schedule.block_free(random.index(2), now)),
            7 => {
                let running = lanes(random.index(LANES), 50, now + MS * 1_000);
                drop(schedule.lane_boundary(random.index(2), running, now));
            }
            8 => {
                let elapsed = MS * (5 + random.below(45));
                schedule.estimates.measured(ARGON2.algorithm, 1, ARGON2.work, elapsed);
            }
            _ => {
                let job: Option<&Numbered> = jobs.get(random.index(jobs.len() + 1));
                job.inspect(|job| job.gone.set(true));
            }
        }
        for queue in [&schedule.sliced, &schedule.whole] {
            let times: Vec<_> = queue.jobs.iter().map(|waiting| waiting.core_time).collect();
            assert_eq!(queue.core_time, times.iter().sum(), "step {step}");
            most = most.max(times.len());
        }
    }
    assert!(displaced > 0 && most > 5, "{displaced} displaced, at most {most} waiting");
}

/// A linear congruential generator with the constants of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % end
    }

    fn index(&mut self, end: usize) -> usize {
        self.below(u32::try_from(end).unwrap()) as usize
    }
}

/// It always has a job that waits, for memory say.
#[test]
fn a_caller_cannot_save_up_computing_time() {
    let (mut shares, now) = (Shares::default(), Instant::now());
    let [saver, other] = [CallerNumber(1), CallerNumber(2)];
    shares.submitted(saver, Duration::ZERO, MS, now);
    shares.charge(other, MS * 60_000, now);
    shares.submitted(saver, Duration::ZERO, MS, now);
    assert_eq!(shares.used(other), shares.used(saver) + MOST_CLAIM);
}

/// Its last job is taken before the others, because another kind of worker is free.
#[test]
fn a_caller_with_many_jobs_cannot_begin_far_ahead_of_a_newcomer() {
    let (mut schedule, now) = (machine(1, None), Instant::now());
    let far = now + MS * 600_000;
    let [busy, newcomer] = [CallerNumber(1), CallerNumber(2)];
    for number in 0..2 * LOOK_AHEAD {
        assert!(schedule.submit(Numbered::of(busy, number), BCRYPT, far, Urgency::Required, now).is_ok());
    }
    let full = |caller| (0..LANES).map(move |_| Running { caller, rest: BCRYPT, deadline: far });
    assert_eq!(started(&schedule.lane_boundary(0, full(busy), now)), [0; 0]);
    schedule.charge(busy, MS, now);
    assert!(schedule.submit(Numbered::of(busy, 99), ARGON2, far, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.block_free(0, now)), [99]);
    assert!(schedule.submit(Numbered::of(newcomer, 100), BCRYPT, far, Urgency::Required, now).is_ok());
    assert_eq!(started(&schedule.lane_boundary(0, full(busy), now)), [100]);
}

/// The estimate of a kind that was never measured is hours.
#[test]
fn a_job_that_takes_less_than_it_paid_for_gives_no_claim() {
    let (mut shares, now) = (Shares::default(), Instant::now());
    let [one, other] = [CallerNumber(1), CallerNumber(2)];
    let charged = shares.prepay(one, MS * 3_600_000, now);
    shares.charge(one, MS * 5, now);
    shares.submitted(other, Duration::ZERO, MS, now);
    shares.recharge(one, charged, MS * 20, now);
    assert_eq!(shares.used(one), MS * 25);
    assert!(shares.used(other) <= shares.used(one), "both begin at the present");
}

#[test]
fn the_number_of_callers_that_are_remembered_is_bounded() {
    let (mut shares, now) = (Shares::default(), Instant::now());
    for number in 1..10_000 {
        let at = now + MS * u32::try_from(number).unwrap() / 10;
        // One calls again and again, and is not forgotten for the others.
        shares.charge(CallerNumber(0), MS, at);
        shares.submitted(CallerNumber(number), Duration::ZERO, MS, at);
        shares.taken(CallerNumber(number), Duration::ZERO, at);
        let all = usize::try_from(number).unwrap() + 1;
        assert_eq!(shares.active(at), all.min(MOST_CALLERS), "the others are kept");
    }
    assert_eq!(shares.used(CallerNumber(0)), MS * 9_999);
    assert_eq!(shares.active(now + ACTIVE_FOR * 2), 1, "nobody was seen for long");
}

/// The workers of an open loop in virtual time. Callers come at a fixed rate, also under overload.
pub(super) struct OpenLoop {
    pub(super) schedule: Schedule<Numbered>,
    pub(super) start: Instant,
    /// The lanes of each worker, each with the number of its job.
    lanes: [Vec<(usize, Running)>; 2],
    /// For each job its arrival and its end, if it was computed within its deadline.
    jobs: Vec<(Duration, Option<Duration>)>,
    refused: usize,
    /// How many times longer a hash takes than on the machine that was measured.
    slower: u32,
    /// The costs of the hashes, which come in random order.
    kinds: Vec<Cost>,
    random: Random,
    /// The cost of each job.
    costs: Vec<Cost>,
}

/// bcrypt hashes a second at full load on two workers with eight lanes each.
const CAPACITY: usize = 2 * 8 * 1000 / 139;

/// The times of one bcrypt hash of cost 10 in 1 to 8 lanes, in milliseconds, as measured.
pub(super) const IN_LANES: [u32; 8] = [62, 66, 71, 76, 85, 101, 120, 139];
pub(super) const COST_10: Cost = Cost::new(Algorithm::Bcrypt, 1_000_000);

/// The memory of a core.
const MEMORY_BYTES: u64 = 256 << 20;

impl OpenLoop {
    pub(super) fn new() -> Self {
        Self::on_a_machine_slower_by(1)
    }

    fn on_a_machine_slower_by(slower: u32) -> Self {
        let sliced = vec![Algorithm::Bcrypt, Algorithm::Argon2id];
        let width = |algorithm| if algorithm == Algorithm::Argon2id { 4 } else { IN_LANES.len() };
        let mut estimates = Estimates::new(width).with_memory(MEMORY_BYTES);
        for (lanes, milliseconds) in (1..).zip(IN_LANES) {
            for algorithm in &sliced {
                estimates.measured(*algorithm, lanes, COST_10.work, MS * milliseconds * slower);
            }
        }
        let limits = Some(QueueLimits::default());
        Self {
            schedule: Schedule::new(2, sliced, estimates, limits),
            start: Instant::now(),
            lanes: [Vec::new(), Vec::new()],
            jobs: Vec::new(),
            refused: 0,
            slower,
            kinds: vec![COST_10],
            random: Random(1),
            costs: Vec::new(),
        }
    }

    /// Lets callers come for some milliseconds, at this percentage of the capacity. Each has a
    /// deadline of a second.
    fn run(&mut self, milliseconds: Range<u32>, percent: usize) {
        let first = milliseconds.start;
        let slower = self.slower as usize;
        let due = |at: u32| (at - first) as usize * CAPACITY * percent / 100 / 1000 / slower;
        for at in milliseconds {
            let now = self.start + MS * at;
            for _ in due(at)..due(at + 1) {
                let job = Numbered::new(self.jobs.len());
                let deadline = now + MS * 1000;
                let cost = self.kinds[self.random.index(self.kinds.len())];
                self.costs.push(cost);
                let taken = self.schedule.submit(job, cost, deadline, Urgency::Required, now);
                self.refused += usize::from(taken.is_err());
                self.jobs.push((MS * at, None));
            }
            for worker in 0..2 {
                self.boundary(worker, MS * at);
            }
        }
    }

    fn boundary(&mut self, worker: usize, at: Duration) {
        if !self.schedule.workers.awake(Wake::LaneWorker(worker)) {
            return;
        }
        let now = self.start + at;
        let lanes = &mut self.lanes[worker];
        // The algorithms take turns.
        let counts = LaneCounts::of_lanes(lanes.iter().map(|(_, running)| running));
        let in_memory = lanes.iter().filter(|(_, running)| running.rest.algorithm == Algorithm::Argon2id);
        let largest_bytes = in_memory.clone().map(|(_, running)| running.rest.memory_bytes).max();
        let small = largest_bytes.is_some_and(|bytes| !gain_side_by_side(Algorithm::Argon2id, bytes));
        let turn = in_memory.min_by_key(|(_, running)| running.deadline).map(|(number, _)| *number);
        for (number, running) in &mut *lanes {
            let waits_its_turn = small && running.rest.algorithm == Algorithm::Argon2id;
            if waits_its_turn && turn != Some(*number) {
                continue;
            }
            let together = if waits_its_turn { 1 } else { counts.of(running.rest.algorithm) };
            let milliseconds = IN_LANES[together - 1] * counts.algorithms();
            let done = COST_10.work / u64::from(milliseconds * self.slower);
            running.rest = running.rest.rest(running.rest.work.saturating_sub(done));
            if running.rest.work == 0 && now <= running.deadline {
                self.jobs[*number].1 = Some(at);
            }
        }
        lanes.retain(|(_, running)| running.rest.work > 0 && running.deadline > now);
        let found = self.schedule.lane_boundary(worker, lanes.iter().map(|lane| lane.1), now);
        lanes.extend(found.started.iter().map(|waiting| {
            (
                waiting.job.number,
                Running { caller: CallerNumber::default(), rest: waiting.cost, deadline: waiting.deadline },
            )
        }));
        if lanes.is_empty() {
            self.schedule.workers.sleep(Wake::LaneWorker(worker));
        }
    }

    /// Returns how many of a thousand jobs of this cost were served, without the first tenth of all
    /// jobs.
    fn served_of_a_thousand(&self, cost: Cost) -> usize {
        let jobs = self.jobs.iter().zip(&self.costs).skip(self.jobs.len() / 10);
        let ends: Vec<_> = jobs.filter(|(_, of)| **of == cost).map(|((_, end), _)| end).collect();
        ends.iter().filter(|end| end.is_some()).count() * 1_000 / ends.len()
    }

    /// Returns the latencies of the jobs that came after this time and were done, shortest first.
    fn latencies(&self, after: Duration) -> Vec<Duration> {
        let late = self.jobs.iter().filter(|(arrival, _)| *arrival >= after);
        let mut latencies: Vec<_> =
            late.filter_map(|(arrival, end)| end.map(|end| end.saturating_sub(*arrival))).collect();
        latencies.sort();
        latencies
    }
}

#[test]
fn under_lasting_overload_the_wait_is_short_and_no_capacity_is_lost() {
    for percent in [150, 300, 500] {
        let mut open_loop = OpenLoop::new();
        open_loop.run(0..10_000, percent);
        let latencies = open_loop.latencies(MS * 5_000);
        let p90 = latencies[latencies.len() * 9 / 10];
        assert!(p90 <= MS * 250, "{percent} %: {p90:?}");
        // The jobs of the last moments are not done yet.
        let possible = CAPACITY * 5 - CAPACITY * 300 / 1000;
        assert!(latencies.len() * 100 >= possible * 95, "{percent} %: {} of {possible}", latencies.len());
    }
}

#[test]
fn the_security_guide_states_these_waits() {
    let guide = include_str!("../../../../SECURITY.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let [slice, longest, shortest, stay] =
        [SLICE, LONGEST_QUEUE, SHORTEST_QUEUE, SHORT_STAY].map(|time| time.as_millis());
    assert_eq!(slice, 1);
    for sentence in [
        "time differences inside slices of a millisecond".to_owned(),
        format!("if a caller has had waiting work for {} s without a pause", STANDING_AFTER.as_secs_f64()),
        format!(
            "its request may wait for {stay} ms less the mean of its waiting hashes, but for {shortest} to {longest} ms."
        ),
    ] {
        assert!(guide.contains(&sentence), "SECURITY.md does not say: {sentence}");
    }
}

/// A hash alone takes longer than the bound. So callers wait for little else.
#[test]
fn under_lasting_overload_a_slow_machine_adds_little_to_its_hash() {
    const SLOWER: u32 = 3;
    let in_full_lanes = MS * IN_LANES[7] * SLOWER;
    for percent in [150, 300, 500] {
        let mut open_loop = OpenLoop::on_a_machine_slower_by(SLOWER);
        open_loop.run(0..12_000, percent);
        let latencies = open_loop.latencies(MS * 5_000);
        let p90 = latencies[latencies.len() * 9 / 10];
        assert!(p90 <= in_full_lanes + MS * 60, "{percent} %: {p90:?}");
        let possible = (CAPACITY * 7 - CAPACITY * 500 / 1000) / SLOWER as usize;
        assert!(latencies.len() * 100 >= possible * 95, "{percent} %: {} of {possible}", latencies.len());
    }
}

/// Half of the callers send a hash of three times the work.
#[test]
fn under_lasting_overload_callers_with_long_hashes_are_served_as_often() {
    let long = Cost::new(Algorithm::Bcrypt, COST_10.work * 3);
    let mut open_loop = OpenLoop { kinds: vec![COST_10, long], ..OpenLoop::new() };
    open_loop.run(0..60_000, 150);
    let [short, long] = [COST_10, long].map(|cost| open_loop.served_of_a_thousand(cost));
    assert!(short > 200 && short.abs_diff(long) * 10 <= short, "{short} and {long} of 1,000");
}

/// The lanes of the others end one by one, and each would be taken at once.
#[test]
fn a_hash_that_takes_more_room_than_others_of_its_caller_is_served() {
    let long = Cost::new(Algorithm::Bcrypt, COST_10.work * 2);
    let argon2 = Cost::new(Algorithm::Argon2id, COST_10.work / 2).in_memory(MEMORY_BYTES / 4);
    for (width, percent, least) in [(1, 75, 980), (4, 75, 980), (1, 110, 0), (4, 110, 0)] {
        let kinds = vec![COST_10, COST_10, COST_10, COST_10, long, argon2];
        let mut open_loop = OpenLoop { kinds, ..OpenLoop::new() };
        open_loop.schedule.estimates.set_width(Algorithm::Argon2id, width);
        open_loop.run(0..60_000, percent);
        let served = [COST_10, long, argon2].map(|cost| open_loop.served_of_a_thousand(cost));
        let most = *served.iter().max().unwrap();
        let alike = served.iter().all(|served| *served > least && served * 100 > most * 95);
        assert!(alike, "width {width}, {percent} %: {served:?}");
    }
}

/// Half of the callers send hashes in memory. The memory of a core holds two, four or sixteen of
/// them. The smallest take turns.
#[test]
fn under_lasting_overload_callers_of_both_kinds_are_served_as_often() {
    for (held, work) in [
        (16, 100_000),
        (16, 500_000),
        (4, 500_000),
        (4, 1_000_000),
        (4, 2_000_000),
        (2, 500_000),
        (2, 1_000_000),
    ] {
        let argon2 = Cost::new(Algorithm::Argon2id, work).in_memory(MEMORY_BYTES / held);
        let mut open_loop = OpenLoop { kinds: vec![COST_10, argon2], ..OpenLoop::new() };
        open_loop.run(0..60_000, 300);
        let [bcrypt, argon2] = [COST_10, argon2].map(|cost| open_loop.served_of_a_thousand(cost));
        assert!(
            bcrypt > 100 && bcrypt.abs_diff(argon2) * 10 <= bcrypt,
            "{held} in memory, work of {work}: {bcrypt} and {argon2} of 1,000"
        );
    }
}

/// Each caller waits for its answer before it asks again. The second caller begins later, at every
/// phase of the first one's hash.
#[test]
fn two_callers_on_two_cores_do_not_slow_each_other() {
    let ask = |open_loop: &mut OpenLoop, at: Duration| {
        let (number, now) = (open_loop.jobs.len(), open_loop.start + at);
        let (job, deadline) = (Numbered::new(number), now + MS * 1000);
        open_loop.schedule.submit(job, COST_10, deadline, Urgency::Required, now).unwrap();
        open_loop.jobs.push((at, None));
        number
    };
    let latencies_of = |begins: &[u32]| {
        let (mut open_loop, mut asked) = (OpenLoop::new(), vec![None; begins.len()]);
        for at in 0..2_000 {
            for (begin, asked) in begins.iter().zip(&mut asked) {
                let waits = asked.is_some_and(|number: usize| open_loop.jobs[number].1.is_none());
                if at >= *begin && !waits {
                    *asked = Some(ask(&mut open_loop, MS * at));
                }
            }
            (0..2).for_each(|worker| open_loop.boundary(worker, MS * at));
        }
        open_loop.latencies(Duration::ZERO)
    };
    let alone = *latencies_of(&[0]).last().unwrap();
    for phase in 0..=IN_LANES[0] {
        let longest = *latencies_of(&[0, phase]).last().unwrap();
        assert!(longest <= alone * 13 / 10, "{phase} ms: {longest:?}, alone {alone:?}");
    }
}

#[test]
fn a_burst_of_two_seconds_is_served_whole() {
    let mut open_loop = OpenLoop::new();
    open_loop.run(0..2_000, 130);
    let burst = open_loop.jobs.len();
    open_loop.run(2_000..3_000, 0);
    assert_eq!((open_loop.latencies(Duration::ZERO).len(), open_loop.refused), (burst, 0));
}

#[test]
fn a_load_below_the_capacity_is_served_whole_for_any_time() {
    let mut open_loop = OpenLoop::new();
    open_loop.run(0..10_000, 90);
    assert_eq!(open_loop.refused, 0);
}

/// Without the short queue the next burst would be refused.
#[test]
fn an_emptied_queue_takes_a_burst_again() {
    let mut open_loop = OpenLoop::new();
    open_loop.run(0..5_000, 300);
    open_loop.run(5_000..6_000, 10);
    let (refused, before) = (open_loop.refused, open_loop.jobs.len());
    open_loop.run(6_000..8_000, 130);
    let burst = open_loop.jobs.len() - before;
    open_loop.run(8_000..9_000, 0);
    assert_eq!((open_loop.latencies(MS * 6_000).len(), open_loop.refused), (burst, refused));
}

#[test]
fn hashes_of_an_algorithm_that_was_never_measured_run_one_on_each_worker() {
    let (mut schedule, now) = (machine(2, Some(QueueLimits::default())), Instant::now());
    let unmeasured = Cost::new(Algorithm::Yescrypt, 1);
    let far = now + MS * 15_000;
    let submit = |schedule: &mut Schedule<Numbered>, number| {
        schedule.submit(Numbered::new(number), unmeasured, far, Urgency::Required, now)
    };
    for number in 0..2 {
        assert!(submit(&mut schedule, number).is_ok());
        assert_eq!(started(&schedule.block_free(number, now)), [number]);
    }
    assert!(matches!(submit(&mut schedule, 2), Err(Refused::Overloaded { .. })));
    schedule.block_done(0, &[part(unmeasured, MS)], now);
    assert!(submit(&mut schedule, 3).is_ok(), "now its speed is known");
}

/// Tests every order of submissions, departures and boundaries, with two workers and five jobs of
/// two classes.
///
/// In every state no job waits while all workers that could take it sleep (no lost wake-up). No job
/// is held twice, and no core holds more than its memory. From every state the workers finish all
/// remaining jobs (no starvation).
#[test]
fn no_order_of_events_loses_a_job() {
    for memory_bytes in [0, 1] {
        let mut seen = HashSet::new();
        explore(&Model { history: Vec::new(), memory_bytes }, &mut seen);
        assert!(seen.len() > 1000, "only {} states were reached", seen.len());
    }
}

/// A machine that takes one event at a time. It is rebuilt from its history, because a schedule
/// cannot be cloned.
#[derive(Clone)]
struct Model {
    history: Vec<Event>,
    /// The memory of each hash. A core has one byte, so with memory it holds one hash.
    memory_bytes: u64,
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
    fn after(&self, event: Event) -> Self {
        let mut history = self.history.clone();
        history.push(event);
        Self { history, ..*self }
    }

    /// Replays the history.
    fn state(&self) -> State {
        let now = Instant::now();
        let deadline = now + MS * 60_000;
        let mut schedule = machine(WORKERS, None);
        schedule.estimates = schedule.estimates.clone().with_memory(1);
        let costs = [BCRYPT, ARGON2].map(|cost| cost.in_memory(self.memory_bytes));
        let jobs: Vec<Numbered> = (0..JOBS).map(Numbered::new).collect();
        let (mut submitted, mut done) = (0, vec![false; JOBS]);
        let mut lanes: Vec<Vec<usize>> = vec![Vec::new(); WORKERS];
        let mut busy: Vec<Option<usize>> = vec![None; WORKERS];
        for &event in &self.history {
            match event {
                Event::Submit => {
                    let job = jobs[submitted].clone();
                    let taken = schedule.submit(job, costs[submitted % 2], deadline, Urgency::Required, now);
                    assert!(taken.is_ok(), "{:?}", self.history);
                    submitted += 1;
                }
                Event::Leave(job) => jobs[job].gone.set(true),
                Event::Boundary(worker) => {
                    if !lanes[worker].is_empty() {
                        done[lanes[worker].remove(0)] = true;
                    }
                    lanes[worker].retain(|&job| !jobs[job].gone.get());
                    let running = lanes[worker].iter().map(|_| Running {
                        caller: CallerNumber::default(),
                        rest: costs[0].rest(50),
                        deadline,
                    });
                    let found = schedule.lane_boundary(worker, running, now);
                    schedule.wake_for_waiting(now);
                    lanes[worker].extend(started(&found));
                    if lanes[worker].is_empty() {
                        schedule.workers.sleep(Wake::LaneWorker(worker));
                    }
                }
                Event::Free(worker) => {
                    if let Some(job) = busy[worker].take() {
                        done[job] = true;
                    }
                    busy[worker] = started(&schedule.block_free(worker, now)).first().copied();
                    schedule.wake_for_waiting(now);
                    if busy[worker].is_none() {
                        schedule.workers.sleep(Wake::BlockWorker(worker));
                    }
                }
            }
        }
        let held: Vec<usize> = lanes.iter().flatten().chain(busy.iter().flatten()).copied().collect();
        assert_eq!(held.len(), held.iter().collect::<HashSet<_>>().len(), "held twice: {:?}", self.history);
        for (lanes, busy) in lanes.iter().zip(&busy) {
            let hashes = lanes.len() as u64 + u64::from(busy.is_some());
            assert!(hashes <= 1 || self.memory_bytes == 0, "no memory: {:?}", self.history);
        }
        let workers = (0..WORKERS).map(Wake::LaneWorker).chain((0..WORKERS).map(Wake::BlockWorker));
        let asleep = workers.map(|w| !schedule.workers.awake(w)).collect();
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
        // A worker of the other class may have the memory. It wakes the others when it is done.
        let mut workers =
            if model.memory_bytes == 0 { class * WORKERS..(class + 1) * WORKERS } else { 0..2 * WORKERS };
        let all_asleep = workers.all(|w| state.asleep[w]);
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
