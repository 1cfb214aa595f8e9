//! `saltern hash-clear`: hashes a table of passwords in clear.

use clap::Args;
use saltern_encoded::parse;
use saltern_kernels::Password;
use saltern_policy::{NewHash, Policies};
use saltern_server::{Failure, document, process};

use crate::{
    migrate_plan::{Unread, shape_of},
    one_hash::{Job, pool, refused},
    table::{ConfirmedArguments, Kept, Outcome, rewrite_confirmed},
};

#[derive(Args, Debug)]
pub(crate) struct HashClearArguments {
    #[command(flatten)]
    pub(crate) confirmed: ConfirmedArguments,
    /// The policy of the new hashes [default: the current one]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
}

/// Writes the rows again with their passwords hashed. A value with a sign of a hash stops the run,
/// unless the arguments name the shapes that are passwords.
pub(crate) fn run(arguments: &HashClearArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let document = &arguments.confirmed.document;
    let policies = document::of(document)?;
    let policy = arguments.policy.as_deref();
    // A policy that makes no hashes is refused before the first row.
    policies.admit_new(policy, &Password::empty()).map_err(refused)?;
    let pool = pool(&policies, &document.machine)?;
    let needs_no_name = |shape: &str| shape == Unread::NoHash.shape();
    rewrite_confirmed(&arguments.confirmed, None, Some(is_ambiguous), needs_no_name, &mut |row| {
        if row.may_have_own_quotes() {
            return Ok(Outcome::Kept(Kept::skipped(OWN_QUOTES)));
        }
        Ok(admit(&policies, policy, &row.hash()).map_or_else(Outcome::Kept, |(password, new)| {
            let job = Job::new(&pool, new.admitted().clone(), password);
            Outcome::Later(job, Box::new(move |done| new.encode(&done.output)))
        }))
    })
}

/// Whether a value has the form of a hash, or of a locked account, that a password has by chance.
fn is_ambiguous(value: &str) -> bool {
    match parse(value).map_err(|error| Unread::of(value, error)) {
        Ok(_) => value.len() == DES_CRYPT_BYTES,
        // `!` alone, or before a hash, locks an account.
        Err(Unread::NoPassword) => shape_of(value.trim_start_matches('!')) == Unread::NoHash.shape(),
        Err(reason) => matches!(reason, Unread::BareDigest(_)),
    }
}

/// Returns the password and its new hash, or why the value stays.
fn admit(policies: &Policies, policy: Option<&str>, value: &str) -> Result<(Password, NewHash), Kept> {
    use Unread::{Encoded, Foreign, Invalid, MayBeHash, NoHash, Unsupported};
    match parse(value).map_err(|error| Unread::of(value, error)) {
        // It stands for what cannot be read. As a password it would open all these accounts.
        _ if value.contains(char::REPLACEMENT_CHARACTER) => return Err(Kept::skipped(NOT_READ)),
        // `--shape` has named it.
        _ if is_ambiguous(value) => {}
        // Without their names, only rows that have no sign of a hash change.
        Err(NoHash | MayBeHash(_) | Foreign(_) | Encoded | Invalid | Unsupported) => {}
        Ok(_) => return Err(Kept::as_wanted("a hash already")),
        Err(reason @ Unread::NoPassword) => return Err(Kept::as_wanted(reason.in_words())),
        Err(reason) => return Err(Kept::skipped(format!("it may be a hash: {}", reason.in_words()))),
    }
    let password = Password::new(value.as_bytes()).map_err(|too_long| Kept::skipped(too_long.to_string()))?;
    let new = policies.admit_new(policy, &password);
    Ok((password, new.map_err(|refusal| Kept::skipped(refused(refusal).to_string()))?))
}

const OWN_QUOTES: &str = "its quotes may be of the password: double them in quotes then, or remove them";

const NOT_READ: &str = "it is not UTF-8, or has a backslash that no database writes between tabs";

/// Of a hash of DES crypt(3): no other one is short and without a mark, as a password is.
const DES_CRYPT_BYTES: usize = 13;
