//! One hash on this machine, by the kernels that serve.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use saltern_algorithm::{Admitted, Done, Password, Pool, PoolSettings, Urgency, Work};
use saltern_policy::Refusal;

use saltern_program::Failure;

/// A worker with nobody before it.
pub(crate) struct OneHash(Pool);

impl OneHash {
    pub(crate) fn start() -> Result<Self, Failure> {
        let settings = PoolSettings { queue: None, ..PoolSettings::new(NonZeroUsize::MIN) };
        Pool::start(&settings)
            .map(Self)
            .map_err(|error| Failure::system(format!("no thread can be started ({error})")))
    }

    /// Computes it, however long it takes: its cost is bounded.
    pub(crate) fn compute(&self, admitted: &Admitted, password: &Password) -> Result<Done, Failure> {
        let work = Work {
            admitted: admitted.clone(),
            password: password.clone(),
            deadline: Instant::now() + LONGEST,
            urgency: Urgency::Required,
        };
        let done = self.0.submit(work).ok().and_then(|ticket| ticket.wait().ok());
        done.ok_or_else(|| Failure::system("the hash could not be computed: is there memory enough?"))
    }
}

/// What a refusal means to somebody with a hash in hand.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::data(match refusal {
        Refusal::CostOutOfBounds => {
            "the hash costs more than a ceiling of the policy document allows: raise it there, if you want to pay that"
        }
        Refusal::InvalidHash => {
            "the hash is not in the one form that its scheme's software prints: is it complete?"
        }
        Refusal::NoRandomness => "the system gives no random bytes",
        Refusal::PasswordHasNul => "a new bcrypt hash cannot cover a password with a NUL: use another policy",
        Refusal::PasswordTooLong => "a new bcrypt hash covers 72 bytes of a password: use another policy",
        Refusal::PolicyNotForHashing => "that policy is verify-only: name an active one",
        Refusal::UnknownPolicy => {
            "no policy has that name: `saltern policies check` lists none, look into the document"
        }
        Refusal::UnsupportedHash => "the hash is of a scheme that is not verified here",
        Refusal::WeakScheme => {
            "the hash is of an unsalted or fast scheme: allow it by name with --accept-weak, or wrap it"
        }
    })
}

/// Longer than any hash below the ceilings takes.
const LONGEST: Duration = Duration::from_mins(10);
