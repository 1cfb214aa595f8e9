//! From this machine to a function on Lambda that was not asked: by the table that capacity is planned with.

use saltern_capacity::{Architecture, Durations, Parameters};
use saltern_encoded::{Params, argon2, bcrypt, pbkdf2};

use super::ladder::Algorithm;

/// The function that is thought of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) memory_mb: u64,
    pub(super) architecture: Architecture,
}

/// A row of the table, measured here too: how many times as long a hash of this kind takes on the function.
///
/// An algorithm without a row takes bcrypt's, the one that was measured on Lambda.
pub(super) fn row(algorithm: Algorithm) -> (Parameters, Option<Params>) {
    let wanted = match algorithm {
        Algorithm::Argon2id => "argon2id",
        Algorithm::Pbkdf2Sha512 => "pbkdf2-sha512",
        Algorithm::Bcrypt | Algorithm::Pbkdf2Sha256 | Algorithm::Scrypt => "bcrypt",
    };
    let found = Durations::documented().known().find(|row| row.scheme() == wanted);
    let row = found.unwrap_or(Parameters::Bcrypt { cost: bcrypt::MIN_COST });
    (row, params(row))
}

fn params(row: Parameters) -> Option<Params> {
    match row {
        Parameters::Argon2id { memory_kib, passes, parallelism } => {
            let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
            argon2::Params::new(variant, version, memory_kib, passes, parallelism).map(Params::Argon2)
        }
        Parameters::Bcrypt { cost } => bcrypt::Params::new(cost).map(Params::Bcrypt),
        Parameters::Pbkdf2Sha512 { iterations } => {
            pbkdf2::Params::new(pbkdf2::Prf::Sha512, iterations).map(Params::Pbkdf2)
        }
    }
}

/// What a time here is to be multiplied with, from what the row takes here.
pub(super) fn factor(row: Parameters, here_ms: f64, size: Size) -> Option<f64> {
    let there = Durations::documented().one(row, size.architecture, size.memory_mb)?;
    Some(there.duration.as_secs_f64() * 1000.0 / here_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_one_vcpu_a_hash_takes_longer_in_proportion() {
        let (row, params) = row(Algorithm::Scrypt);
        assert_eq!((row.to_string().as_str(), params.map(Params::algorithm)), ("bcrypt-10", Some("bcrypt")));
        let of = |memory_mb| factor(row, 41.0, Size { memory_mb, architecture: Architecture::Arm64 });
        assert!((of(1769).unwrap() - 2.0).abs() < 1e-9);
        assert!((of(3538).unwrap() - 2.0).abs() < 1e-9);
        assert!((of(1769 / 2).unwrap() / 4.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn every_row_is_a_hash_that_can_be_measured() {
        for algorithm in Algorithm::ALL {
            let (row, params) = row(algorithm);
            assert!(params.is_some(), "{row}");
        }
    }
}
