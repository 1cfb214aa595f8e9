//! Tables of stored hashes: the arguments that name a column, and the rows.
//!
//! A table is CSV, fields between tabs, or lines: one hash a line, or `user:hash` as of htpasswd.
//! [`rewrite`] writes a table again with some hashes changed, and leaves every other byte as it is.

mod confirmed;
mod occurrences;
mod rewrite;
mod row;
mod undo;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Seek as _},
    iter::once,
    num::NonZeroUsize,
    ops::Range,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
};

use clap::Args;
use indicatif::ProgressBar;
use rustix::fs::{MemfdFlags, memfd_create};
use saltern_seal::is_sealed;

pub(crate) use confirmed::{ConfirmedArguments, rewrite_confirmed};
pub(crate) use occurrences::Occurrences;
pub(crate) use rewrite::{Kept, Outcome, RewriteArguments, rewrite};
pub(crate) use row::Row;
use row::{Splitter, Syntax};
use saltern_server::Failure;

use crate::terminal::progress_bar;

/// The position of a column of hashes.
#[derive(Args, Debug)]
pub(crate) struct ColumnArguments {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Read fields with this character between them: CSV, or `\t` for tabs as of `psql` and
    /// `mariadb` [default: a line is a hash, or `user:hash` as of htpasswd]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// The number of the field with the hash, from 1
    #[arg(long, value_name = "NUMBER", default_value = "1", requires = "delimiter", value_parser = field_number)]
    pub(crate) column: NonZeroUsize,
    /// The first record names the fields
    #[arg(long, requires = "delimiter")]
    pub(crate) header: bool,
}

impl ColumnArguments {
    fn opened(&self) -> Result<File, Failure> {
        let opened = if self.file == Path::new("-") {
            io::stdin().as_fd().try_clone_to_owned().map(File::from)
        } else {
            File::open(&self.file)
        };
        let is_file = |file: File| match file.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            _ => Ok(file),
        };
        opened.and_then(is_file).map_err(|error| self.unreadable(&error))
    }

    /// Opens the table to read it more than once. A pipe is held in memory: no file may get hashes, or
    /// passwords in clear, that the caller has not put there.
    fn held(&self) -> Result<File, Failure> {
        let mut opened = self.opened()?;
        if self.file != Path::new("-") && opened.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(opened);
        }
        let held = memfd_create(c"table", MemfdFlags::CLOEXEC).map_err(io::Error::from).map(File::from);
        let held = held.and_then(|mut held| io::copy(&mut opened, &mut held).map(|_| held));
        held.map_err(|error| self.unreadable(&error))
    }

    /// Reads a held table from its start.
    fn again(&self, mut held: &File) -> Result<Table, Failure> {
        let rewound = held.rewind().and_then(|()| held.try_clone());
        Table::reading(rewound.map_err(|error| self.unreadable(&error))?, self)
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        let name = self.file.display();
        Failure::configuration(format!("cannot read {name} ({error}): name a file of hashes"))
    }
}

/// The form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line is a hash.
    Lines,
    /// A line is `user:hash`, perhaps with further fields.
    Htpasswd,
    /// A line is an account of `/etc/shadow`.
    Shadow,
    /// A hash is one of the fields of a row.
    Fields,
}

/// A table that is read from its start to its end. Shows a progress bar on a terminal.
pub(crate) struct Table {
    input: Box<dyn BufRead>,
    syntax: Syntax,
    /// `None` until a line that is not a comment shows it.
    form: Option<Form>,
    column: usize,
    header: bool,
    number: u64,
    bar: ProgressBar,
}

impl Table {
    /// Opens the named table.
    pub(crate) fn open(arguments: &ColumnArguments) -> Result<Self, Failure> {
        Self::reading(arguments.opened()?, arguments)
    }

    /// Reads the rest of this file.
    fn reading(file: File, arguments: &ColumnArguments) -> Result<Self, Failure> {
        let metadata = file.metadata().map_err(|error| BadRow::Failed(error).in_row(0))?;
        let bar = bar_of_bytes(metadata.is_file().then_some(metadata.len()));
        let input = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(Self { bar, ..Self::of(Box::new(input), arguments) })
    }

    /// Reads a table of the same form from another input, without a progress bar.
    fn of(input: Box<dyn BufRead>, arguments: &ColumnArguments) -> Self {
        Self {
            input,
            syntax: arguments.delimiter.map_or(Syntax::Lines, Syntax::of_delimiter),
            form: arguments.delimiter.map(|_| Form::Fields),
            column: arguments.column.get() - 1,
            header: arguments.header,
            number: 0,
            bar: ProgressBar::hidden(),
        }
    }

