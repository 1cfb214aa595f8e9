//! The conditions of one run of an attack.

use std::path::PathBuf;

/// The attacked program and the size of the attack.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The program `saltern`.
    pub(crate) binary: PathBuf,
    /// Whether the attack is small.
    pub(crate) smoke: bool,
}

impl Field {
    /// Returns the first value in a smoke run and the second in a whole one.
    pub(crate) fn pick<T>(&self, smoke: T, whole: T) -> T {
        if self.smoke { smoke } else { whole }
    }
}
