//! Tests how callers share the workers, in virtual time.

use std::{collections::HashSet, ops::Range};

use super::{
    tests::{COST_10, IN_LANES, MS, Numbered, OpenLoop},
    workers::LaneCounts,
    *,
};

/// Clients of several callers on two workers. Each sends its next hash when it has its answer.
struct Crowd {
    schedule: Schedule<Numbered>,
    start: Instant,
    lanes: [Vec<Lane>; 2],
    goes_on: [Vec<bool>; 2],
    clients: Vec<Client>,
    most_lanes: usize,
}

/// A lane of a worker, with the number of its client.
#[derive(Clone, Copy)]
struct Lane {
    client: usize,
    running: Running,
    core_time: Duration,
    estimate: Duration,
}

/// Sends hashes of one cost, one after the other.
struct Client {
    caller: CallerNumber,
    cost: Cost,
    within: Duration,
    /// Between an answer and its next hash.
    pause: Duration,
    /// When it sends the next; `None` while it waits for an answer.
    next: Option<Duration>,
    sent: Duration,
    latencies: Vec<Duration>,
    /// How many were refused, or not computed in time.
    lost: usize,
    core_time: Duration,
}

impl Client {
    fn new(caller: u64, cost: Cost, within: Duration) -> Self {
        Self {
            caller: CallerNumber(caller),
            cost,
            within,
            pause: Duration::ZERO,
            next: Some(Duration::ZERO),
            sent: Duration::ZERO,
            latencies: Vec::new(),
            lost: 0,
            core_time: Duration::ZERO,
        }
    }
}

impl Crowd {
    fn new(clients: Vec<Client>) -> Self {
        let OpenLoop { schedule, start, .. } = OpenLoop::new();
        Self { schedule, start, lanes: [vec![], vec![]], goes_on: [vec![], vec![]], clients, most_lanes: 0 }
    }

    fn run(&mut self, milliseconds: Range<u32>) {
        for at in milliseconds.map(|at| MS * at) {
            for client in 0..self.clients.len() {
                self.send(client, at);
            }
            for worker in 0..2 {
                if self.schedule.workers.awake(Wake::LaneWorker(worker)) {
                    self.slice(worker, at);
                    self.boundary(worker, at);
                }
            }
        }
    }

    fn send(&mut self, number: usize, at: Duration) {
        let client = &mut self.clients[number];
        if client.next.is_none_or(|next| next > at) {
            return;
        }
        (client.next, client.sent) = (None, at);
        let job = Numbered::of(client.caller, number);
        let (now, cost, within) = (self.start + at, client.cost, client.within);
        if self.schedule.submit(job, cost, now + within, Urgency::Required, now).is_err() {
            self.lose(number, at);
        }
        for displaced in self.schedule.take_displaced() {
            self.lose(displaced.number, at);
        }
    }

    /// A client tries again soon, as a hostile one does.
    fn lose(&mut self, client: usize, at: Duration) {
        self.clients[client].lost += 1;
        self.clients[client].next = Some(at + MS * 50);
    }

    fn slice(&mut self, worker: usize, at: Duration) {
        let lanes = &mut self.lanes[worker];
        let going = |lane: usize| self.goes_on[worker].get(lane).copied().unwrap_or(false);
        let running = lanes.iter().enumerate().filter(|(i, _)| going(*i)).map(|(_, lane)| &lane.running);
        let counts = LaneCounts::of_lanes(running);
        self.most_lanes = self.most_lanes.max(lanes.len());
        let mut charged = Vec::new();
        for (_, lane) in lanes.iter_mut().enumerate().filter(|(i, _)| going(*i)) {
            let together = counts.of(lane.running.rest.algorithm);
            let milliseconds = IN_LANES[together - 1] * counts.algorithms();
            let done = COST_10.work / u64::from(milliseconds);
            lane.running.rest = lane.running.rest.rest(lane.running.rest.work.saturating_sub(done));
            let part = MS / u32::try_from(together).unwrap() / counts.algorithms();
            lane.core_time += part;
            self.clients[lane.client].core_time += part;
            charged.push((lane.running.caller, part));
        }
        let now = self.start + at;
        for (caller, part) in charged {
            self.schedule.charge(caller, part, now);
        }
    }

