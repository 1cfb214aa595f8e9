//! Runs checks in tracks side by side, prints their output and counts.

use std::{
    collections::VecDeque,
    env,
    fmt::Write as _,
    io::{self, BufRead as _, BufReader},
    panic,
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use crate::checks::{Check, When};

/// Runs the phases one after the other, the tracks of a phase side by side, and prints the sums.
///
/// The output of a check is printed when the check ends, so that the outputs of two tracks do not
/// mix. A track without another beside it prints at once. A failure ends nothing early.
pub(crate) fn run(phases: &[&[&[Check]]]) -> ExitCode {
    let results: Vec<_> = phases.iter().flat_map(|tracks| run_tracks(tracks)).collect();
    conclude(&results, "")
}

/// Runs the slow checks, in their order, that should end within the minutes, and names the others.
pub(crate) fn run_within(checks: &[Check], minutes: u64) -> ExitCode {
    let (began, limit) = (Instant::now(), Duration::from_mins(minutes));
    let has_time = |check: &Check| match check.when {
        When::Slow { minutes: takes } => began.elapsed() + Duration::from_mins(takes) <= limit,
        When::Change | When::ChangeBesideCargo | When::IdleMachine => false,
    };
    let (mut results, mut left) = (Vec::new(), Vec::new());
    for check in checks {
        if has_time(check) {
            results.push(run_one(check, true));
        } else {
            left.push(check.part);
        }
    }
    conclude(
        &results,
        &format!("not run, for want of {minutes} minutes or an idle machine: {}\n", left.join(", ")),
    )
}

fn conclude(results: &[Ran], remark: &str) -> ExitCode {
    println!("\n{}", summary(results, remark));
    let (passed, failed) = sums(results);
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The result of a check.
#[derive(Debug)]
struct Ran {
    part: &'static str,
    passed: u64,
    failed: u64,
    seconds: u64,
    /// The lines that say what did not run, and why.
    not_run: Vec<String>,
    /// The first lines that name a failure, for the end of the log. If there are none, the last
    /// lines.
    failures: Vec<String>,
}

fn run_tracks(tracks: &[&[Check]]) -> Vec<Ran> {
    let at_once = tracks.len() == 1;
    let run_track = |track: &[Check]| track.iter().map(|check| run_one(check, at_once)).collect::<Vec<_>>();
    thread::scope(|scope| {
        let running: Vec<_> = tracks.iter().map(|track| scope.spawn(|| run_track(track))).collect();
        running
            .into_iter()
            .flat_map(|track| track.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
            .collect()
    })
}

/// A check counts the tests that it reports, or itself if it reports no sum and nothing that did not
/// run. A bad exit status is a failure, and so are sums of nothing: the names of the tests have
/// changed.
fn run_one(check: &Check, at_once: bool) -> Ran {
    let began = Instant::now();
    println!("\n== {}: {}\n   {}", check.part, check.shows, check.command);
    let mut ran =
        Ran { part: check.part, passed: 0, failed: 0, seconds: 0, not_run: Vec::new(), failures: Vec::new() };
    let (mut output, mut last) = (String::new(), VecDeque::new());
    let (mut shown, mut has_sums) = (began, false);
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
        if let Some(at) = line.find("NOT RUN") {
            ran.not_run.push(line[at..].to_owned());
        }
        if let Some((passed, failed)) = reported(line) {
            ran.passed += passed;
            ran.failed += failed;
            has_sums = true;
        } else if ran.failures.len() < FAILURES_AT_THE_END && names_a_failure(line) {
            ran.failures.push(line.trim().to_owned());
        }
        last.truncate(FAILURES_AT_THE_END - 1);
        last.push_front(line.trim().to_owned());
    });
    if ran.failures.is_empty() {
        ran.failures = last.into_iter().rev().collect();
    }
    match ended_well {
        Ok(true) if ran.passed + ran.failed > 0 || !ran.not_run.is_empty() => {}
        Ok(true) if has_sums => ran.failed = 1,
        Ok(true) => ran.passed = 1,
        Ok(false) => ran.failed = ran.failed.max(1),
        Err(error) => {
            let _infallible = writeln!(output, "   {} failed to run: {error}", check.command);
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
    let mut words = check.command.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    // `cargo run` has set them for xtask. Build scripts that read them, such as ring's, would run
    // again each time after a cargo of the shell.
    for (name, _) in env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("CARGO_PKG_") || shown.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
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

/// A table of the parts, what did not run, the failures, and as the last line the sums.
fn summary(results: &[Ran], remark: &str) -> String {
    let mut text = format!("{:<16}{:>8}{:>8}{:>9}\n", "part", "passed", "failed", "seconds");
    for Ran { part, passed, failed, seconds, .. } in results {
        let _infallible = writeln!(text, "{part:<16}{passed:>8}{failed:>8}{seconds:>9}");
    }
    for Ran { part, not_run, .. } in results {
        for line in not_run {
            let _infallible = writeln!(text, "\n{part}: {line}");
        }
    }
    for Ran { part, failures, .. } in results.iter().filter(|ran| ran.failed > 0) {
        let _infallible = writeln!(text, "\nfailed: {part} (alone: cargo xtask test {part})");
        for failure in failures {
            let _infallible = writeln!(text, "   {failure}");
        }
    }
    let (passed, failed) = sums(results);
    let _infallible = write!(text, "\n{remark}{passed} passed, {failed} failed");
    text
}

fn sums(results: &[Ran]) -> (u64, u64) {
    (results.iter().map(|ran| ran.passed).sum(), results.iter().map(|ran| ran.failed).sum())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(part: &'static str, script: &str) -> Check {
        let test = thread::current().id();
        let file = env::temp_dir().join(format!("saltern-{}-{test:?}-{part}", std::process::id()));
        std::fs::write(&file, script).unwrap();
        let command = format!("sh {}", file.display()).leak();
        Check { part, shows: "a test", command, when: When::Slow { minutes: 1 } }
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
        let counts = |script| {
            let ran = run_one(&check("x", script), false);
            (ran.passed, ran.failed)
        };
        assert_eq!(counts("true"), (1, 0));
        assert_eq!(counts("false"), (0, 1));
        assert_eq!(counts("no-such-program"), (0, 1));
        assert_eq!(counts("echo 2 passed, 0 failed; exit 1"), (2, 1));
        assert_eq!(counts("echo 2 passed, 0 failed >&2"), (2, 0));
        // The name of no test begins as the command says.
        assert_eq!(counts("echo 'test result: ok. 0 passed; 0 failed; 7 filtered out'"), (0, 1));
        assert_eq!(counts("echo NOT RUN: npm is missing"), (0, 0));
        assert_eq!(counts("echo '  skipped NOT RUN: not root'; echo 2 passed, 0 failed"), (2, 0));
    }

    #[test]
    fn the_package_of_xtask_is_not_that_of_a_check() {
        assert!(env::var_os("CARGO_PKG_NAME").is_some());
        let script = "test -z \"$CARGO_PKG_NAME$CARGO_MANIFEST_DIR\"";
        assert_eq!(run_one(&check("x", script), false).passed, 1);
    }

    #[test]
    fn the_end_of_the_log_repeats_what_failed_and_what_did_not_run() {
        let script = "echo NOT RUN: npm is missing; echo ok a; echo test b ... FAILED; exit 1";
        let text = summary(&[run_one(&check("x", script), false)], "");
        let end = "\nx: NOT RUN: npm is missing\n\nfailed: x (alone: cargo xtask test x)\n   test b ... FAILED\n\n0 passed, 1 failed";
        assert!(text.ends_with(end), "{text}");

        let script = "seq 9; exit 1";
        let text = summary(&[run_one(&check("y", script), false)], "");
        let end = "\nfailed: y (alone: cargo xtask test y)\n   4\n   5\n   6\n   7\n   8\n   9\n\n0 passed, 1 failed";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn tracks_run_side_by_side_and_a_failure_ends_neither() {
        // Each track waits for a file of the other.
        let folder = env::temp_dir().join(format!("saltern-runner-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let waits = |part, own: &str, other: &str, status: u8| {
            let folder = folder.display();
            let script =
                format!("cd {folder}; touch {own}; until [ -e {other} ]; do sleep 0.01; done; exit {status}");
            check(part, &script)
        };
        let results = run_tracks(&[
            &[waits("first", "a", "b", 1), check("third", "true")],
            &[waits("second", "b", "a", 0)],
        ]);
        let counted: Vec<_> = results.iter().map(|ran| (ran.part, ran.passed, ran.failed)).collect();
        assert_eq!(counted, [("first", 0, 1), ("third", 1, 0), ("second", 1, 0)]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn checks_without_time_are_named_and_do_not_run() {
        let passes = check("passes", "true");
        let long = Check { when: When::Slow { minutes: 9 }, ..check("long", "false") };
        let idle = Check { when: When::IdleMachine, ..check("idle", "false") };
        assert_eq!(run_within(&[passes, long, idle], 2), ExitCode::SUCCESS);
        assert_eq!(run_within(&[passes, long, idle], 10), ExitCode::FAILURE);
        assert_eq!(run_within(&[long], 2), ExitCode::FAILURE, "nothing ran");
    }
}
