//! Learns from served work how many hashes of Argon2 a worker computes side by side.
//!
//! On some processors several hashes side by side wait less for memory than one after the other, on
//! others more. A state machine without clocks and threads compares both.

use std::time::{Duration, Instant};

/// Epochs of the width in use and of a candidate alternate. A candidate that does more in several
/// pairs, one after the other, is the width from then on.
///
/// Until it has learned, a worker computes one hash at a time: that is safe in memory and time.
#[derive(Debug)]
pub(crate) struct Learner {
    workers: u32,
    width: usize,
    candidate: usize,
    /// The work per second of the width in use, while the candidate has its epoch.
    compared: Option<f64>,
    /// The pairs that the candidate has won.
    won: usize,
    /// How many candidates have lost since the width was learned.
    lost: usize,
    epoch: Epoch,
    rests_until: Option<Instant>,
}

/// The work of all workers with one width.
#[derive(Debug, Default)]
struct Epoch {
    begun: Option<Instant>,
    work: f64,
    core_time: Duration,
}

impl Learner {
    pub(crate) fn new(workers: u32) -> Self {
        Self {
            workers,
            width: CANDIDATES[0],
            candidate: CANDIDATES[1],
            compared: None,
            won: 0,
            lost: 0,
            epoch: Epoch::default(),
            rests_until: None,
        }
    }

    /// Returns the width in use, apart from trials.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the width of the present epoch.
    pub(crate) fn width_now(&self) -> usize {
        if self.compared.is_some() { self.candidate } else { self.width }
    }

    /// Follows a slice in which each of `lanes` hashes did `work`. `may_try` tells whether the hashes
    /// of the moment can be computed with a width.
    ///
    /// Only slices of full workers count. An epoch without enough of them ends.
    #[allow(clippy::cast_precision_loss, reason = "work of a few seconds")]
    pub(crate) fn measured(
        &mut self,
        lanes: usize,
        work: u64,
        elapsed: Duration,
        now: Instant,
        may_try: impl FnOnce(usize) -> bool,
    ) {
        if self.rests_until.is_some_and(|until| now < until) {
            return;
        }
        if now.saturating_duration_since(*self.epoch.begun.get_or_insert(now)) > LONGEST_EPOCH {
            return self.disturbed(now);
        }
        if lanes != self.width_now() {
            return;
        }
        self.epoch.work += work as f64 * lanes as f64;
        self.epoch.core_time += elapsed;
        if self.epoch.core_time < EPOCH * self.workers {
            return;
        }
        let speed = self.epoch.work / self.epoch.core_time.as_secs_f64();
        self.epoch = Epoch::default();
        match self.compared.take() {
            None if may_try(self.candidate) => self.compared = Some(speed),
            Some(compared) if speed >= compared * LEAST_GAIN => self.wins(),
            Some(_) => self.loses(now),
            // The hashes of another moment may allow it.
            None => self.next_candidate(),
        }
    }

    /// Ends the epoch: too few hashes ran.
    fn disturbed(&mut self, now: Instant) {
        self.epoch = Epoch::default();
        if self.compared.take().is_some() {
            self.rests_until = Some(now + AFTER_A_DISTURBANCE);
        }
    }

    fn wins(&mut self) {
        self.won += 1;
        if self.won == PAIRS {
            (self.width, self.lost) = (self.candidate, 0);
            self.next_candidate();
        }
    }

    fn loses(&mut self, now: Instant) {
        self.lost += 1;
        if self.lost >= CANDIDATES.len() - 1 {
            let first = self.lost == CANDIDATES.len() - 1;
            self.rests_until = Some(now + if first { SETTLED_FOR } else { BETWEEN_TRIALS });
        }
        self.next_candidate();
    }

    fn next_candidate(&mut self) {
        self.won = 0;
        let after = CANDIDATES.iter().cycle().skip_while(|width| **width != self.candidate).skip(1);
        self.candidate = *after.into_iter().find(|width| **width != self.width).unwrap_or(&self.candidate);
    }
}

/// The widths, of which the first is used until another is learned.
const CANDIDATES: [usize; 3] = [1, 2, 4];

/// The computing time of a core in an epoch.
const EPOCH: Duration = Duration::from_secs(1);

/// An epoch that takes longer did not find enough work.
const LONGEST_EPOCH: Duration = Duration::from_secs(3);

/// A candidate replaces the width in use if it does so much more work, in so many pairs.
const LEAST_GAIN: f64 = 1.03;
const PAIRS: usize = 3;

/// After the first trial of every candidate, and from then on between two trials.
const SETTLED_FOR: Duration = Duration::from_mins(10);
const BETWEEN_TRIALS: Duration = Duration::from_mins(5);

