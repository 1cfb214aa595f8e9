//! `cargo xtask test` runs the checks that every change must pass, and `cargo xtask test-all` the
//! slow ones too. Both end with one line: `N passed, N failed`.
//!
//! `cargo xtask slow MINUTES` is for CI: it runs the slow checks that judge no times, the shortest
//! first, as far as the minutes go, and names the others.
//!
//! `cargo xtask release --dry-run` makes all artefacts of a version and verifies them.
//!
//! `cargo xtask attack` attacks a running server and prints the figures.
//!
//! `cargo xtask generate` writes the generated parts of documents.
//!
//! `cargo xtask lines`, `words`, `road` and `surface` print figures about the tree.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod checks;
mod runner;

use std::process::{Command, ExitCode};

use crate::checks::{BESIDE_RUST, RUST, SLOW};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => runner::run(&[&[RUST, BESIDE_RUST]]),
        // Nothing runs beside the slow checks, because some of them judge times.
        ["test-all"] => runner::run(&[&[RUST, BESIDE_RUST], &[SLOW]]),
        ["test", part] => run_part(part),
        ["slow", minutes] => {
            minutes.parse().map_or_else(|_| usage(), |minutes| runner::run_within(SLOW, minutes))
        }
        ["attack", arguments @ ..] => exit_code(Command::new("functions/testing/attack/run").args(arguments)),
        ["release", arguments @ ..] => exit_code(Command::new("packaging/release").args(arguments)),
        ["generate"] => exit_code(Command::new("cargo").args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "saltern-documents",
        ])),
        [figures @ ("lines" | "road" | "surface" | "words"), arguments @ ..] => {
            exit_code(Command::new(format!("functions/xtask/{figures}")).args(arguments))
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: cargo xtask test [PART] | test-all | slow MINUTES | release --dry-run | attack [ARGUMENTS] \
         | generate | lines [REVISION] | words [REVISION] | road | surface"
    );
    ExitCode::from(EX_USAGE)
}

fn run_part(part: &str) -> ExitCode {
    let all = [RUST, BESIDE_RUST, SLOW].concat();
    let Some(check) = all.iter().find(|check| check.part == part) else {
        let parts: Vec<_> = all.iter().map(|check| check.part).collect();
        eprintln!("unknown part {part}; the parts are {}", parts.join(", "));
        return ExitCode::from(EX_USAGE);
    };
    runner::run(&[&[&[*check]]])
}

fn exit_code(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{} failed to run: {error}", command.get_program().display());
            ExitCode::FAILURE
        }
    }
}

/// sysexits.h: the command was used incorrectly.
const EX_USAGE: u8 = 64;
