//! `saltern blocklist`: makes the list of breached passwords that `serve --blocklist` reads.

use std::io::{self, BufRead as _, BufWriter, IsTerminal as _, Write as _};

use clap::{Args, Subcommand};
use saltern_server::Failure;
use saltern_service::blocklist::{self, Prefix};

use crate::{number::counted, table};

#[derive(Debug, Subcommand)]
pub(crate) enum BlocklistCommand {
    /// Make a list from standard input, and write it to standard output
    Build(BuildArguments),
}

#[derive(Args, Debug)]
pub(crate) struct BuildArguments {
    /// Each line is a password. Without this option it is the SHA-1 of one, as Have I Been Pwned
    /// publishes it: 40 hexadecimal digits, and a count after a colon
    #[arg(long)]
    plain: bool,
    /// Leave out passwords that were seen less often
    #[arg(long, value_name = "COUNT", default_value_t = 0, conflicts_with = "plain")]
    at_least: u64,
}

/// Runs `saltern blocklist build`. It takes 6 bytes of memory for each password.
pub(crate) fn build(arguments: &BuildArguments) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return Err(Failure::configuration(
            "send the list to a file: saltern blocklist build < digests.txt > breached",
        ));
    }
    let bar = table::bar_of_bytes(None);
    let (mut input, mut line, mut prefixes) = (io::stdin().lock(), Vec::new(), Vec::new());
    for number in 1_u64.. {
        line.clear();
        let length = input.read_until(b'\n', &mut line);
        if length.map_err(|error| Failure::system(format!("cannot read line {number} ({error})")))? == 0 {
            break;
        }
        bar.inc(line.len() as u64);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // The byte order mark of a file is of no password.
        let line = line.strip_prefix("\u{feff}".as_bytes()).filter(|_| number == 1).unwrap_or(line);
        if arguments.plain {
            prefixes.push(blocklist::prefix(line));
            continue;
        }
        let (prefix, count) = published(line).ok_or_else(|| {
            Failure::data(format!(
                "line {number} is not a SHA-1 of 40 hexadecimal digits, with or without `:count`; if the lines are \
                 passwords, give --plain"
            ))
        })?;
        prefixes.extend((count >= arguments.at_least).then_some(prefix));
    }
    bar.finish_and_clear();
    if prefixes.is_empty() {
        return Err(Failure::data(
            "no password is left for the list: --at-least leaves all out, or the program before the pipe has failed",
        ));
    }
    let entries = blocklist::write(prefixes, BufWriter::new(io::stdout().lock()))
        .map_err(|error| Failure::system(format!("cannot write the list ({error})")))?;
    let told = format!("listed {}\n", counted(entries.into(), "password", "passwords"));
    let _unwritten = io::stderr().write_all(told.as_bytes());
    Ok(())
}

/// Reads `SHA1:count`, or a SHA-1 alone, which counts as often seen.
fn published(line: &[u8]) -> Option<(Prefix, u64)> {
    let (digits, count) = match line.split_at_checked(SHA1_DIGITS)? {
        (digits, []) => (digits, u64::MAX),
        (digits, [b':', count @ ..]) => (digits, str::from_utf8(count).ok()?.trim().parse().ok()?),
        _ => return None,
    };
    let mut digest = [0; SHA1_DIGITS / 2];
    base16ct::mixed::decode(digits, &mut digest).ok()?;
    Some((*digest.first_chunk()?, count))
}

const SHA1_DIGITS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_lines_are_digests_with_or_without_a_count() {
        let digest = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
        let of_password = blocklist::prefix(b"password");
        for (line, read) in [
            (digest.to_owned(), Some((of_password, u64::MAX))),
            (digest.to_lowercase() + ":10437277", Some((of_password, 10_437_277))),
            (digest.to_owned() + ":", None),
            (digest.to_owned() + " 3", None),
            (digest.replace('5', "g"), None),
            ("password".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(published(line.as_bytes()), read, "{line}");
        }
    }
}
