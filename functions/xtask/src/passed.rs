//! Remembers on which files each check passed.
//!
//! A file of [`FOLDER`] has the name of a check. It holds a tree object of git, and how the check
//! was run. A clean clone has none, and every check runs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use crate::runner::Check;

/// Relative to the root of the repository.
pub(crate) const FOLDER: &str = "target/passed";

/// The files of the working tree at the start, as git's tree object.
#[derive(Debug)]
pub(crate) struct Passed {
    root: PathBuf,
    now: Option<String>,
}

impl Passed {
    /// Reads the working tree of the current directory. Outside a repository of git every check
    /// runs, and nothing is remembered.
    pub(crate) fn read() -> Self {
        Self::of(PathBuf::from("."))
    }

    /// No check passed before.
    pub(crate) fn nothing() -> Self {
        Self { root: PathBuf::from("."), now: None }
    }

    fn of(root: PathBuf) -> Self {
        let now = working_tree(&root).ok();
        Self { root, now }
    }

    /// Whether the check passed as it is now, and no file that it reads differs since then.
    pub(crate) fn on_the_same_files(&self, check: &Check) -> bool {
        let Some(now) = &self.now else { return false };
        let Ok(note) = fs::read_to_string(self.file(check)) else { return false };
        let Some((then, way)) = note.split_once('\n') else { return false };
        let excluded = check.ignores.iter().map(|folder| format!(":(exclude){folder}"));
        let mut compare = Command::new("git");
        compare.current_dir(&self.root).args(["diff", "--quiet", then, now, "--", "."]).args(excluded);
        way == way_of(check) && compare.status().is_ok_and(|status| status.success())
    }

    /// Remembers a pass, and forgets an older one after a failure.
    pub(crate) fn note(&self, check: &Check, passed: bool) {
        let file = self.file(check);
        let noted = match &self.now {
            Some(now) if passed => fs::create_dir_all(self.root.join(FOLDER))
                .and_then(|()| fs::write(file, format!("{now}\n{}", way_of(check)))),
            None if passed => Ok(()),
            _ => fs::remove_file(file),
        };
        // Without a note the check runs again.
        drop(noted);
    }

    fn file(&self, check: &Check) -> PathBuf {
        self.root.join(FOLDER).join(check.part)
    }
}

fn way_of(check: &Check) -> String {
    format!("{:?} {:?} {:?}", check.command, check.environment, check.ignores)
}

/// Writes the files that git does not ignore into git's objects, and returns their tree.
///
/// The index is a copy, so that the user's own index stays.
fn working_tree(root: &Path) -> io::Result<String> {
    let git = |arguments: &[&str], index: Option<&Path>| {
        let mut command = Command::new("git");
        command.current_dir(root).args(arguments).envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() { Ok(text) } else { Err(io::Error::other("git failed")) }
    };
    let target = root.join("target").canonicalize()?;
    let copy = target.join("passed.index");
    fs::copy(root.join(git(&["rev-parse", "--git-path", "index"], None)?), &copy)?;
    git(&["add", "--all"], Some(&copy))?;
    git(&["write-tree"], Some(&copy))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::{env, process};

    use super::*;

    #[test]
    fn a_check_runs_again_only_after_a_change_of_its_files_or_its_command() {
        let root = repository("files");
        let passed = Passed::of(root.clone());
        let (reads_all, reads_one) = (check("all", &["true"], &[]), check("one", &["true"], &["beside"]));
        assert!(!passed.on_the_same_files(&reads_all), "it never passed");
        passed.note(&reads_all, true);
        passed.note(&reads_one, true);
        assert!(passed.on_the_same_files(&reads_all) && passed.on_the_same_files(&reads_one));
        assert!(!passed.on_the_same_files(&check("all", &["false"], &[])), "another command");
        assert!(!passed.on_the_same_files(&check("all", &["true"], &["beside"])), "other folders ignored");

        fs::write(root.join("beside/file"), "changed").unwrap();
        let after = Passed::of(root.clone());
        assert!(!after.on_the_same_files(&reads_all));
        assert!(after.on_the_same_files(&reads_one));
        fs::write(root.join("read/new"), "not yet known to git").unwrap();
        assert!(!Passed::of(root.clone()).on_the_same_files(&reads_one));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_failure_forgets_the_pass_and_a_pass_alone_keeps_it() {
        let root = repository("results");
        let passed = Passed::of(root.clone());
        let check = check("all", &["true"], &[]);
        passed.note(&check, true);
        let alone = Passed { root: root.clone(), now: None };
        alone.note(&check, true);
        assert!(passed.on_the_same_files(&check));
        alone.note(&check, false);
        assert!(!passed.on_the_same_files(&check));
        fs::remove_dir_all(root).unwrap();
    }

    const fn check(
        part: &'static str,
        command: &'static [&'static str],
        ignores: &'static [&'static str],
    ) -> Check {
        Check { part, shows: "", command, environment: &[], ignores }
    }

    /// Makes a repository with a file in each of two folders.
    fn repository(name: &str) -> PathBuf {
        let root = env::temp_dir().join(format!("saltern-passed-{}-{name}", process::id()));
        for folder in ["read", "beside", "target"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join(".gitignore"), "target").unwrap();
        fs::write(root.join("read/file"), "").unwrap();
        fs::write(root.join("beside/file"), "").unwrap();
        for arguments in [&["init", "--quiet"][..], &["add", "--all"]] {
            let status = Command::new("git").current_dir(&root).args(arguments).status();
            assert!(status.unwrap().success(), "git {arguments:?}");
        }
        root
    }
}
