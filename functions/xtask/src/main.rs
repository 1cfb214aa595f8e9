//! `cargo xtask test` runs the checks that every change must pass. `cargo xtask test-all` also runs
//! the longer ones. Both end with one line: `N passed, N failed`.
//!
//! A check that passed does not run again while the files that it reads are the same.
//!
//! `cargo xtask release --dry-run` makes all artefacts of a version and verifies them.
//!
//! `cargo xtask attack` attacks a running server and prints the figures.
//!
//! `cargo xtask generate` writes the generated parts of documents.
//!
//! `cargo xtask lines`, `words`, `road` and `surface` print figures about the tree.
//!
//! `cargo xtask test-binary PROGRAM` is for cargo: it runs a program of tests unless it passed.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod binary;
mod checks;
mod passed;
mod runner;

use std::process::{Command, ExitCode};

use crate::passed::Passed;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => runner::run(&[checks::every_change()], &Passed::read()),
        // Some of the longer ones measure, and want no other beside them.
        ["test-all"] => {
            runner::run(&[checks::every_change(), vec![checks::before_a_release()]], &Passed::read())
        }
        ["test", part] => run_part(part),
        ["test-binary", program, arguments @ ..] => binary::run(program.as_ref(), arguments),
        ["attack", arguments @ ..] => exit_code(Command::new("functions/testing/attack/run").args(arguments)),
        ["release", arguments @ ..] => exit_code(Command::new("packaging/release").args(arguments)),
        ["generate"] => exit_code(
            Command::new("cargo")
                .args(["run", "--quiet", "--locked", "--package", "xtask", "--features", "documents"])
                .args(["--bin", "generate"]),
        ),
        ["lines", revision @ ..] => exit_code(Command::new("lints/lines").args(revision)),
        [figures @ ("road" | "surface" | "words"), arguments @ ..] => {
            exit_code(Command::new(format!("functions/xtask/{figures}")).args(arguments))
        }
        _ => {
            eprintln!(
                "usage: cargo xtask test [PART] | test-all | release --dry-run | attack [ARGUMENTS] | generate | lines [REVISION] | words [REVISION] | road | surface"
            );
            ExitCode::from(EX_USAGE)
        }
    }
}

fn run_part(part: &str) -> ExitCode {
    let all = [checks::every_change().concat(), checks::before_a_release()].concat();
    let parts: Vec<_> = all.iter().map(|check| check.part).collect();
    let Some(check) = all.into_iter().find(|check| check.part == part) else {
        eprintln!("unknown part {part}; the parts are {}", parts.join(", "));
        return ExitCode::from(EX_USAGE);
    };
    // A part that is named runs, also if nothing changed.
    if part == "tests" {
        binary::forget();
    }
    runner::run(&[vec![vec![check]]], &Passed::nothing())
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
