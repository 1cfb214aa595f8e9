//! `cargo xtask test` runs the checks that every change must pass, `cargo xtask test-all` adds those that take longer.
//! Each prints what it runs as it runs it, and ends with one line: `N passed, N failed`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod checks;
mod runner;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => runner::run(&checks::every_change()),
        ["test-all"] => runner::run(&[checks::every_change(), checks::before_a_release()].concat()),
        ["test", part] => run_part(part),
        _ => {
            eprintln!("usage: cargo xtask test [PART] | test-all");
            ExitCode::from(EX_USAGE)
        }
    }
}

fn run_part(part: &str) -> ExitCode {
    let all = [checks::every_change(), checks::before_a_release()].concat();
    let chosen: Vec<_> = all.iter().filter(|check| check.part == part).cloned().collect();
    if chosen.is_empty() {
        let parts: Vec<_> = all.iter().map(|check| check.part).collect();
        eprintln!("no part is named {part}; there are: {}", parts.join(", "));
        return ExitCode::from(EX_USAGE);
    }
    runner::run(&chosen)
}

/// sysexits.h: the command was used incorrectly.
const EX_USAGE: u8 = 64;
