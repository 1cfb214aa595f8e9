//! The proposal for an algorithm, with its figures.

use std::time::Duration;

use saltern_algorithm::memory_bytes;
use saltern_capacity::{FunctionSize, Prices, name_of};
use saltern_encoded::{Algorithm, Params};
use saltern_meter::Spread;
use saltern_price::{Attack, Guess, standards};
use serde::Serialize;
use time::OffsetDateTime;

use super::{bound::Bound, ladder::Step};
use saltern_capacity::Size;
use saltern_program::{document::BYTES_PER_MIB, number::grouped};

/// The strongest parameters of an algorithm within the target.
pub(super) struct Proposal {
    pub(super) algorithm: Algorithm,
    pub(super) step: Step,
    /// The index of the step in the ladder.
    pub(super) at: usize,
    /// The times of one hash alone, in milliseconds.
    pub(super) one: Spread,
    /// The hashes of a full worker, or the limit that prevented the measurement.
    pub(super) in_lanes: Result<InLanes, Bound>,
    /// Processor time divided by wall-clock time.
    pub(super) core_share: f64,
    /// Wall-clock time of one hash alone, at the place of the measurement.
    pub(super) ms_by_the_clock: f64,
    /// Factor from the place of the measurement to the place of the target; 1 for the same place.
    pub(super) to_target: f64,
    /// Factor from the place of the measurement to the function of the cost.
    pub(super) to_function: f64,
    /// The limit that keeps it from being stronger.
    pub(super) bound_by: Bound,
    /// The policy of the document that already has these parameters.
    pub(super) listed_as: Option<String>,
}

/// The hashes of a full worker.
#[derive(Clone, Copy)]
pub(super) struct InLanes {
    /// The number of hashes at once.
    pub(super) lanes: usize,
    /// The times of all of them together, in milliseconds.
    pub(super) call: Spread,
}

impl Proposal {
    /// Returns the time of one hash alone, at the place of the target.
    pub(super) fn ms(&self) -> f64 {
        self.one.median * self.to_target
    }

    /// Returns half the distance between the quartiles, as a share of [`ms`](Self::ms).
    pub(super) fn spread(&self) -> f64 {
        self.one.relative()
    }

    /// Returns the hashes that a full worker computes at once; `None` if they were not measured.
    pub(super) fn lanes(&self) -> Option<usize> {
        self.in_lanes.ok().map(|in_lanes| in_lanes.lanes)
    }

    /// Returns the limit that prevented the measurement in lanes.
    pub(super) fn no_lanes(&self) -> Option<Bound> {
        self.in_lanes.err()
    }

    /// Returns the time of a full worker's hashes, at the place of the target.
    pub(super) fn ms_in_lanes(&self) -> Option<f64> {
        self.in_lanes.ok().map(|in_lanes| in_lanes.call.median * self.to_target)
    }

    /// Returns logins a second and core, one by one.
    pub(super) fn logins(&self) -> f64 {
        MS_PER_SECOND / self.ms()
    }

    /// Returns logins a second and core, in lanes.
    pub(super) fn logins_in_lanes(&self) -> Option<f64> {
        let lanes = f64::from(u32::try_from(self.lanes()?).unwrap_or(u32::MAX));
        Some(lanes * MS_PER_SECOND / self.ms_in_lanes()?)
    }

    /// Returns the cost of a million logins in a million requests, in US dollars.
    pub(super) fn usd_per_million(&self, size: Size) -> f64 {
        self.usd(size, self.one, 1)
    }

    /// Returns the cost of a million logins in batches that fill the lanes of all workers, in US
    /// dollars.
    pub(super) fn usd_per_million_in_lanes(&self, size: Size) -> Option<f64> {
        // A function with several virtual CPUs pays for all of them.
        let workers = FunctionSize { memory_mib: size.memory_mb, concurrency: 1 }.workers();
        let in_lanes = self.in_lanes.ok()?;
        Some(self.usd(size, in_lanes.call, in_lanes.lanes * workers.get()))
    }

    /// Returns the cost of a million logins under parameters with ten times the work, one by one.
    pub(super) fn usd_per_million_at_ten_times(&self, size: Size) -> f64 {
        let one = Spread { median: self.one.median * 10.0, ..self.one };
        self.usd(size, one, 1)
    }

