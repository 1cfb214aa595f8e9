//! The layers of a wrapped hash: two hashes, which are computed one after the other.

use core::fmt;

use saltern_encoded::{Setting, wrapped};

use super::Admitted;
use crate::{Output, Password};

/// The outer layer of a wrapped hash.
pub struct Outer(Box<wrapped::Setting>);

impl Admitted {
    /// Returns the layer that is computed first, and the outer layer of a wrapped hash. Both were
    /// admitted together.
    #[must_use]
    pub fn into_layers(self) -> (Self, Option<Outer>) {
        match self.setting {
            Setting::Wrapped(wrapped) => {
                (Self { setting: wrapped.inner().setting().clone() }, Some(Outer(wrapped)))
            }
            setting => (Self { setting }, None),
        }
    }
}

impl Outer {
    /// Returns the layer as a hash of its own.
    #[must_use]
    pub fn admitted(&self) -> Admitted {
        Admitted { setting: Setting::Argon2(self.0.outer().clone()) }
    }

    /// Returns what the layer takes as its password.
    #[must_use]
    pub fn password(&self, inner: &Output) -> Password {
        inner_text(&self.0, inner)
    }
}

impl fmt::Debug for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outer(..)")
    }
}

/// Returns the text of the inner hash with this output. It equals the stored hash that was wrapped
/// if the password is right.
pub(crate) fn inner_text(setting: &wrapped::Setting, output: &Output) -> Password {
    let hash = setting.inner().with_output(output.expose());
    Password::prepared(hash.map_or_else(String::new, |hash| hash.to_string()))
}
