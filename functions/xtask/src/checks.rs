//! The checks: the command of each, the property that it shows, and when it runs.

use crate::checks::When::{EveryChange, IdleMachine, Slow};

/// One command and its purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// The name for `cargo xtask test PART`.
    pub(crate) part: &'static str,
    /// A program and its arguments, without a space in any of them.
    pub(crate) command: &'static str,
    /// The property that a pass shows, for the heading.
    pub(crate) shows: &'static str,
    pub(crate) when: When,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// By `make test`.
    EveryChange,
    /// By `make test-all`, and by CI if there is time.
    Slow {
        /// About how long it takes on two cores with nothing built before.
        minutes: u64,
    },
    /// By `make test-all`. It judges times, so other work beside it could make it fail.
    IdleMachine,
}

/// The checks of every change that build with cargo. They run one after the other, because cargo
/// locks its target directory.
pub(crate) const RUST: &[Check] = &[
    every_change("format", "cargo fmt --all --check", "every Rust file is as rustfmt prints it"),
    every_change(
        "lints",
        "cargo clippy --locked --workspace --all-targets -- --deny warnings",
        "no warning of the compiler or of clippy",
    ),
    every_change(
        "tests",
        "cargo test --locked --no-fail-fast",
        "unit, integration and documentation tests, the fuzz targets for some seconds, and the invariants of the tree",
    ),
    every_change(
        "contract",
        "functions/cli/tests/schemathesis/run",
        "a running server keeps to the OpenAPI document that it serves, by Schemathesis",
    ),
];

/// The other checks of every change. They run beside those of Rust.
pub(crate) const BESIDE_RUST: &[Check] = &[
    every_change(
        "infra",
        "infra/test",
        "the Terraform is valid, plans, and keeps the promises of its READMEs",
    ),
    every_change("client", "client-scala/bin/test", "the Scala client, under Scala 3 on JDK 25"),
    every_change(
        "loadtest",
        "loadtest/tests/run",
        "the load scripts sign as botocore does, and reject invalid settings",
    ),
];

