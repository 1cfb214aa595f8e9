//! Estimates how long work takes, from measurements only.
//!
//! Time is linear in an operation's work (see [`Admitted::work`]). The slope depends on the
//! algorithm and on the number of lanes that run together. Every slice and every whole hash updates
//! its slope.

use std::{mem, time::Duration};

use saltern_encoded::{Algorithm, Setting};

use saltern_kernels::{Admitted, Kernels, held_bytes, lanes::MOST_LANES, runs_whole, threads, work};

/// The algorithm whose measured speed counts for a setting.
///
/// The variants of Argon2 share one speed: they do the same work for each block, and calibration
/// measures argon2id alone. The outer layer of a wrapped hash is argon2id.
pub(crate) fn timed_as(setting: &Setting) -> Algorithm {
    match setting.algorithm() {
        Algorithm::Argon2d | Algorithm::Argon2i | Algorithm::Argon2id | Algorithm::Wrapped => {
            Algorithm::Argon2id
        }
        algorithm => algorithm,
    }
}

/// The cost of one hash, for all readings of the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) algorithm: Algorithm,
    /// Work in the algorithm's own unit.
    pub(crate) work: u64,
    /// The work of the same hashes of an empty password: a lower bound that needs no estimate of
    /// the password's share.
    least_work: u64,
    /// The cores that a hash uses at once.
    pub(crate) threads: u32,
    /// The memory of a hash, in bytes; 0 for a few KiB.
    pub(crate) memory_bytes: u64,
    /// Whether it is computed whole, although its algorithm may have lanes.
    pub(crate) whole: bool,
}

impl Cost {
    /// Makes the cost of a hash on one core.
    pub(crate) const fn new(algorithm: Algorithm, work: u64) -> Self {
        Self { algorithm, work, least_work: work, threads: 1, memory_bytes: 0, whole: false }
    }

    /// Returns the cost of a hash that needs this memory, in bytes.
    pub(crate) const fn in_memory(self, memory_bytes: u64) -> Self {
        Self { memory_bytes, ..self }
    }

    /// Returns the cost of a lane with this remaining work, which has the same share of the least
    /// work.
    pub(crate) fn rest(self, work: u64) -> Self {
        let share = u128::from(work) * u128::from(self.least_work) / u128::from(self.work.max(1));
        let least_work = u64::try_from(share).unwrap_or(work);
        Self { least_work, ..Self::new(self.algorithm, work) }.in_memory(self.memory_bytes)
    }

    /// Returns the cost of a hash of one reading.
    pub(crate) fn of_reading(setting: &Setting, password_bytes: usize, kernels: Kernels) -> Self {
        let least_work = work(setting, 0);
        let threads = u32::try_from(threads(setting, kernels)).unwrap_or(1);
        let work = work(setting, password_bytes);
        let memory_bytes = held_bytes(setting);
        let is_short = |kib| memory_bytes < LEAST_MEMORY_OF_A_LANE && kib <= MOST_KIB_OF_A_SHORT_HASH;
        let whole = runs_whole(setting) || matches!(setting, Setting::Argon2(_) if is_short(work));
        Self { least_work, threads, whole, ..Self::new(timed_as(setting), work) }.in_memory(memory_bytes)
    }

    /// Returns the cost of a hash for each of these readings of a password.
    pub(crate) fn of<'a>(
        admitted: &Admitted,
        readings: impl Iterator<Item = &'a [u8]>,
        kernels: Kernels,
    ) -> Self {
        let setting = admitted.setting();
        let mut cost = Self { work: 0, least_work: 0, ..Self::of_reading(setting, 0, kernels) };
        for reading in readings {
            let of_reading = Self::of_reading(setting, reading.len(), kernels);
            cost.work = cost.work.saturating_add(of_reading.work);
            cost.least_work = cost.least_work.saturating_add(of_reading.least_work);
        }
        cost
    }
}