/// Then disturbed trials take at most a twentieth of the time.
const AFTER_A_DISTURBANCE: Duration = LONGEST_EPOCH.saturating_mul(20);

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A saturated machine of two workers, whose speed depends on the width.
    struct Machine {
        learner: Learner,
        now: Instant,
        /// The work of a slice by one lane, and by two and four in all.
        speeds: [f64; 3],
        /// The speed of an epoch is up to so much more or less.
        noise: f64,
        random: u64,
        changes: usize,
        tried: Duration,
    }

    impl Machine {
        fn new(speeds: [f64; 3], noise: f64) -> Self {
            let (learner, now) = (Learner::new(2), Instant::now());
            Self { learner, now, speeds, noise, random: 1, changes: 0, tried: Duration::ZERO }
        }

        fn run(&mut self, time: Duration) -> usize {
            let end = self.now + time;
            while self.now < end {
                self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let part = f64::from(u32::try_from(self.random >> 32).unwrap()) / f64::from(u32::MAX);
                let factor = 1.0 + self.noise * (2.0 * part - 1.0);
                let (width, before) = (self.learner.width_now(), self.learner.width());
                // The noise of an epoch: single slices would level each other out.
                for _ in 0..1_000 {
                    self.now += MS;
                    for _worker in 0..2 {
                        self.slice(width, factor);
                    }
                    self.tried += if width == before { Duration::ZERO } else { MS };
                }
                self.changes += usize::from(self.learner.width() != before);
            }
            self.learner.width()
        }

        fn slice(&mut self, width: usize, factor: f64) {
            let at = CANDIDATES.iter().position(|candidate| *candidate == width).unwrap();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positive, and small"
            )]
            let work = (self.speeds[at] * factor * 1_000.0) as u64 / width as u64;
            self.learner.measured(width, work, MS, self.now, |_| true);
        }
    }

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn the_best_width_is_learned_within_a_minute_and_kept() {
        for (speeds, best) in [
            ([100.0, 130.0, 170.0], 4),
            ([100.0, 120.0, 90.0], 2),
            ([100.0, 90.0, 130.0], 4),
            ([100.0, 112.0, 91.0], 2),
            ([100.0, 95.0, 85.0], 1),
            ([100.0, 101.0, 102.0], 1),
        ] {
            for noise in [0.0, 0.01] {
                let mut machine = Machine::new(speeds, noise);
                assert_eq!(machine.run(MINUTE), best, "{speeds:?}");
                let (changes, tried) = (machine.changes, machine.tried);
                assert_eq!(machine.run(MINUTE * 120), best, "{speeds:?}");
                assert_eq!(machine.changes, changes, "{speeds:?}");
                assert!(machine.tried <= tried + MINUTE * 120 / 20, "{:?}", machine.tried);
            }
        }
    }

    /// The epochs of one width differ by a tenth.
    #[test]
    fn noise_neither_hides_a_gain_nor_lets_the_width_flap() {
        let mut gains = Machine::new([100.0, 130.0, 170.0], 0.05);
        assert_eq!((gains.run(MINUTE), gains.run(MINUTE * 600)), (4, 4));
        let mut loses = Machine::new([100.0, 91.0, 82.0], 0.05);
        assert_eq!((loses.run(MINUTE), loses.run(MINUTE * 600)), (1, 1));
        let mut equal = Machine::new([100.0; 3], 0.05);
        equal.run(MINUTE * 600);
        assert!(equal.changes <= 10, "{} in ten hours", equal.changes);
    }

    #[test]
    fn a_width_that_was_learned_is_forgotten_when_another_gains() {
        let mut machine = Machine::new([100.0, 90.0, 80.0], 0.01);
        assert_eq!(machine.run(MINUTE), 1);
        machine.speeds = [100.0, 90.0, 120.0];
        assert_eq!(machine.run(MINUTE * 30), 4);
        machine.speeds = [120.0, 90.0, 100.0];
        assert_eq!(machine.run(MINUTE * 30), 1);
    }

    #[test]
    fn a_slow_drift_of_the_machine_is_no_gain() {
        let mut machine = Machine::new([100.0; 3], 0.0);
        for _ in 0..600 {
            machine.run(Duration::from_secs(1));
            machine.speeds = machine.speeds.map(|speed| speed * 1.01);
        }
        assert_eq!(machine.changes, 0);
    }

    #[test]
    fn without_full_workers_nothing_is_learned() {
        let mut machine = Machine::new([100.0, 130.0, 170.0], 0.0);
        for second in 0..600 {
            for _ in 0..900 {
                machine.now += MS;
                let width = machine.learner.width_now();
                machine.learner.measured(width - usize::from(width > 1), 100, MS, machine.now, |_| true);
            }
            if second % 2 == 0 {
                machine.learner.disturbed(machine.now);
            }
            machine.now += MS * 100;
        }
        assert_eq!(machine.learner.width(), 1);
    }

    #[test]
    fn a_width_that_the_hashes_of_the_moment_forbid_is_not_tried() {
        let mut learner = Learner::new(1);
        let now = Instant::now();
        for ms in 0..60_000 {
            learner.measured(1, 100, MS, now + MS * ms, |_| false);
            assert_eq!(learner.width_now(), 1);
        }
        for ms in 60_000..61_000 {
            learner.measured(1, 100, MS, now + MS * ms, |_| true);
        }
        assert_ne!(learner.width_now(), 1, "later hashes allow it, and nothing was compared so far");
    }
}
