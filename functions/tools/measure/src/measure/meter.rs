use core::hint::black_box;
use std::time::{Duration, Instant};

use saltern_kernels::{Admitted, OutOfMemory, Password};
use saltern_pool::{OneCore, PoolSettings};
use serde::Serialize;

use super::{Spread, process_time};

/// Measures settings, one after the other, on the calling thread.
#[derive(Debug)]
pub(crate) struct Meter {
    core: OneCore,
}

/// The limits of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Samples to take even if they exceed `time`. Only a first call that exceeds `time` stops the
    /// measurement.
    pub fewest_samples: usize,
    /// Samples after which the measurement stops.
    pub most_samples: usize,
    /// Time after which no sample beyond `fewest_samples` begins.
    pub time: Duration,
}

/// The measurement of one setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Measured {
    /// Hashes that one call computed: the lanes in use, or 1 for a hash alone.
    pub at_once: usize,
    /// Wall-clock time of a call, in milliseconds.
    pub wall_ms: Spread,
    /// Processor time of this program in a call, in milliseconds.
    pub cpu_ms: Spread,
}

impl Meter {
    /// Creates a meter that computes as a worker of this pool: with its kernels, lanes and kept
    /// memory.
    #[must_use]
    pub(crate) fn of_worker(settings: &PoolSettings) -> Self {
        Self { core: OneCore::new(settings) }
    }

    /// Returns the lanes of a full worker; 1 for an algorithm that has no lanes.
    #[must_use]
    pub(crate) fn lanes(&self, admitted: &Admitted) -> usize {
        self.core.lanes(admitted.setting())
    }

    /// Measures one hash alone.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory.
    pub(crate) fn one(&mut self, admitted: &Admitted, effort: &Effort) -> Result<Measured, OutOfMemory> {
        self.measure(admitted, 1, effort)
    }

    /// Measures as many hashes at once as a full worker has lanes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory.
    pub(crate) fn in_lanes(&mut self, admitted: &Admitted, effort: &Effort) -> Result<Measured, OutOfMemory> {
        self.measure(admitted, self.lanes(admitted), effort)
    }

    fn measure(
        &mut self,
        admitted: &Admitted,
        at_once: usize,
        effort: &Effort,
    ) -> Result<Measured, OutOfMemory> {
        // Lanes read their own tables only if their passwords differ.
        let passwords: Vec<Password> = (0..at_once).filter_map(password).collect();
        let touches_memory = admitted.memory_bytes() >= MUCH_MEMORY;
        let samples = samples(effort, touches_memory, |calls| self.sample(admitted, &passwords, calls))?;
        let in_ms = |time: fn(&Sample) -> Duration| {
            samples.iter().map(|sample| time(sample).as_secs_f64() * MS_PER_SECOND).collect::<Vec<_>>()
        };
        let (walls, cpus) = (in_ms(|sample| sample.wall), in_ms(|sample| sample.cpu));
        Ok(Measured { at_once, wall_ms: Spread::of(&walls), cpu_ms: Spread::of(&cpus) })
    }

    /// Returns the mean of this number of calls.
    fn sample(
        &mut self,
        admitted: &Admitted,
        passwords: &[Password],
        calls: u32,
    ) -> Result<Sample, OutOfMemory> {
        // Time of the process and not of the thread: Argon2 may use several threads.
        let (wall, cpu) = (Instant::now(), process_time());
        for _ in 0..calls {
            black_box(self.core.compute(admitted, passwords)?);
        }
        // A system call often ends the turn of this program. The wait for the next turn must count.
        let cpu = process_time().saturating_sub(cpu);
        Ok(Sample { wall: wall.elapsed() / calls, cpu: cpu / calls })
    }
}

impl Measured {
    /// Returns the median processor time of a call, divided by its hashes, in milliseconds. It
    /// excludes other programs. For algorithms on one thread.
    #[must_use]
    pub(crate) fn hash_cpu_ms(&self) -> f64 {
        self.cpu_ms.median / hashes(self.at_once)
    }

    /// Returns median processor time divided by median wall-clock time: below 1 if other programs
    /// took the processor.
    #[must_use]
    pub(crate) fn core_share(&self) -> f64 {
        self.cpu_ms.median / self.wall_ms.median
    }
}

struct Sample {
    wall: Duration,
    cpu: Duration,
}

/// Returns the samples that count. `sample` returns the mean of a number of calls.
///
/// The first call of a hash that touches much memory never counts: the system hands out the pages
/// then. That can take ten times as long as the hash. Of other hashes the first call counts if it
/// takes all the time.
fn samples<E>(
    effort: &Effort,
    touches_memory: bool,
    mut sample: impl FnMut(u32) -> Result<Sample, E>,
) -> Result<Vec<Sample>, E> {
    let mut first = sample(1)?;
    if touches_memory {
        first = sample(1)?;
    }
    if first.wall >= effort.time {
        return Ok(vec![first]);
    }
    let calls = calls_of_a_sample(first.wall);
    let (mut kept, mut spent) = (Vec::new(), first.wall);
    loop {
        let next = sample(calls)?;
        spent += next.wall * calls;
        kept.push(next);
        let enough = kept.len() >= effort.fewest_samples && spent >= effort.time;
        if enough || kept.len() >= effort.most_samples {
            return Ok(kept);
        }
    }
}

fn calls_of_a_sample(call: Duration) -> u32 {
    let calls = SHORTEST_SAMPLE.as_nanos().div_ceil(call.as_nanos().max(1));
    u32::try_from(calls).unwrap_or(u32::MAX)
}

fn password(number: usize) -> Option<Password> {
    Password::new(format!("correct horse battery {number}").as_bytes()).ok()
}

fn hashes(at_once: usize) -> f64 {
    f64::from(u32::try_from(at_once).unwrap_or(u32::MAX))
}