/// Whether hashes of an algorithm gain if they are computed side by side, and not one after the
/// other. The largest of them uses this memory. Loops of digests never gain.
pub(crate) fn gain_side_by_side(algorithm: Algorithm, largest_bytes: u64) -> bool {
    match algorithm {
        Algorithm::Argon2d | Algorithm::Argon2i | Algorithm::Argon2id => {
            largest_bytes >= LEAST_MEMORY_SIDE_BY_SIDE
        }
        Algorithm::Bcrypt
        | Algorithm::Pbkdf2Sha1
        | Algorithm::Pbkdf2Sha256
        | Algorithm::Pbkdf2Sha512
        | Algorithm::Scrypt => true,
        _ => false,
    }
}

/// The measured slopes: nanoseconds per unit of work, if so many lanes run together.
#[derive(Clone, Debug)]
pub(crate) struct Estimates {
    slopes: [[Slope; MOST_LANES]; Algorithm::ALL.len()],
    /// Lanes of each algorithm on a full worker.
    widths: [usize; Algorithm::ALL.len()],
    /// The memory of the hashes of a core, in bytes.
    memory_bytes: u64,
    /// The part of it that no caller takes alone.
    reserved_bytes: u64,
    /// The least nanoseconds per unit of one hash alone; zero if unknown.
    ///
    /// A long measurement can only be too long, by an interruption. So the least one is the best. A
    /// short slice of scrypt may compute nothing, because its work is less than a turn.
    bounds: [f64; Algorithm::ALL.len()],
    /// The bounds that were removed to be measured again.
    doubted: [f64; Algorithm::ALL.len()],
}

/// Time divided by work, both over the recent past.
///
/// Both sums decay alike, so the quotient is the mean over that past. The last slice alone could be
/// wrong, because the system may have interrupted it.
#[derive(Clone, Copy, Debug, Default)]
struct Slope {
    nanoseconds: f64,
    work: f64,
}

impl Slope {
    fn is_known(&self) -> bool {
        self.work > 0.0
    }

    fn average(&self) -> f64 {
        self.nanoseconds / self.work
    }

    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    fn take(&mut self, work: u64, elapsed: Duration) {
        let kept = AVERAGING_WINDOW.as_secs_f64() / (AVERAGING_WINDOW + elapsed).as_secs_f64();
        self.nanoseconds = self.nanoseconds * kept + elapsed.as_nanos() as f64;
        self.work = self.work * kept + work as f64;
    }
}

impl Estimates {
    /// Makes estimates without measurements.
    pub(crate) fn new(widths: impl Fn(Algorithm) -> usize) -> Self {
        let slopes = [[Slope::default(); MOST_LANES]; Algorithm::ALL.len()];
        Self {
            slopes,
            widths: Algorithm::ALL.map(|algorithm| widths(algorithm).clamp(1, MOST_LANES)),
            memory_bytes: u64::MAX,
            reserved_bytes: 0,
            bounds: [UNKNOWN_BOUND; Algorithm::ALL.len()],
            doubted: [f64::INFINITY; Algorithm::ALL.len()],
        }
    }

    /// Sets the memory that the hashes of a core may use at once, in bytes.
    pub(crate) fn with_memory(mut self, memory_bytes: u64) -> Self {
        self.memory_bytes = memory_bytes;
        self
    }

    /// Sets the part of the memory of a core that no caller takes alone, in bytes.
    pub(crate) fn with_reserve(mut self, reserved_bytes: u64) -> Self {
        self.reserved_bytes = reserved_bytes;
        self
    }

    /// Whether a caller whose hashes use `own` bytes of a core leaves the others their part of it
    /// beside another hash.
    pub(crate) fn leaves_reserve(&self, own: u64, cost: Cost) -> bool {
        own.saturating_add(cost.memory_bytes) <= self.memory_bytes.saturating_sub(self.reserved_bytes)
    }

    /// Whether a caller whose hashes use `own` bytes of a core may take the reserved part for another
    /// hash, before earlier jobs of other callers.
    pub(crate) fn is_within_reserve(&self, own: u64, cost: Cost) -> bool {
        own.saturating_add(cost.memory_bytes) <= self.reserved_bytes
    }

