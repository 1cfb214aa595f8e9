//! A thread that computes many hashes at once, in slices: continuous batching.

use std::{
    mem,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use saltern_encoded::Algorithm;
use saltern_kernels::{
    Arena, OutOfMemory, Output, Password,
    lanes::{self, Lane},
};

use super::{
    estimate::{Cost, gain_side_by_side},
    schedule::{Job as _, Running, Slice, Turn, Waiting, Wake},
    shared::Shared,
    submitted::Submitted,
    work::{CallerNumber, Done, Dropped},
};

/// Works until the pool is closed, its queue is empty and its lanes are done.
pub(super) fn run(shared: &Shared, worker: usize) {
    let mut active: Vec<Active> = Vec::new();
    let mut measured: Vec<Slice> = Vec::new();
    let mut answers: Vec<(Submitted, Result<Done, Dropped>)> = Vec::new();
    let mut ended: Vec<Ended> = Vec::new();
    loop {
        let mut schedule = shared.lock();
        let now = Instant::now();
        for slice in measured.drain(..) {
            schedule.measured(slice, now);
        }
        for a in &mut active {
            schedule.charge(a.job.caller, mem::take(&mut a.uncharged), now);
        }
        for Ended { caller, estimate, computed, uncharged } in ended.drain(..) {
            schedule.charge(caller, uncharged, now);
            schedule.lane_ended(caller, estimate, computed, now);
        }
        let unwanted: Vec<_> =
            active.extract_if(.., |a| a.job.abandoned() || schedule.is_hopeless(a.running(), now)).collect();
        if !unwanted.is_empty() {
            let retry_after = schedule.retry_after();
            // The wipe of a large memory takes milliseconds, so not under the lock. Until then the
            // memory is in use, and other work must not count on it.
            drop(schedule);
            for lane in unwanted {
                let late = lane.late(retry_after);
                let (end, job) = lane.end(|Active { job, .. }| job);
                ended.push(end);
                answers.push((job, Err(late)));
            }
            continue;
        }
        let found = schedule.lane_boundary(worker, active.iter().map(Active::running), now);
        answers.extend(
            schedule.refusals(found.expired, found.overloaded).map(|(job, dropped)| (job, Err(dropped))),
        );
        let other = schedule.wake_for_waiting(now);
        if active.is_empty() && found.started.is_empty() && answers.is_empty() {
            if shared.rest(schedule, other, Wake::LaneWorker(worker)) {
                return;
            }
            continue;
        }
        let Turn { slices, goes_on } = schedule.turn(worker);
        drop(schedule);
        shared.ring(other);
        // The schedule knows the free lanes before the answers are out. A caller may send its next
        // request at once, and this worker should take it.
        for (job, answer) in answers.drain(..) {
            shared.answer(job, answer);
        }
        let arena = &shared.arenas[worker];
        active.extend(found.started.into_iter().map(Active::new));
        let lanes = goes_on.iter().filter(|goes_on| **goes_on).count();
        for (a, goes_on) in active.iter_mut().zip(goes_on) {
            a.goes_on = goes_on;
            a.gave_way |= !goes_on;
            if goes_on {
                a.most_lanes = a.most_lanes.max(lanes);
            }
        }
        for (algorithm, work) in slices {
            measured.extend(advance(&mut active, algorithm, work, arena));
        }
        answers.extend(finished(&mut active, &mut ended));
        if active.iter().all(|a| a.cost.memory_bytes == 0) {
            arena.release_if_idle(shared.kept_for);
        }
    }
}

/// A lane in use.
struct Active {
    hash: Hash,
    job: Submitted,
    cost: Cost,
    deadline: Instant,
    since: Instant,
    started: Instant,
    /// When its last turn began, or its start. A hash in memory keeps its start: see [`advance`].
    turn: Instant,
    most_lanes: usize,
    /// Whether it is computed until the next boundary. Else it gives way to another caller.
    goes_on: bool,
    /// Whether it has ever given way. If it is late then, another could have done it in time.
    gave_way: bool,
    /// Its computing time by the estimate that its caller was charged, and so far.
    estimate: Duration,
    computed: Duration,
    /// What its caller was not charged yet. The time for taking and wiping memory counts too: who
    /// gives hashes up soon wants much of it.
    uncharged: Duration,
    /// The output of the first reading of the password, while the lane computes the second.
    first: Option<Output>,
}

/// A lane that ended, with the estimate of its computing time and the time itself.
#[derive(Debug)]
struct Ended {
    caller: CallerNumber,
    estimate: Duration,
    computed: Duration,
    uncharged: Duration,
}

/// The hash that a lane computes.
enum Hash {
    /// It takes its memory at its first slice: then it can be what another leaves in the caches.
    Unstarted,
    Started(Lane),
    Failed(Dropped),
}

impl Active {
    fn new(waiting: Waiting<Submitted>) -> Self {
        let Waiting { job, cost, deadline, since, core_time, .. } = waiting;
        let started = Instant::now();
        Self {
            hash: Hash::Unstarted,
            job,
            cost,
            deadline,
            since,
            started,
            turn: started,
            most_lanes: 0,
            goes_on: true,
            gave_way: false,
            estimate: core_time,
            computed: Duration::ZERO,
            uncharged: Duration::ZERO,
            first: None,
        }
    }

    fn took(&mut self, time: Duration) {
        self.computed += time;
        self.uncharged += time;
    }

    /// Returns the answer if it is too late.
    fn late(&self, retry_after: Duration) -> Dropped {
        if self.gave_way { Dropped::Overloaded { retry_after } } else { Dropped::DeadlineExceeded }
    }

    /// Ends the lane, by what may wipe its memory.
    fn end<T>(self, end: impl FnOnce(Self) -> T) -> (Ended, T) {
        let Self { estimate, computed, uncharged, .. } = self;
        let (caller, began) = (self.job.caller, Instant::now());
        let result = end(self);
        let took = began.elapsed();
        (Ended { caller, estimate, computed: computed + took, uncharged: uncharged + took }, result)
    }

    /// Returns the reading of the password that the lane computes.
    fn reading(&self) -> &Password {
        self.job.second.as_ref().filter(|_| self.first.is_some()).unwrap_or(&self.job.password)
    }

    /// Returns the lane, started if it was not. Returns `None` if the start panics or there is no
    /// memory.
    fn lane(&mut self, arena: &Arena) -> Option<&mut Lane> {
        if matches!(self.hash, Hash::Unstarted) {
            let (job, password, began) = (&self.job, self.reading(), Instant::now());
            let lane = job.guarded(|| Lane::start(&job.admitted, password.expose(), arena));
            self.hash = match lane {
                Ok(Ok(Some(lane))) => Hash::Started(lane),
                Ok(Ok(None)) | Err(_) => Hash::Failed(Dropped::Fault),
                Ok(Err(OutOfMemory)) => Hash::Failed(Dropped::NoMemory),
            };
            self.took(began.elapsed());
        }
        if let Hash::Started(lane) = &mut self.hash { Some(lane) } else { None }
    }

    /// Returns the remaining work on this reading of the password.
    fn remaining(&self) -> u64 {
        match &self.hash {
            Hash::Unstarted => self.job.work(self.reading()),
            Hash::Started(lane) => lane.remaining(),
            Hash::Failed(_) => 0,
        }
    }

    fn running(&self) -> Running {
        let second = self.second().map_or(0, |second| self.job.work(second));
        let rest = self.cost.rest(self.remaining().saturating_add(second));
        Running { caller: self.job.caller, rest, deadline: self.deadline }
    }

    /// Returns the second reading of the password, if it waits for the lane.
    fn second(&self) -> Option<&Password> {
        self.job.second.as_ref().filter(|_| self.first.is_none())
    }

    /// Ends a lane without remaining work: continues with the second reading of the password, or
    /// returns the answer.
    fn next(self) -> ControlFlow<(Submitted, Result<Done, Dropped>), Self> {
        let has_second = self.second().is_some();
        let Self { hash, job, first, .. } = self;
        let output = match hash {
            Hash::Started(lane) => job.guarded(|| lane.finish(&job.admitted)),
            Hash::Failed(dropped) => Err(dropped),
            Hash::Unstarted => Err(Dropped::Fault),
        };
        match output {
            Ok(output) if has_second => {
                ControlFlow::Continue(Self { hash: Hash::Unstarted, job, first: Some(output), ..self })
            }
            Ok(output) => {
                let (output, second) = match first {
                    Some(first) => (first, Some(output)),
                    None => (output, None),
                };
                let (queued, hashed) = (self.started - self.since, self.started.elapsed());
                let done = Done { output, second, queued, hashed, lanes: self.most_lanes };
                ControlFlow::Break((job, Ok(done)))
            }
            Err(dropped) => ControlFlow::Break((job, Err(dropped))),
        }
    }
}

/// About as long as served callers wait under a lasting overload. Hashes in memory that take turns are
/// far shorter, so this makes none late.
const LONGEST_WAIT_FOR_A_TURN: Duration = Duration::from_millis(200);

/// Computes one slice on the lanes of an algorithm that go on: `work` units on each, or fewer if a
/// lane ends.
///
/// If the lanes gain nothing side by side, computes only the one with the earliest deadline. A far
/// deadline counts as [`LONGEST_WAIT_FOR_A_TURN`] after the last turn, so that hashes of digests
/// take equal turns. A hash in memory counts from its start: it is mostly in the caches, so it is
/// computed to its end, and newcomers do not overtake it forever.
fn advance(active: &mut Vec<Active>, algorithm: Algorithm, work: u64, arena: &Arena) -> Option<Slice> {
    let goes_on = |a: &&mut Active| a.cost.algorithm == algorithm && a.goes_on;
    let mut turn: Vec<_> = active.iter_mut().filter(goes_on).collect();
    let largest_bytes = turn.iter().map(|a| a.cost.memory_bytes).max().unwrap_or(0);
    let side_by_side = gain_side_by_side(algorithm, largest_bytes);
    if !side_by_side {
        let by_deadline = |a: &&mut Active| (a.deadline.min(a.turn + LONGEST_WAIT_FOR_A_TURN), a.since);
        turn = turn.into_iter().min_by_key(by_deadline).into_iter().collect();
    }
    let now = Instant::now();
    turn.iter_mut().filter(|a| a.cost.memory_bytes == 0).for_each(|a| a.turn = now);
    turn.retain_mut(|a| a.lane(arena).is_some());
    let lanes: Vec<_> = turn.iter_mut().filter_map(|a| a.lane(arena)).collect();
    let work = lanes.iter().map(|lane| lane.remaining()).min()?.min(work);
    let together = lanes.len();
    let started = Instant::now();
    let slice = AssertUnwindSafe(|| lanes::advance(algorithm, lanes.into_iter(), work));
    if catch_unwind(slice).is_err() {
        // The lanes are interleaved, so the faulty one is unknown: all of them fail.
        let may_be_faulty =
            |a: &mut Active| a.cost.algorithm == algorithm && matches!(a.hash, Hash::Started(_));
        for faulty in active.extract_if(.., may_be_faulty) {
            faulty.job.fail(Dropped::Fault);
        }
        return None;
    }
    let elapsed = started.elapsed();
    let part = elapsed / u32::try_from(together).unwrap_or(u32::MAX);
    for a in turn {
        a.took(part);
    }
    Some(Slice { algorithm, lanes: together, work, elapsed, side_by_side })
}

/// Ends the lanes without remaining work, and returns the answers to their callers.
fn finished(active: &mut Vec<Active>, ended: &mut Vec<Ended>) -> Vec<(Submitted, Result<Done, Dropped>)> {
    let done: Vec<_> = active.extract_if(.., |a| a.remaining() == 0).collect();
    let mut answers = Vec::new();
    for lane in done {
        let (end, next) = lane.end(Active::next);
        match next {
            // Wiping the memory of the first reading counts too.
            ControlFlow::Continue(next) => {
                active.push(Active { computed: end.computed, uncharged: end.uncharged, ..next });
            }
            ControlFlow::Break(answer) => {
                ended.push(end);
                answers.push(answer);
            }
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use std::{iter, num::NonZeroUsize, sync::Arc, thread};

    use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, scrypt};

    use super::*;
    use saltern_kernels::{Admitted, Ceilings, Kernels};

    use crate::{Pool, PoolSettings, Ticket, Work, estimate::timed_as};

    fn argon2id(memory_mib: u32, passes: u32) -> Params {
        let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
        Params::Argon2(argon2::Params::new(variant, version, memory_mib << 10, passes, 1).unwrap())
    }

    /// Starts a hash, and does some of its work.
    fn started(params: Params, work: u64, arena: &Arena) -> Active {
        let mut active = unstarted(params);
        lanes::advance(active.cost.algorithm, active.lane(arena).into_iter(), work);
        active
    }

    fn unstarted(params: Params) -> Active {
        of(admitted(params))
    }

    fn of(admitted: Admitted) -> Active {
        let password = password();
        let cost = Cost::of(&admitted, iter::once(password.expose()), Kernels::Own);
        let (_, reply) = Ticket::with_reply();
        let now = Instant::now();
        let job = Submitted::new(Work::new(admitted, password, now), reply, &Arc::default(), Kernels::Own);
        let (start, core_time) = (Duration::ZERO, Duration::ZERO);
        Active::new(Waiting { job, cost, deadline: now, since: now, start, core_time })
    }

    fn admitted(params: Params) -> Admitted {
        let ceilings = Ceilings {
            argon2_memory_kib: 1 << 16,
            argon2_memory_passes_kib: 1 << 19,
            argon2_parallelism: 1,
            scrypt_memory_bytes: 1 << 20,
            scrypt_n_r_p: 1 << 20,
            ..Ceilings::default()
        };
        Admitted::new(Setting::fresh(params, [0; NEW_SALT_BYTES]), &ceilings).unwrap()
    }

    /// One hash of each loop of digests, with its output.
    fn loops() -> impl Iterator<Item = Admitted> {
        let stored = [
            ("_J9..salt", 11),
            ("sa", 11),
            ("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19", 0),
            ("$1$saltsalt$", 22),
            ("$apr1$saltsalt$", 22),
            ("$P$5saltsalt", 22),
            ("$S$5saltsalt", 43),
            ("$sha1$100$saltsalt$", 28),
            ("$5$rounds=1000$salt$", 43),
            ("$6$rounds=1000$salt$", 86),
            ("$md5$saltsalt$$", 22),
        ];
        stored.into_iter().map(|(before, zeros)| admitted_text(&(before.to_owned() + &".".repeat(zeros))))
    }

    fn admitted_text(stored: &str) -> Admitted {
        let setting = saltern_encoded::parse(stored).unwrap().setting().clone();
        Admitted::new(setting, &Ceilings { sha_crypt_rounds: 10_000, ..Ceilings::default() }).unwrap()
    }

    fn password() -> Password {
        Password::new(b"password").unwrap()
    }

    /// Another caller had its place, so another machine could have done it in time.
    #[test]
    fn a_late_hash_that_gave_way_is_overload() {
        let mut active = of(admitted_text("$1$saltsalt$......................"));
        assert_eq!(active.late(Duration::ZERO), Dropped::DeadlineExceeded);
        active.gave_way = true;
        assert_eq!(active.late(Duration::ZERO), Dropped::Overloaded { retry_after: Duration::ZERO });
    }

    /// Vectors gain with little memory too.
    #[test]
    fn small_hashes_of_scrypt_are_computed_side_by_side() {
        let params = Params::Scrypt(scrypt::Params::new(10, 8, 1).unwrap());
        let arena = Arena::new(0);
        let mut active: Vec<_> = [0, 10].map(|work| started(params, work, &arena)).into();
        assert_eq!(advance(&mut active, Algorithm::Scrypt, 1_000, &arena).unwrap().lanes, 2);
        assert_eq!([0, 1].map(|at| active[at].remaining()), [(1 << 13) - 1_000, (1 << 13) - 1_010]);
    }

    /// Hashes of 19 MiB can be slower side by side than one after the other.
    #[test]
    fn small_hashes_of_argon2_are_computed_side_by_side_only_if_they_gain() {
        const ALL: u64 = 1_000;
        let arena = Arena::new(0);
        for (memory_mib, computed) in [
            (vec![19], vec![ALL]),
            (vec![19, 19], vec![ALL, 0]),
            (vec![19, 19, 19], vec![ALL, 0, 0]),
            (vec![8, 8, 8, 8], vec![ALL, 0, 0, 0]),
            (vec![46, 46], vec![ALL; 2]),
            (vec![64, 8], vec![ALL; 2]),
        ] {
            let mut active: Vec<_> =
                (0..).zip(&memory_mib).map(|(work, mib)| started(argon2id(*mib, 2), work, &arena)).collect();
            let before: Vec<_> = active.iter().map(Active::remaining).collect();
            let measured = advance(&mut active, Algorithm::Argon2id, ALL, &arena).unwrap();
            let done = before.iter().zip(&active).map(|(before, a)| before - a.remaining());
            assert_eq!(done.collect::<Vec<_>>(), computed, "{memory_mib:?}");
            let lanes = computed.iter().filter(|computed| **computed > 0).count();
            assert_eq!((measured.lanes, measured.work), (lanes, ALL), "{memory_mib:?}");
        }
    }

    /// Else a caller that gives up hashes of much memory would pay for little of what it takes.
    #[test]
    fn the_time_for_taking_and_wiping_memory_is_charged() {
        let arena = Arena::new(0);
        let mut active = [started(argon2id(64, 1), 0, &arena)];
        let taken = mem::take(&mut active[0].uncharged);
        assert!(taken > Duration::ZERO);
        let [lane] = active;
        let (end, ()) = lane.end(|lane| {
            thread::sleep(MS);
            drop(lane);
        });
        assert!(end.uncharged >= MS && end.computed == taken + end.uncharged, "{taken:?}, {end:?}");
    }

    #[test]
    fn the_end_of_the_first_reading_is_charged() {
        let arena = Arena::new(0);
        let mut active = vec![unstarted(argon2id(8, 1))];
        active[0].job.second = Some(password());
        advance(&mut active, Algorithm::Argon2id, u64::MAX, &arena).unwrap();
        let (before, mut ended) = (active[0].uncharged, Vec::new());
        assert!(finished(&mut active, &mut ended).is_empty() && ended.is_empty());
        assert!(active[0].first.is_some() && active[0].uncharged > before);
        assert_eq!(active[0].computed, active[0].uncharged);
    }

    #[test]
    fn the_oldest_hash_has_its_turn_unless_the_deadline_of_another_is_near() {
        let long_ago = Instant::now();
        let now = long_ago + 2 * LONGEST_WAIT_FOR_A_TURN;
        let (near, far) = (now + LONGEST_WAIT_FOR_A_TURN / 2, now + Duration::from_secs(10));
        for (deadlines, started, turn) in [
            ([far, near], [now, now], 1),
            ([near, far], [now, now], 0),
            ([far, near], [long_ago, now], 0),
            ([far, near], [long_ago + MS, long_ago], 1),
        ] {
            let arena = Arena::new(0);
            let mut active: Vec<_> = [8, 8].map(|mib| unstarted(argon2id(mib, 1))).into();
            for (active, (deadline, started)) in active.iter_mut().zip(deadlines.into_iter().zip(started)) {
                (active.deadline, active.turn) = (deadline, started);
            }
            advance(&mut active, Algorithm::Argon2id, 1, &arena).unwrap();
            let started: Vec<_> = active.iter().map(|a| matches!(a.hash, Hash::Started(_))).collect();
            assert_eq!(started, [turn == 0, turn == 1]);
        }
    }

    const MS: Duration = Duration::from_millis(1);

    /// At the boundary the worker drops a hash whose caller has left: see [`run`].
    #[test]
    fn every_loop_of_digests_is_computed_in_slices() {
        let arena = Arena::new(0);
        for admitted in loops() {
            let algorithm = admitted.setting().algorithm();
            assert!(PoolSettings::new(NonZeroUsize::MIN).lanes(algorithm).is_some(), "{algorithm:?}");
            let mut active = vec![of(admitted)];
            let all = active[0].remaining();
            let measured = advance(&mut active, algorithm, all / 2, &arena).unwrap();
            assert_eq!((measured.lanes, measured.work), (1, all / 2), "{algorithm:?}");
            assert_eq!(active[0].remaining(), all - all / 2, "{algorithm:?}");
            assert!(finished(&mut active, &mut Vec::new()).is_empty(), "{algorithm:?}");
            advance(&mut active, algorithm, u64::MAX, &arena).unwrap();
            assert_eq!(finished(&mut active, &mut Vec::new()).len(), 1, "{algorithm:?}");
        }
    }

    /// A long hash must not hold up the short one that comes after it.
    #[test]
    fn loops_of_digests_take_equal_turns_unless_a_deadline_is_near() {
        let arena = Arena::new(0);
        let sha512 = || of(admitted_text(&("$6$rounds=9999$salt$".to_owned() + &".".repeat(86))));
        let mut active: Vec<_> = (0..3).map(|_| sha512()).collect();
        let all = active[0].remaining();
        for (number, active) in (0..).zip(&mut active) {
            active.deadline += Duration::from_hours(1);
            active.since += number * MS;
        }
        let mut done = |turns| {
            for _ in 0..turns {
                advance(&mut active, Algorithm::Sha512Crypt, 10, &arena).unwrap();
            }
            let done: Vec<_> = active.iter().map(|a| (all - a.remaining()) / 10).collect();
            active[1].deadline = active[1].started;
            done
        };
        assert_eq!(done(6), [2, 2, 2]);
        assert_eq!(done(6), [2, 8, 2]);
    }

    /// sha-crypt reads the password in every round.
    #[test]
    fn the_remaining_work_is_that_of_the_readings_of_the_password() {
        let arena = Arena::new(0);
        let readings = [1000, 500].map(|length| Password::new(&vec![b'a'; length]).unwrap());
        let admitted = admitted_text(&("$6$rounds=1000$salt$".to_owned() + &".".repeat(86)));
        let cost = Cost::of(&admitted, readings.iter().map(Password::expose), Kernels::Own);
        let [long, short] = [0, 1].map(|at| {
            let reading = iter::once(readings[at].expose());
            Cost::of(&admitted, reading, Kernels::Own).work
        });
        let [password, second] = readings;
        let mut active = of(admitted);
        (active.job.password, active.job.second, active.cost) = (password, Some(second), cost);
        assert_eq!(active.running().rest, cost);
        let mut active = vec![active];
        advance(&mut active, Algorithm::Sha512Crypt, long - 1, &arena).unwrap();
        assert_eq!(active[0].running().rest.work, 1 + short);
        advance(&mut active, Algorithm::Sha512Crypt, u64::MAX, &arena).unwrap();
        assert!(finished(&mut active, &mut Vec::new()).is_empty());
        assert_eq!(active[0].running().rest.work, short);
    }

    /// The second finds the memory of the first in the caches.
    #[test]
    fn a_hash_takes_memory_when_its_turn_comes() {
        let arena = Arena::new(64 << 20);
        let mut active: Vec<_> = [19, 19].map(|mib| unstarted(argon2id(mib, 2))).into();
        for lanes in [1, 0] {
            advance(&mut active, Algorithm::Argon2id, u64::MAX, &arena).unwrap();
            assert_eq!(arena.resident_bytes(), 20 << 20);
            assert_eq!(finished(&mut active, &mut Vec::new()).len(), 1);
            assert_eq!(active.len(), lanes);
        }
    }

    #[test]
    fn a_panic_in_a_slice_costs_the_started_lanes_of_its_algorithm() {
        let arena = Arena::new(0);
        let params = Params::Scrypt(scrypt::Params::new(10, 8, 1).unwrap());
        let mut active: Vec<_> = [0, 10, 20].map(|work| started(params, work, &arena)).into();
        active.push(unstarted(params));
        let (ticket, reply) = Ticket::with_reply();
        active[0].job.reply = reply;
        // Only the first is in the slice. The kernel of bcrypt finds no lane of its own, and panics.
        for at in [0, 1, 3] {
            active[at].cost.algorithm = Algorithm::Bcrypt;
        }
        (active[1].goes_on, active[3].goes_on) = (false, false);
        assert!(advance(&mut active, Algorithm::Bcrypt, 1, &arena).is_none());
        assert_eq!(ticket.wait().unwrap_err(), Dropped::Fault);
        let left: Vec<_> = active.iter().map(|a| a.cost.algorithm).collect();
        assert_eq!(left, [Algorithm::Scrypt, Algorithm::Bcrypt]);
        assert!(matches!(active[1].hash, Hash::Unstarted));
    }

    #[test]
    fn a_late_hash_ends_inside_its_computation() {
        let settings = PoolSettings { kept_bytes: 72 << 20, ..PoolSettings::new(NonZeroUsize::MIN) };
        for params in [argon2id(64, 8), Params::Scrypt(scrypt::Params::new(9, 8, 32).unwrap())] {
            let pool = Pool::start(&settings).unwrap();
            let submit = |within| {
                let work = Work::new(admitted(params), password(), Instant::now() + within);
                pool.submit(work).unwrap()
            };
            let alone = || submit(Duration::from_hours(1)).wait().unwrap().hashed;
            let (algorithm, work) = (timed_as(admitted(params).setting()), admitted(params).work());
            let late = |_| {
                let hashed = iter::repeat_with(alone).take(3).min().unwrap();
                // The pool now believes that the hash takes a tenth of its time. So it starts one
                // that will be late.
                let mut schedule = pool.shared.lock();
                schedule.estimates.measured_at_start(algorithm, 1, 9 * work, Duration::from_nanos(1));
                drop(schedule);
                // A hash that is computed to its end is answered with its output, even if it is late.
                submit(hashed / 4).wait().err()
            };
            // If other programs have just ended, the hash may be done in time.
            let dropped = (0..5).find_map(late);
            assert_eq!(dropped, Some(Dropped::DeadlineExceeded), "{params:?}");
        }
    }
}
