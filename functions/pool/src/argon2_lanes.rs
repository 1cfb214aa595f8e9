//! The number of Argon2 hashes at once on a worker: given, or measured at the start.

use core::{fmt, str::FromStr};
use std::{
    iter,
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use saltern_encoded::{Algorithm, NEW_SALT_BYTES, Params, Setting, argon2};
use saltern_kernels::{
    Admitted, Arena, Ceilings,
    lanes::{Lane, advance},
};

/// A number of Argon2 hashes at once on each worker, 1 to [`MOST_ARGON2_LANES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Lanes(NonZeroUsize);

impl Argon2Lanes {
    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0.get()
    }

    /// Measures whether hashes gain from lanes on this machine: four lanes if they do, one if they
    /// do not. `None` if the memory of a core is less than twice that of the measurement: workers
    /// may use all of it meanwhile.
    ///
    /// It takes some dozens of milliseconds.
    pub(super) fn measured(workers: usize, memory_bytes: u64) -> Option<Self> {
        if memory_bytes < 2 * MEASURED_BYTES {
            return None;
        }
        let [alone, side_by_side] = measure(workers)?;
        Some(Self::of_times(alone, side_by_side))
    }

    fn of_times(alone: Duration, side_by_side: Duration) -> Self {
        if alone > side_by_side.mul_f64(LEAST_GAIN) { Self::default() } else { Self(NonZeroUsize::MIN) }
    }
}

/// Four: two do not hide the wait for memory.
impl Default for Argon2Lanes {
    fn default() -> Self {
        Self(const { NonZeroUsize::new(4).unwrap() })
    }
}

/// Parses the number in settings.
impl FromStr for Argon2Lanes {
    type Err = NotArgon2Lanes;

    fn from_str(number: &str) -> Result<Self, NotArgon2Lanes> {
        let lanes: NonZeroUsize = number.parse().map_err(|_| NotArgon2Lanes)?;
        if lanes.get() <= MOST_ARGON2_LANES { Ok(Self(lanes)) } else { Err(NotArgon2Lanes) }
    }
}

/// The text is no [`Argon2Lanes`]. The message gives the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotArgon2Lanes;

impl fmt::Display for NotArgon2Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "give a whole number from 1 to {MOST_ARGON2_LANES}")
    }
}

impl core::error::Error for NotArgon2Lanes {}

/// Returns the times of the same blocks of four hashes on each core: one hash after the other, and
/// side by side. `None` if the system does not give the memory or the threads.
///
/// All cores compute, because they share the way to the memory. The references of argon2d always
/// depend on the data.
fn measure(workers: usize) -> Option<[Duration; 2]> {
    let lanes = Argon2Lanes::default().get();
    let memory_kib = MEASURED_KIB / u32::try_from(lanes).ok()?;
    let params = argon2::Params::new(argon2::Variant::D, argon2::Version::V19, memory_kib, 2, 1)?;
    let setting = Setting::fresh(Params::Argon2(params), [0; NEW_SALT_BYTES]);
    let admitted = Admitted::new(setting, &CEILINGS).ok()?;
    let arena = Arena::new(0);
    let start = || Lane::start(&admitted, b"", &arena).ok().flatten();
    let of_a_core = |_| iter::repeat_with(start).take(lanes).collect::<Option<Vec<_>>>();
    let mut cores = (0..workers).map(of_a_core).collect::<Option<Vec<_>>>()?;
    let pass = memory_kib.into();
    on_all_cores(&mut cores, |lanes| side_by_side(lanes, pass))?;
    let steps = cores.first()?.first()?.remaining() / (2 * ROUNDS);
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        times[0].push(on_all_cores(&mut cores, |lanes| one_after_the_other(lanes, steps))?);
        times[1].push(on_all_cores(&mut cores, |lanes| side_by_side(lanes, steps))?);
    }
    Some(times.map(median))
}

/// Returns the sum of the times. `None` if the system does not give the threads.
fn on_all_cores(cores: &mut [Vec<Lane>], compute: impl Fn(&mut [Lane]) + Sync) -> Option<Duration> {
    let timed = |lanes: &mut [Lane]| {
        let started = Instant::now();
        compute(lanes);
        started.elapsed()
    };
    thread::scope(|scope| {
        let running: Vec<_> = cores
            .iter_mut()
            .map(|lanes| thread::Builder::new().spawn_scoped(scope, move || timed(lanes)))
            .collect();
        running.into_iter().map(|thread| thread.ok()?.join().ok()).sum()
    })
}

fn one_after_the_other(lanes: &mut [Lane], steps: u64) {
    for lane in lanes {
        advance(ALGORITHM, iter::once(lane), steps);
    }
}

fn side_by_side(lanes: &mut [Lane], steps: u64) {
    advance(ALGORITHM, lanes.iter_mut(), steps);
}

/// The system may interrupt some of the measurements, so the median counts.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The most Argon2 hashes that a worker computes at once.
pub const MOST_ARGON2_LANES: usize = 8;

/// The memory of the measured hashes of a core. The core's share of the caches is smaller.
const MEASURED_KIB: u32 = 64 << 10;
const MEASURED_BYTES: u64 = (MEASURED_KIB as u64) << 10;

/// The measurements of each way. One takes one or two milliseconds.
const ROUNDS: u64 = 5;

/// The gain from which a worker has lanes. Lanes need memory, and each hash takes longer.
const LEAST_GAIN: f64 = 1.1;

/// The variant reads memory as the second half of argon2id does.
const ALGORITHM: Algorithm = Algorithm::Argon2d;

/// The cost of the measured hashes.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 0,
    argon2_memory_kib: MEASURED_KIB,
    argon2_memory_passes_kib: 2 * MEASURED_KIB as u64,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 0,
    scrypt_memory_bytes: 0,
    scrypt_n_r_p: 0,
    sha_crypt_rounds: 0,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argon2_lanes_have_a_range() {
        for (text, lanes) in [("0", None), ("1", Some(1)), ("8", Some(8)), ("9", None), ("four", None)] {
            assert_eq!(text.parse().ok().map(Argon2Lanes::get), lanes, "{text}");
        }
    }

    #[test]
    fn a_machine_without_a_gain_has_one_lane() {
        let ms = Duration::from_millis;
        for (alone, side_by_side, lanes) in [(200, 100, 4), (120, 100, 4), (105, 100, 1), (90, 100, 1)] {
            assert_eq!(Argon2Lanes::of_times(ms(alone), ms(side_by_side)).get(), lanes, "{alone}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "64 MiB take too long there")]
    fn a_core_with_little_memory_is_not_measured() {
        assert_eq!(Argon2Lanes::measured(1, 2 * MEASURED_BYTES - 1), None);
        let lanes = Argon2Lanes::measured(2, 2 * MEASURED_BYTES).unwrap().get();
        assert!([1, 4].contains(&lanes), "{lanes}");
    }
}
