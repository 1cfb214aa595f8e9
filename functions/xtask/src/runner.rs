//! Runs checks one after the other, shows what they print, and counts.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

/// One command and what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// A word to run it alone by.
    pub(crate) part: &'static str,
    /// What it shows, for the heading.
    pub(crate) shows: &'static str,
    pub(crate) command: &'static [&'static str],
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

/// Runs the checks to the end, whatever fails, and says how many passed.
pub(crate) fn run(checks: &[Check]) -> ExitCode {
    let mut total = Counts::default();
    let mut failed_parts = Vec::new();
    for check in checks {
        println!("\n== {}: {}\n   {}", check.part, check.shows, check.command.join(" "));
        let started = Instant::now();
        let counts = run_one(check);
        println!(
            "-- {}: {} passed, {} failed, {} s",
            check.part,
            counts.passed,
            counts.failed,
            started.elapsed().as_secs()
        );
        if counts.failed > 0 {
            failed_parts.push(check.part);
        }
        total.passed += counts.passed;
        total.failed += counts.failed;
    }
    if !failed_parts.is_empty() {
        println!("\nfailed: {} (run one alone: cargo xtask test PART)", failed_parts.join(", "));
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 && total.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
}

/// A check counts the tests that it reports, or itself where it reports none. One that ends badly has failed.
fn run_one(check: &Check) -> Counts {
    let mut command = Command::new(check.command[0]);
    command.args(&check.command[1..]).envs(check.environment.iter().copied()).stdout(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            println!("   {} cannot be started: {error}", check.command[0]);
            return Counts { passed: 0, failed: 1 };
        }
    };
    let mut counts = Counts::default();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let Ok(line) = line else { break };
        println!("{line}");
        if let Some(reported) = reported(&line) {
            counts.passed += reported.passed;
            counts.failed += reported.failed;
        }
    }
    let ended_well = child.wait().is_ok_and(|status| status.success());
    match (ended_well, counts) {
        (true, Counts { passed: 0, failed: 0 }) => Counts { passed: 1, failed: 0 },
        (false, Counts { failed: 0, passed }) => Counts { passed, failed: 1 },
        _ => counts,
    }
}

/// Reads `test result: ok. 3 passed; 0 failed; …` (cargo test) and `3 passed, 0 failed` (everything of ours).
fn reported(line: &str) -> Option<Counts> {
    let (passed, rest) = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1.split_once(" passed; ")?,
        None => line.split_once(" passed, ")?,
    };
    let failed = rest.split_once(" failed")?.0;
    Some(Counts { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_counted() {
        for (line, expected) in [
            ("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured", Some((12, 0))),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored", Some((3, 2))),
            ("7 passed, 1 failed", Some((7, 1))),
            ("-- tests: 7 passed, 1 failed, 3 s", None),
            ("test it ... ok", None),
        ] {
            assert_eq!(reported(line).map(|c| (c.passed, c.failed)), expected, "{line}");
        }
    }

    #[test]
    fn a_check_that_reports_nothing_counts_itself() {
        let check = |command| Check { part: "x", shows: "x", command, environment: &[] };
        assert_eq!(run_one(&check(&["true"])), Counts { passed: 1, failed: 0 });
        assert_eq!(run_one(&check(&["false"])), Counts { passed: 0, failed: 1 });
        assert_eq!(run_one(&check(&["no-such-program"])), Counts { passed: 0, failed: 1 });
        assert_eq!(
            run_one(&check(&["sh", "-c", "echo 2 passed, 0 failed; exit 1"])),
            Counts { passed: 2, failed: 1 }
        );
    }
}