    /// Sets the number of lanes of an algorithm on a full worker.
    pub(crate) fn set_width(&mut self, algorithm: Algorithm, lanes: usize) {
        self.widths[algorithm as usize] = lanes.clamp(1, MOST_LANES);
    }

    /// Whether the memory of a core holds a hash beside hashes that use `held` bytes. A hash alone
    /// always fits.
    pub(crate) fn holds(&self, held: u64, cost: Cost) -> bool {
        held == 0 || held.saturating_add(cost.memory_bytes) <= self.memory_bytes
    }

    /// Returns the number of such hashes on a full worker, at least 1.
    pub(crate) fn width_of(&self, cost: Cost) -> usize {
        if cost.whole {
            return 1;
        }
        let held = self.memory_bytes.checked_div(cost.memory_bytes);
        let held = held.map_or(MOST_LANES, |held| usize::try_from(held).unwrap_or(MOST_LANES));
        self.width(cost.algorithm).min(held).max(1)
    }

    /// Returns the number of lanes of an algorithm on a full worker; 1 if it is computed whole.
    pub(crate) fn width(&self, algorithm: Algorithm) -> usize {
        self.widths[algorithm as usize]
    }

    /// Records a measurement: each of `lanes` lanes did `work` units in `elapsed`.
    pub(crate) fn measured(&mut self, algorithm: Algorithm, lanes: usize, work: u64, elapsed: Duration) {
        if work > 0 && lanes > 0 {
            self.slopes[algorithm as usize][lanes.min(MOST_LANES) - 1].take(work, elapsed);
        }
        if lanes == 1 && elapsed >= LONG_ENOUGH {
            self.bound(algorithm, work, elapsed);
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    fn bound(&mut self, algorithm: Algorithm, work: u64, elapsed: Duration) {
        let measured = elapsed.as_nanos() as f64 / work as f64;
        let bound = &mut self.bounds[algorithm as usize];
        if work > 0 && (*bound == UNKNOWN_BOUND || measured < *bound) {
            *bound = measured.min(self.doubted[algorithm as usize]);
        }
    }

    /// Records a measurement from the start-up. It is a bound even if it was short.
    pub(crate) fn measured_at_start(
        &mut self,
        algorithm: Algorithm,
        lanes: usize,
        work: u64,
        elapsed: Duration,
    ) {
        self.measured(algorithm, lanes, work, elapsed);
        if lanes == 1 {
            self.bound(algorithm, work, elapsed);
        }
    }

    /// Removes the bound of an algorithm until it is measured again. It can only fall: the measurement may
    /// be of one slice that was interrupted.
    pub(crate) fn doubt_bound(&mut self, algorithm: Algorithm) {
        let bound = mem::replace(&mut self.bounds[algorithm as usize], UNKNOWN_BOUND);
        if bound != UNKNOWN_BOUND {
            self.doubted[algorithm as usize] = bound;
        }
    }

    /// Returns how long `cost` takes on one of `lanes` lanes.
    pub(crate) fn duration(&self, cost: Cost, lanes: usize) -> Duration {
        nanoseconds(cost.work, self.slope_of(cost, lanes)) / cost.threads
    }

    /// Returns how long `cost` takes alone on a core at the best measured speed: a lower bound. It
    /// is zero if no measurement was long enough.
    pub(crate) fn least_duration(&self, cost: Cost) -> Duration {
        nanoseconds(cost.least_work, self.bounds[cost.algorithm as usize]) / cost.threads
    }

    /// Returns the work that each of `lanes` lanes does within `time`, at least one unit.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate; the conversion saturates and nothing is negative"
    )]
    pub(crate) fn work_within(&self, algorithm: Algorithm, lanes: usize, time: Duration) -> u64 {
        let slope = self.slope(algorithm, lanes).max(1.0e-3);
        ((time.as_nanos() as f64 / slope) as u64).max(1)
    }

    /// Returns the share of a full worker's time that `cost` takes. A hash with several threads
    /// takes the time of all its cores.
    pub(crate) fn core_time(&self, cost: Cost) -> Duration {
        let width = self.width_of(cost);
        let side_by_side = nanoseconds(cost.work, self.slope_of(cost, width));
        side_by_side / u32::try_from(width).unwrap_or(1)
    }

