//! The invariants of the tree that ARCHITECTURE.md states.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The crates that ship, from top to bottom: a crate uses only crates of a later row.
const SHIPPED: &[&[&str]] = &[
    &["saltern-cli", "saltern-jni", "saltern-lambda"],
    &["saltern-server"],
    &["saltern-service"],
    &["saltern-policy", "saltern-pool"],
    &["saltern-kernels", "saltern-seal"],
    &["saltern-encoded"],
];

/// Crates that measure or check the others. No shipped crate depends on one of them.
const NOT_SHIPPED: &[&str] = &[
    "saltern-attack",
    "saltern-capacity",
    "saltern-constant-time",
    "saltern-documents",
    "saltern-faults",
    "saltern-fleet",
    "saltern-fuzz",
    "saltern-load-report",
    "saltern-measure",
    "saltern-page",
    "saltern-stubs",
    "saltern-vectors",
    "xtask",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The workspace, as cargo describes it.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The crates of the workspace.
fn packages() -> Vec<Value> {
    metadata()["packages"].as_array().unwrap().clone()
}

/// Each workspace crate with the workspace crates that it uses outside its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let packages = packages();
    let name = |package: &Value| package["name"].as_str().unwrap().to_owned();
    let own: BTreeSet<String> = packages.iter().map(name).collect();
    let built_on = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap();
        let built_on = dependencies.iter().filter(|d| d["kind"] != "dev" && !is_for_measurements(package, d));
        built_on.map(name).filter(|d| own.contains(d)).collect()
    };
    packages.iter().map(|package| (name(package), built_on(package))).collect()
}

/// Whether only the feature `peers` of `saltern-measure` enables a dependency. `cargo test` and a
/// build without features do not have it.
fn is_for_measurements(package: &Value, dependency: &Value) -> bool {
    package["name"] == "saltern-measure" && dependency["optional"] == true
}

#[test]
fn no_crate_enables_the_comparison_with_other_libraries() {
    for package in packages() {
        let dependencies = package["dependencies"].as_array().unwrap();
        let uses_numbers = dependencies.iter().any(|dependency| dependency["name"] == "saltern-measure");
        assert!(!uses_numbers, "{} uses saltern-measure", package["name"]);
        assert!(package["features"]["default"].is_null(), "{} has default features", package["name"]);
    }
}

#[test]
fn dependencies_point_one_way() {
    let place = |name: &str| SHIPPED.iter().position(|row| row.contains(&name));
    for (package, built_on) in dependencies() {
        let Some(own) = place(&package) else {
            assert!(NOT_SHIPPED.contains(&package.as_str()), "{package} has no place in this file");
            continue;
        };
        for dependency in built_on {
            let other = place(&dependency);
            assert!(other.is_some_and(|other| other > own), "{package} must not use {dependency}");
        }
    }
}

#[test]
fn saltern_brings_no_aws_sdk_and_draws_nothing() {
    let uses = |package: &str, unwanted: &[&str]| {
        let arguments =
            ["tree", "--locked", "--edges=normal", "--prefix=none", "--format={p}", "--package", package];
        let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
        let crates = String::from_utf8(output.stdout).unwrap();
        crates.lines().any(|line| unwanted.iter().any(|unwanted| line.starts_with(unwanted)))
    };
    let (sdk, drawing) = (["aws-"], ["maud ", "plotters ", "saltern-measure ", "saltern-page "]);
    assert!(!uses("saltern-cli", &sdk) && !uses("saltern-cli", &drawing));
    assert!(uses("saltern-lambda", &sdk) && uses("saltern-measure", &drawing), "nothing is found");
}

/// The files that git has or would add, with their text.
pub(crate) fn texts() -> Vec<(String, String)> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    let read = |name: &str| Some((name.to_owned(), fs::read_to_string(root().join(name)).ok()?));
    let texts: Vec<_> = names.lines().filter_map(read).collect();
    assert!(texts.len() > 50, "only {} files were found", texts.len());
    texts
}

/// Whether a file's name ends in one of these extensions.
pub(crate) fn is_a(name: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.contains(&extension))
}