/// The slow checks: the shortest first, and last those that need an idle machine. `image` takes the
/// binaries of `static`, and `native-emulated` the libraries of `native`.
pub(crate) const SLOW: &[Check] = &[
    slow(
        1,
        "systemd",
        "packaging/systemd/check",
        "the units are valid, and their exposure is at most 1.5 of 10, by systemd-analyze",
    ),
    slow(
        1,
        "kubernetes",
        "packaging/kubernetes/check",
        "the manifests fit the schemas of Kubernetes and the standard `restricted`",
    ),
    slow(
        1,
        "prometheus",
        "packaging/prometheus/check",
        "each alert fires above its threshold and none below, by promtool",
    ),
    slow(
        1,
        "workflows",
        ".github/check",
        "the workflows of the forge are well-formed and careful, by actionlint and zizmor",
    ),
    slow(
        2,
        "infra-slow",
        "infra/test --slow",
        "the remedies, states, overrides and releases of the Terraform change what they name, and its calls fit AWS's API",
    ),
    slow(
        2,
        "random",
        "env SALTERN_RANDOM_CASES=10000 cargo test --locked --release --package saltern-algorithm --lib",
        "ten thousand random cases for each kernel and code path against the reference crates",
    ),
    slow(
        2,
        "sanitizer",
        "functions/xtask/sanitizer",
        "no invalid access in the kernels, by AddressSanitizer",
    ),
    slow(2, "aarch64", "functions/xtask/aarch64", "the NEON paths compute what the reference does, emulated"),
    slow(
        2,
        "loadtest-k6-2",
        "env K6_MAJOR=2 loadtest/tests/run",
        "the load scripts do the same under k6 2.x",
    ),
    slow(
        3,
        "attack-smoke",
        "functions/testing/attack/run --smoke",
        "small attacks on a running server harm no honest caller, where the row says so",
    ),
    slow(
        3,
        "dependencies",
        "functions/xtask/dependencies",
        "licences, bans, sources and advisories of crates, and advisories of Python packages and jars",
    ),
    slow(
        3,
        "client-style",
        "client-scala/bin/sbt styleCheck",
        "the Scala client's sources are as scalafmt and scalafix write them",
    ),
    slow(
        3,
        "cargo-lambda",
        "functions/lambda/tests/cargo-lambda/run",
        "the function answers requests under cargo lambda, by invoke and through its URL",
    ),
    slow(
        4,
        "fuzz-search",
        "functions/testing/fuzz/search 10",
        "a search guided by coverage, under AddressSanitizer, breaks no property of stored hashes",
    ),
    slow(
        7,
        "bench",
        "cargo test --locked --release --package saltern-numbers --features peers",
        "the comparison builds with its peers, and the tests of saltern-numbers pass with it",
    ),
    slow(
        7,
        "native",
        "client-scala/native/build --all --test",
        "the Scala client's libraries build for all four systems, and a million random calls under -Xcheck:jni agree",
    ),
    slow(
        8,
        "client-2.13",
        "client-scala/bin/test --2.13",
        "the Scala client under Scala 2.13 on JDK 17, the blocks of its guide, and the first command of its README",
    ),
    slow(
        8,
        "databases",
        "functions/cli/tests/databases/run",
        "the pipes of MIGRATION.md move tables of PostgreSQL and MariaDB, a million rows too",
    ),
    slow(
        8,
        "published",
        "client-scala/bin/consume",
        "other builds, sbt and Maven, log in with the Scala client's published jars, which lack only a signature for Maven Central",
    ),
    slow(
        8,
        "compatible",
        "client-scala/bin/check-compatibility",
        "the Scala client is binary compatible with the versions before, and a method taken away would be seen",
    ),
    slow(
        8,
        "native-emulated",
        "client-scala/native/emulated",
        "the library for aarch64 computes every vector inside an emulated JVM, and musl loads its own and computes",
    ),
    slow(
        9,
        "static",
        "packaging/build --test",
        "the static binaries of both architectures need no library of the host, and hash",
    ),
    slow(
        10,
        "client-swapped",
        "client-scala/bin/test --swapped",
        "the Scala client, under Scala 2.13 on JDK 25 and under Scala 3 on JDK 17",
    ),
    slow(
        10,
        "image",
        "packaging/image/check",
        "the container image is small, and its program serves as an unprivileged user",
    ),
    slow(
        12,
        "zips",
        "functions/lambda/package --test",
        "the Lambda zips are small, and what is in them passes the function's tests on both architectures",
    ),
    slow(
        15,
        "miri",
        "functions/xtask/miri",
        "no undefined behaviour in Argon2's memory and threads, by Miri",
    ),
    slow(
        16,
        "release",
        "packaging/release --dry-run",
        "all artefacts of a release are made and verified, and README's block gives a hash in a fresh root",
    ),
    slow(
        25,
        "reproducible",
        "packaging/reproduce",
        "a second build in another directory makes the same binaries, zips and image, byte for byte",
    ),
    idle_machine(
        "loadtest-slow",
        "loadtest/tests/run --slow",
        "the load scripts run small against a server on this machine",
    ),
    idle_machine(
        "loadtest-slow-k6-2",
        "env K6_MAJOR=2 loadtest/tests/run --slow",
        "the load scripts run small under k6 2.x",
    ),
    idle_machine(
        "event",
        "loadtest/event --quick",
        "the evenings of the live event run small, with k6 and with the Scala client",
    ),
    idle_machine(
        "attack",
        "functions/testing/attack/run",
        "a server under attack keeps its bounds on memory, work, connections and waits",
    ),
    idle_machine(
        "attack-soak",
        "functions/testing/attack/run --only soak",
        "ten minutes of honest and hostile traffic: nothing wrong, nothing lost, nothing grows",
    ),
    idle_machine(
        "seals",
        "env SALTERN_ROTATION_SECONDS=20 cargo test --locked --release --package saltern-seal --package saltern-cli --test seal --test cli -- --nocapture --test-threads=1 a_rotation_under_load a_seal_costs_a_login three_million_rows",
        "a rotation of keys under 1,000 logins a second, the cost of a seal, and 3,000,000 rows sealed in half a minute",
    ),
    idle_machine(
        "load-rate",
        "loadtest/sustained",
        "3,000 requests a second are carried from k6 through fleet for a minute",
    ),
];

const fn every_change(part: &'static str, command: &'static str, shows: &'static str) -> Check {
    Check { part, command, shows, when: EveryChange }
}

const fn slow(minutes: u64, part: &'static str, command: &'static str, shows: &'static str) -> Check {
    Check { part, command, shows, when: Slow { minutes } }
}

const fn idle_machine(part: &'static str, command: &'static str, shows: &'static str) -> Check {
    Check { part, command, shows, when: IdleMachine }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_check_has_another_name() {
        let all = [RUST, BESIDE_RUST, SLOW].concat();
        let names: BTreeSet<_> = all.iter().map(|check| check.part).collect();
        assert_eq!(names.len(), all.len(), "{names:?}");
    }

    #[test]
    fn the_slow_checks_are_in_the_order_of_their_minutes() {
        let minutes = |check: &Check| match check.when {
            EveryChange => 0,
            Slow { minutes } => minutes,
            IdleMachine => u64::MAX,
        };
        assert!(SLOW.is_sorted_by_key(minutes));
    }
}
