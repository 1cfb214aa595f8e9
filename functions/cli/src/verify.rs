//! `saltern verify`: compares a password with a stored hash.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    one_hash::{OneHash, refused},
    terminal::{self, Asked, read_password},
};
use saltern_policy::Candidate;
use saltern_program::{DocumentArguments, Failure, MISMATCH, document, process, say};

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// The stored hash; `-` for the first line of standard input, with the password on the second
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Print the response of POST /verify
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?;
    let stored = terminal::argument_or_line(&arguments.hash)?;
    let stored = policies.admit_stored(&stored).map_err(refused)?;
    let candidates = stored.candidates(&read_password(Asked::Once)?);
    let worker = OneHash::start()?;
    let output = |candidate: &Candidate| {
        worker.compute(stored.admitted(), &candidate.password).map(|done| done.output)
    };
    let (first, second) = (output(&candidates.first)?, candidates.second.as_ref().map(output).transpose()?);
    let verdict = policies.verdict(&stored, &candidates, &first, second.as_ref());
    if arguments.json {
        let reason = verdict.rehash.map(saltern_policy::RehashReason::name);
        let body = json!({
            "match": verdict.matches,
            "needs_rehash": reason.is_some(),
            "rehash_reason": reason,
            "policy": verdict.policy,
        });
        say(&format!("{body}\n"))?;
    } else {
        let due = verdict.rehash.map(|reason| format!(", and should be replaced: {}", reason.name()));
        let said = if verdict.matches { "matches" } else { "does not match" };
        say(&format!("{said}{}\n", due.unwrap_or_default()))?;
    }
    Ok(if verdict.matches { ExitCode::SUCCESS } else { ExitCode::from(MISMATCH) })
}
