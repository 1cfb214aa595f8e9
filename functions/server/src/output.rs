use std::io::{self, Write as _};

use crate::Failure;

/// Writes a result to standard output.
///
/// # Errors
/// [`Failure::System`] if the result cannot be written.
pub fn say(text: &str) -> Result<(), Failure> {
    let written = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    written.map_err(|error| Failure::system(format!("cannot write the result ({error})")))
}
