//! The two outputs: results and progress.

use std::io::{self, Write as _};

/// Prints a result to the standard output.
pub(crate) fn print(text: &str) {
    // A failed write cannot be reported.
    let _unwritten = writeln!(io::stdout(), "{text}").and_then(|()| io::stdout().flush());
}

/// Prints progress to the standard error.
pub(crate) fn progress(text: &str) {
    let _unwritten = writeln!(io::stderr(), "{text}");
}
