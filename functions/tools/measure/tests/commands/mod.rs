//! The commands of `saltern-measure`, as processes.

mod bench;
mod exit_codes;

use std::process::Command;

/// The output and the exit code of a command.
struct Ended {
    code: i32,
    out: String,
    err: String,
}

/// Runs `saltern-measure` with these arguments.
fn run(arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltern-measure"));
    let output = command.args(arguments).env_clear().output().unwrap();
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
