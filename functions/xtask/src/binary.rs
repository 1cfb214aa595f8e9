//! Runs a program of tests for `cargo test`, unless it passed before.
//!
//! After a change of one crate, cargo builds the tests of the crates above it again. All others are
//! the same programs as before.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus},
};

use crate::{
    checks::RUST,
    passed::{FOLDER, Passed},
};

pub(crate) fn run(program: &Path, arguments: &[&str]) -> ExitCode {
    let root = root();
    let known = Known::of(&root, program, arguments, &env::vars_os().collect());
    let passed = Passed::of(root);
    if let Some(known) = &known
        && passed.knows(&known.name, &known.way, &[RUST])
    {
        println!("not run again: it passed, and it is the same program on the same files");
        return ExitCode::SUCCESS;
    }
    let status = Command::new(program).args(arguments).status();
    let succeeded = status.as_ref().is_ok_and(ExitStatus::success);
    if !succeeded {
        // Cargo sees only our own exit status, which hides a signal.
        eprintln!("{} failed: {status:?}", program.display());
    }
    if let Some(known) = known {
        passed.note_as(&known.name, &known.way, succeeded);
    }
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every program of tests runs again.
pub(crate) fn forget() {
    // It is absent if none passed.
    drop(fs::remove_dir_all(root().join(FOLDER).join(PROGRAMS)));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of their passes, in that of the checks.
const PROGRAMS: &str = "programs";

/// A program of tests as it is now.
struct Known {
    name: String,
    /// The arguments, and the digests of the program and of those that it runs.
    way: String,
}

impl Known {
    /// Returns nothing for a program that cargo did not build below `root`, as those of
    /// documentation tests are.
    ///
    /// Cargo names the programs that a program of tests runs in variables.
    fn of(root: &Path, program: &Path, arguments: &[&str], variables: &Variables) -> Option<Self> {
        let built = root.canonicalize().ok()?.join("target");
        program.parent()?.canonicalize().ok()?.strip_prefix(built).ok()?;
        let name = format!("{PROGRAMS}/{}", program.file_name()?.to_str()?);
        let mut digests = Command::new("git");
        digests.current_dir(root).args(["hash-object", "--no-filters", "--"]).arg(program);
        let runs = |(name, _): &(&OsString, _)| name.as_bytes().starts_with(b"CARGO_BIN_EXE_");
        digests.args(variables.iter().filter(runs).map(|(_, program)| program));
        let digests = digests.output().ok().filter(|digests| digests.status.success())?;
        Some(Self { name, way: format!("{arguments:?} {}", String::from_utf8(digests.stdout).ok()?) })
    }
}

/// By their names, in their order.
type Variables = BTreeMap<OsString, OsString>;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::process;

    use super::*;

    #[test]
    fn a_program_is_another_after_a_change_of_it_or_of_its_arguments_or_of_one_that_it_runs() {
        let root = env::temp_dir().join(format!("saltern-binary-{}", process::id()));
        let folder = root.join("target/debug");
        fs::create_dir_all(folder.join("deps")).unwrap();
        let write = |name: &str, content: &str| {
            let path = folder.join(name);
            fs::write(&path, content).unwrap();
            path
        };
        let variables = [("CARGO_BIN_EXE_run", write("run", "")), ("OTHER", write("beside", ""))];
        let variables = variables.map(|(name, path)| (name.into(), path.into())).into();
        let tests = write("deps/tests", "");
        let way_with = |arguments| Known::of(&root, &tests, arguments, &variables).unwrap().way;
        let way = || way_with(&[]);

        let first = way();
        write("beside", "changed");
        assert_eq!(way(), first);
        assert_ne!(way_with(&["a_name"]), first);
        write("run", "changed");
        let second = way();
        assert_ne!(second, first);
        write("deps/tests", "changed");
        assert_ne!(way(), second);
        assert!(Known::of(&root, Path::new("/bin/true"), &[], &variables).is_none());
        fs::remove_dir_all(root).unwrap();
    }
}