#[test]
fn nothing_is_left_for_later() {
    // In two pieces, so that the test does not find this file.
    let words = [concat!("TO", "DO"), concat!("FIX", "ME")];
    for (name, text) in texts().iter().filter(|(name, _)| is_a(name, &["rs", "scala"])) {
        for word in words {
            assert!(!text.contains(word), "{name} holds {word}");
        }
        assert!(!text.contains(concat!("#[ign", "ore")), "{name} leaves a test out");
    }
}

#[test]
fn text_ends_with_one_newline_and_lines_without_spaces() {
    // Formatters hold it in the languages that have one.
    let written_by_hand = ["toml", "md", "yml", "ts", "sbt"];
    for (name, text) in texts() {
        if !(is_a(&name, &written_by_hand) || name == "Makefile") || text.is_empty() {
            continue;
        }
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name} does not end with one newline");
        let trailing = text.lines().position(|line| line.ends_with(' ') || line.ends_with('\t'));
        assert_eq!(trailing.map(|i| i + 1), None, "{name} has a line that ends with a space");
    }
}

#[test]
fn unsafe_blocks_stay_in_their_rooms() {
    let rooms = [
        "functions/kernels/src/arena.rs",
        "functions/kernels/src/argon2/",
        "functions/kernels/src/bcrypt/barrier.rs",
        "functions/kernels/src/pbkdf2/",
        "functions/kernels/src/scrypt/avx2.rs",
        "functions/kernels/src/scrypt/avx512.rs",
        "functions/kernels/src/scrypt/neon.rs",
        "functions/kernels/src/scrypt/sse2.rs",
        // The instructions that tell valgrind what is secret.
        "functions/testing/constant-time/src/lib.rs",
        "functions/tools/measure/src/compare/peers/",
        "functions/tools/measure/src/measure/memory.rs",
        BOUNDARY,
    ];
    let texts = texts();
    let lifting: Vec<_> = texts
        .iter()
        .filter(|(name, text)| is_a(name, &["rs"]) && lifts_the_ban(text))
        .map(|(name, _)| name)
        .collect();
    for name in &lifting {
        assert!(rooms.iter().any(|room| name.starts_with(room)), "{name} allows unsafe code");
    }
    for room in rooms {
        assert!(
            lifting.iter().any(|name| name.starts_with(room)),
            "{room} has no unsafe code: remove it from this list"
        );
    }
}

/// Whether an attribute names the lint and does not forbid it, on one line or on several.
fn lifts_the_ban(text: &str) -> bool {
    let text = without_spaces(text);
    text.match_indices(concat!("unsafe", "_code")).any(|(at, _)| !text[..at].ends_with("forbid("))
}

/// The functions that the JVM calls need exported names. No other code there is unsafe.
#[test]
fn only_four_exported_names_are_unsafe_at_the_boundary_to_the_jvm() {
    let boundary = without_spaces(&fs::read_to_string(root().join(BOUNDARY)).unwrap());
    assert_eq!(boundary.matches("#[unsafe(no_mangle)]").count(), 4);
    assert_eq!(boundary.matches("unsafe(").count(), 4);
    for other in ["unsafe{", "unsafefn", "unsafeimpl", "unsafeextern"] {
        assert!(!boundary.contains(other), "{other}");
    }
}

const BOUNDARY: &str = "client-scala/native/kernels/src/boundary.rs";

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A reader finds each crate on the map.
#[test]
fn the_map_names_every_crate() {
    let map = fs::read_to_string(root().join("functions/ARCHITECTURE.md")).unwrap();
    let packages = packages();
    assert!(packages.len() > 15, "only {} crates were found", packages.len());
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(fs::canonicalize(root()).unwrap()).unwrap();
        let name = folder.strip_prefix("functions").unwrap_or(folder).display();
        assert!(map.contains(&format!("`{name}`")), "functions/ARCHITECTURE.md does not name `{name}`");
    }
}

/// A file that the map names is there, whatever was moved since.
#[test]
fn the_map_names_files_that_exist() {
    let map = fs::read_to_string(root().join("functions/ARCHITECTURE.md")).unwrap();
    let sources: Vec<String> = texts().into_iter().map(|(name, _)| format!("/{name}")).collect();
    let named: Vec<&str> =
        map.split('`').skip(1).step_by(2).filter(|code| is_a(code, &["rs"]) || code.ends_with('/')).collect();
    assert!(named.len() > 60, "only {} files were found in the map", named.len());
    for name in named {
        let place = format!("/{name}");
        let is_there =
            |source: &String| source.ends_with(&place) || (name.ends_with('/') && source.contains(&place));
        assert!(sources.iter().any(is_there), "functions/ARCHITECTURE.md names {name}, which does not exist");
    }
}

