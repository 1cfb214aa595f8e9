//! The result as text and as JSON.

use std::fmt::Write as _;

use saltern_encoded::{Params, bcrypt};
use saltern_page::{Table, or_nothing, rounded};
use saltern_price::{Attack, PRECISION, standards};
use saltern_program::Failure;
use serde_json::{Value, json};

use super::{
    CalibrateArguments,
    bound::Bound,
    function::Function,
    place::Place,
    proposal::{Proposal, in_words},
};

pub(super) struct Report<'a> {
    pub(super) place: &'a Place,
    pub(super) arguments: &'a CalibrateArguments,
    /// In the order of preference.
    pub(super) proposals: &'a [Proposal],
    /// The algorithms without parameters within the target.
    pub(super) without: &'a [&'static str],
}

impl Report<'_> {
    /// Returns the recommendation, the table, the notes and the entry for a policy document.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let tables = [self.table(), self.prices()].map(|table| table.text()).join("\n");
        let mut out = format!("{}\n\n{tables}\n- {}\n", self.recommendation(), self.notes().join("\n- "));
        if let Some(proposal) = self.recommended().or(self.proposals.first()) {
            let _infallible = writeln!(out, "\n{}", entry_text(proposal)?);
        }
        Ok(out)
    }

    pub(super) fn json(&self) -> Value {
        let function = self.place.function().map(Function::size);
        json!({
            "recommendation": self.recommendation(),
            "recommended": self.recommended().map(|proposal| proposal.algorithm),
            "runner_up": self.runner_up().map(|proposal| proposal.algorithm),
            "attacker_usd_per_hour": self.usd_per_hour(),
            "logins_per_second": self.arguments.logins_per_second,
            "target_milliseconds": self.target_ms(),
            "for": self.place.in_words(),
            "function": function.map(|size| json!({"memory_mb": size.memory_mb, "architecture": size.architecture})),
            "algorithms": self.proposals,
            "nothing_within_target": self.without,
            "sources": { "owasp": standards::OWASP, "nist": standards::NIST_TODAY },
            "notes": self.notes(),
        })
    }

    /// Returns the proposal that costs an attacker most for each second of a core, of those that
    /// meet OWASP's minimum. If several are equal within the precision of the published rates, it
    /// is the first in OWASP's order: so noise does not change the choice.
    fn recommended(&self) -> Option<&Proposal> {
        self.best_except(None)
    }

    /// Returns the same without the recommended one.
    fn runner_up(&self) -> Option<&Proposal> {
        self.best_except(Some(self.recommended()?.algorithm))
    }

    fn best_except(&self, left_out: Option<&str>) -> Option<&Proposal> {
        let candidates =
            || self.proposals.iter().filter(|one| one.owasp.meets && Some(one.algorithm) != left_out);
        let best = most(candidates());
        candidates().find(|one| one.rank() * PRECISION >= best)
    }

    fn target_ms(&self) -> u128 {
        self.arguments.target.as_millis()
    }

    fn usd_per_hour(&self) -> f64 {
        self.arguments.price.usd_per_hour()
    }

    fn recommendation(&self) -> String {
        let Some(proposal) = self.recommended() else {
            let target = self.target_ms();
            return match self.proposals.first() {
                Some(first) => format!(
                    "Nothing here meets OWASP's minimum within {target} ms: allow {} {}.",
                    first.algorithm,
                    lacking(first),
                ),
                None => format!("Nothing fits into {target} ms: use a longer --target."),
            };
        };
        let mut sentences = format!(
            "Use {} with {}: {:.0} ms, {:.1} times the work of OWASP's minimum, {:.1} logins a second and core.",
            proposal.algorithm,
            in_words(proposal.params),
            proposal.milliseconds,
            proposal.owasp.times_its_work,
            proposal.logins,
        );
        let Some(price) = &proposal.attack else { return sentences };
        let _infallible = write!(
            sentences,
            " An attacker pays {} USD for 10^9 guesses, which is {} USD for each second of a core that a login takes, \
             and {} with all lanes in use",
            price.guess.price_in_words(self.usd_per_hour()),
            rounded(price.per_core_second),
            rounded(price.per_core_second_in_lanes)
        );
        sentences + &self.runner_up().map_or(".".to_owned(), |second| self.comparison(proposal, second))
    }

    fn comparison(&self, proposal: &Proposal, second: &Proposal) -> String {
        let place = if proposal.rank() < most(self.proposals.iter().filter(|one| one.owasp.meets)) {
            format!("within {WITHIN_PERCENT:.0} % of the most here")
        } else {
            "the most here".to_owned()
        };
        let times = proposal.rank() / second.rank();
        let comparison = if times >= PRECISION {
            format!("the same price takes {} times the cores", rounded(times))
        } else {
            "the same price takes as many cores, and OWASP prefers the first".to_owned()
        };
        format!(": {place}. Runner-up: {} with {}; {comparison}.", second.algorithm, in_words(second.params))
    }

    /// Returns the table of times and costs.
    fn table(&self) -> Table {
        let verdict = |meets: bool| if meets { "meets" } else { "BELOW" }.to_owned();
        let rows = self.proposals.iter().map(|proposal| {
            [
                proposal.algorithm.to_owned(),
                in_words(proposal.params),
                format!("{:.1}", proposal.milliseconds),
                verdict(proposal.owasp.meets),
                standards::meets_nist(proposal.params).map_or("-".to_owned(), verdict),
                format!("{:.1}", proposal.logins),
                format!("{:.1}", proposal.logins_in_lanes),
                or_nothing(proposal.usd_per_million, cents),
                or_nothing(proposal.usd_per_million_in_lanes, cents),
            ]
        });
        Table::new(format!(
            "The strongest within {} ms, measured on {}:",
            self.target_ms(),
            self.place.in_words()
        ))
        .words("algorithm")
        .words("parameters")
        .numbers("ms")
        .words("OWASP")
        .words("NIST")
        .numbers_each(["logins/s", "in lanes", "USD/million", "in lanes"])
        .rows(rows)
    }

    /// Returns the table of prices, the dearest for a second of a core first.
    fn prices(&self) -> Table {
        let workers = self.place.workers;
        let mut ranked: Vec<_> = self.proposals.iter().collect();
        ranked.sort_by(|one, other| other.rank().total_cmp(&one.rank()));
        let rows = ranked.into_iter().map(|proposal| {
            let price = proposal.attack.as_ref();
            let cores = [proposal.cores, proposal.cores_in_lanes].into_iter().flatten();
            [
                proposal.algorithm.to_owned(),
                in_words(proposal.params),
                or_nothing(price, |price| price.guess.rate_in_words()),
                or_nothing(price, |price| price.guess.price_in_words(self.usd_per_hour())),
                or_nothing(price.map(|price| price.per_core_second), rounded),
                or_nothing(price.map(|price| price.per_core_second_in_lanes), rounded),
                proposal.memory_mib_of_all_workers.to_string(),
            ]
            .into_iter()
            .chain(cores.map(rounded))
            .collect::<Vec<_>>()
        });
        let cores = self.arguments.logins_per_second;
        let cores = cores.map(|logins| [format!("cores for {logins}/s"), "in lanes".to_owned()]);
        Table::new(format!(
            "An attacker's price of 10^9 guesses, one {} at {} USD an hour, and the memory of {workers} {}:",
            Attack::published().device_hour().device,
            self.usd_per_hour(),
            if workers == 1 { "worker" } else { "workers" }
        ))
        .words("algorithm")
        .words("parameters")
        .numbers_each(["guesses/s", "USD", "USD/core-second", "in lanes", "MiB"])
        .numbers_each(cores.into_iter().flatten())
        .rows(rows)
    }

    /// Returns the notes, each of one or more sentences.
    fn notes(&self) -> Vec<String> {
        let or_the_deadline =
            if self.place.function().is_some() { " or the function's deadline" } else { "" };
        let without = self.without.iter().map(|algorithm| {
            format!(
                "{algorithm}: even the weakest parameters take longer than {} ms{or_the_deadline}, or need more memory.",
                self.target_ms()
            )
        });
        let mut notes: Vec<String> = without.chain(self.proposals.iter().flat_map(notes_of)).collect();
        notes.push(
            "ms: the median of one hash alone, without time in the queue: processor time on this machine, wall-clock time on \
             Lambda. Half of the hashes take longer. logins/s: on one core, one by one and with all lanes in use."
                .to_owned(),
        );
        notes.extend(self.place.function().map(|_| {
            format!(
                "USD/million: a million logins on demand at {LIST_PRICES}, requests included: one by one, and in batches that \
                 fill the lanes of all its workers."
            )
        }));
        notes.extend(self.recommended().map(|proposal| {
            format!(
                "Ten times the price of a guess takes about ten times the time: {:.0} ms for a login with {}.",
                10.0 * proposal.milliseconds,
                proposal.algorithm,
            )
        }));
        notes.push(format!(
            "USD/core-second: the price of 10^9 guesses for each second of a core that a login takes, one by one and with all \
             lanes in use. It ranks the algorithms; within {WITHIN_PERCENT:.0} % OWASP's order decides ({}). ≈ marks a published \
             rate that is roughly scaled. FPGAs compute bcrypt with less power than graphics cards, and no price of that is \
             published.",
            standards::OWASP_ORDER
        ));
        notes.push(format!(
            "Minima: {}. {} “-” under NIST: NIST does not list the algorithm.",
            standards::OWASP,
            standards::NIST_TODAY
        ));
        notes
    }
}

