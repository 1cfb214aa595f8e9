//! Reads passwords and hashes from the terminal or from standard input.

use std::io::{self, BufRead as _, IsTerminal as _};

use saltern_algorithm::{MAX_PASSWORD_BYTES, Password};
use zeroize::Zeroizing;

use saltern_program::Failure;

/// How often a new password is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Once,
    /// A slip of the finger would lock its owner out.
    Twice,
}

/// Asks on the terminal, without echo; elsewhere reads a line of standard input, without the newline that ends it.
pub(crate) fn read_password(asked: Asked) -> Result<Password, Failure> {
    let password = if io::stdin().is_terminal() { prompt(asked)? } else { read_line()? };
    Password::new(password.as_bytes())
        .map_err(|_| Failure::data(format!("a password has at most {MAX_PASSWORD_BYTES} bytes of UTF-8")))
}

/// An argument, or a line of standard input in the place of `-`: arguments stand in the process list.
pub(crate) fn argument_or_line(argument: &str) -> Result<Zeroizing<String>, Failure> {
    if argument == "-" { read_line() } else { Ok(Zeroizing::new(argument.to_owned())) }
}

/// A line of standard input, without the newline that ends it.
pub(crate) fn read_line() -> Result<Zeroizing<String>, Failure> {
    let mut line = Zeroizing::new(String::with_capacity(LINE_BYTES));
    let read = io::stdin().lock().read_line(&mut line);
    match read {
        Ok(0) => Err(Failure::data("standard input ended before the line that was expected")),
        Ok(_) => {
            if line.ends_with('\n') {
                line.pop();
            }
            Ok(line)
        }
        Err(error) => Err(Failure::data(format!("standard input cannot be read ({error})"))),
    }
}

fn prompt(asked: Asked) -> Result<Zeroizing<String>, Failure> {
    let ask = |prompt: &str| {
        rpassword::prompt_password(prompt)
            .map(Zeroizing::new)
            .map_err(|error| Failure::system(format!("the terminal cannot be read ({error})")))
    };
    let password = ask("Password: ")?;
    if asked == Asked::Twice && *ask("Once more: ")? != *password {
        return Err(Failure::data("the passwords differ: nothing was hashed"));
    }
    Ok(password)
}

/// Room for a password or a hash, so that the buffer does not move while it grows.
const LINE_BYTES: usize = 2 * MAX_PASSWORD_BYTES;
