//! `saltern policies`: checks policy documents before they are deployed.

use std::{fmt::Write as _, path::PathBuf};

use crate::number::counted;
use crate::price::{Attack, PriceArguments, Warning, warnings};
use clap::{Args, Subcommand};
use saltern_policy::{Policies, Policy};
use saltern_server::{Failure, MachineArguments, document, say};
use serde_json::{Value, json};

use crate::keys;

#[derive(Debug, Subcommand)]
pub(crate) enum PoliciesCommand {
    /// Check a policy document as `serve` does at its start, and compare the price of a guess under
    /// its policies
    Check(CheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The document [default: the one that Saltern ships]
    #[arg(value_name = "FILE")]
    pub(crate) document: Option<PathBuf>,
    /// Also check the keys of sealed hashes
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Refuse a document with warnings
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) price: PriceArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// Runs `saltern policies check FILE`.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let limits = document::limits(&arguments.machine)?;
    let policies = document::named_or_shipped(arguments.document.as_deref(), &limits)?;
    let keys = arguments.seal_keys.as_deref().map(keys::read).transpose()?;
    let warnings = warnings(&policies);
    if arguments.strict && !warnings.is_empty() {
        let sentences: Vec<_> = warnings.iter().map(|warning| warning.sentence.as_str()).collect();
        return Err(Failure::configuration(format!(
            "--strict refuses a document with {}: {}",
            counted(sentences.len() as u64, "warning", "warnings"),
            sentences.join("; ")
        )));
    }
    let usd_per_hour = arguments.price.usd_per_hour();
    if arguments.json {
        let mut summary = summary(&policies, usd_per_hour, &warnings);
        if let Some(keys) = &keys {
            summary["seal_keys"] = keys::summary(keys);
        }
        return say(&format!("{summary}\n"));
    }
    let seals = keys.map_or(String::new(), |keys| {
        format!(", {} seal keys, current {}", keys.list().len(), keys.current().id())
    });
    say(&text(&policies, &seals, usd_per_hour, &warnings))
}

fn text(policies: &Policies, seals: &str, usd_per_hour: f64, warnings: &[Warning]) -> String {
    let mut out = format!(
        "consistent: {} policies, current {}, decoy {}, {}{seals}\n",
        policies.list().len(),
        policies.current().id(),
        policies.decoy().id(),
        policies.digest(),
    );
    let _infallible = writeln!(
        out,
        "\nGuesses on a stolen table: rate of one {}, and the price of 10^9 guesses at {usd_per_hour} USD an hour",
        Attack::published().device_hour().device
    );
    for policy in policies.list() {
        let Some(guess) = Attack::published().guess_of(policy.params()) else { continue };
        let _infallible = writeln!(
            out,
            "  {}: {} a second, {} USD ({})",
            policy.id(),
            guess.rate_in_words(),
            guess.price_in_words(usd_per_hour),
            guess.source_in_words()
        );
    }
    for warning in warnings {
        let _infallible = write!(out, "\nwarning: {}\n", warning.sentence);
    }
    out
}

/// Returns the policies, ceilings and floors in force on this machine, with prices and warnings.
fn summary(policies: &Policies, usd_per_hour: f64, warnings: &[Warning]) -> Value {
    let ids: Vec<_> = policies.list().iter().map(Policy::id).collect();
    let prices = policies.list().iter().filter_map(|policy| {
        let guess = Attack::published().guess_of(policy.params())?;
        Some(json!({
            "policy": policy.id(),
            "guesses_per_second": guess.per_second,
            "usd_per_billion": guess.usd_per_billion(usd_per_hour),
            "row": guess.row.name,
            "basis": guess.basis.name(),
        }))
    });
    let warning = |warning: &Warning| {
        json!({
            "code": warning.code,
            "subject": warning.subject,
            "factor": warning.factor,
            "sentence": warning.sentence,
        })
    };
    json!({
        "consistent": true,
        "policies": ids,
        "current": policies.current().id(),
        "decoy": policies.decoy().id(),
        "digest": policies.digest(),
        "ceilings": policies.ceiling_values(),
        "floors": policies.floor_values(),
        "keep": policies.keep_values(),
        "attacker_usd_per_hour": usd_per_hour,
        "prices": prices.collect::<Vec<_>>(),
        "warnings": warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}
