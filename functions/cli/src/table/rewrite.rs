//! Writes a table again with some of its hashes changed.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, VecDeque},
    env,
    ffi::OsString,
    fmt::Write as _,
    fs::{OpenOptions, Permissions},
    io::{self, BufReader, BufWriter, Seek as _, SeekFrom, Write},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    number::{counted, grouped},
    one_hash::Job,
    terminal::shell_quoted,
};
use clap::Args;
use saltern_pool::Done;
use saltern_server::Failure;
use zeroize::Zeroizing;

use super::{BUFFER_BYTES, BadRow, ColumnArguments, Occurrences, Row, Table, row::Appended, undo::Undo};

/// The table, and the form of the result.
#[derive(Args, Debug)]
pub(crate) struct RewriteArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
    /// End with 0 although rows were skipped
    #[arg(long)]
    pub(crate) allow_skipped: bool,
    /// Only count: write no table
    #[arg(long, conflicts_with_all = ["output", "keep_old"])]
    pub(crate) dry_run: bool,
    /// Also print the old hash in a last column, for compare-and-swap
    #[arg(long)]
    pub(crate) keep_old: bool,
    /// The database's table for this result, as the statement that takes the change back names it
    #[arg(long, value_name = "NAME", default_value = "moved")]
    pub(crate) result_table: String,
    /// Write to this file, a new one; with --keep-old go on after the last row of an earlier run
    /// [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl RewriteArguments {
    /// Refuses arguments that cannot be fulfilled, before a table is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.keep_old && self.column.delimiter.is_some() && !self.column.header {
            return Err(Failure::configuration(
                "--keep-old names its column: export the table with the names of its fields, and use --header",
            ));
        }
        Ok(())
    }

    /// Explains how to go on after a run that ended early.
    fn how_to_go_on(&self) -> String {
        let quoted = |argument: OsString| shell_quoted(&argument.to_string_lossy());
        let command: Vec<_> = env::args_os().skip(1).map(quoted).collect();
        if self.output.is_some() && self.keep_old {
            format!(
                "the rows above are written. Go on over the same table with: saltern {}\n",
                command.join(" ")
            )
        } else {
            "the result is not whole: begin again. With --keep-old and --output FILE a run can go on\n"
                .to_owned()
        }
    }
}

/// The result of a row.
pub(crate) enum Outcome<'a> {
    /// The hash gets this text.
    Changed(Zeroizing<String>),
    /// The row stays as it is.
    Kept(Kept),
    /// Other threads compute the hash, and the function writes its text. Some rows wait, so that
    /// every core has work.
    Later(Job<'a>, Box<dyn FnOnce(Done) -> Option<String> + 'a>),
}

/// Why a row stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kept {
    reason: Cow<'static, str>,
    is_skipped: bool,
}

impl Kept {
    /// The row needs no change.
    pub(crate) fn as_wanted(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { reason: reason.into(), is_skipped: false }
    }

    /// The row may need a change, and cannot get it.
    pub(crate) fn skipped(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { reason: reason.into(), is_skipped: true }
    }
}

/// Writes the rows in their order, each changed as `change` says. All other bytes of the table stay
/// as they are. Then prints how many rows were changed, and why others were not.
///
/// A second run over the result changes nothing if `change` keeps what it has made.
///
/// # Errors
/// [`Failure::Data`] if `change` skipped a row and the arguments do not allow it. The table is
/// written all the same.
pub(crate) fn rewrite<'a>(
    arguments: &RewriteArguments,
    change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
) -> Result<(), Failure> {
    arguments.check()?;
    rewrite_table(Table::open(&arguments.column)?, arguments, change)
}

/// Does the same with a table that is open.
pub(super) fn rewrite_table<'a>(
    table: Table,
    arguments: &RewriteArguments,
    change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
) -> Result<(), Failure> {
    let mut rewriting = Rewriting {
        table,
        output: Box::new(io::sink()),
        keeps_old: arguments.keep_old,
        summary: Summary::default(),
        ahead: VecDeque::new(),
        flushed: Instant::now(),
        undo: Undo::default(),
    };
    match &arguments.output {
        Some(file) => rewriting.go_on_after(file, &arguments.column, change)?,
        None if arguments.dry_run => {}
        None => {
            rewriting.output = Box::new(BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()));
        }
    }
    let ended = rewriting.run(change);
    rewriting.table.end_progress();
    if !arguments.dry_run && rewriting.summary.changes() > 0 {
        rewriting.summary.undo = match arguments.column.delimiter {
            Some(_) => rewriting.undo.statement(&arguments.result_table, arguments.keep_old),
            None => "take the change back by the file that was read: keep it\n".to_owned(),
        };
    }
    if let Err(failure) = ended {
        // What was computed is worth the try.
        let _unwritten = rewriting.output.flush();
        rewriting.summary.print();
        let _unwritten = io::stderr().write_all(arguments.how_to_go_on().as_bytes());
        return Err(failure);
    }
    rewriting.summary.end(arguments)
}