    fn boundary(&mut self, worker: usize, at: Duration) {
        let now = self.start + at;
        let mut lost = Vec::new();
        let (schedule, clients) = (&mut self.schedule, &mut self.clients);
        self.lanes[worker].retain(|lane| {
            let is_done = lane.running.rest.work == 0;
            let is_late = !is_done && schedule.is_hopeless(lane.running, now);
            if is_done || is_late {
                schedule.lane_ended(lane.running.caller, lane.estimate, lane.core_time, now);
            }
            if is_late {
                lost.push(lane.client);
            }
            if is_done {
                let client = &mut clients[lane.client];
                client.latencies.push(at.saturating_sub(client.sent));
                client.next = Some(at + client.pause);
            }
            !is_done && !is_late
        });
        let running = self.lanes[worker].iter().map(|lane| lane.running);
        let found = self.schedule.lane_boundary(worker, running, now);
        lost.extend(found.expired.iter().chain(&found.overloaded).map(|job| job.number));
        self.lanes[worker].extend(found.started.iter().map(|waiting| Lane {
            client: waiting.job.number,
            running: waiting.running(),
            core_time: Duration::ZERO,
            estimate: waiting.core_time,
        }));
        for client in lost {
            self.lose(client, at);
        }
        if self.lanes[worker].is_empty() {
            self.schedule.workers.sleep(Wake::LaneWorker(worker));
        }
        self.goes_on[worker] = self.schedule.turn(worker).goes_on;
    }

    fn core_time(&self, caller: u64) -> Duration {
        self.clients.iter().filter(|client| client.caller == CallerNumber(caller)).map(|c| c.core_time).sum()
    }

    /// Returns the latency of nine of ten, and how many were lost.
    fn served(&self, caller: u64) -> (Duration, usize, usize) {
        let of = || self.clients.iter().filter(|client| client.caller == CallerNumber(caller));
        let mut latencies: Vec<_> = of().flat_map(|client| client.latencies.clone()).collect();
        latencies.sort();
        (latencies[latencies.len() * 9 / 10], latencies.len(), of().map(|client| client.lost).sum())
    }
}

/// bcrypt of cost 14.
const COST_14: Cost = Cost::new(Algorithm::Bcrypt, COST_10.work * 16);

const ALICE: u64 = 1;
const BOB: u64 = 2;

fn clients(number: usize, caller: u64, cost: Cost, within: Duration) -> Vec<Client> {
    (0..number).map(|_| Client::new(caller, cost, within)).collect()
}

#[test]
fn a_caller_that_keeps_every_lane_busy_takes_none_from_another() {
    for within in [1, 10] {
        let alice = clients(40, ALICE, COST_14, MS * 60_000);
        let bob = clients(1, BOB, COST_10, MS * 1_000 * within);
        let mut crowd = Crowd::new([alice, bob].into_iter().flatten().collect());
        crowd.run(0..20_000);
        let (p90, served, lost) = crowd.served(BOB);
        assert!(p90 <= MS * IN_LANES[0] * 3 && lost == 0, "{p90:?}, {served} served, {lost} lost");
        assert!(crowd.most_lanes <= 2 * IN_LANES.len());
    }
}

#[test]
fn callers_of_equal_demand_get_equal_time_whatever_their_hashes_cost() {
    let costs =
        [1, 2, 4, 8, 16, 32, 64, 100].map(|times| Cost::new(Algorithm::Bcrypt, COST_10.work * times / 10));
    let callers = (0..8).zip(costs).flat_map(|(caller, cost)| clients(20, caller, cost, MS * 60_000));
    let mut crowd = Crowd::new(callers.collect());
    crowd.run(0..60_000);
    let times: Vec<_> = (0..8).map(|caller| crowd.core_time(caller)).collect();
    let all: Duration = times.iter().sum();
    assert!(all >= MS * 60_000 * 2 * 95 / 100, "{all:?}");
    for time in times {
        assert!(time * 80 >= all * 9 && time * 80 <= all * 11, "{time:?} of {all:?}");
    }
}

