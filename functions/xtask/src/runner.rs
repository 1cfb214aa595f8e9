//! Runs checks in tracks side by side, prints their output and counts.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt::Write as _,
    io::{self, BufRead as _, BufReader},
    iter,
    process::{Command, ExitCode},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use crate::{
    checks::{INCLUDED, MEASURED},
    passed::{FOLDER, Passed},
};

/// One command and its purpose.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// The name for `cargo xtask test PART`.
    pub(crate) part: &'static str,
    /// The property that a pass shows, for the heading.
    pub(crate) shows: &'static str,
    pub(crate) command: &'static [&'static str],
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// Lists of git's pathspecs of files that the check does not read. It does not run again while
    /// only these change.
    pub(crate) ignores: &'static [&'static [&'static str]],
}

/// Checks that run one after the other. An idle track takes the last waiting check of another
/// track, but never one of [`MEASURED`].
pub(crate) type Track = Vec<Check>;

/// Runs the phases one after the other, the tracks of a phase side by side, and prints the sums.
///
/// The output of a check is printed when the check ends, so that the outputs of two tracks do not
/// mix. A track without another beside it prints at once. A failure ends nothing early.
///
/// A check that passed before on the same files does not run again.
pub(crate) fn run(phases: &[Vec<Track>], passed: &Passed) -> ExitCode {
    let mut unchanged = Vec::new();
    let mut results = Vec::new();
    for tracks in phases {
        let changed = |check: &&Check| !passed.on_the_same_files(check);
        let due: BTreeSet<_> = tracks.iter().flatten().filter(changed).map(|check| check.part).collect();
        let whole_of = |check: &Check| {
            INCLUDED
                .iter()
                .find(|(part, whole)| *part == check.part && due.contains(whole))
                .map(|(_, whole)| *whole)
        };
        let mut tracks = tracks.clone();
        let mut included = Vec::new();
        for track in &mut tracks {
            unchanged.extend(track.iter().map(|check| check.part).filter(|part| !due.contains(part)));
            track.retain(|check| due.contains(check.part));
            included.extend(track.extract_if(.., |check| whole_of(check).is_some()));
        }
        let ran = run_tracks(&tracks, passed);
        for check in &included {
            let whole = ran.iter().find(|ran| whole_of(check) == Some(ran.part));
            passed.note(check, whole.is_some_and(|whole| whole.failed == 0 && !whole.in_part));
        }
        results.extend(ran);
    }
    println!("\n{}", summary(&results, &unchanged));
    let (succeeded, failed) = sums(&results);
    if failed == 0 && (succeeded > 0 || !unchanged.is_empty()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The result of a check.
#[derive(Debug)]
struct Ran {
    part: &'static str,
    passed: u64,
    failed: u64,
    seconds: u64,
    /// Whether a tool was missing. Then a pass is not remembered.
    in_part: bool,
    /// The first lines that name a failure, for the end of the log.
    failures: Vec<String>,
}

fn run_tracks(tracks: &[Track], passed: &Passed) -> Vec<Ran> {
    let at_once = tracks.len() == 1;
    let left: Vec<_> = tracks.iter().map(|track| Mutex::new(track.iter().collect::<VecDeque<_>>())).collect();
    let next = |own: usize| {
        // The lock of the own track is free again before others are locked.
        let first = left[own].lock().ok().and_then(|mut left| left.pop_front());
        first.or_else(|| {
            left.iter().find_map(|other| {
                let mut left = other.lock().ok()?;
                let last = left.iter().rposition(|check| !MEASURED.contains(&check.part))?;
                left.remove(last)
            })
        })
    };
    let run_track = |own: usize| {
        let run_one = |check: &Check| {
            let ran = run_one(check, at_once);
            passed.note(check, ran.failed == 0 && !ran.in_part);
            ran
        };
        iter::from_fn(|| next(own)).map(run_one).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..tracks.len()).map(|own| scope.spawn(move || run_track(own))).collect();
        running.into_iter().flat_map(|track| track.join().unwrap_or_default()).collect()
    })
}

