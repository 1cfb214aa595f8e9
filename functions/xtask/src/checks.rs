//! The list of the checks.

use std::env;

use crate::runner::{Check, Track};

/// For every change, by `make test`: two tracks that run side by side.
///
/// Cargo locks its target directory, so the checks that build with it most are in one track.
pub(crate) fn every_change() -> Vec<Track> {
    vec![rust(), beside_rust()]
}

fn rust() -> Track {
    // Of the programs of tests, cargo runs those that changed. The target directory may be another
    // than `target`.
    let xtask = env::current_exe().unwrap_or_else(|_| "target/debug/xtask".into());
    let unless_passed = format!("target.'cfg(all())'.runner = ['{}', 'test-binary']", xtask.display());
    let tests = ["cargo", "test", "--locked", "--no-fail-fast", "--config", unless_passed.leak()];
    vec![
        Check {
            part: "format",
            shows: "every Rust file is as rustfmt prints it",
            command: &["cargo", "fmt", "--all", "--check"],
            environment: &[],
            ignores: &[],
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
                "--features=xtask/documents",
                "--",
                "--deny",
                "warnings",
            ],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "tests",
            shows: "unit, integration and documentation tests of the packages that ship, built as they ship",
            command: tests.to_vec().leak(),
            environment: &[],
            ignores: &[],
        },
        // Targets of the whole workspace, not packages: their dependencies have the features of all
        // packages, so they are those that the part before built. Only the fuzz targets would add
        // a feature, and `ring` and all that needs it would be built again.
        Check {
            part: "test-only",
            shows: "tests with features that no shipped package enables, and the invariants of the tree",
            command: &[
                "cargo",
                "test",
                "--locked",
                "--no-fail-fast",
                "--workspace",
                "--exclude=saltern-fuzz",
                "--bin=saltern-attack",
                "--bin=saltern-fleet",
                "--bin=xtask",
                "--test=panics_in_*",
                "--test=xtask",
            ],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "fuzz",
            shows: "the fuzz targets build, take every vector, and hold for some seconds of mutations",
            command: &["cargo", "test", "--locked", "--workspace", "--test=smoke"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "shipped",
            shows: "saltern and bootstrap hold nothing of the load model, fault injection or benches",
            command: &["functions/xtask/shipped"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "contract",
            shows: "a running server keeps to the OpenAPI document that it serves, by Schemathesis",
            command: &["functions/cli/tests/schemathesis/run"],
            environment: &[],
            ignores: &[BESIDE_ALL_SERVERS, BESIDE_THE_SERVER],
        },
        Check {
            part: "attack-smoke",
            shows: "small attacks on a running server harm no honest caller, where the row says so",
            command: &["functions/testing/attack/run", "--smoke"],
            environment: &[],
            ignores: &[BESIDE_ALL_SERVERS, BESIDE_THE_SERVER],
        },
    ]
}

fn beside_rust() -> Track {
    vec![
        Check {
            part: "prose",
            shows: "no room has more sentences that are not plain than lints/prose-counts allows",
            command: &["lints/prose", "--check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "systemd",
            shows: "the units are valid, and their exposure is at most 1.5 of 10, by systemd-analyze",
            command: &["packaging/systemd/check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "kubernetes",
            shows: "the manifests fit the schemas of Kubernetes and the standard `restricted`",
            command: &["packaging/kubernetes/check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "prometheus",
            shows: "each alert fires above its threshold and none below, by promtool",
            command: &["packaging/prometheus/check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "workflows",
            shows: "the workflows of the forge are well-formed and careful, by actionlint and zizmor",
            command: &[".github/check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "infra",
            shows: "the Terraform is valid, plans, and keeps the promises of its READMEs",
            command: &["infra/test"],
            environment: &[],
            ignores: &[BESIDE_TERRAFORM],
        },
        Check {
            part: "client",
            shows: "the Scala client, under Scala 2.13 on JDK 17 and under Scala 3 on JDK 25",
            command: &["client-scala/bin/test"],
            environment: &[],
            ignores: &[BESIDE_THE_CLIENT, RUST],
        },
        Check {
            part: "client-native",
            shows: "the native kernels compute what the Scala client does, under both Scalas and JDKs",
            command: &["client-scala/bin/test", "--native"],
            environment: &[],
            ignores: &[BESIDE_THE_CLIENT],
        },
        Check {
            part: "loadtest",
            shows: "the load scripts sign as botocore does, reject invalid settings, and run small on this machine",
            command: &["loadtest/tests/run"],
            environment: &[],
            ignores: &[BESIDE_ALL_SERVERS, BESIDE_THE_LOAD_TESTS],
        },
    ]
}

/// Each part that is also in another one. It runs alone only if the other part need not run.
pub(crate) const INCLUDED: &[(&str, &str)] = &[("client-native", "client")];

/// Parts that judge times. The other track does not take them, because it would run them beside
/// `tests`.
pub(crate) const MEASURED: &[&str] = &["attack-smoke"];

/// Programs are built from these, and do not read them.
pub(crate) const RUST: &[&str] = &["*.rs", "*Cargo.toml", "Cargo.lock"];

/// No check of the Terraform reads these.
const BESIDE_TERRAFORM: &[&str] = &[
    "client-scala",
    "functions/algorithm",
    "functions/cli",
    "functions/cloudwatch",
    "functions/encoded",
    "functions/numbers",
    "functions/program",
    "functions/server",
    "functions/testing",
    "functions/xtask/src",
    "functions/xtask/tests",
    "lints",
    "loadtest",
];

/// Neither the Scala client nor its native kernels are built from these. (A suite reads
/// infra/modules/password-hasher/settings.json.)
const BESIDE_THE_CLIENT: &[&str] = &[
    "functions/cli",
    "functions/cloudwatch",
    "functions/lambda",
    "functions/numbers",
    "functions/policy/*.rs",
    "functions/program",
    "functions/seal/*.rs",
    "functions/server",
    "functions/service",
    "functions/testing/attack",
    "functions/testing/faults",
    "functions/testing/fuzz",
    "functions/testing/stubs",
    "functions/testing/vectors/*.rs",
    "functions/xtask/src",
    "functions/xtask/tests",
    "infra/*.md",
    "infra/*.tf",
    "infra/bootstrap",
    "infra/checks",
    "infra/environments",
    "infra/test",
    "lints",
    "loadtest",
];

/// Neither `saltern`, nor the attacks, nor the load tests are built from these.
const BESIDE_ALL_SERVERS: &[&str] = &[
    "client-scala",
    "functions/cloudwatch",
    "functions/numbers/results",
    "functions/numbers/src",
    "functions/numbers/tests",
    "functions/testing/faults",
    "functions/testing/fuzz",
    "functions/testing/vectors/*.rs",
    "functions/xtask/src",
    "functions/xtask/tests",
    "lints",
];

/// Nor are `saltern` and the attacks built from these.
const BESIDE_THE_SERVER: &[&str] = &["functions/lambda", "functions/numbers/page", "loadtest"];

/// Nor are the load tests built from these.
const BESIDE_THE_LOAD_TESTS: &[&str] = &["functions/testing/attack"];

/// The longer ones, for `make test-all`.
#[expect(clippy::too_many_lines, reason = "a list, an entry for each check")]
pub(crate) fn before_a_release() -> Track {
    vec![
        Check {
            part: "dependencies",
            shows: "licences, bans, sources and advisories of crates, and advisories of Python packages and jars",
            command: &["functions/xtask/dependencies"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "shipped-release",
            shows: "the released saltern and bootstrap hold nothing of load model, fault injection or benches",
            command: &["functions/xtask/shipped", "--release"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "random",
            shows: "ten thousand random cases for each kernel and code path against the reference crates",
            command: &["cargo", "test", "--locked", "--release", "--package", "saltern-algorithm", "--lib"],
            environment: &[("SALTERN_RANDOM_CASES", "10000")],
            ignores: &[],
        },
        Check {
            part: "bench",
            shows: "the comparison builds with its peers, and the tests of saltern-numbers pass with it",
            command: &[
                "cargo",
                "test",
                "--locked",
                "--release",
                "--package",
                "saltern-numbers",
                "--features",
                "peers",
            ],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "sanitizer",
            shows: "no invalid access in the kernels, by AddressSanitizer",
            command: &["functions/xtask/sanitizer"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "fuzz-search",
            shows: "a search guided by coverage, under AddressSanitizer, breaks no property of stored hashes",
            command: &["functions/testing/fuzz/search", "10"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "miri",
            shows: "no undefined behaviour in Argon2's memory and threads, by Miri",
            command: &["functions/xtask/miri"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "aarch64",
            shows: "the NEON paths compute what the reference does, emulated",
            command: &["functions/xtask/aarch64"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "databases",
            shows: "the pipes of MIGRATION.md move tables of PostgreSQL and MariaDB, a million rows too",
            command: &["functions/cli/tests/databases/run"],
            environment: &[],
            ignores: &[BESIDE_ALL_SERVERS, BESIDE_THE_SERVER],
        },
        Check {
            part: "client-swapped",
            shows: "the Scala client, under Scala 2.13 on JDK 25 and under Scala 3 on JDK 17",
            command: &["client-scala/bin/test", "--swapped"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "published",
            shows: "other builds, sbt and Maven, log in with the Scala client's published jars, which lack only a signature for Maven Central",
            command: &["client-scala/bin/consume"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "compatible",
            shows: "the Scala client is binary compatible with the versions before, and a method taken away would be seen",
            command: &["client-scala/bin/check-compatibility"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "client-style",
            shows: "the Scala client's sources are as scalafmt and scalafix write them",
            command: &["client-scala/bin/sbt", "styleCheck"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "cargo-lambda",
            shows: "calibrate events are answered under cargo lambda where it was said, and never through the function's URL",
            command: &["functions/lambda/tests/cargo-lambda/run"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "loadtest-k6-2",
            shows: "the load scripts do the same under k6 2.x",
            command: &["loadtest/tests/run"],
            environment: &[("K6_MAJOR", "2")],
            ignores: &[],
        },
        Check {
            part: "event",
            shows: "the evenings of the live event run small, with k6 and with the Scala client",
            command: &["loadtest/event", "--quick"],
            environment: &[],
            ignores: &[],
        },
        // Those that measure want an idle machine.
        Check {
            part: "attack",
            shows: "a server under attack keeps its bounds on memory, work, connections and waits",
            command: &["functions/testing/attack/run"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "attack-soak",
            shows: "ten minutes of honest and hostile traffic: nothing wrong, nothing lost, nothing grows",
            command: &["functions/testing/attack/run", "--only", "soak"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "seals",
            shows: "a rotation of keys under 1,000 logins a second, the cost of a seal, and 3,000,000 rows sealed in half a minute",
            command: &[
                "cargo",
                "test",
                "--locked",
                "--release",
                "--package",
                "saltern-seal",
                "--package",
                "saltern-cli",
                "--test",
                "seal",
                "--test",
                "cli",
                "--",
                "--nocapture",
                "--test-threads=1",
                "a_rotation_under_load",
                "a_seal_costs_a_login",
                "three_million_rows",
            ],
            environment: &[("SALTERN_ROTATION_SECONDS", "20")],
            ignores: &[],
        },
        Check {
            part: "load-rate",
            shows: "3,000 requests a second are carried from k6 through fleet for a minute",
            command: &["loadtest/sustained"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "load-model",
            shows: "fleet's model is as fast as real processes",
            command: &["loadtest/fleet/validate"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "zips",
            shows: "the Lambda zips are small, and what is in them passes the function's tests on both architectures",
            command: &["functions/lambda/package", "--test"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "static",
            shows: "the static binaries of both architectures need no library of the host, and hash",
            command: &["packaging/build", "--test"],
            environment: &[],
            ignores: &[],
        },
        // After the binaries were built.
        Check {
            part: "image",
            shows: "the container image is small, and its program serves as an unprivileged user",
            command: &["packaging/image/check"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "native",
            shows: "the Scala client's libraries build for all four systems, and a million random calls under -Xcheck:jni agree",
            command: &["client-scala/native/build", "--all", "--test"],
            environment: &[],
            ignores: &[],
        },
        // After the libraries were built.
        Check {
            part: "native-emulated",
            shows: "the library for aarch64 computes every vector inside an emulated JVM, and musl loads its own and computes",
            command: &["client-scala/native/emulated"],
            environment: &[],
            ignores: &[],
        },
        // After the parts that build the same programs.
        Check {
            part: "release",
            shows: "all artefacts of a release are made and verified, and README's block gives a hash in a fresh root",
            command: &["packaging/release", "--dry-run"],
            environment: &[],
            ignores: &[],
        },
        Check {
            part: "reproducible",
            shows: "a second build in another directory makes the same binaries, zips and image, byte for byte",
            command: &["packaging/reproduce"],
            environment: &[],
            ignores: &[],
        },
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::{Path, PathBuf},
        process::Command,
    };

    use serde_json::Value;

    use super::*;

    #[test]
    fn each_check_has_another_name() {
        let all = [every_change().concat(), before_a_release()].concat();
        let names: BTreeSet<_> = all.iter().map(|check| check.part).collect();
        assert_eq!(names.len(), all.len(), "{names:?}");
        for (part, whole) in INCLUDED {
            assert!(names.contains(part) && names.contains(whole), "{part}, {whole}");
        }
    }

    /// Else a check would be taken for unchanged after a change of a program that it runs.
    #[test]
    fn no_check_ignores_a_folder_of_a_program_that_it_builds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let crates = crates(&root);
        let checks = every_change().concat();
        for (part, programs) in [
            ("client-native", &["saltern-jni"][..]),
            ("attack-smoke", &["saltern-cli", "saltern-attack"]),
            ("loadtest", &["saltern-cli", "saltern-fleet", "saltern-load-report"]),
        ] {
            let check = checks.iter().find(|check| check.part == part).unwrap();
            let mut seen = BTreeSet::new();
            let mut left: Vec<&Path> = programs.iter().map(|name| folder_of(&crates, name)).collect();
            while let Some(folder) = left.pop() {
                if !seen.insert(folder) {
                    continue;
                }
                left.extend(crates[folder].1.iter().map(PathBuf::as_path));
                for read in included(folder).into_iter().chain([folder.join("src/lib.rs")]) {
                    let ignored = check.ignores.iter().copied().flatten().find(|pattern| {
                        // In git's patterns `*` also matches `/`.
                        let (folder, ending) = pattern.split_once("/*").unwrap_or((pattern, ""));
                        read.starts_with(root.join(folder)) && read.to_str().unwrap().ends_with(ending)
                    });
                    assert_eq!(ignored, None, "{programs:?} are built from {}", read.display());
                }
            }
        }
    }

    /// The name of each crate, and the folders of the crates that it is built from, by folder.
    type Crates = BTreeMap<PathBuf, (String, Vec<PathBuf>)>;

    fn crates(root: &Path) -> Crates {
        let mut metadata = Command::new(env!("CARGO"));
        metadata.args(["metadata", "--format-version=1", "--no-deps", "--locked"]).current_dir(root);
        let metadata: Value = serde_json::from_slice(&metadata.output().unwrap().stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap().iter();
        let entry = |package: &Value| {
            let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let built_from = dependencies
                .filter(|dependency| dependency["kind"] != "dev")
                .filter_map(|dependency| dependency["path"].as_str().map(PathBuf::from))
                .collect();
            (
                manifest.parent().unwrap().to_owned(),
                (package["name"].as_str().unwrap().to_owned(), built_from),
            )
        };
        packages.map(entry).collect()
    }

    fn folder_of<'a>(crates: &'a Crates, name: &str) -> &'a Path {
        crates.iter().find(|(_, (other, _))| other == name).unwrap().0
    }

    /// The files that the sources below a folder include, except those of its tests.
    fn included(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut left = vec![folder.join("src")];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if let Ok(source) = fs::read_to_string(&path) {
                let shipped = source.split("#[cfg(test)]").next().unwrap();
                let names = shipped.split("include_str!(").skip(1).filter_map(|rest| rest.split('"').nth(1));
                let beside = path.parent().unwrap();
                files.extend(names.filter_map(|name| beside.join(name).canonicalize().ok()));
            }
        }
        files
    }
}
