//! Reads a column of hashes from a file: one hash a line, `user:hash` as of htpasswd, or a field of
//! CSV.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal as _, Read},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use saltern_program::Failure;

/// The position of a column of hashes.
#[derive(Args, Debug)]
pub(crate) struct ColumnArguments {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Read CSV with this character between the fields, `\t` for a tab
    /// [default: a line is a hash, or `user:hash` as of htpasswd]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// The number of the field with the hash, from 1
    #[arg(long, value_name = "NUMBER", default_value = "1", requires = "delimiter")]
    pub(crate) column: NonZeroUsize,
    /// The first record names the fields
    #[arg(long, requires = "delimiter")]
    pub(crate) header: bool,
}

/// A row with a hash in it.
pub(crate) struct Row<'a> {
    /// The number of the row, from 1.
    pub(crate) number: u64,
    /// Whether the row names the fields and has no hash.
    pub(crate) is_header: bool,
    /// The user, in an htpasswd file.
    pub(crate) user: Option<&'a str>,
    /// The hash; empty if the row has no such field.
    pub(crate) hash: &'a str,
    /// The text after the hash, with its colon, such as the dates of `/etc/shadow`.
    pub(crate) rest: &'a str,
    /// All fields of a CSV record, and the position of the hash.
    pub(crate) record: Option<(&'a csv::StringRecord, usize)>,
}

/// The form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line is a hash.
    Lines,
    /// A line is `user:hash`, perhaps with further fields, as in `/etc/shadow`.
    Htpasswd,
    /// A hash is a field of CSV.
    Csv,
}

/// Calls the function for each row and returns the form of the rows. Shows a progress bar on a
/// terminal.
pub(crate) fn for_each(
    arguments: &ColumnArguments,
    each: &mut dyn FnMut(Row<'_>) -> Result<(), Failure>,
) -> Result<Form, Failure> {
    let input = open(&arguments.file)?;
    match arguments.delimiter {
        Some(delimiter) => records(input, delimiter, arguments, each).map(|()| Form::Csv),
        None => lines(input, each),
    }
}

fn delimiter(argument: &str) -> Result<u8, String> {
    match argument.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("write one ASCII character".to_owned()),
    }
}

fn open(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        let bar = bar(None);
        return Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, bar.wrap_read(io::stdin()))));
    }
    let cannot = |error: io::Error| {
        Failure::configuration(format!("cannot read {} ({error}): name a file of hashes", file.display()))
    };
    let opened = File::open(file).map_err(cannot)?;
    let length = opened.metadata().map_err(cannot)?.len();
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, bar(Some(length)).wrap_read(opened))))
}

fn bar(length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{bar:40} {percent} %  {bytes} of {total_bytes}  {eta} left",
        None => "{spinner} {bytes} read  {elapsed}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(length, target).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

fn lines(
    mut input: Box<dyn BufRead>,
    each: &mut dyn FnMut(Row<'_>) -> Result<(), Failure>,
) -> Result<Form, Failure> {
    let mut line = Vec::new();
    let mut number = 0;
    let mut form = None;
    loop {
        line.clear();
        let read = (&mut input)
            .take(MOST_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreadable_rest(&error))?;
        if read == 0 {
            return Ok(form.unwrap_or(Form::Lines));
        }
        number += 1;
        if line.last() != Some(&b'\n') && read as u64 == MOST_LINE_BYTES {
            return Err(Failure::data(format!(
                "line {number} is longer than {MOST_LINE_BYTES} bytes: name a column of hashes"
            )));
        }
        let text = without_newline(&line);
        // A line that is not UTF-8 has no hash. It is passed on and refused.
        let text = str::from_utf8(text).unwrap_or("\u{fffd}");
        let is_comment = text.trim_start().is_empty() || text.trim_start().starts_with('#');
        if form.is_none() && !is_comment {
            form = Some(form_of(text));
        }
        let (user, hash, rest) = match text.split_once(':') {
            Some((user, rest)) if form == Some(Form::Htpasswd) && !is_comment => {
                let (hash, rest) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
                (Some(user), hash, rest)
            }
            _ => (None, text, ""),
        };
        each(Row { number, is_header: false, user, hash, rest, record: None })?;
    }
}

/// Returns the form of the file from its first line that is not a comment.
fn form_of(line: &str) -> Form {
    let is_user = |user: &str| !user.is_empty() && !user.contains(['$', '{']);
    let named = line.split_once(':').is_some_and(|(user, _)| is_user(user));
    if named && saltern_encoded::parse(line).is_err() { Form::Htpasswd } else { Form::Lines }
}

fn records(
    input: Box<dyn BufRead>,
    delimiter: u8,
    arguments: &ColumnArguments,
    each: &mut dyn FnMut(Row<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(input);
    let column = arguments.column.get() - 1;
    let mut record = csv::StringRecord::new();
    let mut number = 0;
    loop {
        let more = reader
            .read_record(&mut record)
            .map_err(|error| Failure::data(format!("record {} is not CSV in UTF-8 ({error})", number + 1)))?;
        if !more {
            return Ok(());
        }
        number += 1;
        let is_header = number == 1 && arguments.header;
        let hash = record.get(column).unwrap_or_default();
        each(Row { number, is_header, user: None, hash, rest: "", record: Some((&record, column)) })?;
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn unreadable_rest(error: &io::Error) -> Failure {
    Failure::system(format!("cannot read the rest of the file ({error})"))
}

/// A hash has at most 1,024 bytes, and the line around it is not much longer.
const MOST_LINE_BYTES: u64 = 64 * 1024;

const BUFFER_BYTES: usize = 256 * 1024;

const TICK: Duration = Duration::from_millis(200);