    /// Returns the same for work that is followed by other work.
    pub(crate) fn core_time_with(&self, cost: Cost, later: Option<Cost>) -> Duration {
        self.core_time(cost) + later.map_or(Duration::ZERO, |later| self.core_time(later))
    }

    /// Returns the slope of a hash on one of `lanes` lanes.
    #[allow(clippy::cast_precision_loss, reason = "at most MOST_LANES")]
    fn slope_of(&self, cost: Cost, lanes: usize) -> f64 {
        if gain_side_by_side(cost.algorithm, cost.memory_bytes) {
            self.slope(cost.algorithm, lanes)
        } else {
            self.slope(cost.algorithm, 1) * lanes.clamp(1, MOST_LANES) as f64
        }
    }

    /// Returns the slope at `lanes`, or an estimate from the nearest measured numbers of lanes.
    ///
    /// The slope of more lanes is used as it is. The slope of fewer lanes is scaled as if more
    /// lanes brought no gain. Both estimates are too long rather than too short.
    #[allow(clippy::cast_precision_loss, reason = "at most MOST_LANES")]
    fn slope(&self, algorithm: Algorithm, lanes: usize) -> f64 {
        let lanes = lanes.clamp(1, MOST_LANES);
        let row = &self.slopes[algorithm as usize];
        let more = (lanes..=MOST_LANES).find(|&n| row[n - 1].is_known());
        let fewer = (1..lanes).rev().find(|&n| row[n - 1].is_known());
        match (more, fewer) {
            (Some(n), None) => row[n - 1].average(),
            (None, Some(n)) => row[n - 1].average() * lanes as f64 / n as f64,
            (Some(n), Some(m)) => row[n - 1].average().min(row[m - 1].average() * lanes as f64 / m as f64),
            (None, None) => NEVER_MEASURED,
        }
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate; the conversion saturates and the slope is not negative"
)]
fn nanoseconds(work: u64, slope: f64) -> Duration {
    Duration::from_nanos((work as f64 * slope) as u64)
}

/// The slope of an algorithm that was never measured, in nanoseconds: each hash is longer than the
/// bound of the queue. So one runs on each worker, and others wait or are refused.
const NEVER_MEASURED: f64 = 1e10;

/// The least memory of an Argon2 hash in a lane: 8 MiB. A smaller hash is in the caches, and waits
/// little for memory.
const LEAST_MEMORY_OF_A_LANE: u64 = 8 << 20;

/// The most work of a smaller hash that is computed whole, `m·t` in KiB. It ends within some ten
/// milliseconds; with more passes it runs in slices, so that it can be stopped.
const MOST_KIB_OF_A_SHORT_HASH: u64 = 16 << 10;

/// The least memory of the largest of the Argon2 hashes that are computed side by side: 32 MiB.
///
/// A smaller hash alone is mostly in the caches, and several together are not. On a Zen 5 two
/// hashes of 19 MiB side by side were 0.81 times as fast as one after the other. Three were 1.04
/// times as fast (`functions/LANES.md`).
const LEAST_MEMORY_SIDE_BY_SIDE: u64 = 32 << 20;

/// The window of the mean speed: long compared with a scheduler's time slices, short compared with
/// a deadline.
const AVERAGING_WINDOW: Duration = Duration::from_millis(250);

/// With it, no hash seems impossible.
const UNKNOWN_BOUND: f64 = 0.0;

/// The shortest measurement after the start that gives a bound. The fixed cost of a hash is some
/// dozens of microseconds while the code is cold. Half a slice is long compared with that, and
/// slices are longer.
const LONG_ENOUGH: Duration = Duration::from_micros(500);

#[cfg(test)]
mod tests {
    use super::*;
    use saltern_kernels::Ceilings;

    const BCRYPT_10: Cost = Cost::new(Algorithm::Bcrypt, 1024);

