//! The two outputs: results, and what a person watches meanwhile.

use std::io::{self, Write as _};

/// A result, on the standard output.
pub(crate) fn print(text: &str) {
    // There is nobody left to tell about an output that cannot be written.
    let _unwritten = writeln!(io::stdout(), "{text}").and_then(|()| io::stdout().flush());
}

/// What goes on, on the standard error.
pub(crate) fn progress(text: &str) {
    let _unwritten = writeln!(io::stderr(), "{text}");
}
