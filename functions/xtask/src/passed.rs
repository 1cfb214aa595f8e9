//! Remembers on which files each check passed.
//!
//! A file of [`FOLDER`] has the name of a check, and in it a tree object of git. A clean clone has
//! none, and every check runs.

use std::{env, fs, io, path::Path, process::Command};

use crate::runner::Check;

/// Relative to the root of the repository.
pub(crate) const FOLDER: &str = "target/passed";

/// The files of the working tree at the start, as git's tree object.
#[derive(Debug)]
pub(crate) struct Passed {
    now: Option<String>,
}

impl Passed {
    /// Reads the working tree. Outside a repository of git every check runs, and nothing is
    /// remembered.
    pub(crate) fn read() -> Self {
        Self { now: working_tree().ok() }
    }

    /// No check passed before.
    pub(crate) const fn nothing() -> Self {
        Self { now: None }
    }

    /// Whether the check passed, and no file that it reads differs since then.
    pub(crate) fn on_the_same_files(&self, check: &Check) -> bool {
        let Some(now) = &self.now else { return false };
        let Ok(then) = fs::read_to_string(Path::new(FOLDER).join(check.part)) else { return false };
        let excluded = check.ignores.iter().map(|folder| format!(":(exclude){folder}"));
        let mut compare = Command::new("git");
        compare.args(["diff", "--quiet", then.trim(), now, "--", "."]).args(excluded);
        compare.status().is_ok_and(|status| status.success())
    }

    /// Remembers a pass, and forgets an older one after a failure.
    pub(crate) fn note(&self, check: &Check, passed: bool) {
        let file = Path::new(FOLDER).join(check.part);
        let noted = match &self.now {
            Some(now) if passed => fs::create_dir_all(FOLDER).and_then(|()| fs::write(file, now)),
            _ => fs::remove_file(file),
        };
        // Without a note the check runs again.
        drop(noted);
    }
}

/// Writes the files that git does not ignore into git's objects, and returns their tree.
///
/// The index is a copy, so that the user's own index stays.
fn working_tree() -> io::Result<String> {
    let git = |arguments: &[&str], index: Option<&Path>| {
        let mut command = Command::new("git");
        command.args(arguments).envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() { Ok(text) } else { Err(io::Error::other("git failed")) }
    };
    let copy = env::current_dir()?.join("target/passed.index");
    fs::copy(git(&["rev-parse", "--git-path", "index"], None)?, &copy)?;
    git(&["add", "--all"], Some(&copy))?;
    git(&["write-tree"], Some(&copy))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// It changes no file of the tree, and forgets what it noted.
    #[test]
    fn a_check_runs_again_only_after_a_change_of_its_files() {
        env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
        let git = |arguments: &[&str]| {
            let output = Command::new("git").args(arguments).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let check = |ignores| Check {
            part: "a-check-of-a-test",
            shows: "",
            command: &["true"],
            environment: &[],
            ignores,
        };
        let empty = git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let all = Passed::read();
        let (reads_all, reads_nothing) = (check(&[]), check(&["*"]));
        assert!(!all.on_the_same_files(&reads_all));
        all.note(&reads_all, true);
        assert!(all.on_the_same_files(&reads_all));
        let other = Passed { now: Some(empty) };
        assert!(!other.on_the_same_files(&reads_all));
        assert!(other.on_the_same_files(&reads_nothing));
        all.note(&reads_all, false);
        assert!(!all.on_the_same_files(&reads_nothing));
    }
}