#[test]
fn four_batches_at_the_ceiling_leave_others_their_share() {
    let alice = clients(4 * 64, ALICE, Cost::new(Algorithm::Bcrypt, COST_10.work * 32), MS * 60_000);
    let bob = clients(2, BOB, COST_10, MS * 1_000);
    let mut crowd = Crowd::new([alice, bob].into_iter().flatten().collect());
    crowd.run(0..20_000);
    let (p90, served, lost) = crowd.served(BOB);
    assert!(p90 <= MS * IN_LANES[0] * 3 && lost * 100 <= served, "{p90:?}, {served} served, {lost} lost");
}

/// The dear hashes of another caller do not shorten the wait that a caller of cheap ones may have.
#[test]
fn callers_within_their_shares_are_not_refused_beside_one_that_wants_all() {
    const CAROL: u64 = 3;
    for pause in [80, 180, 350] {
        let alice = clients(64, ALICE, Cost::new(Algorithm::Bcrypt, COST_10.work * 32), MS * 60_000);
        let others = [BOB, CAROL].into_iter().flat_map(|caller| clients(6, caller, COST_10, MS * 10_000));
        let others = (0..).zip(others).map(|(number, mut client)| {
            (client.pause, client.next) = (MS * pause, Some(MS * 37 * number));
            client
        });
        let mut crowd = Crowd::new(alice.into_iter().chain(others).collect());
        crowd.run(0..60_000);
        for caller in [BOB, CAROL] {
            let (p90, served, lost) = crowd.served(caller);
            assert!(lost == 0 && p90 <= MS * IN_LANES[0] * 3, "{p90:?}, {served} served, {lost} lost");
        }
    }
}

/// Their hashes come together, so that each caller is ahead of the others for a moment.
#[test]
fn bursts_of_callers_within_their_shares_are_not_refused_beside_one_that_wants_all() {
    const CAROL: u64 = 3;
    for dear in [8, 32, 64] {
        let alice = clients(64, ALICE, Cost::new(Algorithm::Bcrypt, COST_10.work * dear), MS * 60_000);
        let others = [BOB, CAROL].into_iter().flat_map(|caller| clients(3, caller, COST_10, MS * 10_000));
        let others = others.map(|client| Client { pause: MS * 250, ..client });
        let mut crowd = Crowd::new(alice.into_iter().chain(others).collect());
        crowd.run(0..60_000);
        for caller in [BOB, CAROL] {
            let (p90, served, lost) = crowd.served(caller);
            assert!(lost == 0 && p90 <= MS * IN_LANES[0] * 3, "{p90:?}, {served} served, {lost} lost");
        }
    }
}

/// A burst that a caller's share computes within its deadlines is served whole, although the queue
/// of another caller stands.
#[test]
fn a_burst_is_not_refused_because_the_queue_of_another_caller_stands() {
    for dear in [8, 32] {
        let alice = clients(40, ALICE, Cost::new(Algorithm::Bcrypt, COST_10.work * dear), MS * 60_000);
        let bob = clients(24, BOB, COST_10, MS * 10_000);
        let bob =
            bob.into_iter().map(|client| Client { pause: MS * 4_000, next: Some(MS * 5_000), ..client });
        let mut crowd = Crowd::new(alice.into_iter().chain(bob).collect());
        crowd.run(0..60_000);
        let (p90, served, lost) = crowd.served(BOB);
        assert!(lost == 0, "{p90:?}, {served} served, {lost} lost");
    }
}