    fn cost(stored: &str, ceilings: &Ceilings, lengths: &[usize]) -> Cost {
        let setting = saltern_encoded::parse(stored).unwrap().setting().clone();
        let admitted = Admitted::new(setting, ceilings).unwrap();
        let password = [b'a'; 1024];
        let readings = lengths.iter().map(|&length| &password[..length]);
        Cost::of(&admitted, readings, Kernels::Own)
    }

    fn eight_lanes() -> Estimates {
        Estimates::new(|algorithm| if algorithm == Algorithm::Bcrypt { 8 } else { 1 })
    }

    /// The factors are those of the compressions. sha-crypt also hashes the password once for each
    /// of its bytes.
    #[test]
    fn a_long_password_is_more_work_if_every_round_reads_it() {
        let ceilings = Ceilings { sha_crypt_rounds: 5_000, ..Ceilings::default() };
        for (stored, short, long) in [
            ("$1$salt$......................", 1_000, 30_715),
            ("$5$rounds=1000$salt$...........................................", 1_001, 47_100),
            ("$P$5saltsalt......................", 129, 129 * 17),
            ("$md5$salt$$......................", 106_497, 106_513),
            (".............", 25 + 8, 25 + 8 * 129),
        ] {
            let [short_cost, long_cost] = [1, 1024].map(|length| cost(stored, &ceilings, &[length]));
            assert_eq!((short_cost.work, long_cost.work), (short, long), "{stored}");
            assert!(long_cost.least_work <= short, "{stored}");
        }
    }

    /// The work of a long password may be overestimated, so it must not make a running hash hopeless.
    #[test]
    fn the_rest_of_a_hash_has_its_share_of_the_least_work() {
        let ceilings = Ceilings { sha_crypt_rounds: 5_000, ..Ceilings::default() };
        let stored = "$6$rounds=1000$salt$".to_owned() + &".".repeat(86);
        let whole = cost(&stored, &ceilings, &[1024]);
        assert!(whole.least_work < whole.work / 10);
        assert_eq!(whole.rest(whole.work), whole);
        assert_eq!(whole.rest(whole.work / 2).least_work, whole.least_work / 2);
        assert_eq!(BCRYPT_10.rest(3), Cost::new(Algorithm::Bcrypt, 3));
    }

    /// Whatever the number of lanes that were measured.
    #[test]
    fn loops_of_digests_take_turns() {
        let mut estimates = Estimates::new(|_| 4);
        estimates.measured(Algorithm::Sha512Crypt, 1, 1_000, Duration::from_millis(1));
        let cost = Cost::new(Algorithm::Sha512Crypt, 3_000);
        assert_eq!(estimates.duration(cost, 4), Duration::from_millis(12));
        assert_eq!(estimates.core_time(cost), Duration::from_millis(3));
    }

    #[test]
    fn only_scrypt_with_short_ends_has_lanes() {
        let ceilings =
            Ceilings { scrypt_memory_bytes: 1 << 24, scrypt_n_r_p: 1 << 20, ..Ceilings::default() };
        for (r, p, whole) in [(8, 128, false), (8, 129, true), (1024, 1, false), (1025, 1, true)] {
            let stored = format!("$scrypt$ln=4,r={r},p={p}${}${}", "A".repeat(22), "A".repeat(43));
            assert_eq!(cost(&stored, &ceilings, &[8]).whole, whole, "r = {r}, p = {p}");
        }
    }

    /// Many passes over a small memory take long, and can be stopped in a lane.
    #[test]
    fn only_short_hashes_of_little_memory_are_computed_whole() {
        let ceilings = Ceilings {
            argon2_memory_kib: 1 << 20,
            argon2_memory_passes_kib: 1 << 30,
            argon2_parallelism: 4,
            ..Ceilings::default()
        };
        for (m, t, p, whole) in [
            (4096, 4, 1, true),
            (4096, 5, 1, false),
            (8192, 1, 1, false),
            (64, 257, 1, false),
            (8192, 1, 2, true),
        ] {
            let stored = format!("$argon2id$v=19$m={m},t={t},p={p}${}${}", "A".repeat(22), "A".repeat(43));
            assert_eq!(cost(&stored, &ceilings, &[8]).whole, whole, "{stored}");
        }
    }

