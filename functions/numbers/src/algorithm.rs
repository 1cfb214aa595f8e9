//! The algorithms that this program measures.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The choices of `--algorithm`, in the order of well-known benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Algorithm {
    Bcrypt,
    #[value(name = "pbkdf2-sha1")]
    #[serde(rename = "pbkdf2-sha1")]
    Pbkdf2Sha1,
    #[value(name = "pbkdf2-sha256")]
    #[serde(rename = "pbkdf2-sha256")]
    Pbkdf2Sha256,
    #[value(name = "pbkdf2-sha512")]
    #[serde(rename = "pbkdf2-sha512")]
    Pbkdf2Sha512,
    #[value(name = "sha512-crypt")]
    #[serde(rename = "sha512-crypt")]
    Sha512Crypt,
    Argon2id,
    Scrypt,
}

impl Algorithm {
    /// Returns the name in policy documents and on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Argon2id => "argon2id",
            Self::Bcrypt => "bcrypt",
            Self::Pbkdf2Sha1 => "pbkdf2-sha1",
            Self::Pbkdf2Sha256 => "pbkdf2-sha256",
            Self::Pbkdf2Sha512 => "pbkdf2-sha512",
            Self::Scrypt => "scrypt",
            Self::Sha512Crypt => "sha512-crypt",
        }
    }

    /// Returns the title in tables.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Argon2id => "argon2id",
            Self::Bcrypt => "bcrypt",
            Self::Pbkdf2Sha1 => "PBKDF2-HMAC-SHA-1",
            Self::Pbkdf2Sha256 => "PBKDF2-HMAC-SHA-256",
            Self::Pbkdf2Sha512 => "PBKDF2-HMAC-SHA-512",
            Self::Scrypt => "scrypt",
            Self::Sha512Crypt => "sha512-crypt",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_and_files_have_the_same_names() {
        for algorithm in Algorithm::value_variants() {
            let of_arguments = algorithm.to_possible_value().unwrap();
            assert_eq!(of_arguments.get_name(), algorithm.name());
            assert_eq!(serde_json::to_value(algorithm).unwrap(), algorithm.name());
        }
    }
}