    /// Returns the attacker's rate; `None` if no figure is published.
    pub(super) fn guess(&self) -> Option<Guess<'static>> {
        Attack::published().guess_of(self.step.params)
    }

    /// Returns the attacker's price of 10^9 guesses for each second of a core that a login takes,
    /// one by one.
    pub(super) fn price_per_second(&self, usd_per_hour: f64) -> Option<f64> {
        Some(self.guess()?.usd_per_billion(usd_per_hour) * self.logins())
    }

    /// Returns the same with all lanes in use.
    pub(super) fn price_per_second_in_lanes(&self, usd_per_hour: f64) -> Option<f64> {
        Some(self.guess()?.usd_per_billion(usd_per_hour) * self.logins_in_lanes()?)
    }

    /// Returns the figure that ranks: in lanes, or one by one if the lanes were not measured.
    pub(super) fn rank(&self) -> f64 {
        // The price of an hour is a factor of all.
        self.price_per_second_in_lanes(1.0).or_else(|| self.price_per_second(1.0)).unwrap_or(0.0)
    }

    /// Returns the memory of the hashes of all workers, with all lanes in use, in MiB.
    pub(super) fn memory_mib(&self, workers: usize) -> u64 {
        let at_once = u64::try_from(self.lanes().unwrap_or(1) * workers).unwrap_or(u64::MAX);
        memory_bytes(self.step.params).saturating_mul(at_once).div_ceil(BYTES_PER_MIB)
    }

    fn usd(&self, size: Size, call: Spread, hashes: usize) -> f64 {
        let seconds = call.median * self.to_function / MS_PER_SECOND;
        let call = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let batch = u64::try_from(hashes).unwrap_or(1);
        Prices::listed().usd_per_million(size.architecture, size.memory_mb, call, batch)
    }

    pub(super) fn meets_owasp(&self) -> bool {
        standards::meets_owasp(self.step.params)
    }

    /// Returns the work as a multiple of OWASP's minimum.
    pub(super) fn of_owasp_work(&self) -> f64 {
        standards::of_owasp_work(self.step.params, self.step.work())
    }

    /// Returns the milliseconds of OWASP's minimum.
    pub(super) fn owasp_ms(&self) -> f64 {
        (self.ms() / self.of_owasp_work()).ceil()
    }

    /// Returns the entry for a policy document.
    pub(super) fn entry(&self, on: &str, target: Duration, is_estimated: bool) -> Entry {
        let now = OffsetDateTime::now_utc();
        let how = if is_estimated { "estimated for" } else { "measured on" };
        let rationale = format!(
            "The strongest within {} ms by saltern-numbers calibrate on {}: {:.0} ms, {how} {on}.",
            target.as_millis(),
            now.date(),
            self.ms()
        );
        let minimum = standards::owasp_in_words(self.step.params);
        let source = if self.meets_owasp() {
            format!("{}: at least {minimum}", standards::OWASP)
        } else {
            format!("Below the minimum of {}: {minimum}", standards::OWASP)
        };
        let id = format!("{}-{}", name_of(self.step.params), now.year());
        let numbers = Numbers::of(self.step.params);
        Entry { id, algorithm: self.algorithm.name(), numbers, status: "active", rationale, source }
    }
}

const MS_PER_SECOND: f64 = 1000.0;

/// An entry of a policy document.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) id: String,
    algorithm: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
    status: &'static str,
    rationale: String,
    source: String,
}

/// The parameters with their names in a policy document.
#[derive(Debug, Default, Serialize)]
pub(super) struct Numbers {
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_kib: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallelism: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_n: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<u32>,
}

impl Numbers {
    pub(super) fn of(params: Params) -> Self {
        match params {
            Params::Argon2(params) => Self {
                memory_kib: Some(params.memory_kib()),
                passes: Some(params.passes()),
                parallelism: Some(params.parallelism()),
                ..Self::default()
            },
            Params::Bcrypt(params) => Self { cost: Some(params.cost()), ..Self::default() },
            Params::Pbkdf2(params) => Self { iterations: Some(params.iterations()), ..Self::default() },
            Params::Scrypt(params) => Self {
                log_n: Some(params.log_n().into()),
                r: Some(params.r()),
                p: Some(params.p()),
                ..Self::default()
            },
        }
    }
}

/// Returns the parameters in words.
pub(super) fn in_words(params: Params) -> String {
    match params {
        Params::Argon2(params) => {
            let passes = if params.passes() == 1 { "pass" } else { "passes" };
            let mib = f64::from(params.memory_kib()) / 1024.0;
            format!("{mib:.0} MiB, {} {passes}, p={}", params.passes(), params.parallelism())
        }
        Params::Bcrypt(params) => format!("cost {}", params.cost()),
        Params::Pbkdf2(params) => format!("{} iterations", grouped(params.iterations().into())),
        Params::Scrypt(params) => format!("N=2^{}, r={}, p={}", params.log_n(), params.r(), params.p()),
    }
}
