//! Runs the curl commands of the README's quick start and compares the responses with its comments.
//! Also the block of the released binary in `packaging/README.md`.
//!
//! The commands name port 9000. Somebody's server may have that port, so the test puts a free one in
//! its place.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::server::{Server, saltern};

#[test]
fn the_commands_of_the_quick_start_get_its_responses() {
    let steps = steps();
    assert!(steps.len() >= 4, "only {} curl commands were found", steps.len());
    for path in ["/hash", "/verify"] {
        assert!(steps.iter().any(|step| step.command.contains(path)), "no command calls {path}");
    }
    // As `make run` starts it, except for the address.
    let mut serve = saltern();
    serve.args(["serve", "--listen", "127.0.0.1:0"]);
    let server = Server::spawn(serve);
    for Step { command, expected } in steps {
        assert!(command.contains(ADDRESS), "{command} does not name {ADDRESS}");
        let command = &command.replace(ADDRESS, &server.address().to_string());
        let output = Command::new("sh").args(["-c", command]).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "{command}\nended with {}", output.status);
        let text = String::from_utf8(output.stdout).unwrap();
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{command}\nprinted {text}"));
        assert!(is_as_expected(&answer, &expected), "{command}\nprinted {answer}\nnot     {expected}");
    }
}

#[test]
fn the_quick_start_is_ten_lines_and_begins_with_the_server() {
    let lines: Vec<&str> = block().lines().collect();
    assert!(lines.len() <= 10, "{} lines", lines.len());
    assert_eq!(lines.first(), Some(&"make run &"));
    let recipe = MAKEFILE.lines().skip_while(|line| *line != "run:").nth(1);
    assert!(recipe.is_some_and(|recipe| recipe.ends_with("--package saltern-cli -- serve")), "{recipe:?}");
    let help = saltern().args(["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains(&format!("[default: {ADDRESS}]")), "{help}");
}

/// Another server answers on the port meanwhile.
#[test]
fn the_block_of_the_release_gets_no_hash_without_the_right_binary() {
    let (_, section) = PACKAGING.split_once("\n**Binary.**").unwrap().1.split_once("\n```sh\n").unwrap();
    let (block, _) = section.split_once("\n```\n").unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("from-a-release");
    for download in
        ["exit 22", "echo tampered > saltern-$(uname -m); echo \"0 saltern-$(uname -m)\" > SHA256SUMS"]
    {
        let _none = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let curl = format!("curl() {{ case \"$*\" in *-O*) {download};; *) echo a hash;; esac; }}");
        let script = format!("{}\n{block}\n", curl.replace("exit", "return"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(&folder).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success() && !printed.contains("a hash"), "{download}: {printed}");
    }
    let served = "curl() { return 0; }; grep() { echo; }; sha256sum() { :; }; chmod() { printf 'echo serves' > \"$2\"; command chmod +x \"$2\"; }";
    let output = Command::new("sh")
        .args(["-c", &format!("{served}\n{block}\nwait")])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "serves\n");
}

/// A command, and the expected response from the comment on the next line.
struct Step {
    command: &'static str,
    expected: Value,
}

fn steps() -> Vec<Step> {
    let lines = block().lines();
    let pairs = lines.clone().zip(lines.skip(1)).filter(|(command, _)| command.starts_with("curl "));
    pairs
        .map(|(command, below)| {
            let comment = below.strip_prefix("# ");
            let comment = comment.unwrap_or_else(|| panic!("no response follows {command}"));
            let expected = serde_json::from_str(comment).unwrap_or_else(|error| panic!("{error}: {comment}"));
            Step { command, expected }
        })
        .collect()
}

/// Returns the commands between the fences under the heading.
fn block() -> &'static str {
    let after_heading = README.split_once("\n## Quick start\n\n").expect("the README has a quick start").1;
    let from_fence = after_heading.split_once("\n```sh\n").expect("the quick start has commands").1;
    from_fence.split_once("\n```\n").expect("the commands end").0
}

/// Whether the response is as expected. An ellipsis stands for any further characters, since salts
/// are random.
fn is_as_expected(answer: &Value, expected: &Value) -> bool {
    match (answer, expected) {
        (Value::Object(answer), Value::Object(expected)) => {
            answer.keys().eq(expected.keys())
                && expected.iter().all(|(name, expected)| is_as_expected(&answer[name], expected))
        }
        (Value::String(answer), Value::String(expected)) => match expected.strip_suffix('…') {
            Some(start) => answer.len() > start.len() && answer.starts_with(start),
            None => answer == expected,
        },
        _ => answer == expected,
    }
}

/// The default address of `saltern serve`.
const ADDRESS: &str = "127.0.0.1:9000";

const README: &str = include_str!("../../../../README.md");

const PACKAGING: &str = include_str!("../../../../packaging/README.md");

const MAKEFILE: &str = include_str!("../../../../Makefile");
