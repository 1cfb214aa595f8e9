//! Tests of all commands of the binary except `serve`.

mod confirmed;
mod convert;
mod exit_codes;
mod guide;
mod keys;
mod migrate_plan;
mod mixed;
mod one_hash;
mod seal;
mod wrap;

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

/// The exit code and the output of a command.
struct Ended {
    code: i32,
    out: String,
    err: String,
}

/// Runs `saltern` with these arguments and this standard input.
fn saltern(arguments: &[&str], input: &str) -> Ended {
    run(Command::new(env!("CARGO_BIN_EXE_saltern")).args(arguments), input)
}

/// Runs a command line in a shell, in which `saltern` is the program.
fn shell(line: &str, input: &str) -> Ended {
    let line = format!("saltern() {{ {} \"$@\"; }}; {line}", env!("CARGO_BIN_EXE_saltern"));
    run(Command::new("sh").args(["-c", &line]), input)
}

fn run(command: &mut Command, input: &str) -> Ended {
    let mut child = command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A command that refuses its arguments does not read its input.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _unread = writer.join().unwrap();
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs a command that changes rows, as an operator does who repeats the number of rows that the
/// command tells.
fn confirmed(arguments: &[&str], input: &str) -> Ended {
    let ended = saltern(arguments, input);
    match ended.err.trim_end().rsplit_once("--unverified ") {
        Some((_, rows)) => saltern(&[arguments, &["--unverified", rows]].concat(), input),
        None => ended,
    }
}

/// Runs `saltern`, which must end with 0.
#[track_caller]
fn succeeds(arguments: &[&str], input: &str) -> Ended {
    let ended = confirmed(arguments, input);
    assert_eq!(ended.code, 0, "{arguments:?}: {} {}", ended.out, ended.err);
    ended
}

/// The password of all hashes of these tests.
const PASSWORD: &str = "saltern";

/// `printf saltern | openssl dgst -sha1 -binary | base64`
const LDAP_SHA: &str = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";

/// libxcrypt's hash with its default cost, in PHP's spelling.
const BCRYPT: &str = "$2y$05$cdowWt2zq32WWUGxEiTjPuNKk168hSgk6UP3O2yqaboDWsSrnFs7e";
