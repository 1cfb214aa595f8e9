//! Remembers on which files each check passed.
//!
//! A file of [`FOLDER`] has the name of a check. It holds a tree object of git, how the check was
//! run, and a digest of the conditions. A clean clone has none, and every check runs.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    os::unix::ffi::OsStrExt as _,
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
    conditions: u64,
}

impl Passed {
    /// Reads the working tree of the current directory. Outside a repository of git every check
    /// runs, and nothing is remembered.
    pub(crate) fn read() -> Self {
        Self::of(PathBuf::from("."))
    }

    /// No check passed before.
    pub(crate) fn nothing() -> Self {
        Self { root: PathBuf::from("."), now: None, conditions: 0 }
    }

    pub(crate) fn of(root: PathBuf) -> Self {
        let now = working_tree(&root).ok();
        // Other systems than Linux have no such file.
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self { root, now, conditions: conditions(env::vars_os(), &cpus) }
    }

    /// Whether the check passed as it is now, and no file that it reads differs since then.
    pub(crate) fn on_the_same_files(&self, check: &Check) -> bool {
        self.knows(check.part, &way_of(check), check.ignores)
    }

    /// The same for anything that was noted under a name, with the way it was run.
    pub(crate) fn knows(&self, name: &str, way: &str, ignores: &[&[&str]]) -> bool {
        let Some(now) = &self.now else { return false };
        let Ok(note) = fs::read_to_string(self.file(name)) else { return false };
        let Some((then, way_then)) = note.split_once('\n') else { return false };
        let excluded = ignores.iter().copied().flatten().map(|path| format!(":(exclude){path}"));
        let mut compare = Command::new("git");
        compare.current_dir(&self.root).args(["diff", "--quiet", then, now, "--", "."]).args(excluded);
        self.under_conditions(way) == way_then && compare.status().is_ok_and(|status| status.success())
    }

    /// Remembers a pass, and forgets an older one after a failure.
    pub(crate) fn note(&self, check: &Check, passed: bool) {
        self.note_as(check.part, &way_of(check), passed);
    }

    pub(crate) fn note_as(&self, name: &str, way: &str, passed: bool) {
        let file = self.file(name);
        let noted = match (&self.now, file.parent()) {
            (Some(now), Some(folder)) if passed => fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, format!("{now}\n{}", self.under_conditions(way)))),
            (None, _) if passed => Ok(()),
            _ => fs::remove_file(&file),
        };
        // Without a note the check runs again.
        drop(noted);
    }

    fn under_conditions(&self, way: &str) -> String {
        format!("{way} {:x}", self.conditions)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.join(FOLDER).join(name)
    }
}

fn way_of(check: &Check) -> String {
    format!("{:?} {:?} {:?}", check.command, check.environment, check.ignores)
}

/// The digest of what else changes how checks run: our variables, the tools on the path, and the
/// features of the processor. These select the paths of the kernels.
///
/// The variables can hold keys, which must not get into a file.
fn conditions(variables: impl Iterator<Item = (OsString, OsString)>, cpus: &str) -> u64 {
    let variables: BTreeMap<_, _> = variables.collect();
    let ours: Vec<_> =
        variables.iter().filter(|(name, _)| name.as_bytes().starts_with(b"SALTERN_")).collect();
    let folders = variables.get(OsStr::new("PATH"));
    let has = |tool| folders.is_some_and(|path| env::split_paths(path).any(|at| at.join(tool).exists()));
    let features = cpus.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let mut hasher = DefaultHasher::new();
    (ours, TOOLS.map(has), features).hash(&mut hasher);
    hasher.finish()
}

/// A check leaves a part out if one of these is missing.
const TOOLS: [&str; 5] = ["go", "node", "npm", "python3", "terraform"];

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
        let (reads_all, reads_one) = (check("all", &["true"], &[]), check("one", &["true"], &[&["beside"]]));
        assert!(!passed.on_the_same_files(&reads_all), "it never passed");
        passed.note(&reads_all, true);
        passed.note(&reads_one, true);
        assert!(passed.on_the_same_files(&reads_all) && passed.on_the_same_files(&reads_one));
        assert!(!passed.on_the_same_files(&check("all", &["false"], &[])), "another command");
        assert!(!passed.on_the_same_files(&check("all", &["true"], &[&["beside"]])), "other folders ignored");

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
        let alone = Passed { root: root.clone(), now: None, conditions: passed.conditions };
        alone.note(&check, true);
        assert!(passed.on_the_same_files(&check));
        alone.note(&check, false);
        assert!(!passed.on_the_same_files(&check));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_check_runs_again_under_other_conditions() {
        let root = repository("conditions");
        let passed = Passed::of(root.clone());
        let check = check("all", &["true"], &[]);
        passed.note(&check, true);
        assert!(Passed::of(root.clone()).on_the_same_files(&check));
        let other = Passed { conditions: !passed.conditions, ..passed };
        assert!(!other.on_the_same_files(&check));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn conditions_are_our_variables_the_tools_and_the_features_of_the_processor() {
        let under = |variables: &[(&str, &str)], cpus: &str| {
            conditions(variables.iter().map(|(name, value)| (name.into(), value.into())), cpus)
        };
        let (cases, seed) = (("SALTERN_RANDOM_CASES", "10"), ("SALTERN_TEST_SEED", "1"));
        let first = under(&[cases, seed], "cpu MHz: 1\nflags: avx2\n");
        assert_eq!(under(&[seed, ("TERM", "dumb"), cases], "cpu MHz: 2\nflags: avx2\n"), first);
        let tools = env::temp_dir().join(format!("saltern-tools-{}", process::id()));
        fs::create_dir_all(&tools).unwrap();
        let path = ("PATH", tools.to_str().unwrap());
        assert_eq!(under(&[seed, path, cases], "flags: avx2"), first);
        fs::write(tools.join("go"), "").unwrap();
        for (variables, cpus) in [
            (&[seed, path, cases][..], "flags: avx2"),
            (&[seed], "flags: avx2"),
            (&[("SALTERN_RANDOM_CASES", "11"), seed], "flags: avx2"),
            (&[cases, seed], "flags: avx512f"),
            (&[cases, seed], "Features: asimd"),
        ] {
            assert_ne!(under(variables, cpus), first, "{variables:?} {cpus}");
        }
        fs::remove_dir_all(tools).unwrap();
    }

    const fn check(
        part: &'static str,
        command: &'static [&'static str],
        ignores: &'static [&'static [&'static str]],
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
