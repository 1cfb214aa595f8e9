//! `saltern verify`: compares a password with a stored hash.

use std::process::ExitCode;

use clap::Args;
use saltern_seal::is_sealed;
use serde_json::json;

use crate::{
    keys::OneHashArguments,
    one_hash::{Comparison, not_opened, one_worker, refused_stored},
    terminal::{self, Asked, read_password},
};
use saltern_policy::RehashReason;
use saltern_server::{DocumentArguments, Failure, MISMATCH, document, process, say};

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// The stored hash; `-` for the first line of standard input, with the password on the second
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Print the response of POST /verify
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) seal: OneHashArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?;
    let (keys, context) = arguments.seal.read()?;
    let mut text = terminal::argument_or_line(&arguments.hash)?;
    let mut seal_due = None;
    if let Some(keys) = &keys {
        let unsealed = keys.unseal(&text, context.as_ref()).map_err(not_opened)?;
        (text, seal_due) = (unsealed.text, unsealed.due);
    } else if is_sealed(&text) {
        return Err(Failure::data("the hash is sealed: give its keys by --seal-keys"));
    }
    let stored = policies
        .admit_stored_with(&text, |id| keys.as_ref()?.site_key(id))
        .map_err(|refusal| refused_stored(refusal, &text, &policies))?;
    let password = read_password(Asked::Once)?;
    let verdict = Comparison::start(&one_worker()?, stored, &password).verdict(&policies)?;
    let reason = verdict.rehash.map(RehashReason::name).or(seal_due.filter(|_| verdict.matches));
    if arguments.json {
        let body = json!({
            "match": verdict.matches,
            "needs_rehash": reason.is_some(),
            "rehash_reason": reason,
            "policy": verdict.policy,
        });
        say(&format!("{body}\n"))?;
    } else {
        let due = reason.map(|reason| format!(", and should be replaced: {reason}"));
        let said = if verdict.matches { "matches" } else { "does not match" };
        say(&format!("{said}{}\n", due.unwrap_or_default()))?;
    }
    Ok(if verdict.matches { ExitCode::SUCCESS } else { ExitCode::from(MISMATCH) })
}