    /// Returns the next row; `None` after the last one. A table has at least one row.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Failure> {
        let row = self.read().map_err(|bad_row| bad_row.in_row(self.number))?;
        if row.is_none() && self.number == 1 {
            return Err(Failure::data(EMPTY));
        }
        Ok(row)
    }

    fn read(&mut self) -> Result<Option<Row>, BadRow> {
        let mut bytes = Vec::new();
        let mut splitter = Splitter::new(self.syntax);
        let most_bytes = if self.syntax == Syntax::Lines { MOST_LINE_BYTES } else { MOST_RECORD_BYTES };
        self.number += 1;
        loop {
            let rest = most_bytes - bytes.len() as u64;
            let read = (&mut self.input).take(rest).read_until(b'\n', &mut bytes).map_err(BadRow::Failed)?;
            if let (Syntax::Tabs { crlf }, 1) = (&mut self.syntax, self.number) {
                *crlf = bytes.ends_with(b"\r\n");
                splitter = Splitter::new(self.syntax);
            }
            let is_ended = bytes.last() == Some(&b'\n');
            if !is_ended && bytes.len() as u64 == most_bytes {
                return Err(BadRow::TooLong(most_bytes));
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            if self.syntax == Syntax::Lines || splitter.is_whole_after(&bytes) {
                break;
            }
            if read == 0 || !is_ended {
                return Err(BadRow::OpenQuote);
            }
        }
        let fields = match self.syntax {
            Syntax::Lines => self.fields_of_line(&bytes),
            _ => splitter.fields(),
        };
        let hash = if self.syntax == Syntax::Lines { fields.len() - 1 } else { self.column };
        let is_header = self.number == 1 && self.header;
        Ok(Some(Row { number: self.number, is_header, syntax: self.syntax, bytes, fields, hash }))
    }

    /// Returns the form of the rows that were read.
    pub(crate) fn form(&self) -> Form {
        self.form.unwrap_or(Form::Lines)
    }

    /// Counts a row as done. Rows are read ahead of the work on them.
    pub(crate) fn done(&self, row: &Row) {
        self.bar.inc(row.bytes().len() as u64);
    }

    /// Removes the progress bar, before another text is written to the terminal.
    pub(crate) fn end_progress(&self) {
        self.bar.finish_and_clear();
    }

    /// Returns the places of the user and the hash in a line, or of the hash alone.
    fn fields_of_line(&mut self, bytes: &[u8]) -> Vec<Range<usize>> {
        let end = self.syntax.without_newline(bytes).len();
        // A line that is not UTF-8 has no hash. It is passed on and refused.
        let Ok(text) = str::from_utf8(&bytes[..end]) else { return once(0..end).collect() };
        let start = text.trim_start();
        let is_comment = start.is_empty() || start.starts_with('#');
        if is_comment {
            return once(0..end).collect();
        }
        let form = *self.form.get_or_insert_with(|| form_of(text));
        let colon = text.find(':').filter(|_| form != Form::Lines);
        let from = colon.map_or(0, |colon| colon + 1);
        let length = colon.and_then(|_| text[from..].find(':')).unwrap_or(end - from);
        // An earlier run may have written the old hash behind a tab.
        let before_tab = text[from..from + length].find('\t').unwrap_or(length);
        let first = &text[from..from + before_tab];
        let is_hash = before_tab < length && (saltern_encoded::parse(first).is_ok() || is_sealed(first));
        let to = from + if is_hash { before_tab } else { length };
        colon.map(|colon| 0..colon).into_iter().chain(once(from..to)).collect()
    }
}

/// Why a row could not be read.
#[derive(Debug)]
enum BadRow {
    Failed(io::Error),
    OpenQuote,
    TooLong(u64),
}

impl BadRow {
    fn in_row(self, number: u64) -> Failure {
        match self {
            Self::Failed(error) => Failure::system(format!("cannot read the rest of the file ({error})")),
            Self::OpenQuote => Failure::data(format!(
                "row {number} has a quote that is not closed: check --delimiter, or export the table with \\t"
            )),
            Self::TooLong(most) => {
                Failure::data(format!("row {number} is longer than {most} bytes: name a column of hashes"))
            }
        }
    }
}

/// Reads the number of a field.
pub(crate) fn field_number(argument: &str) -> Result<NonZeroUsize, &'static str> {
    argument.parse().map_err(|_| "write the number of a field: the first one is 1")
}

fn delimiter(argument: &str) -> Result<u8, String> {
    match argument.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => Err("no table has this character between its fields".to_owned()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("write one ASCII character".to_owned()),
    }
}

pub(crate) fn bar_of_bytes(length: Option<u64>) -> ProgressBar {
    let form = match length {
        Some(_) => "{bar:40} {percent} %  {bytes} of {total_bytes}  {eta} left",
        None => "{spinner} {bytes} done  {elapsed}",
    };
    progress_bar(length, form)
}

/// Returns the form of the file from its first line that is not a comment.
fn form_of(line: &str) -> Form {
    let is_user = |user: &str| !user.is_empty() && !user.contains(['$', '{']);
    let named = line.split_once(':').is_some_and(|(user, _)| is_user(user));
    match line.matches(':').count() {
        COLONS_OF_SHADOW => Form::Shadow,
        _ if named && saltern_encoded::parse(line).is_err() => Form::Htpasswd,
        _ => Form::Lines,
    }
}

const EMPTY: &str = "the table is empty: the program before the pipe has failed, or a shell emptied the file for the \
                     result before it was read";

/// A hash has at most 1,457 bytes, and the line around it is not much longer.
const MOST_LINE_BYTES: u64 = 64 * 1024;

/// A record may have texts beside the hash.
const MOST_RECORD_BYTES: u64 = 1024 * 1024;

/// shadow(5): nine fields.
const COLONS_OF_SHADOW: usize = 8;

const BUFFER_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        column: ColumnArguments,
    }

    /// A table of thousands of rows is read at once, and hashed in hours.
    #[test]
    fn the_progress_is_of_the_rows_that_are_done() {
        let file = std::env::temp_dir().join(format!("saltern-progress-{}", std::process::id()));
        fs::write(&file, "first\nsecond\n").unwrap();
        let Program { column } = Program::parse_from(["program", file.to_str().unwrap()]);
        let mut table = Table::open(&column).unwrap();
        let rows: Vec<Row> = std::iter::from_fn(|| table.next().unwrap()).collect();
        let positions = rows.iter().map(|row| {
            let before = table.bar.position();
            table.done(row);
            before
        });
        assert_eq!((positions.collect::<Vec<_>>(), table.bar.position()), (vec![0, 6], 13));
        fs::remove_file(file).unwrap();
    }
}
