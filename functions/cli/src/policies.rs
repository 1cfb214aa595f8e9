//! `saltern policies`: documents of one's own, checked before they are deployed.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use saltern_algorithm::PoolSettings;
use saltern_measure::Meter;
use saltern_policy::{FirebaseProject, FirebaseProjectError, Limits, Policies, Policy};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{
    Failure,
    arguments::{DocumentArguments, MachineArguments},
    process,
    terminal::say,
};

#[derive(Debug, Subcommand)]
pub(crate) enum PoliciesCommand {
    /// Hold a policy document against its rules and this machine, as `serve` does when it starts
    Check(CheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) document: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// `saltern policies check FILE`.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let policies = load(&read(&arguments.document)?, &limits(&arguments.machine)?)?;
    if arguments.json {
        return say(&format!("{}\n", summary(&policies)));
    }
    say(&format!(
        "consistent: {} policies, current {}, decoy {}, {}\n",
        policies.list().len(),
        policies.current().id(),
        policies.decoy().id(),
        policies.digest(),
    ))
}

/// What is in force where this document is.
fn summary(policies: &Policies) -> Value {
    let ids: Vec<_> = policies.list().iter().map(Policy::id).collect();
    json!({
        "consistent": true,
        "policies": ids,
        "current": policies.current().id(),
        "decoy": policies.decoy().id(),
        "digest": policies.digest(),
        "ceilings": policies.ceiling_values(),
    })
}

/// The document that the arguments name, or the shipped one, held against this machine.
pub(crate) fn of(arguments: &DocumentArguments) -> Result<Policies, Failure> {
    named_or_shipped(arguments.policies.as_deref(), &limits(&arguments.machine)?)
}

/// The document that is named, or the shipped one, held against these limits.
pub(crate) fn named_or_shipped(document: Option<&Path>, limits: &Limits) -> Result<Policies, Failure> {
    match document {
        Some(document) => load(&read(document)?, limits),
        None => load(saltern_policy::SHIPPED, limits),
    }
}

/// The bytes of a document.
pub(crate) fn read(document: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(document).map_err(|error| {
        Failure::configuration(format!(
            "the policy document {} cannot be read ({error}): name a file that exists",
            document.display()
        ))
    })
}

/// The document, where it is consistent with itself and with the machine.
pub(crate) fn load(document: &[u8], limits: &Limits) -> Result<Policies, Failure> {
    Policies::load(document, limits).map_err(|error| Failure::configuration(error.to_string()))
}

/// What the machine and the operator allow.
pub(crate) fn limits(arguments: &MachineArguments) -> Result<Limits, Failure> {
    let workers = match arguments.workers {
        Some(workers) => workers,
        None => std::thread::available_parallelism().map_err(|error| {
            Failure::configuration(format!("the cores cannot be counted ({error}): say --workers"))
        })?,
    };
    let memory_budget_bytes = match arguments.memory_budget_mib {
        Some(mib) => mib.get().saturating_mul(BYTES_PER_MIB),
        None => process::usable_bytes() / SHARE_FOR_HASHES,
    };
    Ok(Limits {
        workers: workers.get(),
        memory_budget_bytes,
        lowered_ceilings: arguments.ceilings.clone(),
        accepted_weak: arguments.accepted_weak.clone().unwrap_or_default(),
        firebase_project: arguments.firebase_project.as_deref().map(firebase_project).transpose()?,
    })
}

/// Measures as a worker of `serve` computes within these limits.
pub(crate) fn meter(limits: &Limits) -> Meter {
    Meter::of_worker(&worker(limits))
}

/// A worker as `serve` has it: memory that is got afresh for each hash would count as time of the hash.
pub(crate) fn worker(limits: &Limits) -> PoolSettings {
    PoolSettings { kept_bytes: limits.bytes_per_worker(), ..PoolSettings::new(NonZeroUsize::MIN) }
}

/// The project of Firebase hashes.
fn firebase_project(file: &Path) -> Result<FirebaseProject, Failure> {
    let name = file.display();
    let text = fs::read_to_string(file).map(Zeroizing::new).map_err(|error| {
        Failure::configuration(format!(
            "the Firebase project {name} cannot be read ({error}): name a file that exists"
        ))
    })?;
    text.parse().map_err(|error: FirebaseProjectError| {
        Failure::configuration(format!("the Firebase project {name} cannot be understood: {error}"))
    })
}

pub(crate) const BYTES_PER_MIB: u64 = 1024 * 1024;

/// Hashes get one part in two. The rest is for connections, for the system's page cache, and for what else runs here.
const SHARE_FOR_HASHES: u64 = 2;
