//! Runs the curl commands of the README's quick start and compares the responses with its comments.
//!
//! This test is a separate program, because the commands name port 9000.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should end")]

use std::{
    env,
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

#[test]
fn the_commands_of_the_quick_start_get_its_responses() {
    let steps = steps();
    assert!(steps.len() >= 4, "only {} curl commands were found", steps.len());
    for path in ["/hash", "/verify"] {
        assert!(steps.iter().any(|step| step.command.contains(path)), "no command calls {path}");
    }
    let _server = Server::start();
    for Step { command, expected } in steps {
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
    // `make run` and this test start the same command: `serve` without arguments.
    let recipe = MAKEFILE.lines().skip_while(|line| *line != "run:").nth(1);
    assert!(recipe.is_some_and(|recipe| recipe.ends_with("--package saltern-cli -- serve")), "{recipe:?}");
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
    let from_fence = after_heading.strip_prefix("```sh\n").expect("the commands come first");
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

struct Server(Child);

impl Server {
    fn start() -> Self {
        // If the port were in use, another server would answer.
        drop(TcpListener::bind(ADDRESS).unwrap_or_else(|error| {
            panic!("{ADDRESS} is in use ({error}), and the quick start needs it: end the process that listens there")
        }));
        let mut command = Command::new(env!("CARGO_BIN_EXE_saltern"));
        for (name, _) in env::vars().filter(|(name, _)| name.starts_with("SALTERN_")) {
            command.env_remove(name);
        }
        let mut server = Self(command.arg("serve").stdout(Stdio::null()).spawn().unwrap());
        let start = Instant::now();
        while TcpStream::connect(ADDRESS).is_err() {
            assert!(server.0.try_wait().unwrap().is_none(), "the server has ended");
            assert!(start.elapsed() < PATIENCE, "the server does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.0.kill();
        let _has_ended = self.0.wait();
    }
}

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The default address of `saltern serve`.
const ADDRESS: &str = "127.0.0.1:9000";

const README: &str = include_str!("../../../README.md");

const MAKEFILE: &str = include_str!("../../../Makefile");
