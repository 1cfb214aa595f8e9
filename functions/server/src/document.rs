//! The policy document that the arguments name, and the limits that it is checked against.

use std::{mem, num::NonZeroUsize, path::Path};

use saltern_policy::{DocumentError, FirebaseProject, Limits, Policies};
use saltern_pool::PoolSettings;
use saltern_seal::read_private;

use crate::{
    Failure, file,
    machine::{DocumentArguments, MachineArguments},
    process,
};

/// Loads the document that the arguments name, or the shipped one, and checks it against this
/// machine.
///
/// # Errors
/// [`Failure::Configuration`], as for [`named_or_shipped`] and [`limits`].
pub fn of(arguments: &DocumentArguments) -> Result<Policies, Failure> {
    named_or_shipped(arguments.policies.as_deref(), &limits(&arguments.machine)?)
}

/// Loads this document, or the shipped one, and checks it against these limits.
///
/// # Errors
/// [`Failure::Configuration`], as for [`read`] and [`load`].
pub fn named_or_shipped(document: Option<&Path>, limits: &Limits) -> Result<Policies, Failure> {
    match document {
        Some(document) => load(&read(document)?, limits),
        None => load(saltern_policy::SHIPPED, limits),
    }
}

/// Reads the bytes of a document.
///
/// # Errors
/// [`Failure::Configuration`] if the file is not readable.
pub fn read(document: &Path) -> Result<Vec<u8>, Failure> {
    file::read(document).map(|mut bytes| mem::take(&mut *bytes)).map_err(|error| {
        Failure::configuration(format!(
            "cannot read the policy document {} ({error}): name a readable file",
            document.display()
        ))
    })
}

/// Parses a document and checks it against these limits.
///
/// # Errors
/// [`Failure::Configuration`] if the document breaks a rule or does not fit the limits.
pub fn load(document: &[u8], limits: &Limits) -> Result<Policies, Failure> {
    Policies::load(document, limits).map_err(refused)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn refused(error: DocumentError) -> Failure {
    Failure::configuration(error.to_string())
}

/// Returns the limits that the machine and the arguments set.
///
/// # Errors
/// [`Failure::Configuration`] if the number of cores is unknown or the Firebase project is refused.
pub fn limits(arguments: &MachineArguments) -> Result<Limits, Failure> {
    let workers = match arguments.workers {
        Some(workers) => workers,
        None => std::thread::available_parallelism().map_err(|error| {
            Failure::configuration(format!("cannot count the cores ({error}): give --workers"))
        })?,
    };
    let memory_budget_bytes = match arguments.memory_budget_mib {
        Some(mib) => mib.get().saturating_mul(BYTES_PER_MIB),
        None => process::usable_bytes() / SHARE_FOR_HASHES,
    };
    Ok(Limits {
        shares_memory: false,
        workers: workers.get(),
        memory_budget_bytes,
        lowered_ceilings: arguments.lowered_ceilings.iter().cloned().collect(),
        accepted_weak: arguments.accepted_weak.clone().unwrap_or_default(),
        firebase_project: arguments.firebase_project.as_deref().map(firebase_project).transpose()?,
    })
}

fn firebase_project(file: &Path) -> Result<FirebaseProject, Failure> {
    let text = read_private(file, "the Firebase project", "copy the password hash parameters alone")
        .map_err(Failure::configuration)?;
    FirebaseProject::parse(&text).map_err(|error| {
        Failure::configuration(format!("the Firebase project {} is malformed: {error}", file.display()))
    })
}

/// Returns the settings of one worker as `serve` has it, with kept memory: allocating memory for
/// each hash would count as hashing time.
pub fn worker(limits: &Limits) -> PoolSettings {
    PoolSettings { kept_bytes: limits.bytes_per_worker(), ..PoolSettings::new(NonZeroUsize::MIN) }
}

/// Bytes of a mebibyte.
pub const BYTES_PER_MIB: u64 = 1024 * 1024;

/// Hashes get one half of the memory. The other half is for connections, the page cache and other
/// processes.
const SHARE_FOR_HASHES: u64 = 2;
