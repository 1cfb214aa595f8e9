use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
};

/// The reason for a failed command: one sentence that says what to do.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, or a file that it names, is invalid.
    Configuration(String),
    /// Not a failure: the user requested the help or the version.
    Explained(String),
    /// A call to the system failed.
    System(String),
}

impl Failure {
    pub(crate) fn configuration(sentence: impl Into<String>) -> Self {
        Self::Configuration(sentence.into())
    }

    pub(crate) fn system(sentence: impl Into<String>) -> Self {
        Self::System(sentence.into())
    }

    /// Prints the sentence and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        // A failed write cannot be reported.
        let _unwritten = match self {
            Self::Explained(text) => write!(io::stdout(), "{text}"),
            Self::Configuration(sentence) | Self::System(sentence) => {
                writeln!(io::stderr(), "saltern-fleet: {sentence}")
            }
        };
        match self {
            Self::Configuration(_) => ExitCode::from(EX_USAGE),
            Self::Explained(_) => ExitCode::SUCCESS,
            Self::System(_) => ExitCode::from(EX_OSERR),
        }
    }
}

impl From<io::Error> for Failure {
    /// The system does not report the CPU time of other processes.
    fn from(error: io::Error) -> Self {
        Self::system(format!("/proc cannot be read ({error})"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(text) | Self::Explained(text) | Self::System(text) => f.write_str(text),
        }
    }
}

/// sysexits.h: "the command was used incorrectly". A second attempt would fail too.
const EX_USAGE: u8 = 64;

/// sysexits.h: "an operating system error has been detected". A second attempt may succeed.
const EX_OSERR: u8 = 71;
