//! The benchmarks: each measures an algorithm, in the order of well-known tables.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use saltern_encoded::{Algorithm, pbkdf2::Prf};
use saltern_page::Axis;
use serde::{Serialize, Serializer};

use super::tables::{
    PlannedSeries, argon2_series, bcrypt_series, pbkdf2_series, scrypt_series, sha512_crypt_series,
};

/// The benchmark of an algorithm.
#[derive(Debug)]
pub(crate) struct Benchmark {
    pub(super) algorithm: Algorithm,
    /// The name of the cost that its rows differ in.
    pub(super) cost: &'static str,
    /// The axis of that cost: linear if the cost is itself a logarithm.
    pub(super) axis: fn(&'static str) -> Axis,
    pub(super) plan: fn() -> Vec<PlannedSeries>,
}

/// All benchmarks.
pub(super) static ALL: [Benchmark; 7] = [
    Benchmark { algorithm: Algorithm::Bcrypt, cost: "cost", axis: Axis::linear, plan: bcrypt_series },
    pbkdf2(Algorithm::Pbkdf2Sha1, || pbkdf2_series(Prf::Sha1)),
    pbkdf2(Algorithm::Pbkdf2Sha256, || pbkdf2_series(Prf::Sha256)),
    pbkdf2(Algorithm::Pbkdf2Sha512, || pbkdf2_series(Prf::Sha512)),
    Benchmark {
        algorithm: Algorithm::Sha512Crypt,
        cost: "rounds",
        axis: Axis::logarithmic,
        plan: sha512_crypt_series,
    },
    Benchmark { algorithm: Algorithm::Argon2id, cost: "KiB", axis: Axis::logarithmic, plan: argon2_series },
    Benchmark { algorithm: Algorithm::Scrypt, cost: "log2 N", axis: Axis::linear, plan: scrypt_series },
];

const fn pbkdf2(algorithm: Algorithm, plan: fn() -> Vec<PlannedSeries>) -> Benchmark {
    Benchmark { algorithm, cost: "iterations", axis: Axis::logarithmic, plan }
}

impl Benchmark {
    /// The title in tables: the name of the algorithm, as on the command line.
    pub(super) fn title(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Parses the name of an algorithm on the command line.
    pub(super) fn parser() -> impl TypedValueParser<Value = &'static Self> {
        let names = ALL.iter().map(Benchmark::title);
        PossibleValuesParser::new(names).try_map(|name| Self::named(&name))
    }

    /// Returns the benchmark of an algorithm.
    pub(super) fn named(name: &str) -> Result<&'static Self, &'static str> {
        ALL.iter().find(|benchmark| benchmark.title() == name).ok_or("no benchmark has that name")
    }
}

impl Serialize for Benchmark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.title())
    }
}