/// Few hashes at once, of callers that together want more than there is. The queue is short, so none
/// is refused.
#[test]
fn callers_of_few_hashes_at_once_are_not_refused() {
    const CAROL: u64 = 3;
    for cost in [COST_10, Cost::new(Algorithm::Bcrypt, COST_10.work / 3)] {
        for (many, pauses) in [(4, [0, 20, 20]), (4, [0, 0, 0]), (2, [0, 5, 50]), (6, [0, 40, 100])] {
            let callers = [(ALICE, many), (CAROL, many), (BOB, 1)];
            let clients = callers.into_iter().zip(pauses).flat_map(|((caller, many), pause)| {
                clients(many, caller, cost, MS * 1_000)
                    .into_iter()
                    .map(move |client| Client { pause: MS * pause, ..client })
            });
            let mut crowd = Crowd::new(clients.collect());
            crowd.run(0..30_000);
            let lost = [ALICE, CAROL, BOB].map(|caller| crowd.served(caller).2);
            assert_eq!(lost, [0; 3], "{many} of {cost:?} at once, after {pauses:?} ms");
        }
    }
}

/// A caller that is busy all the time with less than its share has no claim to more later.
#[test]
fn a_caller_that_wanted_little_does_not_stop_the_others_when_it_wants_much() {
    let alice = clients(16, ALICE, COST_10, MS * 60_000);
    let bob = clients(1, BOB, COST_10, MS * 60_000);
    let mut crowd = Crowd::new([alice, bob].into_iter().flatten().collect());
    crowd.run(0..10_000);
    crowd.clients.extend(clients(15, BOB, COST_10, MS * 60_000));
    crowd.clients.iter_mut().skip(17).for_each(|client| client.next = Some(MS * 10_000));
    let before = [ALICE, BOB].map(|caller| crowd.core_time(caller));
    crowd.run(10_000..11_000);
    let [alice, bob] = [ALICE, BOB].map(|caller| crowd.core_time(caller)).map(|time| time.as_millis());
    let [alice, bob] = [alice - before[0].as_millis(), bob - before[1].as_millis()];
    assert!(alice.abs_diff(bob) <= 200, "{alice} and {bob} ms of the next second");
}

/// Tests every order of submissions and boundaries, with three callers on one worker of two lanes.
///
/// In every state a job of a caller that has nothing here, and had less than its share, goes on at
/// the next boundary. At most twice the lanes of a worker are held. From every state each job is done within its work times
/// the number of callers, whatever else there is.
#[test]
fn no_order_of_events_starves_a_caller() {
    let mut seen = HashSet::new();
    explore(&[], &mut seen);
    assert!(seen.len() > 1_000, "only {} states were reached", seen.len());
}

const CALLERS: usize = 3;

/// The jobs of each caller.
const JOBS: usize = 3;

/// The slices of each of a caller's jobs.
const SLICES: [usize; CALLERS] = [1, 3, 9];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Submit(usize),
    Boundary,
}

/// The visible part of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    submitted: [usize; CALLERS],
    /// For each lane its caller, its slices, and whether it goes on.
    lanes: Vec<(usize, usize, bool)>,
    done: [usize; CALLERS],
    asleep: bool,
}

