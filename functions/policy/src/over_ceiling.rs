//! The ceiling that a stored hash exceeds, for messages to the operator.

use core::fmt;

use saltern_encoded::{Setting, verify_only::Cost};

use crate::{Policies, floors};

/// A cost that exceeds its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OverCeiling {
    /// The name of the ceiling in the document.
    pub name: &'static str,
    /// The cost of the hash.
    pub value: u64,
    /// The ceiling in force.
    pub ceiling: u64,
}

/// Writes the ceiling, both values, and the setting that raises it.
impl fmt::Display for OverCeiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, ceiling } = self;
        write!(
            f,
            "its {name} is {value}, and the ceiling is {ceiling}: if you accept the cost, raise ceilings.{name} in the policy document, and --memory-budget-mib or --ceiling where they lower it"
        )
    }
}

impl Policies {
    /// Returns the first ceiling of the document that one cost of a hash exceeds. `None` if only several
    /// costs together are too much, or if the ceiling is a fixed one.
    pub fn over_ceiling(&self, setting: &Setting) -> Option<OverCeiling> {
        if let Setting::Wrapped(wrapped) = setting {
            let outer = Setting::Argon2(wrapped.outer().clone());
            return self.over_ceiling(&outer).or_else(|| self.over_ceiling(wrapped.inner().setting()));
        }
        let mut measures = floors::measures(setting);
        match setting {
            Setting::Argon2(argon2) => {
                measures.push(("argon2_parallelism", u64::from(argon2.params().parallelism())));
            }
            Setting::Pbkdf2(pbkdf2) => {
                let blocks = u64::try_from(pbkdf2.output_blocks()).unwrap_or(u64::MAX);
                let iterations = u64::from(pbkdf2.params().iterations());
                measures.push(("pbkdf2_iterations_blocks", iterations.saturating_mul(blocks)));
            }
            Setting::VerifyOnly(verify_only) => {
                if let Cost::Rounds(rounds) = verify_only.cost() {
                    measures.push(("sha_crypt_rounds", rounds));
                }
            }
            Setting::Bcrypt(_) | Setting::Scrypt(_) | Setting::Wrapped(_) => {}
        }
        measures.into_iter().find_map(|(name, value)| {
            let ceiling = *self.ceiling_values().get(name)?;
            (value > ceiling).then_some(OverCeiling { name, value, ceiling })
        })
    }
}