pub(super) fn outcome<'a>(
    row: &Row,
    change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
) -> Result<Outcome<'a>, Failure> {
    if row.is_comment() {
        Ok(Outcome::Kept(Kept::as_wanted("a comment")))
    } else if row.has_hash_field() {
        change(row)
    } else if row.line().is_empty() {
        Ok(Outcome::Kept(Kept::as_wanted("an empty line")))
    } else {
        Ok(Outcome::Kept(Kept::skipped("it has fewer fields than --column says: check --delimiter too")))
    }
}

struct Rewriting<'a> {
    table: Table,
    output: Box<dyn Write>,
    keeps_old: bool,
    summary: Summary,
    /// The rows that are not written yet.
    ahead: VecDeque<(Row, Option<Outcome<'a>>)>,
    /// When the output was last written through.
    flushed: Instant,
    undo: Undo,
}

impl<'a> Rewriting<'a> {
    fn run(&mut self, change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>) -> Result<(), Failure> {
        while let Some(row) = self.next()? {
            let mut outcome = if row.is_header { None } else { Some(outcome(&row, change)?) };
            if let Some(Outcome::Later(job, _)) = &mut outcome {
                job.start();
            }
            self.ahead.push_back((row, outcome));
            self.write_until(ROWS_AHEAD)?;
        }
        self.write_until(0)?;
        self.output.flush().map_err(|error| unwritten(&error))
    }

    /// Returns the next row, and notices a header that has the column of old hashes.
    fn next(&mut self) -> Result<Option<Row>, Failure> {
        let row = self.table.next()?;
        if let Some(header) = row.as_ref().filter(|row| row.is_header) {
            self.undo = Undo::of_header(header);
            self.keeps_old &= header.last_field() != OLD;
        }
        Ok(row)
    }

