//! The result as text and as JSON.

use saltern_cli::price::{Attack, PRECISION};
use saltern_page::{Table, or_nothing, rounded};
use saltern_server::Failure;
use serde_json::{Value, json};

use super::{
    CalibrateArguments,
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
        let entry = self.recommended().or(self.proposals.first()).map(entry_text).transpose()?;
        let table = format!("\n{}", self.table().text());
        let entry = entry.map(|entry| format!("\n{entry}"));
        let parts = [self.recommendation(), table].into_iter().chain(self.notes()).chain(entry);
        Ok(parts.map(|part| part + "\n").collect())
    }

    pub(super) fn json(&self) -> Value {
        let function = self.place.function().map(Function::size);
        json!({
            "recommendation": self.recommendation(),
            "recommended": self.recommended().map(|proposal| proposal.algorithm),
            "attacker_usd_per_hour": self.usd_per_hour(),
            "target_milliseconds": self.arguments.target_ms,
            "for": self.place.in_words(),
            "function": function.map(|size| json!({"memory_mb": size.memory_mb, "architecture": size.architecture})),
            "algorithms": self.proposals,
            "nothing_within_target": self.without,
            "notes": self.notes(),
        })
    }

    /// Returns the proposal that costs an attacker most for each second of a core, of those that
    /// meet OWASP's minimum. If several are equal within the precision of the published rates, it
    /// is the first in OWASP's order: so noise does not change the choice.
    fn recommended(&self) -> Option<&Proposal> {
        let candidates = || self.proposals.iter().filter(|one| one.meets_owasp);
        let best = candidates().map(|one| one.usd_per_core_second).fold(0.0, f64::max);
        candidates().find(|one| one.usd_per_core_second * PRECISION >= best)
    }

    fn usd_per_hour(&self) -> f64 {
        self.arguments.price.usd_per_hour()
    }

    fn recommendation(&self) -> String {
        let Some(proposal) = self.recommended() else {
            return format!(
                "Nothing here meets OWASP's minimum within {} ms: use a longer --target-ms, or raise the limit.",
                self.arguments.target_ms
            );
        };
        format!(
            "Use {} with {}: {:.0} ms, {:.1} logins a second and core. An attacker pays {} USD for 10^9 guesses, which is {} \
             USD for each second of a core that a login takes in lanes.",
            proposal.algorithm,
            in_words(proposal.params),
            proposal.milliseconds,
            proposal.logins,
            proposal.price,
            rounded(proposal.usd_per_core_second),
        )
    }

    /// Returns the table of all proposals.
    fn table(&self) -> Table {
        let rows = self.proposals.iter().map(|proposal| {
            [
                proposal.algorithm.to_owned(),
                in_words(proposal.params),
                format!("{:.1}", proposal.milliseconds),
                format!("{:.1}", proposal.milliseconds_in_lanes),
                if proposal.meets_owasp { "meets" } else { "BELOW" }.to_owned(),
                <&str>::from(proposal.bound_by).to_owned(),
                format!("{:.1}", proposal.logins),
                format!("{:.1}", proposal.logins_in_lanes),
                proposal.price.clone(),
                rounded(proposal.usd_per_core_second),
                proposal.memory_mib_of_all_workers.to_string(),
                or_nothing(proposal.usd_per_million, |usd| format!("{usd:.2}")),
            ]
        });
        Table::new(format!(
            "The strongest within {} ms, measured on {}. The price is that of 10^9 guesses, on one {} at {} USD an hour:",
            self.arguments.target_ms,
            self.place.in_words(),
            Attack::published().device_hour().device,
            self.usd_per_hour(),
        ))
        .words("algorithm")
        .words("parameters")
        .numbers_each(["ms", "in lanes"])
        .words("OWASP")
        .words("limit")
        .numbers_each(["logins/s", "in lanes", "price, USD", "USD/core-second", "MiB", "USD/million"])
        .rows(rows)
    }

    /// Returns the notes, each of one or more sentences.
    fn notes(&self) -> Vec<String> {
        let without = self.without.iter().map(|algorithm| {
            format!(
                "{algorithm}: even the weakest parameters exceed {} ms, the memory or the function's deadline.",
                self.arguments.target_ms
            )
        });
        // A function pays for its share of a processor, so there it is always 1.
        let share = self.proposals.iter().map(|proposal| proposal.core_share).fold(1.0, f64::min);
        let busy = (share < UNDISTURBED).then(|| {
            format!(
                "Other programs or a CPU quota took up to {:.0} % of the processor. Measure again when this machine is idle. A \
                 quota does not end: for a target on this machine, divide --target-ms by {:.1}.",
                100.0 * (1.0 - share),
                1.0 / share
            )
        });
        without.chain(busy).collect()
    }
}

/// Returns the entry, or the id of the entry that the document already has: it must not list
/// parameters twice.
fn entry_text(proposal: &Proposal) -> Result<String, Failure> {
    if let Some(id) = &proposal.listed_as {
        return Ok(format!(
            "Your policy document already lists {} with {}, as {id}: there is nothing to add.",
            proposal.algorithm,
            in_words(proposal.params)
        ));
    }
    let entry = serde_json::to_string_pretty(&proposal.policy)
        .map_err(|error| Failure::system(format!("the result cannot be written ({error})")))?;
    Ok(format!("The entry for the end of `policies` in your policy document (--json prints all):\n\n{entry}"))
}

/// Below this share of the processor, other programs also disturb the caches.
const UNDISTURBED: f64 = 0.9;
