//! The result as text and as JSON.

use std::{fmt::Write as _, time::Duration};

use saltern_encoded::{Algorithm, bcrypt};
use serde_json::{Value, json};

use super::{
    bound::Bound,
    conditions::{Basis, Conditions, lambda_name},
    place::Place,
    proposal::{Entry, Numbers, Proposal, in_words},
};
use saltern_capacity::{Scale, name_of};
use saltern_page::{Table, or_nothing, rounded};
use saltern_price::{Attack, PRECISION, standards};
use saltern_program::Failure;

pub(super) struct Report<'a> {
    pub(super) conditions: &'a Conditions,
    /// From this machine to the function; `None` if the function measured.
    pub(super) scale: Option<Scale>,
    pub(super) target: Duration,
    /// The price of an hour of the attacker's device.
    pub(super) usd_per_hour: f64,
    /// The logins that the cores have to carry.
    pub(super) logins_per_second: Option<f64>,
    /// In the order of preference.
    pub(super) proposals: &'a [Proposal],
    /// The algorithms without parameters within the target.
    pub(super) without: &'a [Algorithm],
}

impl Report<'_> {
    /// Returns the recommendation, the table, the notes and the entry for a policy document.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let tables = [self.table(), self.prices()].map(|table| table.text()).join("\n");
        let mut out = format!("{}\n\n{tables}\n", self.recommendation());
        for note in self.notes() {
            let _infallible = writeln!(out, "- {note}");
        }
        if let Some(proposal) = self.recommended().or(self.proposals.first()) {
            let _infallible = writeln!(out, "\n{}", self.entry_text(proposal)?);
        }
        Ok(out)
    }

    /// Returns the entry, or the id of the entry that the document already has: it must not list
    /// parameters twice.
    fn entry_text(&self, proposal: &Proposal) -> Result<String, Failure> {
        if let Some(id) = &proposal.listed_as {
            return Ok(format!(
                "Your policy document already lists {} with {}, as {id}: there is nothing to add. --algorithm NAME prints \
                 the entry of another algorithm.",
                proposal.algorithm.name(),
                in_words(proposal.step.params)
            ));
        }
        let entry = serde_json::to_string_pretty(&self.entry(proposal)).map_err(unwritten)?;
        Ok(format!(
            "The entry for the end of `policies` in your policy document (--algorithm NAME prints the entry of another algorithm, --json all):\n\n{entry}"
        ))
    }

    pub(super) fn json(&self) -> Result<Value, Failure> {
        let size = self.conditions.size;
        let algorithms = self.proposals.iter().map(|proposal| self.one_json(proposal));
        Ok(json!({
            "recommendation": self.recommendation(),
            "recommended": self.recommended().map(|proposal| proposal.algorithm.name()),
            "runner_up": self.runner_up().map(|proposal| proposal.algorithm.name()),
            "attacker_usd_per_hour": self.usd_per_hour,
            "logins_per_second": self.logins_per_second,
            "target_milliseconds": self.target.as_millis(),
            "basis": if self.is_estimated() { "estimated" } else { "measured" },
            "for": self.conditions.in_words(),
            "machine": self.conditions.machine,
            "function": { "memory_mb": size.memory_mb, "architecture": size.architecture },
            "cost_basis": if self.conditions.basis == Basis::OnLambda { "measured" } else { "estimated" },
            "algorithms": algorithms.collect::<Result<Vec<Value>, Failure>>()?,
            "nothing_within_target": self.without.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>(),
            "sources": { "owasp": standards::OWASP, "nist": standards::NIST_TODAY },
            "notes": self.notes(),
        }))
    }

    fn one_json(&self, proposal: &Proposal) -> Result<Value, Failure> {
        let size = self.conditions.size;
        let policy = serde_json::to_value(self.entry(proposal)).map_err(unwritten)?;
        Ok(json!({
            "algorithm": proposal.algorithm.name(),
            "parameters": Numbers::of(proposal.step.params),
            "step": proposal.at,
            "milliseconds": proposal.ms(),
            "spread": proposal.spread(),
            "lanes": proposal.lanes(),
            "milliseconds_in_lanes": proposal.ms_in_lanes(),
            "logins_per_second_per_core": proposal.logins(),
            "logins_per_second_per_core_in_lanes": proposal.logins_in_lanes(),
            "scaled_to_lambda_by": self.scale.map(|scale| json!({
                "row": name_of(scale.row),
                "times": scale.times,
                "is_extrapolated": scale.is_extrapolated(proposal.algorithm),
            })),
            "usd_per_million": proposal.usd_per_million(size),
            "usd_per_million_in_lanes": proposal.usd_per_million_in_lanes(size),
            "attack": proposal.guess().map(|guess| json!({
                "guesses_per_second": guess.per_second,
                "usd_per_billion": guess.usd_per_billion(self.usd_per_hour),
                "usd_per_billion_per_core_second": proposal.price_per_second(self.usd_per_hour),
                "usd_per_billion_per_core_second_in_lanes": proposal.price_per_second_in_lanes(self.usd_per_hour),
                "row": guess.row.name,
                "basis": guess.basis.name(),
            })),
            "memory_mib_of_all_workers": proposal.memory_mib(self.conditions.workers),
            "cores": self.logins_per_second.map(|logins| logins / proposal.logins()),
            "cores_in_lanes": self.logins_per_second.and_then(|logins| Some(logins / proposal.logins_in_lanes()?)),
            "owasp": {
                "meets": proposal.meets_owasp(),
                "minimum": standards::owasp_in_words(proposal.step.params),
                "times_its_work": proposal.of_owasp_work(),
            },
            "nist": { "meets": standards::meets_nist(proposal.step.params) },
            "bound_by": proposal.bound_by,
            "not_measured_in_lanes_for": proposal.no_lanes(),
            "listed_as": proposal.listed_as,
            "policy": policy,
        }))
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

    fn best_except(&self, left_out: Option<Algorithm>) -> Option<&Proposal> {
        let candidates =
            || self.proposals.iter().filter(|one| one.meets_owasp() && Some(one.algorithm) != left_out);
        let best = most(candidates());
        candidates().find(|one| one.rank() * PRECISION >= best)
    }

    fn recommendation(&self) -> String {
        let about = if self.is_estimated() { "about " } else { "" };
        if let Some(proposal) = self.recommended() {
            let mut sentences = format!(
                "Use {} with {}: {about}{:.0} ms, {:.1} times the work of OWASP's minimum, {:.1} logins a second and core.",
                proposal.algorithm.name(),
                in_words(proposal.step.params),
                proposal.ms(),
                proposal.of_owasp_work(),
                proposal.logins(),
            );
            if let Some(reason) = self.reason(proposal) {
                let _infallible = write!(sentences, " {reason}");
            }
            return sentences;
        }
        let target = self.target.as_millis();
        match self.proposals.first() {
            Some(first) => format!(
                "Nothing here meets OWASP's minimum within {target} ms: allow {} {}.",
                first.algorithm.name(),
                lacking(first),
            ),
            None => format!("Nothing fits into {target} ms: use a longer --target."),
        }
    }

    /// Returns the reason for the recommendation, and the runner-up.
    fn reason(&self, proposal: &Proposal) -> Option<String> {
        let alone = proposal.price_per_second(self.usd_per_hour)?;
        let in_lanes = proposal.price_per_second_in_lanes(self.usd_per_hour);
        let mut reason = format!(
            "An attacker pays {} USD for 10^9 guesses, which is {} USD for each second of a core that a login takes",
            proposal.guess()?.price_in_words(self.usd_per_hour),
            rounded(alone)
        );
        if let Some(in_lanes) = in_lanes {
            let _infallible = write!(reason, ", and {} with all lanes in use", rounded(in_lanes));
        }
        let Some(second) = self.runner_up() else { return Some(reason + ".") };
        let place = if proposal.rank() < most(self.proposals.iter().filter(|one| one.meets_owasp())) {
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
        let _infallible = write!(
            reason,
            ": {place}. Runner-up: {} with {}; {comparison}.",
            second.algorithm.name(),
            in_words(second.step.params)
        );
        Some(reason)
    }

    /// Returns the table of prices, the dearest for a second of a core first.
    fn prices(&self) -> Table {
        let workers = self.conditions.workers;
        let mut ranked: Vec<_> = self.proposals.iter().collect();
        ranked.sort_by(|one, other| other.rank().total_cmp(&one.rank()));
        let rows = ranked.into_iter().map(|proposal| {
            let guess = proposal.guess();
            let cores = self.logins_per_second.map(|logins| {
                let in_lanes = proposal.logins_in_lanes().map(|rate| logins / rate);
                [rounded(logins / proposal.logins()), or_nothing(in_lanes, rounded)]
            });
            [
                proposal.algorithm.name().to_owned(),
                in_words(proposal.step.params),
                guess.map_or_else(missing, |guess| guess.rate_in_words()),
                guess.map_or_else(missing, |guess| guess.price_in_words(self.usd_per_hour)),
                or_nothing(proposal.price_per_second(self.usd_per_hour), rounded),
                or_nothing(proposal.price_per_second_in_lanes(self.usd_per_hour), rounded),
                proposal.memory_mib(workers).to_string(),
            ]
            .into_iter()
            .chain(cores.into_iter().flatten())
            .collect::<Vec<_>>()
        });
        let table = Table::new(format!(
            "An attacker's price of 10^9 guesses, one {} at {} USD an hour, and the memory of {workers} {}:",
            Attack::published().device_hour().device,
            self.usd_per_hour,
            if workers == 1 { "worker" } else { "workers" }
        ))
        .words("algorithm")
        .words("parameters")
        .numbers_each(["guesses/s", "USD", "USD/core-second", "in lanes", "MiB"]);
        let cores =
            self.logins_per_second.map(|logins| [format!("cores for {logins}/s"), "in lanes".to_owned()]);
        table.numbers_each(cores.into_iter().flatten()).rows(rows)
    }

    fn caption(&self) -> String {
        let how = match self.conditions.basis {
            Basis::Estimated => format!(
                "ESTIMATED for {} from measurements on {}",
                self.conditions.in_words(),
                self.conditions.machine.cpu
            ),
            Basis::Here | Basis::OnLambda => format!("measured on {}", self.conditions.in_words()),
        };
        format!("The strongest within {} ms, {how}:", self.target.as_millis())
    }

    fn table(&self) -> Table {
        let size = self.conditions.size;
        let rows = self.proposals.iter().map(|proposal| {
            let owasp = if proposal.meets_owasp() { "meets" } else { "BELOW" };
            let nist = match standards::meets_nist(proposal.step.params) {
                Some(true) => "meets",
                Some(false) => "BELOW",
                None => "-",
            };
            [
                proposal.algorithm.name().to_owned(),
                in_words(proposal.step.params),
                format!("{:.1}", proposal.ms()),
                owasp.to_owned(),
                nist.to_owned(),
                format!("{:.1}", proposal.logins()),
                proposal.logins_in_lanes().map_or_else(missing, |logins| format!("{logins:.1}")),
                format!("{:.2}", proposal.usd_per_million(size)),
                proposal.usd_per_million_in_lanes(size).map_or_else(missing, |usd| format!("{usd:.2}")),
            ]
        });
        Table::new(self.caption())
            .words("algorithm")
            .words("parameters")
            .numbers("ms")
            .words("OWASP")
            .words("NIST")
            .numbers_each(["logins/s", "in lanes", "USD/million", "in lanes"])
            .rows(rows)
    }

    /// Returns the notes, each of one or more sentences.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for algorithm in self.without {
            notes.push(format!(
                "{}: even the weakest parameters take longer than {} ms{}, or need more memory.",
                algorithm.name(),
                self.target.as_millis(),
                if self.conditions.basis == Basis::OnLambda { " or the function's deadline" } else { "" }
            ));
        }
        for proposal in self.proposals {
            let name = proposal.algorithm.name();
            if !proposal.meets_owasp() {
                notes.push(format!(
                    "{name} is below OWASP's minimum ({}): it needs {}.",
                    standards::owasp_in_words(proposal.step.params),
                    lacking(proposal)
                ));
            }
            if standards::meets_nist(proposal.step.params) == Some(false) {
                notes.push(format!("{name} is below the 10,000 iterations of {}.", standards::NIST));
            }
            if proposal.bound_by != Bound::Time {
                notes.push(format!("{name} is limited by {}, not by time.", proposal.bound_by.in_words()));
            }
            if let Some(id) = &proposal.listed_as {
                notes.push(format!("{name}: the policy document already has these parameters, as {id}."));
            }
            if proposal.algorithm == Algorithm::Bcrypt {
                notes.push(format!(
                    "{name} hashes at most {} bytes of a password.",
                    bcrypt::MAX_PASSWORD_BYTES
                ));
            }
            if let (Some(lanes @ 2..), Some(ms)) = (proposal.lanes(), proposal.ms_in_lanes()) {
                notes.push(format!("{name}: with {lanes} at once, each takes {ms:.0} ms."));
            }
            if let Some(bound) = proposal.no_lanes() {
                notes.push(format!(
                    "{name}: the parallel run with all lanes exceeds {}, so its figures are missing. The single-hash figures stay \
                     valid. For the figures in lanes, allow {}, or use a shorter --target.",
                    bound.in_words(),
                    bound.wants().unwrap_or("more room")
                ));
            }
            if self.is_disturbed(proposal) {
                let (share, ms) = (proposal.core_share, proposal.ms_by_the_clock);
                let is_meant_for_here = self.conditions.basis == Basis::Here;
                notes.push(format!("{name}: {}", disturbance(share, ms, is_meant_for_here)));
            }
        }
        notes.push(
            "ms: the median of one hash alone, without time in the queue: processor time on this machine, wall-clock time on \
             Lambda. Half of the hashes take longer. logins/s: on one core, one by one and with all lanes in use."
                .to_owned(),
        );
        notes.push(self.about_cost());
        notes.extend(self.recommended().map(|proposal| self.about_ten_times(proposal)));
        notes.extend(self.scale.map(|scale| self.about_scale(scale)));
        notes.push(format!(
            "USD/core-second: the price of 10^9 guesses for each second of a core that a login takes, one by one and with all \
             lanes in use. It ranks the algorithms; within {:.0} % OWASP's order decides ({}). ≈ marks a published rate that is \
             roughly scaled. FPGAs compute bcrypt with less power than graphics cards, and no price of that is published.",
            WITHIN_PERCENT,
            standards::OWASP_ORDER
        ));
        notes.push(format!(
            "Minima: {}. {} “-” under NIST: NIST does not list the algorithm.",
            standards::OWASP,
            standards::NIST_TODAY
        ));
        notes
    }

    /// Returns the cost of ten times the safety.
    fn about_ten_times(&self, proposal: &Proposal) -> String {
        let size = self.conditions.size;
        format!(
            "Ten times the price of a guess takes about ten times the time: {:.0} ms for a login with {}, and {:.2} USD instead of \
             {:.2} for a million logins.",
            10.0 * proposal.ms(),
            proposal.algorithm.name(),
            proposal.usd_per_million_at_ten_times(size),
            proposal.usd_per_million(size)
        )
    }

    fn about_cost(&self) -> String {
        let size = self.conditions.size;
        let lambda = format!("Lambda with {} MB on {}", size.memory_mb, size.architecture.name());
        let how = self.scale.map_or_else(
            || "from measurements there".to_owned(),
            |scale| format!("ESTIMATED from {}; --on-lambda measures", name_of(scale.row)),
        );
        format!(
            "USD/million: a million logins on demand on {lambda} at {LIST_PRICES}, requests included: one by one, and in \
             batches that fill the lanes of all its workers; {how}."
        )
    }

    /// Names the hash that compares this machine with Lambda, and the figures that it extrapolates.
    fn about_scale(&self, scale: Scale) -> String {
        let Scale { row, times } = scale;
        let mut about = format!(
            "{} is the row of durations.json, the table for capacity plans, that was measured on Lambda. There it takes \
             {times:.2} times as long as here.",
            name_of(row)
        );
        let others = self.proposals.iter().map(|proposal| proposal.algorithm);
        let others: Vec<_> = others.filter(|&of| scale.is_extrapolated(of)).map(Algorithm::name).collect();
        if !others.is_empty() {
            let _infallible = write!(
                about,
                " For {} this factor is EXTRAPOLATED: memory and other instructions can be faster or slower there.",
                others.join(", ")
            );
        }
        let (here, there) = (lambda_name(&self.conditions.machine), self.conditions.size.architecture.name());
        if here != there && self.proposals.iter().any(|proposal| proposal.lanes() > Some(1)) {
            let _infallible = write!(
                about,
                " The gain of lanes is EXTRAPOLATED too: it was measured on {here}, not on {there}."
            );
        }
        about
    }

    /// Whether other programs took processor time. On Lambda a function pays for its share of a
    /// processor.
    fn is_disturbed(&self, proposal: &Proposal) -> bool {
        matches!(self.conditions.place, Place::Here(_)) && proposal.core_share < UNDISTURBED
    }

    fn is_estimated(&self) -> bool {
        self.conditions.basis == Basis::Estimated
    }

    fn entry(&self, proposal: &Proposal) -> Entry {
        proposal.entry(&self.conditions.in_words(), self.target, self.is_estimated())
    }
}

