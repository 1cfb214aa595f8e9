//! The README's quick start: its curl commands, run as they are written, against the answers that it promises.
//!
//! Alone in its program: the commands name port 9000, and no other test may hold it meanwhile.

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
fn the_commands_of_the_quick_start_answer_as_it_says() {
    let steps = steps();
    assert!(steps.len() >= 4, "only {} curl commands were found", steps.len());
    for path in ["/hash", "/verify"] {
        assert!(steps.iter().any(|step| step.command.contains(path)), "no command asks for {path}");
    }
    let _server = Server::start();
    for Step { command, expected } in steps {
        let output = Command::new("sh").args(["-c", command]).stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "{command}\nended with {}", output.status);
        let text = String::from_utf8(output.stdout).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{command}\nsaid {text}"));
        assert!(is_as_promised(&answer, &expected), "{command}\nsaid     {answer}\npromised {expected}");
    }
}

#[test]
fn the_quick_start_is_ten_lines_and_begins_with_the_server() {
    let lines: Vec<&str> = block().lines().collect();
    assert!(lines.len() <= 10, "{} lines", lines.len());
    assert_eq!(lines.first(), Some(&"make run &"));
    // What the test starts in its place is what `make run` starts: `serve`, without further arguments.
    let recipe = MAKEFILE.lines().skip_while(|line| *line != "run:").nth(1);
    assert!(recipe.is_some_and(|recipe| recipe.ends_with("--package saltern-cli -- serve")), "{recipe:?}");
}

/// A command, and the answer that stands as a comment on the line after it.
struct Step {
    command: &'static str,
    expected: Value,
}

fn steps() -> Vec<Step> {
    let lines = block().lines();
    let pairs = lines.clone().zip(lines.skip(1)).filter(|(command, _)| command.starts_with("curl "));
    pairs
        .map(|(command, below)| {
            let promised = below.strip_prefix("# ");
            let promised = promised.unwrap_or_else(|| panic!("no answer stands under {command}"));
            let expected =
                serde_json::from_str(promised).unwrap_or_else(|error| panic!("{error}: {promised}"));
            Step { command, expected }
        })
        .collect()
}

/// The commands, between the fences under the heading.
fn block() -> &'static str {
    let after_heading = README.split_once("\n## Quick start\n\n").expect("the README has a quick start").1;
    let from_fence = after_heading.strip_prefix("```sh\n").expect("the commands come first");
    from_fence.split_once("\n```\n").expect("the commands end").0
}

/// Equal, but for what follows an ellipsis: a salt is random.
fn is_as_promised(answer: &Value, expected: &Value) -> bool {
    match (answer, expected) {
        (Value::Object(answer), Value::Object(expected)) => {
            answer.keys().eq(expected.keys())
                && expected.iter().all(|(name, expected)| is_as_promised(&answer[name], expected))
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
        // Else another server would answer, and the test would say nothing of this one.
        drop(TcpListener::bind(ADDRESS).unwrap_or_else(|error| {
            panic!("{ADDRESS} is taken ({error}); the quick start is written for it: end what listens there")
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

/// Long enough for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(20);

/// The default of `saltern serve`.
const ADDRESS: &str = "127.0.0.1:9000";

const README: &str = include_str!("../../../README.md");

const MAKEFILE: &str = include_str!("../../../Makefile");
