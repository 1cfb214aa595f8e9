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

use crate::checks::{Check, When};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let checks = checks::all();
    let those = |has: fn(When) -> bool| -> Vec<Check> {
        checks.iter().copied().filter(|check| has(check.when)).collect()
    };
    let rust = those(|when| when == When::Change);
    let beside_rust = those(|when| when == When::ChangeBesideCargo);
    let slow = those(When::is_slow);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => runner::run(&[&[&rust, &beside_rust]]),
        // Nothing runs beside the slow checks, because some of them judge times.
        ["test-all"] => runner::run(&[&[&rust, &beside_rust], &[&slow]]),
        ["test", part] => run_part(&checks, part),
        ["slow", minutes] => {
            minutes.parse().map_or_else(|_| usage(), |minutes| runner::run_within(&slow, minutes))
        }
        ["attack", arguments @ ..] => exit_code("functions/testing/attack/run", arguments),
        ["release", arguments @ ..] => exit_code("packaging/release", arguments),
        ["generate"] => exit_code("cargo", &["run", "--quiet", "--locked", "--package", "saltern-documents"]),
        [figures @ ("lines" | "road" | "surface" | "words"), arguments @ ..] => {
            exit_code(&format!("functions/xtask/{figures}"), arguments)
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

fn run_part(checks: &[Check], part: &str) -> ExitCode {
    let Some(check) = checks.iter().find(|check| check.part == part) else {
        let parts: Vec<_> = checks.iter().map(|check| check.part).collect();
        eprintln!("unknown part {part}; the parts are {}", parts.join(", "));
        return ExitCode::from(EX_USAGE);
    };
    runner::run(&[&[&[*check]]])
}

fn exit_code(program: &str, arguments: &[&str]) -> ExitCode {
    match Command::new(program).args(arguments).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{program} failed to run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// sysexits.h: the command was used incorrectly.
const EX_USAGE: u8 = 64;