/// Replays a history. A schedule cannot be cloned.
fn state_after(history: &[Event]) -> (State, [Duration; CALLERS]) {
    let start = Instant::now();
    let deadline = start + MS * 60_000;
    let mut estimates = Estimates::new(|_| 2);
    for lanes in [1, 2] {
        estimates.measured(Algorithm::Bcrypt, lanes, 1, MS);
    }
    let mut schedule = Schedule::new(1, vec![Algorithm::Bcrypt], estimates, None);
    schedule.workers.sleep(Wake::LaneWorker(0));
    let mut state = State::default();
    let mut used = [Duration::ZERO; CALLERS];
    for (at, event) in (0..).zip(history) {
        let now = start + MS * at;
        match *event {
            Event::Submit(caller) => {
                let job = Numbered::of(CallerNumber(caller as u64), caller);
                let cost = Cost::new(Algorithm::Bcrypt, SLICES[caller] as u64);
                assert!(schedule.submit(job, cost, deadline, Urgency::Required, now).is_ok(), "{history:?}");
                state.submitted[caller] += 1;
            }
            Event::Boundary => {
                let caller = |lane: &(usize, usize, bool)| CallerNumber(lane.0 as u64);
                let going = u32::try_from(state.lanes.iter().filter(|lane| lane.2).count()).unwrap();
                let charged: Vec<_> =
                    state.lanes.iter().filter(|lane| lane.2).map(|lane| (caller(lane), MS / going)).collect();
                for (caller, part) in charged {
                    schedule.charge(caller, part, now);
                }
                for lane in state.lanes.iter_mut().filter(|lane| lane.2) {
                    used[lane.0] += MS / going;
                    lane.1 -= 1;
                    state.done[lane.0] += usize::from(lane.1 == 0);
                }
                state.lanes.retain(|lane| lane.1 > 0);
                let running = state.lanes.iter().map(|lane| Running {
                    caller: caller(lane),
                    rest: Cost::new(Algorithm::Bcrypt, lane.1 as u64),
                    deadline,
                });
                let found = schedule.lane_boundary(0, running, now);
                assert!(found.expired.is_empty() && found.overloaded.is_empty(), "{history:?}");
                let started = found.started.iter().map(|waiting| waiting.job.number);
                state.lanes.extend(started.map(|caller| (caller, SLICES[caller], false)));
                assert!(state.lanes.len() <= 4, "too many lanes after {history:?}");
                for (lane, goes_on) in state.lanes.iter_mut().zip(schedule.turn(0).goes_on) {
                    lane.2 = goes_on;
                }
                assert!(state.lanes.is_empty() || state.lanes.iter().any(|lane| lane.2), "{history:?}");
                if state.lanes.is_empty() {
                    schedule.workers.sleep(Wake::LaneWorker(0));
                }
            }
        }
        state.asleep = !schedule.workers.awake(Wake::LaneWorker(0));
    }
    (state, used)
}

fn explore(history: &[Event], seen: &mut HashSet<State>) {
    let (state, used) = state_after(history);
    if !seen.insert(state.clone()) {
        return;
    }
    let after = |event| [history, &[event]].concat();
    if !state.asleep {
        explore(&after(Event::Boundary), seen);
    }
    assert_everyone_is_served(history, &state);
    for caller in (0..CALLERS).filter(|&caller| state.submitted[caller] < JOBS) {
        let submitted = after(Event::Submit(caller));
        let others = (0..CALLERS).filter(|&other| other != caller && state.submitted[other] > 0);
        let share = used.iter().sum::<Duration>() / u32::try_from(others.count() + 1).unwrap();
        if state.submitted[caller] == state.done[caller] && used[caller] < share {
            let (next, _) = state_after(&[&submitted[..], &[Event::Boundary]].concat());
            let goes_on = next.lanes.iter().any(|lane| lane.0 == caller && lane.2);
            assert!(goes_on, "waits after {submitted:?}: {state:?} {used:?} {next:?}");
        }
        explore(&submitted, seen);
    }
}

/// Without further submissions each caller gets its part of the time until it has all its answers.
fn assert_everyone_is_served(history: &[Event], state: &State) {
    let mut history = history.to_vec();
    let left = |caller: usize| (state.submitted[caller] - state.done[caller]) * SLICES[caller];
    for boundaries in 0..=CALLERS * JOBS * 9 + 2 * LEAD_SLICES {
        let (now, _) = state_after(&history);
        for caller in (0..CALLERS).filter(|&caller| now.done[caller] < state.submitted[caller]) {
            let most = CALLERS * left(caller) + 2 * LEAD_SLICES;
            assert!(boundaries <= most, "caller {caller} is starved after {history:?}");
        }
        if now.asleep {
            return;
        }
        history.push(Event::Boundary);
    }
    panic!("no end after {history:?}");
}

/// The slices by which a caller may be ahead of another.
const LEAD_SLICES: usize = 5;
