//! The proposal for an algorithm, with its figures.

use std::{collections::BTreeMap, time::Duration};

use crate::measure::Measured;
use saltern_capacity::{Prices, name_of};
use saltern_cli::price::{Attack, standards};
use saltern_encoded::Params;
use saltern_kernels::memory_bytes;
use saltern_page::or_nothing;
use saltern_policy::parameters_of;
use saltern_server::document::BYTES_PER_MIB;
use serde::Serialize;
use time::OffsetDateTime;

use super::{CalibrateArguments, bound::Bound, place::Place};

/// The strongest parameters of an algorithm within the target. Its JSON is that of `--json`.
#[derive(Serialize)]
pub(super) struct Proposal {
    pub(super) algorithm: &'static str,
    parameters: BTreeMap<&'static str, u32>,
    #[serde(skip)]
    pub(super) params: Params,
    /// The time of one hash alone.
    pub(super) milliseconds: f64,
    /// The hashes that a full worker computes at once.
    lanes: usize,
    pub(super) milliseconds_in_lanes: f64,
    #[serde(rename = "logins_per_second_per_core")]
    pub(super) logins: f64,
    #[serde(rename = "logins_per_second_per_core_in_lanes")]
    pub(super) logins_in_lanes: f64,
    /// The cost of a million logins in a million requests on Lambda, in US dollars; `None` on this
    /// machine.
    pub(super) usd_per_million: Option<f64>,
    /// An attacker's price of 10^9 guesses; `None` if no rate of the algorithm is published.
    usd_per_billion_guesses: Option<f64>,
    /// The same with a mark if it is approximate.
    #[serde(skip)]
    pub(super) price: String,
    /// The price for each second of a core that a login takes in lanes. It ranks.
    pub(super) usd_per_core_second: f64,
    /// The memory of the hashes of all workers, with all lanes in use.
    pub(super) memory_mib_of_all_workers: u64,
    pub(super) meets_owasp: bool,
    /// The limit that keeps it from being stronger.
    pub(super) bound_by: Bound,
    /// The policy of the document that already has these parameters.
    pub(super) listed_as: Option<String>,
    pub(super) policy: Entry,
    /// Processor time divided by wall-clock time.
    #[serde(skip)]
    pub(super) core_share: f64,
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
    /// Returns the proposal of a step, from the times of one hash alone and of a full worker.
    pub(super) fn new(
        params: Params,
        one: &Measured,
        in_lanes: &Measured,
        bound_by: Bound,
        place: &Place,
        arguments: &CalibrateArguments,
    ) -> Self {
        let milliseconds = one.cpu_ms.median;
        let logins_in_lanes = MS_PER_SECOND / in_lanes.hash_cpu_ms();
        let lanes = in_lanes.at_once;
        let hashes = u64::try_from(lanes * place.workers).unwrap_or(u64::MAX);
        let usd_per_hour = arguments.price.usd_per_hour();
        let guess = Attack::published().guess_of(params);
        let usd_per_billion_guesses = guess.map(|guess| guess.usd_per_billion(usd_per_hour));
        let listed = place.policies.list().iter().find(|policy| policy.params() == params);
        Self {
            algorithm: params.algorithm().name(),
            parameters: parameters_of(params).into_iter().collect(),
            params,
            milliseconds,
            lanes,
            milliseconds_in_lanes: in_lanes.cpu_ms.median,
            logins: MS_PER_SECOND / milliseconds,
            logins_in_lanes,
            usd_per_million: usd_per_million(place, milliseconds),
            usd_per_billion_guesses,
            price: or_nothing(guess, |guess| guess.price_in_words(usd_per_hour)),
            usd_per_core_second: usd_per_billion_guesses.unwrap_or(0.0) * logins_in_lanes,
            memory_mib_of_all_workers: memory_bytes(params).saturating_mul(hashes).div_ceil(BYTES_PER_MIB),
            meets_owasp: standards::meets_owasp(params),
            bound_by,
            listed_as: listed.map(|policy| policy.id().to_owned()),
            policy: Entry::new(params, milliseconds, place, arguments.target_ms),
            core_share: one.core_share(),
        }
    }
}

impl Entry {
    fn new(params: Params, milliseconds: f64, place: &Place, target_ms: u32) -> Self {
        let now = OffsetDateTime::now_utc();
        let date = now.date();
        let on = place.in_words();
        let minimum = standards::owasp_in_words(params);
        let source = if standards::meets_owasp(params) {
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
                "The strongest within {target_ms} ms by saltern-measure calibrate on {date}: {milliseconds:.0} ms, measured on {on}."
            ),
            source,
        }
    }
}

/// Returns the parameters with their names in a policy document.
pub(super) fn in_words(params: Params) -> String {
    let named = parameters_of(params).into_iter().map(|(name, value)| format!("{name} {value}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Returns the cost of a million logins on the function, each in its own request.
fn usd_per_million(place: &Place, call_ms: f64) -> Option<f64> {
    let size = place.function()?.size();
    let call = Duration::try_from_secs_f64(call_ms / MS_PER_SECOND).unwrap_or(Duration::MAX);
    Some(Prices::listed().usd_per_million(size.architecture, size.memory_mb, call, 1))
}

const MS_PER_SECOND: f64 = 1000.0;
