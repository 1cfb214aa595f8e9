//! `saltern wrap`: puts argon2id over weak hashes, without their passwords.

use std::{
    collections::VecDeque,
    io::{self, BufWriter, Write as _},
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use clap::Args;
use saltern_algorithm::{Pool, PoolSettings, Ticket, Work};
use saltern_encoded::{MAX_ENCODED_BYTES, Params, Scheme, Setting, argon2};
use saltern_policy::{Policies, Refusal, Wrapping};

use crate::{
    column::{self, ColumnArguments, Row},
    one_hash::refused,
};
use saltern_program::{DocumentArguments, Failure, document, process};

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
    /// Wrap hashes of these schemes [default: those that are unsalted or fast]
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',', value_parser = scheme)]
    pub(crate) schemes: Vec<Scheme>,
    /// The argon2id policy for the new layer [default: the current one, if it is argon2id]
    #[arg(long, value_name = "ID")]
    pub(crate) policy: Option<String>,
    /// Also print the old hash in a last column, for compare-and-swap
    #[arg(long)]
    pub(crate) keep_old: bool,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

/// Writes the rows again with the weak hashes wrapped. Other rows do not change.
pub(crate) fn run(arguments: &WrapArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?;
    let params = params(&policies, arguments.policy.as_deref())?;
    let workers = NonZeroUsize::new(document::limits(&arguments.document.machine)?.workers)
        .unwrap_or(NonZeroUsize::MIN);
    let settings = PoolSettings { queue: None, ..PoolSettings::new(workers) };
    let pool = Pool::start(&settings)
        .map_err(|error| Failure::system(format!("cannot start a hashing thread ({error})")))?;
    let wrapper = Wrapper { policies: &policies, params, schemes: &arguments.schemes, pool: &pool };
    let mut writer = RowWriter::new(arguments);
    let mut ahead = VecDeque::new();
    column::for_each(&arguments.column, &mut |row| {
        let started = if row.is_header { None } else { wrapper.start(row.number, row.hash)? };
        ahead.push_back((Pending::of(&row), started));
        // Rows are written in their order. Some wait, so that every core has work.
        if ahead.len() > workers.get() * WAITING_ROWS {
            write_first(&mut ahead, &mut writer)?;
        }
        Ok(())
    })?;
    while !ahead.is_empty() {
        write_first(&mut ahead, &mut writer)?;
    }
    writer.finish()
}

fn scheme(argument: &str) -> Result<Scheme, String> {
    let found = Scheme::ALL.iter().find(|scheme| scheme.name() == argument).copied();
    found.ok_or_else(|| {
        let names: Vec<_> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
        format!("no scheme has this name: use {}", names.join(", "))
    })
}

/// Returns the cost of the outer layer.
fn params(policies: &Policies, policy: Option<&str>) -> Result<argon2::Params, Failure> {
    let policy = match policy {
        None => policies.current(),
        Some(id) => policies
            .list()
            .iter()
            .find(|policy| policy.id() == id)
            .ok_or_else(|| refused(Refusal::UnknownPolicy))?,
    };
    match policy.params() {
        Params::Argon2(params) => Ok(params),
        _ => Err(Failure::configuration(format!(
            "the policy `{}` is {}: name one with argon2id by --policy",
            policy.id(),
            policy.algorithm()
        ))),
    }
}

struct Wrapper<'a> {
    policies: &'a Policies,
    params: argon2::Params,
    schemes: &'a [Scheme],
    pool: &'a Pool,
}

impl Wrapper<'_> {
    /// Starts to wrap a hash. `None` if the hash is not wrapped.
    fn start(&self, number: u64, hash: &str) -> Result<Option<(Wrapping, Ticket)>, Failure> {
        let Ok(stored) = saltern_encoded::parse(hash) else { return Ok(None) };
        let is_selected = match self.schemes {
            [] => self.policies.weakness(&stored).is_some(),
            schemes => schemes.contains(&stored.scheme()),
        };
        if !is_selected || matches!(stored.setting(), Setting::Wrapped(_)) {
            return Ok(None);
        }
        let wrapping = self
            .policies
            .admit_wrapping(&stored, self.params)
            .map_err(|refusal| not_wrapped(number, refusal))?;
        let deadline = Instant::now() + LONGEST;
        let work = Work::new(wrapping.admitted().clone(), wrapping.stored().clone(), deadline);
        let ticket = self.pool.submit(work).map_err(|_| no_result(number))?;
        Ok(Some((wrapping, ticket)))
    }
}

