//! Reads passwords and hashes from the terminal or from standard input, and writes words and progress
//! for it.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use saltern_kernels::{MAX_PASSWORD_BYTES, Password};
use zeroize::Zeroizing;

use saltern_server::Failure;

/// The number of times that the password is read from the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Once,
    /// For a new password: a typing error would lock its owner out.
    Twice,
}

/// Reads a password from the terminal without echo, or else a line of standard input without its
/// newline.
pub(crate) fn read_password(asked: Asked) -> Result<Password, Failure> {
    let password = read_secret("Password: ", asked)?;
    Password::new(password.as_bytes())
        .map_err(|_| Failure::data(format!("the password has more than {MAX_PASSWORD_BYTES} bytes")))
}

/// Reads a secret from the terminal without echo, or else a line of standard input without its
/// newline.
pub(crate) fn read_secret(prompt: &str, asked: Asked) -> Result<Zeroizing<String>, Failure> {
    if io::stdin().is_terminal() {
        return ask(prompt, asked);
    }
    let line = read_line()?;
    // A new password of two lines would be cut.
    if asked == Asked::Twice && !io::stdin().lock().fill_buf().unwrap_or_default().is_empty() {
        return Err(Failure::data("standard input has a second line: give the password alone"));
    }
    Ok(line)
}

/// Returns the argument, or a line of standard input if it is `-`. Arguments are visible in the
/// list of processes.
pub(crate) fn argument_or_line(argument: &str) -> Result<Zeroizing<String>, Failure> {
    if argument == "-" { read_line() } else { Ok(Zeroizing::new(argument.to_owned())) }
}

/// Reads a line of standard input, without its newline.
pub(crate) fn read_line() -> Result<Zeroizing<String>, Failure> {
    let mut line = Zeroizing::new(String::with_capacity(LINE_BYTES));
    let read = io::stdin().lock().read_line(&mut line);
    if read.map_err(|error| Failure::data(format!("cannot read standard input ({error})")))? == 0 {
        return Err(Failure::data("standard input has no line for the hash or the secret"));
    }
    if line.ends_with('\n') {
        line.pop();
    }
    Ok(line)
}

/// Writes a word of a command line, in quotes if a shell would not read it as it is.
pub(crate) fn shell_quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns a progress bar of this form on standard error. It is hidden if that is no terminal.
pub fn progress_bar(length: Option<u64>, form: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(length, target).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

fn ask(prompt: &str, asked: Asked) -> Result<Zeroizing<String>, Failure> {
    let ask = |prompt: &str| {
        rpassword::prompt_password(prompt)
            .map(Zeroizing::new)
            .map_err(|error| Failure::system(format!("cannot read the terminal ({error})")))
    };
    let secret = ask(prompt)?;
    if asked == Asked::Twice && *ask("Again: ")? != *secret {
        return Err(Failure::data("the two entries differ: try again"));
    }
    Ok(secret)
}

/// Capacity for a password or a hash, so that the buffer does not move when it grows.
const LINE_BYTES: usize = 2 * MAX_PASSWORD_BYTES;

const TICK: Duration = Duration::from_millis(200);
