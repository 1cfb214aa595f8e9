//! Tells the program the commit and the target that it is built for.
//!
//! The commit is `SALTERN_COMMIT`, else git's. Sources that git does not track have none: those of
//! a tarball, also inside another repository. The commit does not tell of changes that are not
//! committed.

#![allow(clippy::print_stdout, reason = "a build script controls cargo by its output")]

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SALTERN_COMMIT");
    if let Some(commit) = env::var("SALTERN_COMMIT").ok().or_else(commit_of_git) {
        println!("cargo::rustc-env=SALTERN_COMMIT={commit}");
    }
    if let Ok(target) = env::var("TARGET") {
        println!("cargo::rustc-env=SALTERN_TARGET={target}");
    }
}

fn commit_of_git() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // git adds a line to this file when HEAD moves.
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "HEAD"])
}

/// Returns the output of a command that succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