/// A row that waits until the rows before it are written.
struct Pending {
    number: u64,
    user: Option<String>,
    old: String,
    rest: String,
    is_header: bool,
    record: Option<(csv::StringRecord, usize)>,
}

impl Pending {
    fn of(row: &Row<'_>) -> Self {
        Self {
            number: row.number,
            user: row.user.map(str::to_owned),
            old: row.hash.to_owned(),
            rest: row.rest.to_owned(),
            is_header: row.is_header,
            record: row.record.map(|(record, column)| (record.clone(), column)),
        }
    }
}

fn write_first(
    ahead: &mut VecDeque<(Pending, Option<(Wrapping, Ticket)>)>,
    writer: &mut RowWriter,
) -> Result<(), Failure> {
    let Some((row, started)) = ahead.pop_front() else { return Ok(()) };
    let Some((wrapping, ticket)) = started else { return writer.write(&row, &row.old) };
    let done = ticket.wait().map_err(|_| no_result(row.number))?;
    let new = wrapping.encode(&done.output).ok_or_else(|| no_result(row.number))?;
    writer.write(&row, &new)
}

fn not_wrapped(number: u64, refusal: Refusal) -> Failure {
    Failure::data(match refusal {
        // The hash itself is valid: only its new layer can make it too long.
        Refusal::InvalidHash => {
            format!(
                "row {number}: the wrapped hash would be longer than {MAX_ENCODED_BYTES} bytes, the limit of a stored hash"
            )
        }
        other => format!("row {number}: {}", refused(other)),
    })
}

fn no_result(number: u64) -> Failure {
    Failure::system(format!("row {number} could not be wrapped: check the free memory"))
}

/// Writes the rows, with new hashes in them.
struct RowWriter {
    form: Output,
    keep_old: bool,
}

enum Output {
    Csv(Box<csv::Writer<Stdout>>),
    Lines(Stdout),
}

type Stdout = BufWriter<io::StdoutLock<'static>>;

impl RowWriter {
    fn new(arguments: &WrapArguments) -> Self {
        let output = BufWriter::new(io::stdout().lock());
        let form = match arguments.column.delimiter {
            Some(delimiter) => {
                let writer =
                    csv::WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(output);
                Output::Csv(Box::new(writer))
            }
            None => Output::Lines(output),
        };
        Self { form, keep_old: arguments.keep_old }
    }

    fn write(&mut self, row: &Pending, new: &str) -> Result<(), Failure> {
        let old = if row.is_header { OLD } else { &row.old };
        let old = self.keep_old.then_some(old);
        let written = match (&mut self.form, &row.record) {
            (Output::Csv(writer), Some((record, column))) => {
                let fields = record.iter().enumerate();
                let fields = fields.map(|(i, field)| if i == *column { new } else { field });
                writer.write_record(fields.chain(old)).map_err(io::Error::from)
            }
            (Output::Csv(_), None) => Ok(()),
            (Output::Lines(output), _) => {
                let [user, colon] = row.user.as_deref().map_or([""; 2], |user| [user, ":"]);
                let [tab, old] = old.map_or([""; 2], |old| ["\t", old]);
                writeln!(output, "{user}{colon}{new}{}{tab}{old}", row.rest)
            }
        };
        written.map_err(|error| unwritten(&error))
    }

    fn finish(self) -> Result<(), Failure> {
        let flushed = match self.form {
            Output::Csv(mut writer) => writer.flush(),
            Output::Lines(mut output) => output.flush(),
        };
        flushed.map_err(|error| unwritten(&error))
    }
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::system(format!("cannot write the result ({error})"))
}

/// The name of the last column, with the old hashes.
const OLD: &str = "old_hash";

/// Longer than the wait in the queue and the hash take.
const LONGEST: Duration = Duration::from_mins(10);

/// Rows that wait, for each worker.
const WAITING_ROWS: usize = 8;