const MS_PER_SECOND: f64 = 1000.0;

/// From a mebibyte on, fresh memory takes a noticeable share of the time of a hash.
const MUCH_MEMORY: u64 = 1 << 20;

/// The shortest sample. A reading of the processor's clock takes up to a microsecond, which must
/// not count.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use core::num::NonZeroUsize;

    use saltern_encoded::{Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
    use saltern_kernels::{Ceilings, Kernels};

    use super::*;

    impl Meter {
        /// Creates a meter that computes as a worker of a pool with the default settings.
        pub(crate) fn new() -> Self {
            Self::of_worker(&PoolSettings::new(NonZeroUsize::MIN))
        }
    }

    const CEILINGS: Ceilings = Ceilings {
        bcrypt_cost: 6,
        argon2_memory_kib: 1024,
        argon2_memory_passes_kib: 1024,
        argon2_parallelism: 1,
        pbkdf2_iterations_blocks: 10_000,
        sha_crypt_rounds: 0,
        scrypt_memory_bytes: 1 << 20,
        scrypt_n_r_p: 1 << 13,
    };

    /// On a busy machine too, no first call takes so long.
    const EFFORT: Effort = Effort { fewest_samples: 3, most_samples: 5, time: Duration::from_mins(1) };

    fn admitted(params: Params) -> Admitted {
        Admitted::new(Setting::fresh(params, [7; 16]), &CEILINGS).unwrap()
    }

    fn bcrypt(cost: u32) -> Admitted {
        admitted(Params::Bcrypt(bcrypt::Params::new(cost).unwrap()))
    }

    fn every_algorithm() -> [Admitted; 4] {
        let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
        [
            Params::Argon2(argon2::Params::new(variant, version, 256, 1, 1).unwrap()),
            Params::Bcrypt(bcrypt::Params::new(4).unwrap()),
            Params::Pbkdf2(pbkdf2::Params::new(pbkdf2::Prf::Sha512, 100).unwrap()),
            Params::Scrypt(scrypt::Params::new(7, 8, 1).unwrap()),
        ]
        .map(admitted)
    }

    #[test]
    fn every_algorithm_is_measured_alone_and_in_lanes() {
        let mut meter = Meter::new();
        for admitted in every_algorithm() {
            let one = meter.one(&admitted, &EFFORT).unwrap();
            let lanes = meter.in_lanes(&admitted, &EFFORT).unwrap();
            assert_eq!(one.at_once, 1);
            assert_eq!(lanes.at_once, meter.lanes(&admitted));
            for measured in [one, lanes] {
                assert!((3..=5).contains(&measured.wall_ms.samples), "{measured:?}");
                assert!(measured.hash_cpu_ms() > 0.0, "{measured:?}");
            }
        }
    }

    #[test]
    fn lanes_and_kernels_are_those_of_the_pool() {
        let usual = PoolSettings::new(NonZeroUsize::MIN);
        let three = PoolSettings { bcrypt_lanes: NonZeroUsize::new(3), ..usual.clone() };
        let crates = PoolSettings { kernels: Kernels::Crates, ..usual };
        for (settings, lanes) in [(three, 3), (crates, 1)] {
            let measured = Meter::of_worker(&settings).in_lanes(&bcrypt(4), &EFFORT).unwrap();
            assert_eq!(measured.at_once, lanes, "{settings:?}");
        }
    }

    #[test]
    fn four_times_the_work_takes_about_four_times_as_long() {
        let mut meter = Meter::new();
        // Other tests run beside this one, and can only lengthen a time.
        let mut times = [4, 6].map(|_| f64::INFINITY);
        for _ in 0..5 {
            for (least, cost) in times.iter_mut().zip([4, 6]) {
                *least = least.min(meter.one(&bcrypt(cost), &EFFORT).unwrap().cpu_ms.lower_quartile);
            }
        }
        let [four, six] = times;
        assert!((2.0..8.0).contains(&(six / four)), "{six} over {four}");
    }

    /// In four of four quick runs 46 MiB took 73 ms, and 64 MiB 6.6 ms.
    #[test]
    fn the_first_touch_of_memory_never_counts() {
        let run = |touches_memory: bool, times_ms: &[u64]| {
            let mut times = times_ms.iter().chain(std::iter::repeat(times_ms.last().unwrap()));
            let effort = Effort { fewest_samples: 3, most_samples: 25, time: Duration::from_millis(60) };
            let samples = samples(&effort, touches_memory, |_calls| {
                let time = Duration::from_millis(*times.next().unwrap());
                Ok::<_, ()>(Sample { wall: time, cpu: time })
            });
            samples.unwrap().iter().map(|sample| sample.wall.as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(run(true, &[73, 20]), [20; 3], "the slow first call is left out");
        assert_eq!(run(true, &[300, 90]), [90], "a hash that takes all the time is computed once more");
        assert_eq!(run(false, &[300, 90]), [300], "without memory the first call is a sample");
    }

    #[test]
    fn a_short_hash_is_repeated_until_a_sample_takes_a_millisecond() {
        assert_eq!(calls_of_a_sample(Duration::from_micros(3)), 334);
        assert_eq!(calls_of_a_sample(Duration::from_millis(2)), 1);
        assert_eq!(calls_of_a_sample(Duration::ZERO), 1_000_000);
    }

    #[test]
    fn rates_count_every_hash_of_a_call() {
        let [wall_ms, cpu_ms] = [40.0, 30.0].map(|ms| Spread::of(&[ms]));
        let measured = Measured { at_once: 8, wall_ms, cpu_ms };
        assert!((measured.hash_cpu_ms() - 3.75).abs() < 1e-12);
        assert!((measured.core_share() - 0.75).abs() < 1e-12);
    }
}
