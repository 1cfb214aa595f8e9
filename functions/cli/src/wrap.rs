//! `saltern wrap`: puts argon2id over weak hashes, without their passwords.

use clap::Args;
use saltern_encoded::{MAX_ENCODED_BYTES, Params, Setting, argon2};
use saltern_policy::{Policies, Refusal, Wrapping, scheme_names};
use saltern_pool::{Pool, Work};
use zeroize::Zeroizing;

use crate::{
    migrate_plan::Unread,
    one_hash::{longest, pool, refused},
    table::{Kept, Outcome, RewriteArguments, rewrite},
};
use saltern_server::{DocumentArguments, Failure, document, process};

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    pub(crate) rewrite: RewriteArguments,
    /// Wrap hashes of these schemes [default: those that are unsalted or fast]
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',', value_parser = scheme)]
    pub(crate) schemes: Vec<&'static str>,
    /// The argon2id policy for the new layer [default: the current one, if it is argon2id]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

/// Writes the rows again with the weak hashes wrapped. Other rows do not change.
pub(crate) fn run(arguments: &WrapArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?;
    let params = params(&policies, arguments.policy.as_deref())?;
    let pool = pool(&policies, &arguments.document.machine)?;
    let wrapper = Wrapper { policies: &policies, params, schemes: &arguments.schemes, pool: &pool };
    rewrite(&arguments.rewrite, &mut |row| {
        let wrapping = match wrapper.admit(&row.hash()) {
            Ok(wrapping) => wrapping,
            Err(kept) => return Ok(Outcome::Kept(kept)),
        };
        // A rehearsal counts, and computes nothing.
        if arguments.rewrite.dry_run {
            return Ok(Outcome::Changed(Zeroizing::default()));
        }
        wrapper.compute(row.number, wrapping)
    })
}

fn scheme(argument: &str) -> Result<&'static str, String> {
    let names = scheme_names();
    let found = names.iter().copied().find(|name| *name == argument);
    found.ok_or_else(|| format!("no scheme has this name: use {}", names.join(", ")))
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
    schemes: &'a [&'static str],
    pool: &'a Pool,
}

impl<'a> Wrapper<'a> {
    /// Checks a hash before the work.
    fn admit(&self, hash: &str) -> Result<Wrapping, Kept> {
        let stored = saltern_encoded::parse(hash).map_err(|error| match Unread::of(hash, error) {
            reason @ Unread::NoPassword => Kept::as_wanted(reason.in_words()),
            reason => Kept::skipped(reason.in_words()),
        })?;
        if matches!(stored.setting(), Setting::Wrapped(_)) {
            return Err(Kept::as_wanted("wrapped already"));
        }
        match self.schemes {
            [] if self.policies.weakness(&stored).is_none() => {
                return Err(Kept::as_wanted("salted and slow: a login replaces it"));
            }
            [] => {}
            schemes if schemes.contains(&stored.scheme().name()) => {}
            _ => return Err(Kept::as_wanted("of a scheme that --schemes does not name")),
        }
        self.policies.admit_wrapping(&stored, self.params).map_err(not_wrapped)
    }

    fn compute(&self, number: u64, wrapping: Wrapping) -> Result<Outcome<'a>, Failure> {
        let work = Work::new(wrapping.admitted().clone(), wrapping.stored().clone(), longest());
        let ticket = self.pool.submit(work).map_err(|_| no_result(number))?;
        Ok(Outcome::Later(Box::new(move || {
            let done = ticket.wait().map_err(|_| no_result(number))?;
            wrapping.encode(&done.output).map(Zeroizing::new).ok_or_else(|| no_result(number))
        })))
    }
}

fn not_wrapped(refusal: Refusal) -> Kept {
    Kept::skipped(match refusal {
        // The hash itself is valid: only its new layer can make it too long.
        Refusal::InvalidHash => format!(
            "the wrapped hash would be longer than {MAX_ENCODED_BYTES} bytes, the limit of a stored hash"
        ),
        Refusal::UnsupportedHash => "its output depends on a secret that the hash does not hold".to_owned(),
        other => refused(other).to_string(),
    })
}

fn no_result(number: u64) -> Failure {
    Failure::system(format!("row {number} could not be wrapped: check the free memory"))
}