    /// Writes the first rows until at most `most` wait. A row that needs no waiting is written at
    /// once.
    fn write_until(&mut self, most: usize) -> Result<(), Failure> {
        while let Some((_, outcome)) = self.ahead.front() {
            if matches!(outcome, Some(Outcome::Later(..))) && self.ahead.len() <= most {
                break;
            }
            if let Some((row, outcome)) = self.ahead.pop_front() {
                self.write(&row, outcome)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, row: &Row, outcome: Option<Outcome<'a>>) -> Result<(), Failure> {
        let new = match outcome {
            None => None,
            Some(Outcome::Kept(kept)) => {
                self.summary.keep(kept, row);
                None
            }
            Some(Outcome::Changed(new)) => Some(new),
            Some(Outcome::Later(job, encode)) => {
                let text = encode(job.wait_for_memory()?).map(Zeroizing::new);
                Some(text.ok_or_else(|| Failure::system("the new hash cannot be written"))?)
            }
        };
        self.summary.changed += u64::from(new.is_some());
        let appended = self.appended(row);
        let new = new.as_ref().map(|new| new.as_str());
        self.table.done(row);
        let written = row.write(&mut self.output, new, appended).and_then(|()| self.flush_if_due());
        written.map_err(|error| unwritten(&error))
    }

    /// A run that is killed must not lose the work of hours.
    fn flush_if_due(&mut self) -> io::Result<()> {
        if self.flushed.elapsed() < FLUSHED_EACH {
            return Ok(());
        }
        self.flushed = Instant::now();
        self.output.flush()
    }

    fn appended(&self, row: &Row) -> Option<Appended> {
        let appended = if row.is_header { Appended::Name(OLD) } else { Appended::OldHash };
        (self.keeps_old && !row.has_old_hash()).then_some(appended)
    }

    /// Opens the file, and passes over the rows that an earlier run has written to it.
    fn go_on_after(
        &mut self,
        file: &Path,
        column: &ColumnArguments,
        change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
    ) -> Result<(), Failure> {
        let name = file.display();
        let cannot = |error: io::Error| {
            Failure::configuration(format!("cannot write {name} ({error}): name another file"))
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(OWNER_READS);
        let mut opened = options.open(file).map_err(cannot)?;
        let is_new = opened.metadata().map_err(cannot)?.len() == 0;
        if !is_new && !self.keeps_old {
            return Err(Failure::data(format!(
                "{name} is not empty, and only --keep-old shows which rows an earlier run has written: name a new file"
            )));
        }
        let earlier = opened.try_clone().map_err(cannot)?;
        let mut earlier = Table::of(Box::new(BufReader::with_capacity(BUFFER_BYTES, earlier)), column);
        let mut written_bytes = 0;
        loop {
            let written = match earlier.read() {
                Ok(Some(written)) if written.is_ended() => written,
                // The earlier run may have ended within a row.
                Ok(_) | Err(BadRow::OpenQuote) => break,
                Err(BadRow::Failed(error)) => return Err(cannot(error)),
                Err(BadRow::TooLong(_)) => return Err(of_another_table(file, earlier.number)),
            };
            let row = self.next()?.ok_or_else(|| of_another_table(file, written.number))?;
            let appended = self.appended(&row);
            let hash = row.written(written.bytes(), appended);
            let hash = hash.ok_or_else(|| of_another_table(file, written.number))?;
            if hash != row.raw_hash().unwrap_or_default() {
                // Without its old hash the row may have had another one.
                if appended.is_none() {
                    return Err(of_another_table(file, written.number));
                }
                self.summary.earlier += 1;
            } else if !row.is_header {
                let Outcome::Kept(kept) = outcome(&row, change)? else {
                    return Err(Failure::data(format!(
                        "an earlier run left row {} of {name} as it was, with other arguments: name a new file",
                        row.number
                    )));
                };
                self.summary.keep(kept, &row);
            }
            self.table.done(&row);
            written_bytes += written.bytes().len() as u64;
        }
        if !is_new && written_bytes == 0 {
            return Err(of_another_table(file, 1));
        }
        opened.set_len(written_bytes).map_err(cannot)?;
        // The file may be older than this run.
        opened.set_permissions(Permissions::from_mode(OWNER_READS)).map_err(cannot)?;
        opened.seek(SeekFrom::Start(written_bytes)).map_err(cannot)?;
        self.output = Box::new(BufWriter::with_capacity(BUFFER_BYTES, opened));
        Ok(())
    }
}

/// The result of each row.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) changed: u64,
    /// Rows that would change, by shape, and whether a login of one of them was verified.
    pub(super) shapes: BTreeMap<String, (Occurrences, bool)>,
    /// Rows that an earlier run has changed.
    earlier: u64,
    kept: HashMap<Kept, Occurrences>,
    /// How to take the changes back.
    undo: String,
}

impl Summary {
    pub(super) fn keep(&mut self, kept: Kept, row: &Row) {
        self.kept.entry(kept).or_default().add(row);
    }

    /// The rows that have changed, in this run and before.
    fn changes(&self) -> u64 {
        self.changed + self.earlier
    }

    fn skipped(&self) -> u64 {
        let skipped = self.kept.iter().filter(|(kept, _)| kept.is_skipped);
        skipped.map(|(_, occurrences)| occurrences.count).sum()
    }

    /// Prints the counts.
    ///
    /// # Errors
    /// [`Failure::Data`] if a row was skipped and the arguments do not allow it.
    pub(super) fn end(&self, arguments: &RewriteArguments) -> Result<(), Failure> {
        self.print();
        match self.skipped() {
            0 => Ok(()),
            _ if arguments.allow_skipped => Ok(()),
            rows => Err(Failure::data(format!(
                "{} skipped: see the reasons above, or accept them with --allow-skipped",
                counted(rows, "row was", "rows were")
            ))),
        }
    }

    /// Writes the counts and the reasons to standard error, because the table is on standard
    /// output.
    pub(super) fn print(&self) {
        let kept = self.kept.values().map(|occurrences| occurrences.count).sum::<u64>();
        let (skipped, rows) = (self.skipped(), self.changes() + kept);
        let mut out = format!(
            "{}: {} changed, {} left as wanted, {} skipped\n",
            counted(rows, "row", "rows"),
            grouped(self.changes()),
            grouped(kept - skipped),
            grouped(skipped),
        );
        if self.earlier > 0 {
            let _infallible = writeln!(out, "{:>12}  changed by an earlier run", grouped(self.earlier));
        }
        for (shape, (rows, is_known)) in &self.shapes {
            let known = if *is_known { "a known login matches" } else { "no login is known" };
            let (count, places) = (grouped(rows.count), rows.places());
            let _infallible = writeln!(out, "{count:>12}  of the shape '{shape}', {known} ({places})");
        }
        let mut reasons: Vec<_> = self.kept.iter().collect();
        reasons.sort_by(|(a, many), (b, few)| few.count.cmp(&many.count).then(a.reason.cmp(&b.reason)));
        for (kept, occurrences) in reasons {
            let verb = if kept.is_skipped { "skipped" } else { "left" };
            let (count, places) = (grouped(occurrences.count), occurrences.places());
            let _infallible = writeln!(out, "{count:>12}  {verb}: {} ({places})", kept.reason);
        }
        out.push_str(&self.undo);
        // The table is written. A summary that cannot be written is no reason to fail.
        let _unwritten = io::stderr().write_all(out.as_bytes());
    }
}

fn of_another_table(file: &Path, number: u64) -> Failure {
    Failure::data(format!(
        "row {number} of {} is not of this table: name a new file, or the arguments of the earlier run",
        file.display()
    ))
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::system(format!("cannot write the result ({error})"))
}

/// Only the owner may read hashes.
const OWNER_READS: u32 = 0o600;

/// The name of the last column, with the old hashes.
const OLD: &str = "old_hash";

/// Rows that wait for others: enough work for 32 cores.
const ROWS_AHEAD: usize = 256;

const FLUSHED_EACH: Duration = Duration::from_secs(1);