/// Returns the entry, or the id of the entry that the document already has: it must not list
/// parameters twice.
fn entry_text(proposal: &Proposal) -> Result<String, Failure> {
    if let Some(id) = &proposal.listed_as {
        return Ok(format!(
            "Your policy document already lists {} with {}, as {id}: there is nothing to add. --algorithm NAME prints the \
             entry of another algorithm.",
            proposal.algorithm,
            in_words(proposal.params)
        ));
    }
    let entry = serde_json::to_string_pretty(&proposal.policy)
        .map_err(|error| Failure::system(format!("the result cannot be written ({error})")))?;
    Ok(format!(
        "The entry for the end of `policies` in your policy document (--algorithm NAME prints the entry of another algorithm, --json all):\n\n{entry}"
    ))
}

/// Returns the notes about one algorithm.
fn notes_of(proposal: &Proposal) -> Vec<String> {
    let Proposal { algorithm: name, params, owasp, bound_by, lanes, core_share, .. } = proposal;
    let listed = proposal.listed_as.as_ref();
    let notes = [
        (!owasp.meets).then(|| {
            format!("{name} is below OWASP's minimum ({}): it needs {}.", owasp.minimum, lacking(proposal))
        }),
        (standards::meets_nist(*params) == Some(false))
            .then(|| format!("{name} is below the 10,000 iterations of {}.", standards::NIST)),
        (*bound_by != Bound::Time)
            .then(|| format!("{name} is limited by {}, not by time.", bound_by.in_words())),
        listed.map(|id| format!("{name}: the policy document already has these parameters, as {id}.")),
        matches!(params, Params::Bcrypt(_))
            .then(|| format!("{name} hashes at most {} bytes of a password.", bcrypt::MAX_PASSWORD_BYTES)),
        (*lanes > 1).then(|| {
            format!("{name}: with {lanes} at once, each takes {:.0} ms.", proposal.milliseconds_in_lanes)
        }),
        // A function pays for its share of a processor, so there it is always 1.
        (*core_share < UNDISTURBED).then(|| {
            format!(
                "{name}: other programs or a CPU quota took {:.0} % of the processor. Measure again when this machine is \
                 idle. A quota does not end: for a target on this machine, divide --target by {:.1}.",
                100.0 * (1.0 - core_share),
                1.0 / core_share
            )
        }),
    ];
    notes.into_iter().flatten().collect()
}

fn cents(usd: f64) -> String {
    format!("{usd:.2}")
}

/// Returns the highest figure that ranks.
fn most<'a>(proposals: impl Iterator<Item = &'a Proposal>) -> f64 {
    proposals.map(Proposal::rank).fold(0.0, f64::max)
}

/// Returns the resources that OWASP's minimum needs in addition.
fn lacking(proposal: &Proposal) -> String {
    if proposal.owasp.times_its_work >= 1.0 {
        return "more memory for each hash, and no more time".to_owned();
    }
    let time = format!("about {:.0} ms", proposal.owasp_ms());
    proposal.bound_by.wants().map_or(time.clone(), |wanted| format!("{wanted}, and {time}"))
}

/// OWASP's order decides between figures that are nearer than this.
const WITHIN_PERCENT: f64 = 100.0 * (PRECISION - 1.0);

/// The source of prices.json in the Terraform module.
const LIST_PRICES: &str = "the list prices of us-east-1 (September 2026)";

/// Below this share of the processor, other programs also disturb the caches.
const UNDISTURBED: f64 = 0.9;
