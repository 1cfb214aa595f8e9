use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
    sync::mpsc,
    thread,
    time::Duration,
};

use saltern_algorithm::OutOfMemory;

/// Why the process ends without having done what it was asked: one sentence that says what to do.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, the environment or a file that they name is wrong.
    Configuration(String),
    /// What was given to work on is refused: a stored hash that is not verified here, a password that is too long.
    Data(String),
    /// Not a failure: help or the version was asked for.
    Explained(String),
    /// The system refused something, or the time to end in ran out.
    System(String),
}

impl Failure {
    pub(crate) fn configuration(sentence: impl Into<String>) -> Self {
        Self::Configuration(sentence.into())
    }

    pub(crate) fn data(sentence: impl Into<String>) -> Self {
        Self::Data(sentence.into())
    }

    pub(crate) fn system(sentence: impl Into<String>) -> Self {
        Self::System(sentence.into())
    }

    /// Says it, and names the exit code.
    pub(crate) fn tell(&self) -> ExitCode {
        // There is nobody left to tell about an output that cannot be written.
        let _unwritten = match self {
            Self::Explained(text) => write!(io::stdout(), "{text}"),
            Self::Configuration(sentence) | Self::Data(sentence) | Self::System(sentence) => {
                tell_whoever_listens(format!("saltern: {sentence}\n"))
            }
        };
        match self {
            Self::Configuration(_) => ExitCode::from(EX_USAGE),
            Self::Data(_) => ExitCode::from(EX_DATAERR),
            Self::Explained(_) => ExitCode::SUCCESS,
            Self::System(_) => ExitCode::from(EX_OSERR),
        }
    }
}

/// Writes to the standard error. Where nobody reads it, the end of the process does not wait for ever.
fn tell_whoever_listens(line: String) -> io::Result<()> {
    let (done, is_done) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let written = io::stderr().write_all(line.as_bytes());
        let _too_late = done.send(written);
    })?;
    is_done.recv_timeout(TOLD_WITHIN).unwrap_or(Ok(()))
}

impl From<OutOfMemory> for Failure {
    /// For a hash that the memory budget allows.
    fn from(_: OutOfMemory) -> Self {
        Self::system(
            "the system gives no memory for a hash that the memory budget allows: lower --memory-budget-mib",
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(text) | Self::Data(text) | Self::Explained(text) | Self::System(text) => {
                f.write_str(text)
            }
        }
    }
}

/// How the process ends, and what that means: the one list, for `--help` and the manual.
pub(crate) const EXIT_CODES: &[(u8, &str)] = &[
    (0, "It was done; of verify: the password matches."),
    (MISMATCH, "Of verify: the password does not match. No other command ends so."),
    (
        EX_USAGE,
        "The command line, the environment or a file that they name is wrong. Trying again changes nothing.",
    ),
    (
        EX_DATAERR,
        "What was given to work on is refused: a hash that is not verified here, a password that is too long.",
    ),
    (EX_OSERR, "The system or another service refused something, or time ran out. Trying again may help."),
];

/// Long enough for whoever reads at all.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// What `htpasswd -v` and `grep` end with where there is no match, too.
pub(crate) const MISMATCH: u8 = 1;

/// sysexits.h: "the command was used incorrectly". A supervisor need not try again.
const EX_USAGE: u8 = 64;

/// sysexits.h: "the input data was incorrect in some way".
const EX_DATAERR: u8 = 65;

/// sysexits.h: "an operating system error has been detected". A supervisor may try again.
const EX_OSERR: u8 = 71;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_the_same_list() {
        let readme = include_str!("../../../README.md").replace('`', "");
        let (_, table) = readme.split_once("| code | |\n|---|---|\n").unwrap();
        let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
        let rows = rows.collect::<Vec<_>>().concat();
        assert!(table.starts_with(&rows), "write into README.md:\n{rows}");
    }
}
