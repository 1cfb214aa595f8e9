//! Published times of other people, with their sources.

use saltern_encoded::Algorithm;
use serde::Deserialize;

/// The published results.
#[derive(Debug, Deserialize)]
pub(super) struct Published {
    groups: Vec<Group>,
}

/// One source, one machine, one algorithm.
#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) source: String,
    algorithm: String,
    pub(super) machine: String,
    /// The head of its column: the processor, or what else differs.
    pub(super) name: String,
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(alias = "iterations", alias = "rounds")]
    cost: u64,
    seconds: f64,
}

impl Published {
    /// Returns the published results.
    #[allow(clippy::expect_used, reason = "the file is part of the binary, and a test reads it")]
    pub(super) fn all() -> Self {
        serde_json::from_str(include_str!("published.json")).expect("a test reads published.json")
    }

    pub(super) fn of(&self, algorithm: Algorithm) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.algorithm == algorithm.name())
    }
}

impl Group {
    /// Returns the costs with their milliseconds.
    pub(super) fn points(&self) -> impl Iterator<Item = (u64, f64)> {
        self.rows.iter().map(|row| (row.cost, row.seconds * 1000.0))
    }

    /// Returns the milliseconds of a cost, if the source has it.
    pub(super) fn ms(&self, cost: u64) -> Option<f64> {
        self.points().find(|point| point.0 == cost).map(|point| point.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::benchmark::{self, Benchmark};

    #[test]
    fn every_published_group_is_read() {
        let published = Published::all();
        let count = |Benchmark { algorithm, .. }: &Benchmark| {
            (published.of(*algorithm).count(), published.of(*algorithm).flat_map(Group::points).count())
        };
        let counted: Vec<_> = benchmark::ALL.iter().map(count).collect();
        assert_eq!(counted, [(8, 67), (2, 20), (2, 20), (2, 20), (2, 7), (0, 0), (0, 0)]);
        assert!(published.groups.iter().all(|group| !group.source.is_empty() && !group.name.is_empty()));
    }

    #[test]
    fn the_published_times_contain_the_factor_of_two() {
        // 40 bytes are two blocks of SHA-256 and one of SHA-512. So the published SHA-256 is
        // slower.
        let published = Published::all();
        let at = |algorithm| published.of(algorithm).next().and_then(|group| group.ms(900_001)).unwrap();
        assert!(at(Algorithm::Pbkdf2Sha256) / at(Algorithm::Pbkdf2Sha512) > 1.4);
    }
}
