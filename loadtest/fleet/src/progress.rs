//! Prints progress to the standard error.

use std::io::{self, Write as _};

pub(crate) fn progress(text: &str) {
    // A failed write cannot be reported.
    let _unwritten = writeln!(io::stderr(), "{text}");
}