/// Only the ceilings of the policy document bound a server.
#[test]
fn ceilings_are_written_where_they_are_known() {
    let known = [
        // From the policy document.
        "functions/policy/src/document.rs",
        // From the policy document of the Scala client.
        "client-scala/native/kernels/src/boundary.rs",
        // The measurements at start-up.
        "functions/pool/src/first_estimates.rs",
        // `saltern-measure bench`.
        "functions/tools/measure/src/bench/ceilings.rs",
    ];
    let texts = texts();
    // The code below `cfg(test)`, at the end of each file, does not ship.
    let shipped = |text: &str| text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text).to_owned();
    let is_shipped = |name: &str| {
        let beside =
            ["functions/tools/measure/src/compare/", "functions/xtask/", "functions/testing/", "loadtest/"];
        is_a(name, &["rs"])
            && !name.contains("/tests/")
            && !beside.iter().any(|place| name.starts_with(place))
            // Only compiled for tests.
            && name != "functions/pool/src/panics.rs"
    };
    let writes = |text: &str| {
        let text = shipped(text);
        text.match_indices("Ceilings {").any(|(at, _)| {
            let before = text[..at].trim_end();
            let is_other_type = text[..at].ends_with(char::is_alphanumeric);
            !is_other_type
                && !before.ends_with("struct")
                && !before.ends_with("->")
                && !before.ends_with("for")
        })
    };
    let places: Vec<_> =
        texts.iter().filter(|(name, text)| is_shipped(name) && writes(text)).map(|(name, _)| name).collect();
    assert_eq!(places.len(), known.len(), "{places:?}");
    assert!(places.iter().all(|name| known.contains(&name.as_str())), "{places:?}");
}

/// The texts between each `begin` and the next `end`.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> BTreeSet<&'a str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split_once(end)).map(|(found, _)| found).collect()
}

#[test]
fn the_operations_guide_has_every_alarm() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (terraform, guide) = (read("infra/modules/password-hasher/alarms.tf"), read("infra/OPERATIONS.md"));
    let (of_the_function, _) = terraform.split_once("_in_event = {").unwrap();
    let of_the_function = of_the_function.replace(" = {\n      description", "|");
    let mut rings = between(&of_the_function, "    ", "|");
    let metrics = read("infra/modules/password-hasher/metrics.json");
    let (_, of_the_table) = metrics.split_once("\"alarms\"").unwrap();
    rings.extend(between(of_the_table, "\"name\": \"", "\""));
    let secrets = read("infra/modules/password-hasher/secrets.tf").replace(" = {\n      description", "|");
    rings.extend(between(&secrets, "    ", "|"));
    let (_, after) = guide.split_once("\n## When an alarm rings\n").unwrap();
    let (alarms, _) = after.split_once("\n## ").unwrap();
    assert_eq!(between(alarms, "\n### `", "`\n"), rings);
    let client = read("client-scala/core/src/main/scala/saltern/client/ClientListener.scala");
    let reasons = between(&client, "extends FallbackReason(\"", "\")");
    assert!(reasons.len() >= 10, "{reasons:?}");
    for reason in reasons {
        assert!(alarms.contains(&format!("`{reason}`")), "the guide does not explain {reason}");
    }
}

#[test]
fn the_operations_guide_quotes_the_warning_of_a_token() {
    let warning = "the token expires within two weeks: add its successor";
    for file in ["infra/OPERATIONS.md", "functions/server/src/tokens.rs"] {
        assert!(fs::read_to_string(root().join(file)).unwrap().contains(warning), "{file}");
    }
}