/// Returns the note about the time of other programs. Under a quota, a caller waits longer than the
/// processor time.
fn disturbance(core_share: f64, ms_by_the_clock: f64, is_meant_for_here: bool) -> String {
    let mut about = format!(
        "other programs or a CPU quota took {:.0} % of the processor; by the clock a hash took {ms_by_the_clock:.0} ms. \
         Measure again when this machine is idle.",
        100.0 * (1.0 - core_share)
    );
    if is_meant_for_here {
        let _infallible = write!(about, " A quota does not end: divide --target by {:.1}.", 1.0 / core_share);
    }
    about
}

/// Returns the highest figure that ranks.
fn most<'a>(proposals: impl Iterator<Item = &'a Proposal>) -> f64 {
    proposals.map(Proposal::rank).fold(0.0, f64::max)
}

/// Returns the resources that OWASP's minimum needs in addition.
fn lacking(proposal: &Proposal) -> String {
    let ms = proposal.owasp_ms();
    let time = format!("about {ms:.0} ms");
    if proposal.of_owasp_work() >= 1.0 {
        return "more memory for each hash, and no more time".to_owned();
    }
    proposal.bound_by.wants().map_or(time.clone(), |wanted| format!("{wanted}, and {time}"))
}

/// Returns the cell of a missing figure.
fn missing() -> String {
    "-".to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unwritten(error: serde_json::Error) -> Failure {
    Failure::system(format!("the result cannot be written ({error})"))
}

/// OWASP's order decides between figures that are nearer than this.
const WITHIN_PERCENT: f64 = 100.0 * (PRECISION - 1.0);

/// The source of prices.json in the Terraform module.
const LIST_PRICES: &str = "the list prices of us-east-1 (September 2026)";

/// Below this share of the processor, other programs also disturb the caches.
const UNDISTURBED: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_core_doubles_the_time_by_the_clock() {
        let here = disturbance(0.5, 412.0, true);
        for part in ["CPU quota took 50 %", "by the clock a hash took 412 ms", "divide --target by 2.0."] {
            assert!(here.contains(part), "{part} in {here}");
        }
        assert!(!disturbance(0.5, 412.0, false).contains("--target"), "an estimate is for another machine");
    }
}
