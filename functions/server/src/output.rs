use std::io::{self, Write as _};

use crate::Failure;

/// Writes a result to standard output. A reader that closes the pipe early is not a failure.
///
/// # Errors
/// [`Failure::System`] if the result cannot be written.
pub fn say(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::system(format!("cannot write the result ({error})")))
        }
        _ => Ok(()),
    }
}
