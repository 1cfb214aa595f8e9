//! The conditions of one run of an attack.

use std::{io, path::PathBuf, process::Command};

/// The attacked program and the size of the attack.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The program `saltern`.
    pub(crate) binary: PathBuf,
    /// Whether the attack is small.
    pub(crate) smoke: bool,
}

impl Field {
    /// Whether the help of `saltern serve` has this text. Older programs have fewer settings.
    pub(crate) fn has_setting(&self, text: &str) -> io::Result<bool> {
        let help = Command::new(&self.binary).args(["serve", "--help"]).output()?;
        Ok(String::from_utf8_lossy(&help.stdout).contains(text))
    }

    /// Returns the first value in a smoke run and the second in a whole one.
    pub(crate) fn pick<T>(&self, smoke: T, whole: T) -> T {
        if self.smoke { smoke } else { whole }
    }
}
