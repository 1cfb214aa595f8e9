//! `saltern wrap`: puts argon2id over weak hashes, without their passwords.

use std::path::PathBuf;

use clap::Args;
use saltern_encoded::{MAX_ENCODED_BYTES, Params, Setting, argon2, parse};
use saltern_policy::{Policies, Refusal, Wrapping};

use crate::{
    keys,
    migrate_plan::Unread,
    one_hash::{Job, pool, refused, refused_stored},
    table::{ConfirmedArguments, Kept, Outcome, rewrite_confirmed},
};
use saltern_server::{Failure, document, process};

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    pub(crate) confirmed: ConfirmedArguments,
    /// The argon2id policy for the new layer [default: the current one, if it is argon2id]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    /// The site keys, to verify known logins; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
}

/// Writes the rows again with hashes wrapped: those of the named shapes, or else the weak ones.
pub(crate) fn run(arguments: &WrapArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let confirmed = &arguments.confirmed;
    let policies = document::of(&confirmed.document)?;
    let params = params(&policies, arguments.policy.as_deref())?;
    let pool = pool(&policies, &confirmed.document.machine)?;
    let wrapper = Wrapper { policies: &policies, params, only_weak: !confirmed.name_rows() };
    let keys = arguments.seal_keys.as_deref().map(keys::read).transpose()?;
    rewrite_confirmed(confirmed, keys.as_ref(), None, |_| true, &mut |row| {
        Ok(wrapper.admit(&row.hash()).map_or_else(Outcome::Kept, |wrapping| {
            let job = Job::new(&pool, wrapping.admitted().clone(), wrapping.stored().clone());
            Outcome::Later(job, Box::new(move |done| wrapping.encode(&done.output)))
        }))
    })
}

/// Returns the cost of the outer layer.
fn params(policies: &Policies, policy: Option<&str>) -> Result<argon2::Params, Failure> {
    let policy = match policy {
        None => policies.current(),
        Some(id) => policies
            .list()
            .iter()
            .find(|policy| policy.id() == id)
            .ok_or_else(|| refused(Refusal::UnknownPolicy))?,
    };
    match policy.params() {
        Params::Argon2(params) => Ok(params),
        _ => Err(Failure::configuration(format!(
            "the policy `{}` is {}: name one with argon2id by --policy",
            policy.id(),
            policy.algorithm()
        ))),
    }
}

struct Wrapper<'a> {
    policies: &'a Policies,
    params: argon2::Params,
    only_weak: bool,
}

impl Wrapper<'_> {
    /// Checks a hash before the work.
    fn admit(&self, hash: &str) -> Result<Wrapping, Kept> {
        let stored = parse(hash).map_err(|error| Unread::of(hash, error).kept())?;
        if matches!(stored.setting(), Setting::Wrapped(_)) {
            return Err(Kept::as_wanted("wrapped already"));
        }
        if self.only_weak && self.policies.weakness(&stored).is_none() {
            return Err(Kept::as_wanted("salted and slow: a login replaces it"));
        }
        let wrapping = self.policies.admit_wrapping(&stored, self.params);
        wrapping.map_err(|refusal| not_wrapped(refusal, hash, self.policies))
    }
}

fn not_wrapped(refusal: Refusal, stored: &str, policies: &Policies) -> Kept {
    Kept::skipped(match refusal {
        // The hash itself is valid: only its new layer can make it too long.
        Refusal::InvalidHash => format!(
            "the wrapped hash would be longer than {MAX_ENCODED_BYTES} bytes, the limit of a stored hash"
        ),
        Refusal::UnsupportedHash => "its output depends on a secret that the hash does not hold".to_owned(),
        other => refused_stored(other, stored, policies).to_string(),
    })
}