#[test]
fn the_tests_that_the_security_guide_names_exist() {
    let texts = texts();
    let (_, guide) = texts.iter().find(|(name, _)| name == "SECURITY.md").unwrap();
    let is_a_test = |word: &str| {
        let is_of_a_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        word.matches('_').count() > 2 && word.chars().all(is_of_a_name)
    };
    let named: BTreeSet<_> = guide.split('`').filter(|word| is_a_test(word)).collect();
    assert!(named.len() > 60, "{named:?}");
    for name in named {
        let definition = format!("fn {name}(");
        let is_defined = texts.iter().any(|(file, text)| is_a(file, &["rs"]) && text.contains(&definition));
        assert!(is_defined, "no test is called {name}");
    }
    let attacks: String =
        texts.iter().filter(|(file, _)| file.contains("/attack/src/")).map(|(_, text)| &**text).collect();
    for attack in between(guide, "`cargo xtask attack --only ", "`") {
        assert!(attacks.contains(&format!("\"{attack}\"")), "no attack is called {attack}");
    }
    let is_there =
        |file: &str| texts.iter().any(|(name, _)| format!("/{name}").ends_with(&format!("/{file}")));
    for word in guide.split('`').filter(|word| !word.contains(char::is_whitespace)) {
        let is_a_file = is_a(word, &["hcl", "json", "py", "rs", "sha256", "tf", "toml"]);
        assert!(!is_a_file || is_there(word), "there is no {word}");
        assert!(!word.ends_with("Suite") || is_there(&format!("{word}.scala")), "there is no {word}");
    }
}

/// That script calls pip with `--require-hashes`.
#[test]
fn python_packages_are_installed_only_with_their_digest() {
    // In two pieces, so that the test does not find this file.
    let commands =
        [concat!("pip ", "install"), concat!("pip\" ", "install"), concat!("\"pip\", ", "\"install")];
    let texts = texts();
    let installs = texts.iter().filter(|(_, text)| commands.iter().any(|command| text.contains(command)));
    let scripts: Vec<_> =
        installs.map(|(name, text)| (name.as_str(), text.contains("--require-hashes"))).collect();
    assert_eq!(scripts, [("functions/xtask/packages", true)]);
}

/// `npm ci` checks the digests that the lock file has, and that it fits package.json.
#[test]
fn npm_packages_are_installed_only_with_their_digest() {
    let texts = texts();
    for (name, lock) in texts.iter().filter(|(name, _)| name.ends_with("package-lock.json")) {
        let mut lock: Value = serde_json::from_str(lock).unwrap();
        let packages = lock["packages"].as_object_mut().unwrap();
        packages.remove("");
        for (package, entry) in packages {
            let digest = entry["integrity"].as_str().unwrap_or_default();
            assert!(digest.starts_with("sha512-"), "{name}: {package} has no digest");
        }
    }
    // In two pieces, so that the test does not find this file.
    let installs = |line: &str| line.trim_start().starts_with(concat!("npm ", "install"));
    let files: Vec<_> =
        texts.iter().filter(|(_, text)| text.lines().any(installs)).map(|(name, _)| name).collect();
    assert!(files.is_empty(), "{files:?} install without the lock file: use `npm ci`");
}

#[test]
fn the_operations_guide_names_metrics_that_exist() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (readme, guide) = (read("functions/server/README.md"), read("infra/OPERATIONS.md"));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = guide.split(|c: char| !is_name(c)).filter(|word| word.starts_with("saltern_"));
    let metrics: BTreeSet<_> = words.map(|word| word.trim_end_matches("_bucket")).collect();
    assert!(metrics.len() >= 4, "{metrics:?}");
    for metric in metrics {
        assert!(
            readme.contains(&format!("`{metric}`")),
            "{metric} is no metric of the table in functions/server/README.md"
        );
    }
    let schemas = between(&guide, "SCHEMA(", ")");
    assert!(schemas.len() >= 2, "{schemas:?}");
    for schema in schemas {
        // Reserved words of Metrics Insights, among the dimensions of the metrics.
        let has_bare = |word: &str| schema.split(", ").any(|label| label == word);
        assert!(!has_bare("Key") && !has_bare("Operation"), "SCHEMA({schema}) needs quotes");
    }
    for metric in between(&guide, "SUM(", ")").into_iter().filter(|metric| !metric.is_empty()) {
        assert!(
            readme.contains(&format!("| `{metric}` |")),
            "{metric} is no metric of the table in functions/server/README.md"
        );
    }
}

/// A longer document is read by fewer people. Details belong to the README of their room.
#[test]
fn the_first_documents_stay_short() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let lines = read("README.md").lines().count();
    assert!(lines <= 200, "README.md has {lines} lines");
    let words = read("functions/ARCHITECTURE.md").split_whitespace().count();
    assert!(words <= 2500, "ARCHITECTURE.md has {words} words");
}
