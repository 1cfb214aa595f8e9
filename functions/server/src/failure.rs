use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
    sync::mpsc,
    thread,
    time::Duration,
};

use clap::{Parser, error::ErrorKind};
use saltern_kernels::OutOfMemory;

/// The reason for which a command failed: one sentence that says what to do.
#[derive(Debug)]
pub enum Failure {
    /// The command line, the environment or a file that they name is wrong.
    Configuration(String),
    /// The input is refused: a stored hash that is not verified here, or a password that is too
    /// long.
    Data(String),
    /// Not a failure: the text of `--help` or `--version`.
    Explained(String),
    /// The system refused something, or time ran out.
    System(String),
}

impl Failure {
    /// Makes a [`Failure::Configuration`].
    pub fn configuration(sentence: impl Into<String>) -> Self {
        Self::Configuration(sentence.into())
    }

    /// Makes a [`Failure::Data`].
    pub fn data(sentence: impl Into<String>) -> Self {
        Self::Data(sentence.into())
    }

    /// Makes a [`Failure::System`].
    pub fn system(sentence: impl Into<String>) -> Self {
        Self::System(sentence.into())
    }

    /// Prints the sentence behind the name of the program, and returns the exit code.
    #[must_use]
    pub fn print(&self, program: &str) -> ExitCode {
        // An output that cannot be written cannot be reported either.
        let _unwritten = match self {
            Self::Explained(text) => write!(io::stdout(), "{text}"),
            Self::Configuration(sentence) | Self::Data(sentence) | Self::System(sentence) => {
                print_error(&format!("{program}: {sentence}\n"))
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

/// Writes to standard error. A reader that does not read delays the end of the process for at most
/// [`ERROR_TIMEOUT`].
fn print_error(line: &str) -> io::Result<()> {
    let (done, is_done) = mpsc::channel();
    let the_same = line.to_owned();
    let started = thread::Builder::new().spawn(move || {
        let written = io::stderr().write_all(the_same.as_bytes());
        let _too_late = done.send(written);
    });
    // That no thread can start may be what the sentence says.
    if started.is_err() {
        return io::stderr().write_all(line.as_bytes());
    }
    is_done.recv_timeout(ERROR_TIMEOUT).unwrap_or(Ok(()))
}

impl From<OutOfMemory> for Failure {
    /// The memory budget allows the hash, but the system does not give the memory.
    fn from(_: OutOfMemory) -> Self {
        Self::system(
            "the system gives no memory for a hash within the memory budget: lower --memory-budget-mib",
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

/// Reads the command line and the environment.
///
/// # Errors
/// [`Failure::Configuration`] with clap's message; [`Failure::Explained`] for `--help` and
/// `--version`.
pub fn read<Arguments: Parser>() -> Result<Arguments, Failure> {
    Arguments::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Failure::Explained(error.to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Failure::configuration(format!("a command is missing\n\n{error}"))
        }
        _ => Failure::configuration(error.to_string().trim_start_matches("error: ").trim_end()),
    })
}

/// Returns the list of exit codes, as `--help` ends with it.
pub fn exit_codes() -> String {
    let lines = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code:>2}  {meaning}\n"));
    format!("Exit codes:\n{}", lines.collect::<String>().trim_end())
}

/// Every exit code and its meaning, for `--help`, the manual and functions/cli/README.md.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "Success. For verify: the password matches. For try: a way fits."),
    (MISMATCH, "Only for verify and try: the password does not match."),
    (EX_USAGE, "The command line, the environment or a file that they name is wrong. A retry does not help."),
    (
        EX_DATAERR,
        "The input is refused: a hash that is not verified here, a password that is too long, or rows that were skipped.",
    ),
    (EX_OSERR, "The system or another service refused something, or time ran out. A retry may help."),
];

/// Long enough for every reader that reads at all.
const ERROR_TIMEOUT: Duration = Duration::from_secs(1);

/// The exit code for a mismatch, as of `grep` and `htpasswd -v`.
pub const MISMATCH: u8 = 1;

/// sysexits.h: "the command was used incorrectly". A supervisor need not restart the program.
const EX_USAGE: u8 = 64;

/// sysexits.h: "the input data was incorrect in some way".
const EX_DATAERR: u8 = 65;

/// sysexits.h: "an operating system error has been detected". A supervisor may restart the program.
const EX_OSERR: u8 = 71;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_to_the_commands_has_the_same_list() {
        let readme = include_str!("../../cli/README.md");
        let (_, table) = readme.split_once("| code | |\n|---|---|\n").unwrap();
        let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
        let rows = rows.collect::<String>();
        assert!(
            table.starts_with(&rows),
            "functions/cli/README.md is out of date: run `cargo xtask generate`"
        );
    }
}
