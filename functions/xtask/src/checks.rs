//! Which checks there are.

use crate::runner::Check;

/// Run for every change, by `make test`.
pub(crate) fn every_change() -> Vec<Check> {
    vec![
        Check {
            part: "format",
            shows: "every Rust file is as rustfmt prints it",
            command: &["cargo", "fmt", "--all", "--check"],
            environment: &[],
        },
        Check {
            part: "lints",
            shows: "no warning of the compiler or of clippy",
            command: &[
                "cargo",
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--",
                "--deny",
                "warnings",
            ],
            environment: &[],
        },
        Check {
            part: "tests",
            shows: "unit, integration and documentation tests, and the invariants of the tree",
            command: &["cargo", "test", "--locked", "--workspace", "--no-fail-fast"],
            environment: &[],
        },
        Check {
            part: "fuzz",
            shows: "the fuzz targets build, take every vector, and hold for some seconds of mutations",
            command: &["cargo", "test", "--locked", "--manifest-path", "functions/fuzz/Cargo.toml"],
            // A relative directory is relative to where cargo starts: the workspace's own.
            environment: &[("CARGO_TARGET_DIR", "target")],
        },
    ]
}

/// What takes longer, by `make test-all`.
pub(crate) fn before_a_release() -> Vec<Check> {
    vec![Check {
        part: "dependencies",
        shows: "licences and bans by cargo-deny",
        command: &["functions/xtask/dependencies"],
        environment: &[],
    }]
}
