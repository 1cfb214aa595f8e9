//! The verdict on a computed output: mismatch, match, or match with a hash that should be replaced.

use saltern_encoded::{Encoded, NEW_SALT_BYTES, Params, Setting, argon2::Version};
use saltern_kernels::Output;
use strum::IntoStaticStr;

use crate::{Candidates, Policies, Stored, admission::is_prepared};

/// Why a stored hash should be replaced at this login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RehashReason {
    /// The hash has a policy that is older than the current one. The older one may be dearer to
    /// guess: `saltern policies check` warns of it.
    OlderPolicy,
    /// The hash has no policy, and another algorithm than the current policy or a prepared password.
    /// If its algorithm has a threshold in the document's `keep` and no password was prepared, its
    /// cost is below that.
    OtherAlgorithm,
    /// The hash has no policy and the current algorithm, and a cost below the document's `keep`. A
    /// cost, the salt or the output is below the current policy's.
    UnlistedParameters,
    /// The scheme of the hash is unsalted or fast, or the hash is below a floor. The same counts
    /// for the hash inside a wrapped one.
    WeakScheme,
}

impl RehashReason {
    /// The reason's name in the contract.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The verdict on a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the password is correct.
    pub matches: bool,
    /// Why the hash should be replaced. Only after a match.
    pub rehash: Option<RehashReason>,
    /// The id of the policy that lists the params of the stored hash.
    pub policy: Option<String>,
}

impl Policies {
    /// Returns the id of the policy that lists the params of a stored hash.
    pub fn id_of(&self, stored: &Stored) -> Option<&str> {
        stored.policy.map(|i| self.list()[i].id())
    }

    /// Returns the verdict on a stored hash, from the output for each candidate.
    #[must_use]
    pub fn verdict(
        &self,
        stored: &Stored,
        candidates: &Candidates,
        first: &Output,
        second: Option<&Output>,
    ) -> Verdict {
        let policy = self.id_of(stored).map(str::to_owned);
        // Both outputs are compared, so that the time does not show which candidate matched.
        let (first, second) = (stored.matches(first), second.is_some_and(|second| stored.matches(second)));
        let second = candidates.second.as_ref().filter(|_| second);
        let matching = if first { Some(&candidates.first) } else { second };
        let Some(candidate) = matching else { return Verdict { matches: false, rehash: None, policy } };
        // A new hash would cover the ignored part too, which the user may have typed wrong.
        let truncated = candidate.ignores_part && !self.rehash_truncated;
        let rehash = if truncated { None } else { self.rehash_reason(stored) };
        Verdict { matches: true, rehash, policy }
    }

    /// Returns why this stored hash should be replaced after a match, if the scheme reads all of
    /// the password.
    pub fn rehash_reason(&self, stored: &Stored) -> Option<RehashReason> {
        let Some(position) = stored.policy else {
            return self.reason_without_policy(&stored.encoded);
        };
        (position < self.current_position()).then_some(RehashReason::OlderPolicy)
    }

    fn reason_without_policy(&self, encoded: &Encoded) -> Option<RehashReason> {
        if self.weakness(encoded).or_else(|| self.weakness(encoded.innermost())).is_some() {
            return Some(RehashReason::WeakScheme);
        }
        if is_prepared(encoded) {
            return Some(RehashReason::OtherAlgorithm);
        }
        let setting = encoded.setting();
        let Some(params) = setting.params() else { return Some(RehashReason::OtherAlgorithm) };
        if self.keeps(params) {
            return None;
        }
        let below = match (params, self.current().params) {
            (Params::Argon2(own), Params::Argon2(current)) if own.variant() == current.variant() => {
                (own.version(), current.version()) == (Version::V16, Version::V19)
                    || own.memory_kib() < current.memory_kib()
                    || own.passes() < current.passes()
                    || own.parallelism() < current.parallelism()
            }
            (Params::Bcrypt(own), Params::Bcrypt(current)) => own.cost() < current.cost(),
            (Params::Pbkdf2(own), Params::Pbkdf2(current)) if own.prf() == current.prf() => {
                own.iterations() < current.iterations()
            }
            (Params::Scrypt(own), Params::Scrypt(current)) => {
                own.log_n() < current.log_n() || own.r() < current.r() || own.p() < current.p()
            }
            _ => return Some(RehashReason::OtherAlgorithm),
        };
        let current = Setting::fresh(self.current().params, [0; NEW_SALT_BYTES]);
        let shorter =
            setting.salt().len() < current.salt().len() || setting.output_bytes() < current.output_bytes();
        (below || shorter).then_some(RehashReason::UnlistedParameters)
    }
}
