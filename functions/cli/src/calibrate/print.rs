//! What was found, for people and for programs.

use std::{fmt::Write as _, time::Duration};

use serde_json::{Value, json};

use super::{
    conditions::{Basis, Conditions},
    ladder::Algorithm,
    place::Place,
    proposal::{Entry, Numbers, Proposal, in_words},
    standards,
};
use crate::Failure;

pub(super) struct Found<'a> {
    pub(super) conditions: &'a Conditions,
    pub(super) target: Duration,
    /// In the order of preference.
    pub(super) proposals: &'a [Proposal],
    /// What has nothing within the target.
    pub(super) without: &'a [Algorithm],
}

impl Found<'_> {
    /// The recommendation, the table, what is to be known about it, and the entry.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let mut out = format!("{}\n\n{}\n", self.recommendation(), self.what());
        self.table(&mut out);
        out.push('\n');
        for note in self.notes() {
            let _infallible = writeln!(out, "- {note}");
        }
        if let Some(proposal) = self.recommended().or(self.proposals.first()) {
            let entry = serde_json::to_string_pretty(&self.entry(proposal)).map_err(unwritten)?;
            let _infallible = writeln!(
                out,
                "\nThe entry for the end of `policies` in your policy document (--algorithm NAME prints another's, --json all):\n\n{entry}"
            );
        }
        Ok(out)
    }

    pub(super) fn json(&self) -> Result<Value, Failure> {
        let size = self.conditions.size;
        let algorithms = self.proposals.iter().map(|proposal| self.one_json(proposal));
        Ok(json!({
            "recommendation": self.recommendation(),
            "recommended": self.recommended().map(|proposal| proposal.algorithm.name()),
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
            "lanes": proposal.lanes,
            "milliseconds_in_lanes": proposal.ms_in_lanes(),
            "logins_per_second_per_core": proposal.logins(),
            "logins_per_second_per_core_in_lanes": proposal.logins_in_lanes(),
            "usd_per_million": proposal.usd_per_million(size),
            "usd_per_million_in_lanes": proposal.usd_per_million_in_lanes(size),
            "owasp": {
                "meets": proposal.meets_owasp(),
                "minimum": standards::owasp_in_words(proposal.step.params),
                "times_its_work": proposal.of_owasp_work(),
            },
            "nist": { "meets": standards::meets_nist(proposal.step.params) },
            "bound_by": if proposal.bound_by_time { "time" } else { "ceiling or memory" },
            "listed_as": proposal.listed_as,
            "policy": policy,
        }))
    }

    /// The first by OWASP's preference that OWASP would let pass.
    fn recommended(&self) -> Option<&Proposal> {
        self.proposals.iter().find(|proposal| proposal.meets_owasp())
    }

    fn recommendation(&self) -> String {
        let about = if self.is_estimated() { "about " } else { "" };
        if let Some(proposal) = self.recommended() {
            return format!(
                "Take {} with {}: {about}{:.0} ms, {:.1} times the work of OWASP's minimum, {:.1} logins a second and core.",
                proposal.algorithm.name(),
                in_words(proposal.step.params),
                proposal.ms(),
                proposal.of_owasp_work(),
                proposal.logins_in_lanes(),
            );
        }
        let target = self.target.as_millis();
        match self.proposals.first() {
            Some(first) => format!(
                "Nothing here reaches OWASP's minimum within {target} ms: allow {} about {:.0} ms.",
                first.algorithm.name(),
                first.owasp_ms(),
            ),
            None => format!("Nothing fits into {target} ms: take a longer --target."),
        }
    }

    fn what(&self) -> String {
        let how = match self.conditions.basis {
            Basis::Estimated => format!(
                "ESTIMATED for {} from what was measured on {}",
                self.conditions.in_words(),
                self.conditions.machine.cpu
            ),
            Basis::Here | Basis::OnLambda => format!("measured on {}", self.conditions.in_words()),
        };
        format!("The strongest within {} ms, {how}:", self.target.as_millis())
    }

    fn table(&self, out: &mut String) {
        let size = self.conditions.size;
        let head = [
            "algorithm",
            "parameters",
            "ms",
            "OWASP",
            "NIST",
            "logins/s",
            "in lanes",
            "USD/million",
            "in lanes",
        ];
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
                format!("{:.1}", proposal.logins_in_lanes()),
                format!("{:.2}", proposal.usd_per_million(size)),
                format!("{:.2}", proposal.usd_per_million_in_lanes(size)),
            ]
        });
        let rows: Vec<_> = [head.map(str::to_owned)].into_iter().chain(rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (text, &width))| {
                if TEXTS.contains(&column) { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let _infallible = writeln!(out, "{}", line.trim_end());
        }
    }

    /// What is to be known about the figures, one sentence or two each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for algorithm in self.without {
            notes.push(format!(
                "{}: even its weakest parameters take longer than {} ms, or the memory holds none.",
                algorithm.name(),
                self.target.as_millis()
            ));
        }
        for proposal in self.proposals {
            let name = proposal.algorithm.name();
            if !proposal.meets_owasp() {
                notes.push(format!(
                    "{name} is below OWASP's minimum ({}), which takes about {:.0} ms.",
                    standards::owasp_in_words(proposal.step.params),
                    proposal.owasp_ms()
                ));
            }
            if standards::meets_nist(proposal.step.params) == Some(false) {
                notes.push(format!("{name} is below the 10,000 iterations of {}.", standards::NIST));
            }
            if !proposal.bound_by_time {
                notes.push(format!(
                    "{name} is held back by a ceiling of the policy document or by the memory for hashes, not by time."
                ));
            }
            if let Some(id) = &proposal.listed_as {
                notes.push(format!("{name}: the policy document has these parameters already, as {id}."));
            }
            if self.is_disturbed(proposal) {
                notes.push(format!(
                    "{name}: other programs had {:.0} % of the processor meanwhile. Run it again when this machine is idle.",
                    100.0 * (1.0 - proposal.core_share)
                ));
            }
        }
        notes.push(
            "ms: the median of one hash by itself, on this machine as time on a processor, on Lambda by the clock. logins/s: of \
             one core, one by one and with as many at once as a core has lanes."
                .to_owned(),
        );
        notes.push(self.about_cost());
        notes.push(format!("Minima: {}. {}", standards::OWASP, standards::NIST_TODAY));
        notes
    }

    fn about_cost(&self) -> String {
        let size = self.conditions.size;
        let lambda = format!("Lambda with {} MB on {}", size.memory_mb, size.architecture.name());
        let how = match self.conditions.basis {
            Basis::OnLambda => "from what was measured there",
            Basis::Here | Basis::Estimated => {
                "ESTIMATED: this machine is held against the table of durations that capacity is planned with; --on-lambda \
                 measures"
            }
        };
        format!(
            "USD/million: a million logins on demand on {lambda} at list prices, requests included, one by one and in batches \
             that fill the lanes, {how}."
        )
    }

    /// On Lambda a share of a processor is what one pays for.
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

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unwritten(error: serde_json::Error) -> Failure {
    Failure::system(format!("the result cannot be written ({error})"))
}

/// The columns that hold words.
const TEXTS: [usize; 4] = [0, 1, 3, 4];

/// A share of the processor below which other programs worked so much that they took its caches, too.
const UNDISTURBED: f64 = 0.9;
