//! `saltern hash`: a new hash of a password.

use clap::Args;
use saltern_seal::NotSealed;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    keys::OneHashArguments,
    one_hash::{Job, not_sealed, one_worker, refused},
    terminal::{Asked, read_password},
};
use saltern_server::{DocumentArguments, Failure, document, process, say};

#[derive(Args, Debug)]
pub(crate) struct HashArguments {
    /// The policy of the new hash [default: the current one]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    /// Print the response of POST /hash
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) seal: OneHashArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &HashArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let (keys, context) = arguments.seal.read()?;
    if context.is_none() && keys.as_ref().is_some_and(|keys| keys.current().wants_context()) {
        return Err(not_sealed(NotSealed::ContextMissing));
    }
    let policies = document::of(&arguments.document)?;
    let password = read_password(Asked::Twice)?;
    let new = policies.admit_new(arguments.policy.as_deref(), &password).map_err(refused)?;
    let done = Job::new(&one_worker()?, new.admitted().clone(), password).wait()?;
    let hash = new.encode(&done.output);
    let mut hash = Zeroizing::new(hash.ok_or_else(|| Failure::system("the new hash cannot be written"))?);
    if let Some(keys) = &keys {
        hash = keys.seal(&hash, context.as_ref()).map(Zeroizing::new).map_err(not_sealed)?;
    }
    if arguments.json {
        return say(&format!("{}\n", json!({ "hash": *hash, "policy": new.policy() })));
    }
    say(&format!("{}\n", *hash))
}
