//! The proposal for an algorithm, with its figures.

use std::{collections::BTreeMap, time::Duration};

use crate::measure::Measured;
use saltern_algorithm::memory_bytes;
use saltern_encoded::Params;
use saltern_policy::parameters_of;
use saltern_price::lambda::{Prices, name_of};
use saltern_price::{Attack, Guess, standards};
use saltern_program::{document::BYTES_PER_MIB, number::grouped};
use serde::Serialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{CalibrateArguments, bound::Bound, ladder::Step, place::Place};

/// The strongest step of an algorithm within the target, as measured.
pub(super) struct Found {
    pub(super) step: Step,
    /// The index of the step in the ladder.
    pub(super) at: usize,
    pub(super) one: Measured,
    /// The hashes of a full worker.
    pub(super) in_lanes: Measured,
    /// The limit that keeps it from being stronger.
    pub(super) bound_by: Bound,
}

/// The strongest parameters of an algorithm within the target. Its JSON is that of `--json`.
#[derive(Serialize)]
pub(super) struct Proposal {
    pub(super) algorithm: &'static str,
    parameters: BTreeMap<&'static str, u32>,
    #[serde(skip)]
    pub(super) params: Params,
    step: usize,
    /// The time of one hash alone, at the place of the target.
    pub(super) milliseconds: f64,
    /// Half the distance between the quartiles, as a share of the time.
    spread: f64,
    /// The hashes that a full worker computes at once.
    pub(super) lanes: usize,
    pub(super) milliseconds_in_lanes: f64,
    #[serde(rename = "logins_per_second_per_core")]
    pub(super) logins: f64,
    #[serde(rename = "logins_per_second_per_core_in_lanes")]
    pub(super) logins_in_lanes: f64,
    /// The cost of a million logins in a million requests on Lambda, in US dollars; `None` on this
    /// machine.
    pub(super) usd_per_million: Option<f64>,
    /// The cost of a million logins in batches that fill the lanes of all workers.
    pub(super) usd_per_million_in_lanes: Option<f64>,
    /// `None` if no rate of the algorithm is published.
    pub(super) attack: Option<PriceOfGuesses>,
    /// The memory of the hashes of all workers, with all lanes in use.
    pub(super) memory_mib_of_all_workers: u64,
    pub(super) cores: Option<f64>,
    pub(super) cores_in_lanes: Option<f64>,
    pub(super) owasp: Owasp,
    nist: Value,
    pub(super) bound_by: Bound,
    /// The policy of the document that already has these parameters.
    pub(super) listed_as: Option<String>,
    pub(super) policy: Entry,
    /// Processor time divided by wall-clock time.
    #[serde(skip)]
    pub(super) core_share: f64,
}

/// An attacker's price of 10^9 guesses.
#[derive(Serialize)]
pub(super) struct PriceOfGuesses {
    #[serde(skip)]
    pub(super) guess: Guess<'static>,
    guesses_per_second: f64,
    usd_per_billion: f64,
    /// The price for each second of a core that a login takes, one by one.
    #[serde(rename = "usd_per_billion_per_core_second")]
    pub(super) per_core_second: f64,
    #[serde(rename = "usd_per_billion_per_core_second_in_lanes")]
    pub(super) per_core_second_in_lanes: f64,
    row: &'static str,
    basis: &'static str,
}

#[derive(Serialize)]
pub(super) struct Owasp {
    pub(super) meets: bool,
    pub(super) minimum: String,
    /// The work as a multiple of the minimum.
    pub(super) times_its_work: f64,
}

/// An entry of a policy document.
#[derive(Serialize)]
pub(super) struct Entry {
    id: String,
    algorithm: &'static str,
    #[serde(flatten)]
    parameters: BTreeMap<&'static str, u32>,
    status: &'static str,
    rationale: String,
    source: String,
}