    #[test]
    fn a_hash_on_several_cores_takes_the_time_of_all_of_them() {
        let mut estimates = eight_lanes();
        estimates.measured(Algorithm::Argon2id, 1, 1, Duration::from_millis(1));
        let cost = Cost { threads: 4, ..Cost::new(Algorithm::Argon2id, 100) };
        assert_eq!(estimates.duration(cost, 1), Duration::from_millis(25));
        assert_eq!(estimates.core_time(cost), Duration::from_millis(100));
    }

    #[test]
    fn time_is_linear_in_work() {
        let mut estimates = eight_lanes();
        estimates.measured(Algorithm::Bcrypt, 1, 16, Duration::from_millis(1));
        assert_eq!(estimates.duration(BCRYPT_10, 1), Duration::from_millis(64));
    }

    #[test]
    fn an_unmeasured_number_of_lanes_is_estimated_too_long_rather_than_too_short() {
        let mut estimates = eight_lanes();
        estimates.measured(Algorithm::Bcrypt, 4, 1024, Duration::from_millis(80));
        assert_eq!(estimates.duration(BCRYPT_10, 2), Duration::from_millis(80));
        assert_eq!(estimates.duration(BCRYPT_10, 8), Duration::from_millis(160));
        estimates.measured(Algorithm::Bcrypt, 8, 1024, Duration::from_millis(128));
        assert_eq!(estimates.duration(BCRYPT_10, 6), Duration::from_millis(120));
        assert_eq!(estimates.core_time(BCRYPT_10), Duration::from_millis(16));
    }

    #[test]
    fn the_mean_follows_new_samples_and_the_best_is_kept() {
        let mut estimates = eight_lanes();
        estimates.measured(Algorithm::Bcrypt, 1, 1024, Duration::from_millis(60));
        for _ in 0..64 {
            estimates.measured(Algorithm::Bcrypt, 1, 1024, Duration::from_millis(120));
        }
        assert!(estimates.duration(BCRYPT_10, 1) > Duration::from_millis(119));
        assert_eq!(estimates.least_duration(BCRYPT_10), Duration::from_millis(60));
    }

    #[test]
    fn a_bound_needs_a_long_measurement_of_one_hash_alone() {
        let tiny = (1, 1, LONG_ENOUGH / 2);
        let in_company = (8, 1024, Duration::from_millis(128));
        let long = (1, 1024, Duration::from_millis(64));
        for (measurements, bound) in [
            (vec![tiny], Duration::ZERO),
            (vec![in_company], Duration::ZERO),
            (vec![tiny, in_company, long], Duration::from_millis(64)),
            (vec![long, tiny], Duration::from_millis(64)),
        ] {
            let mut estimates = eight_lanes();
            for &(lanes, work, elapsed) in &measurements {
                estimates.measured(Algorithm::Bcrypt, lanes, work, elapsed);
            }
            assert_eq!(estimates.least_duration(BCRYPT_10), bound, "{measurements:?}");
        }
    }

    #[test]
    fn a_bound_that_is_tried_again_can_only_fall() {
        let mut estimates = eight_lanes();
        for (took, bound) in [(64, 64), (300, 64), (50, 50)] {
            estimates.doubt_bound(Algorithm::Bcrypt);
            estimates.measured(Algorithm::Bcrypt, 1, 1024, Duration::from_millis(took));
            assert_eq!(estimates.least_duration(BCRYPT_10), Duration::from_millis(bound));
        }
    }

    #[test]
    fn a_measurement_from_the_start_up_is_a_bound_even_if_it_is_short() {
        let mut estimates = eight_lanes();
        estimates.measured_at_start(Algorithm::Bcrypt, 1, 8, Duration::from_micros(400));
        assert_eq!(estimates.least_duration(BCRYPT_10), Duration::from_micros(51_200));
        estimates.doubt_bound(Algorithm::Bcrypt);
        assert_eq!(estimates.least_duration(BCRYPT_10), Duration::ZERO);
        assert_eq!(estimates.duration(BCRYPT_10, 1), Duration::from_micros(51_200));
    }
}