/// A check counts the tests that it reports, or itself if it reports none. A bad exit status is a
/// failure.
fn run_one(check: &Check, at_once: bool) -> Ran {
    let began = Instant::now();
    println!("\n== {}: {}\n   {}", check.part, check.shows, check.command.join(" "));
    let mut ran =
        Ran { part: check.part, passed: 0, failed: 0, seconds: 0, in_part: false, failures: Vec::new() };
    let mut output = String::new();
    let mut shown = began;
    let ended_well = lines_of(check, |line| {
        if at_once {
            println!("{line}");
        } else {
            let _infallible = writeln!(output, "{line}");
            if shown.elapsed() >= BETWEEN_PROGRESS {
                println!("   … {}, {} s: {}", check.part, began.elapsed().as_secs(), line.trim());
                shown = Instant::now();
            }
        }
        ran.in_part |= line.starts_with("NOT RUN");
        if let Some((passed, failed)) = reported(line) {
            ran.passed += passed;
            ran.failed += failed;
        } else if ran.failures.len() < FAILURES_AT_THE_END && names_a_failure(line) {
            ran.failures.push(line.trim().to_owned());
        }
    });
    match ended_well {
        Ok(true) => ran.passed += u64::from(ran.passed + ran.failed == 0),
        Ok(false) => ran.failed = ran.failed.max(1),
        Err(error) => {
            let _infallible = writeln!(output, "   {} failed to run: {error}", check.command[0]);
            ran.failed += 1;
        }
    }
    ran.seconds = began.elapsed().as_secs();
    // One call, because the other track prints too.
    let heading = if at_once { String::new() } else { format!("\n== {}, the output:\n", check.part) };
    println!(
        "{heading}{output}-- {}: {} passed, {} failed, {} s",
        ran.part, ran.passed, ran.failed, ran.seconds
    );
    ran
}

const BETWEEN_PROGRESS: Duration = Duration::from_secs(30);

/// Calls `each` with every line that the command prints, and returns whether it ended well.
fn lines_of(check: &Check, mut each: impl FnMut(&str)) -> io::Result<bool> {
    let (output, writer) = io::pipe()?;
    let mut command = Command::new(check.command[0]);
    command.args(&check.command[1..]).envs(check.environment.iter().copied());
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // It holds the pipe open.
    drop(command);
    for line in BufReader::new(output).split(b'\n') {
        each(&String::from_utf8_lossy(&line?));
    }
    Ok(child.wait()?.success())
}

/// Reads `test result: ok. 3 passed; 0 failed; …` (cargo test) and `3 passed, 0 failed` (the
/// scripts).
fn reported(line: &str) -> Option<(u64, u64)> {
    let (passed, rest) = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1.split_once(" passed; ")?,
        None => line.split_once(" passed, ")?,
    };
    let failed = rest.split_once(" failed")?.0;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

/// How many lines of a part's failures are repeated at the end. A log that is cut at its beginning
/// still shows them.
const FAILURES_AT_THE_END: usize = 6;

/// Reads the marks of libtest, munit, node's runner, the compilers and the scripts.
fn names_a_failure(line: &str) -> bool {
    let line = line.trim_start();
    line.ends_with("... FAILED")
        || ["==> X", "not ok", "FAILED", "error", "[error] ("].iter().any(|mark| line.starts_with(mark))
}

/// A table of the parts, the failed ones with their failures, and as the last line the sums.
fn summary(results: &[Ran], unchanged: &[&str]) -> String {
    let mut text = format!("{:<16}{:>8}{:>8}{:>9}\n", "part", "passed", "failed", "seconds");
    for Ran { part, passed, failed, seconds, .. } in results {
        let _infallible = writeln!(text, "{part:<16}{passed:>8}{failed:>8}{seconds:>9}");
    }
    for Ran { part, failures, .. } in results.iter().filter(|ran| ran.failed > 0) {
        let _infallible = writeln!(text, "\nfailed: {part} (alone: cargo xtask test {part})");
        for failure in failures {
            let _infallible = writeln!(text, "   {failure}");
        }
    }
    if !unchanged.is_empty() {
        let parts = unchanged.join(", ");
        let again = format!("They passed on the same files. To run them: rm -r {FOLDER}");
        let _infallible = writeln!(text, "\nnot run again: {parts}. {again}");
    }
    let (passed, failed) = sums(results);
    let _infallible = write!(text, "\n{passed} passed, {failed} failed");
    text
}