impl Proposal {
    pub(super) fn new(found: Found, place: &Place, arguments: &CalibrateArguments) -> Self {
        let Found { step, at, one, in_lanes, bound_by } = found;
        let params = step.params;
        let milliseconds = one.cpu_ms.median;
        let logins = MS_PER_SECOND / milliseconds;
        let logins_in_lanes = MS_PER_SECOND / in_lanes.hash_cpu_ms();
        let cores_for = |rate: f64| arguments.logins_per_second.map(|logins| logins / rate);
        let lanes = in_lanes.at_once;
        let workers_memory = memory_bytes(params).saturating_mul(count(lanes * place.workers));
        // A function with several virtual CPUs pays for all of them.
        let batch = lanes * place.workers;
        let owasp = Owasp {
            meets: standards::meets_owasp(params),
            minimum: standards::owasp_in_words(params),
            times_its_work: standards::of_owasp_work(params, step.work()),
        };
        let listed = place.policies.list().iter().find(|policy| policy.params() == params);
        Self {
            algorithm: params.algorithm().name(),
            parameters: parameters_of(params).into_iter().collect(),
            params,
            step: at,
            milliseconds,
            spread: one.cpu_ms.relative(),
            lanes,
            milliseconds_in_lanes: in_lanes.cpu_ms.median,
            logins,
            logins_in_lanes,
            usd_per_million: usd_per_million(place, one.cpu_ms.median, 1),
            usd_per_million_in_lanes: usd_per_million(place, in_lanes.cpu_ms.median, batch),
            attack: Attack::published().guess_of(params).map(|guess| {
                PriceOfGuesses::new(guess, arguments.price.usd_per_hour(), logins, logins_in_lanes)
            }),
            memory_mib_of_all_workers: workers_memory.div_ceil(BYTES_PER_MIB),
            cores: cores_for(logins),
            cores_in_lanes: cores_for(logins_in_lanes),
            nist: json!({"meets": standards::meets_nist(params)}),
            bound_by,
            listed_as: listed.map(|policy| policy.id().to_owned()),
            policy: Entry::new(params, milliseconds, &owasp, place, arguments.target),
            owasp,
            core_share: one.core_share(),
        }
    }

    /// Returns the figure that ranks.
    pub(super) fn rank(&self) -> f64 {
        self.attack.as_ref().map_or(0.0, |price| price.per_core_second_in_lanes)
    }

    /// Returns the milliseconds of OWASP's minimum.
    pub(super) fn owasp_ms(&self) -> f64 {
        (self.milliseconds / self.owasp.times_its_work).ceil()
    }
}

impl PriceOfGuesses {
    fn new(guess: Guess<'static>, usd_per_hour: f64, logins: f64, logins_in_lanes: f64) -> Self {
        let usd_per_billion = guess.usd_per_billion(usd_per_hour);
        Self {
            guesses_per_second: guess.per_second,
            usd_per_billion,
            per_core_second: usd_per_billion * logins,
            per_core_second_in_lanes: usd_per_billion * logins_in_lanes,
            row: &guess.row.name,
            basis: guess.basis.name(),
            guess,
        }
    }
}

impl Entry {
    fn new(params: Params, milliseconds: f64, owasp: &Owasp, place: &Place, target: Duration) -> Self {
        let now = OffsetDateTime::now_utc();
        let (target, date) = (target.as_millis(), now.date());
        let on = place.in_words();
        let minimum = &owasp.minimum;
        let source = if owasp.meets {
            format!("{}: at least {minimum}", standards::OWASP)
        } else {
            format!("Below the minimum of {}: {minimum}", standards::OWASP)
        };
        Self {
            id: format!("{}-{}", name_of(params), now.year()),
            algorithm: params.algorithm().name(),
            parameters: parameters_of(params).into_iter().collect(),
            status: "active",
            rationale: format!(
                "The strongest within {target} ms by saltern-numbers calibrate on {date}: {milliseconds:.0} ms, measured on {on}."
            ),
            source,
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

/// Returns the cost of a million logins on the function, if a call computes this number of hashes.
fn usd_per_million(place: &Place, call_ms: f64, hashes: usize) -> Option<f64> {
    let size = place.function()?.size();
    let call = Duration::try_from_secs_f64(call_ms / MS_PER_SECOND).unwrap_or(Duration::MAX);
    Some(Prices::listed().usd_per_million(size.architecture, size.memory_mb, call, count(hashes)))
}

fn count(hashes: usize) -> u64 {
    u64::try_from(hashes).unwrap_or(u64::MAX)
}

const MS_PER_SECOND: f64 = 1000.0;
