//! `saltern policies`: checks policy documents before they are deployed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use saltern_policy::{Policies, Policy};
use saltern_program::{Failure, MachineArguments, document, say};
use saltern_seal::Keys;
use serde_json::{Value, json};

use crate::keys;

#[derive(Debug, Subcommand)]
pub(crate) enum PoliciesCommand {
    /// Check a policy document against its rules and this machine, as `serve` does at its start
    Check(CheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) document: PathBuf,
    /// Also check the keys of sealed hashes
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// Runs `saltern policies check FILE`.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let policies =
        document::load(&document::read(&arguments.document)?, &document::limits(&arguments.machine)?)?;
    let keys = arguments.seal_keys.as_deref().map(Keys::read).transpose().map_err(keys::refused)?;
    if arguments.json {
        let mut summary = summary(&policies);
        if let Some(keys) = &keys {
            summary["seal_keys"] = keys::summary(keys);
        }
        return say(&format!("{summary}\n"));
    }
    let seals = keys.map_or(String::new(), |keys| {
        format!(", {} seal keys, current {}", keys.list().len(), keys.current().id())
    });
    say(&format!(
        "consistent: {} policies, current {}, decoy {}, {}{seals}\n",
        policies.list().len(),
        policies.current().id(),
        policies.decoy().id(),
        policies.digest(),
    ))
}

/// Returns the policies, ceilings and floors in force on this machine.
fn summary(policies: &Policies) -> Value {
    let ids: Vec<_> = policies.list().iter().map(Policy::id).collect();
    json!({
        "consistent": true,
        "policies": ids,
        "current": policies.current().id(),
        "decoy": policies.decoy().id(),
        "digest": policies.digest(),
        "ceilings": policies.ceiling_values(),
        "floors": policies.floor_values(),
    })
}
