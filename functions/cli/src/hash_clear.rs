//! `saltern hash-clear`: hashes a table of passwords in clear.

use clap::Args;
use saltern_encoded::parse;
use saltern_kernels::Password;
use saltern_policy::{NewHash, Policies, Refusal};
use saltern_pool::Work;
use saltern_server::{DocumentArguments, Failure, document, process};
use zeroize::Zeroizing;

use crate::{
    migrate_plan::Unread,
    one_hash::{longest, pool, refused},
    table::{Kept, Outcome, RewriteArguments, rewrite},
};

#[derive(Args, Debug)]
pub(crate) struct HashClearArguments {
    #[command(flatten)]
    pub(crate) rewrite: RewriteArguments,
    /// The policy of the new hashes [default: the current one]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

/// Writes the rows again with their passwords hashed. A value that may be a hash is left.
pub(crate) fn run(arguments: &HashClearArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?;
    let policy = arguments.policy.as_deref();
    // A policy that makes no hashes is refused before the first row.
    policies.admit_new(policy, &Password::empty()).map_err(refused)?;
    let pool = pool(&policies, &arguments.document.machine)?;
    rewrite(&arguments.rewrite, &mut |row| {
        let admitted = admit(&policies, policy, &row.hash());
        let (password, new) = match admitted {
            Ok(admitted) => admitted,
            Err(kept) => return Ok(Outcome::Kept(kept)),
        };
        // A rehearsal counts, and computes nothing.
        if arguments.rewrite.dry_run {
            return Ok(Outcome::Changed(Zeroizing::default()));
        }
        let number = row.number;
        let work = Work::new(new.admitted().clone(), password, longest());
        let ticket = pool.submit(work).map_err(|_| no_result(number))?;
        Ok(Outcome::Later(Box::new(move || {
            let done = ticket.wait().map_err(|_| no_result(number))?;
            new.encode(&done.output).map(Zeroizing::new).ok_or_else(|| no_result(number))
        })))
    })
}

/// Returns the password and its new hash, or why the value stays.
fn admit(policies: &Policies, policy: Option<&str>, value: &str) -> Result<(Password, NewHash), Kept> {
    match parse(value).map_err(|error| Unread::of(value, error)) {
        Ok(_) => return Err(Kept::as_wanted("a hash already")),
        Err(reason @ Unread::NoPassword) => return Err(Kept::as_wanted(reason.in_words())),
        Err(Unread::NoHash) => {}
        Err(reason) => return Err(Kept::skipped(format!("it may be a hash: {}", reason.in_words()))),
    }
    let password = Password::new(value.as_bytes()).map_err(|too_long| Kept::skipped(too_long.to_string()))?;
    let new = policies.admit_new(policy, &password).map_err(not_hashed)?;
    Ok((password, new))
}

fn not_hashed(refusal: Refusal) -> Kept {
    Kept::skipped(refused(refusal).to_string())
}

fn no_result(number: u64) -> Failure {
    Failure::system(format!("row {number} could not be hashed: check the free memory"))
}