fn sums(results: &[Ran]) -> (u64, u64) {
    (results.iter().map(|ran| ran.passed).sum(), results.iter().map(|ran| ran.failed).sum())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(part: &'static str, command: &'static [&'static str]) -> Check {
        Check { part, shows: "a test", command, environment: &[], ignores: &[] }
    }

    #[test]
    fn summaries_are_counted() {
        for (line, expected) in [
            ("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured", Some((12, 0))),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored", Some((3, 2))),
            ("7 passed, 1 failed", Some((7, 1))),
            ("-- tests: 7 passed, 1 failed, 3 s", None),
            ("test it ... ok", None),
        ] {
            assert_eq!(reported(line), expected, "{line}");
        }
    }

    #[test]
    fn a_check_that_reports_nothing_counts_itself() {
        let counts = |command| {
            let ran = run_one(&check("x", command), false);
            (ran.passed, ran.failed)
        };
        assert_eq!(counts(&["true"]), (1, 0));
        assert_eq!(counts(&["false"]), (0, 1));
        assert_eq!(counts(&["no-such-program"]), (0, 1));
        assert_eq!(counts(&["sh", "-c", "echo 2 passed, 0 failed; exit 1"]), (2, 1));
        assert_eq!(counts(&["sh", "-c", "echo 2 passed, 0 failed >&2"]), (2, 0));
    }

    #[test]
    fn a_check_without_its_tool_runs_again() {
        let in_part = |command| run_one(&check("x", command), false).in_part;
        assert!(in_part(&["echo", "NOT RUN: npm is missing"]));
        assert!(!in_part(&["echo", "not run again: it passed"]));
    }

    #[test]
    fn the_end_of_the_log_repeats_the_failures() {
        let ran = run_one(&check("x", &["sh", "-c", "echo ok a; echo test b ... FAILED; exit 1"]), false);
        assert!(
            summary(&[ran], &[]).ends_with(
                "failed: x (alone: cargo xtask test x)\n   test b ... FAILED\n\n0 passed, 1 failed"
            )
        );
    }

    #[test]
    fn tracks_run_side_by_side_and_a_failure_ends_neither() {
        // Each track waits for a file of the other.
        let folder = std::env::temp_dir().join(format!("saltern-runner-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = |own: &str, other: &str, status: u8| {
            let folder = folder.display();
            format!("cd {folder}; touch {own}; until [ -e {other} ]; do sleep 0.01; done; exit {status}")
        };
        let shell = |script: String| -> &'static [&'static str] { vec!["sh", "-c", script.leak()].leak() };
        // The third waits for the fourth, which only the other track can begin.
        let first = check("first", shell(script("a", "b", 1)));
        let second = check("second", shell(script("b", "a", 0)));
        let third = check("third", shell(script("c", "d", 0)));
        let fourth = check("fourth", shell(script("d", "c", 0)));
        let results = run_tracks(&[vec![first, third, fourth], vec![second]], &Passed::nothing());
        let mut counted: Vec<_> = results.iter().map(|ran| (ran.part, ran.passed, ran.failed)).collect();
        counted.sort_unstable();
        assert_eq!(counted, [("first", 0, 1), ("fourth", 1, 0), ("second", 1, 0), ("third", 1, 0)]);
        let text = summary(&results, &[]);
        assert!(text.contains("failed: first (alone: cargo xtask test first)"), "{text}");
        assert!(text.ends_with("\n3 passed, 1 failed"), "{text}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_check_that_judges_times_waits_for_the_checks_before_it() {
        let folder = std::env::temp_dir().join(format!("saltern-runner-{}-waits", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("ended").display().to_string();
        let shell = |script: String| -> &'static [&'static str] { vec!["sh", "-c", script.leak()].leak() };
        let before = check("before", shell(format!("sleep 0.2; touch {file}")));
        let measured = check(MEASURED[0], shell(format!("[ -e {file} ]")));
        let results =
            run_tracks(&[vec![before, measured], vec![check("beside", &["true"])]], &Passed::nothing());
        assert_eq!(sums(&results), (3, 0), "{results:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
