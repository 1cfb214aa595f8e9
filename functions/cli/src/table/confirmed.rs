//! Changes only the rows that the operator named, after a proof that they are what the operator
//! thinks.

use std::{collections::HashMap, fs, io::Seek as _, path::PathBuf};

use clap::Args;
use regex_lite::Regex;
use saltern_kernels::Password;
use saltern_policy::{AcceptedWeak, Policies};
use saltern_pool::Pool;
use saltern_seal::Keys;
use saltern_server::{DocumentArguments, Failure, document};
use zeroize::Zeroizing;

use super::{
    Kept, Outcome, RewriteArguments, Row,
    rewrite::{Summary, outcome, rewrite_table},
};
use crate::{
    migrate_plan::shape_of,
    number::counted,
    one_hash::{Comparison, one_worker, refused_stored},
};

/// The rows to change, and the proof that they are what the operator thinks.
#[derive(Args, Debug)]
pub(crate) struct ConfirmedArguments {
    #[command(flatten)]
    pub(crate) rewrite: RewriteArguments,
    /// Change the rows of this shape, SCHEME or SCHEME:COST as `try` and `migrate-plan` print it;
    /// may be repeated
    #[arg(long, value_name = "SHAPE")]
    pub(crate) shape: Vec<String>,
    /// Change the rows with a value in which this regular expression is found; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) shape_like: Vec<Regex>,
    /// Logins that you know, which are verified before anything is written: a file with the number
    /// of a row, a tab and the password in each line
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
    /// Change as many rows as this without a known login of their shape
    #[arg(long, value_name = "ROWS")]
    pub(crate) unverified: Option<u64>,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

impl ConfirmedArguments {
    /// Whether the arguments name the rows to change.
    pub(crate) fn name_rows(&self) -> bool {
        !self.shape.is_empty() || !self.shape_like.is_empty()
    }

    fn names(&self, value: &str, shape: &str) -> bool {
        let is_of = |named: &String| {
            shape.strip_prefix(named.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        self.shape.iter().any(is_of) || self.shape_like.iter().any(|like| like.is_match(value))
    }
}

/// Writes the rows again as [`rewrite`](super::rewrite) does, after a first pass that writes
/// nothing: it counts the rows that would change, and verifies the known logins. Rows of a shape
/// that the arguments do not name stay. If they name none, `needs_no_name` tells which shapes
/// change.
///
/// # Errors
/// Before anything is written:
/// - [`Failure::Data`]: a known login would not match.
/// - [`Failure::Configuration`]: no argument names the shape of a row that would change; or rows
///   would change without a known login of their shape, and `--unverified` does not repeat their
///   number.
pub(crate) fn rewrite_confirmed<'a>(
    arguments: &ConfirmedArguments,
    keys: Option<&Keys>,
    needs_no_name: fn(&str) -> bool,
    change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
) -> Result<(), Failure> {
    let column = &arguments.rewrite.column;
    let mut file = column.held()?;
    let start = file.stream_position().map_err(|error| column.unreadable(&error))?;
    let mut change_named = |row: &Row| {
        let value = row.hash();
        let shape = shape_of(&value);
        if arguments.name_rows() && !arguments.names(&value, &shape) {
            return Ok(Outcome::Kept(Kept::as_wanted(format!("of another shape: {shape}"))));
        }
        change(row)
    };
    let known = Known::read(arguments, keys)?;
    let mut summary = Summary::default();
    let mut table = column.again(&file, start)?;
    while let Some(row) = table.next()? {
        if row.is_header {
            continue;
        }
        match outcome(&row, &mut change_named)? {
            Outcome::Kept(kept) => summary.keep(kept, &row),
            new => {
                let is_known = known.verify(&row, &new)?;
                let (rows, has_known) = summary.shapes.entry(shape_of(&row.hash())).or_default();
                rows.add(&row);
                *has_known |= is_known;
                summary.changed += 1;
            }
        }
    }
    table.end_progress();
    let count = |counts: &dyn Fn(&str, bool) -> bool| -> u64 {
        let counted = summary.shapes.iter().filter(|(shape, (_, has_known))| counts(shape, *has_known));
        counted.map(|(_, (rows, _))| rows.count).sum()
    };
    let unnamed = count(&|shape, _| !arguments.name_rows() && !needs_no_name(shape));
    let unverified = count(&|_, has_known| !has_known);
    let refusal = if unnamed > 0 {
        Failure::configuration(format!(
            "nothing was written, because {} of a shape that has no name in the arguments: name each shape that \
             shall change by --shape",
            counted(unnamed, "row is", "rows are")
        ))
    } else if !arguments.rewrite.dry_run && unverified > 0 && arguments.unverified != Some(unverified) {
        Failure::configuration(format!(
            "nothing was written, because {} would change without a known login of their shape: give logins by \
             --known, or repeat the number by --unverified {unverified}",
            counted(unverified, "row", "rows")
        ))
    } else if arguments.rewrite.dry_run {
        return summary.end(&arguments.rewrite);
    } else {
        let table = column.again(&file, start)?;
        return rewrite_table(table, &arguments.rewrite, &mut change_named);
    };
    summary.print();
    Err(refusal)
}

/// The logins that the operator knows.
struct Known<'a> {
    /// By the numbers of their rows.
    passwords: HashMap<u64, Password>,
    worker: Pool,
    policies: Policies,
    /// They have the site keys.
    keys: Option<&'a Keys>,
}

impl<'a> Known<'a> {
    fn read(arguments: &ConfirmedArguments, keys: Option<&'a Keys>) -> Result<Self, Failure> {
        let mut passwords = HashMap::new();
        if let Some(file) = &arguments.known {
            let cannot = |why: &str| Failure::configuration(format!("--known {}: {why}", file.display()));
            let text = Zeroizing::new(fs::read_to_string(file).map_err(|error| cannot(&error.to_string()))?);
            for line in text.lines() {
                let row =
                    line.split_once('\t').and_then(|(row, password)| Some((row.parse().ok()?, password)));
                let (row, password) = row.ok_or_else(|| {
                    cannot("write the number of a row, a tab and the password in each line")
                })?;
                let password =
                    Password::new(password.as_bytes()).map_err(|error| cannot(&error.to_string()))?;
                passwords.insert(row, password);
            }
        }
        let policies = document::of(&arguments.document)?.accepting(AcceptedWeak::all());
        Ok(Self { passwords, worker: one_worker()?, policies, keys })
    }

    /// Verifies the login of a row, if it is known, with what the row becomes.
    fn verify(&self, row: &Row, new: &Outcome<'_>) -> Result<bool, Failure> {
        let Some(password) = self.passwords.get(&row.number) else { return Ok(false) };
        let old = row.hash();
        let stored = match new {
            Outcome::Changed(new) => new.as_str(),
            // A wrapped hash matches what the hash inside matches. What is no hash is a password.
            _ => &old,
        };
        let matches = if matches!(new, Outcome::Later(..)) && saltern_encoded::parse(stored).is_err() {
            stored.as_bytes() == password.expose()
        } else {
            let admitted = self.policies.admit_stored_with(stored, |id| self.keys?.site_key(id));
            let admitted = admitted.map_err(|refusal| refused_stored(refusal, stored, &self.policies))?;
            Comparison::start(&self.worker, admitted, password).verdict(&self.policies)?.matches
        };
        if matches {
            return Ok(true);
        }
        Err(Failure::data(format!(
            "nothing was written, because the known password of row {} would not match: rows of one shape can be of \
             several kinds",
            row.number
        )))
    }
}
