//! What some software hashes in place of a password.

use saltern_encoded::Preparation;

use crate::Password;

/// The password that the algorithm takes.
#[must_use]
pub fn prepare(preparation: Preparation, password: &Password) -> Password {
    match preparation {
        Preparation::None => password.clone(),
    }
}
