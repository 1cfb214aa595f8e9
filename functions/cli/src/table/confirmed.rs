//! Changes only the rows that the operator named, after a proof that they are what the operator
//! thinks.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs,
    io::{self, Write as _},
    path::PathBuf,
};

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
        self.name_shape(shape) || self.shape_like.iter().any(|like| like.is_match(value))
    }

    /// Whether the arguments name this shape, and not only values by a regular expression.
    fn name_shape(&self, shape: &str) -> bool {
        self.shape.iter().any(|named| is_of(shape, named))
    }
}

fn is_of(shape: &str, named: &str) -> bool {
    shape.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Writes the rows again as [`rewrite`](super::rewrite) does, after a first pass that writes
/// nothing: it counts the rows that would change, and verifies the known logins. Rows of a shape
/// that the arguments do not name stay. If they name none, `needs_no_name` tells which shapes
/// change.
///
/// Without `in_clear`, a known login proves that the hash matches. With it, the login proves that the
/// row is the password itself, and a row of which the function says that it may be a password or a
/// hash is skipped until `--shape` names it.
///
/// # Errors
/// Before anything is written:
/// - [`Failure::Data`]: a known login would not match; or with `in_clear` a row may have more than a
///   password.
/// - [`Failure::Configuration`]: no argument names the shape of a row that would change; or rows
///   would change without a known login of their shape, and `--unverified` does not repeat their
///   number.
pub(crate) fn rewrite_confirmed<'a>(
    arguments: &ConfirmedArguments,
    keys: Option<&Keys>,
    in_clear: Option<fn(&str) -> bool>,
    needs_no_name: fn(&str) -> bool,
    change: &mut dyn FnMut(&Row) -> Result<Outcome<'a>, Failure>,
) -> Result<(), Failure> {
    arguments.rewrite.check()?;
    let column = &arguments.rewrite.column;
    let held = column.held()?;
    let without_rows = RefCell::new(arguments.shape.iter().collect::<Vec<_>>());
    let mut change_named = |row: &Row| {
        let value = row.hash();
        let shape = shape_of(&value);
        without_rows.borrow_mut().retain(|named| !is_of(&shape, named));
        if in_clear.is_some_and(|is_ambiguous| is_ambiguous(&value)) && !arguments.name_shape(&shape) {
            let why = format!("it may be a password: then name its shape by --shape '{shape}'");
            return Ok(Outcome::Kept(Kept::skipped(why)));
        }
        if arguments.name_rows() && !arguments.names(&value, &shape) {
            return Ok(Outcome::Kept(Kept::as_wanted(format!("of another shape: {shape}"))));
        }
        change(row)
    };
    let known = Known::read(arguments, keys, in_clear.is_some())?;
    let (mut summary, mut unnamed, mut width) = (Summary::default(), 0, None);
    let mut table = column.again(&held)?;
    while let Some(row) = table.next()? {
        table.done(&row);
        if row.is_header {
            continue;
        }
        let is_unclear = || row.is_comment() || row.user().is_some() || row.line().starts_with('\u{feff}');
        let count = if in_clear.is_some() { row.fields().count() } else { 0 };
        // A part of a password would become the password.
        let is_ragged = row.has_hash_field() && *width.get_or_insert(count) != count;
        if in_clear.is_some() && (is_ragged || is_unclear()) {
            return Err(Failure::data(format!(
                "nothing was written, because row {} may have more than a password: a # or a byte order mark before \
                 it, a user and a colon, or other fields than the rows before. Remove a byte order mark, put a \
                 password that has the delimiter in quotes, and give --delimiter ':' --column 2 for users and \
                 passwords, or --delimiter '\\t' for passwords alone",
                row.number
            )));
        }
        match outcome(&row, &mut change_named)? {
            Outcome::Kept(kept) => summary.keep(kept, &row),
            new => {
                let shape = shape_of(&row.hash());
                unnamed += u64::from(!arguments.name_rows() && !needs_no_name(&shape));
                let (rows, has_known) = summary.shapes.entry(shape).or_default();
                rows.add(&row);
                *has_known |= known.verify(&row, &new)?;
                summary.changed += 1;
            }
        }
    }
    table.end_progress();
    // A second run has none either, so this is no failure.
    for shape in without_rows.borrow().iter() {
        let told = format!("no row has the shape '{shape}': check its name, --delimiter and --column\n");
        let _unwritten = io::stderr().write_all(told.as_bytes());
    }
    let unverified = summary.shapes.values().filter(|(_, has_known)| !has_known);
    let unverified: u64 = unverified.map(|(rows, _)| rows.count).sum();
    let reason = if unnamed > 0 {
        let rows = counted(unnamed, "row has", "rows have");
        format!("{rows} a shape that no argument names: name each shape that shall change by --shape")
    } else if arguments.rewrite.dry_run {
        return summary.end(&arguments.rewrite);
    } else if unverified > 0 && arguments.unverified != Some(unverified) {
        format!(
            "{} would change without a known login of their shape: give logins by --known, or repeat the number \
             by --unverified {unverified}",
            counted(unverified, "row", "rows")
        )
    } else {
        return rewrite_table(column.again(&held)?, &arguments.rewrite, &mut change_named);
    };
    summary.print();
    Err(Failure::configuration(format!("nothing was written, because {reason}")))
}

/// The logins that the operator knows.
struct Known<'a> {
    /// By the numbers of their rows.
    passwords: HashMap<u64, Password>,
    worker: Pool,
    policies: Policies,
    /// They have the site keys.
    keys: Option<&'a Keys>,
    /// Whether the rows are passwords.
    in_clear: bool,
}

impl<'a> Known<'a> {
    fn read(arguments: &ConfirmedArguments, keys: Option<&'a Keys>, in_clear: bool) -> Result<Self, Failure> {
        let login = |line: &str| {
            let (row, password) = line.split_once('\t')?;
            Some((row.parse().ok()?, Password::new(password.as_bytes()).ok()?))
        };
        let refused = |why: String| Failure::configuration(format!("the file of --known {why}"));
        let text = arguments.known.as_ref().map(fs::read_to_string).transpose();
        let text = text.map_err(|error| refused(format!("is not readable ({error})")))?.map(Zeroizing::new);
        let passwords = text.iter().flat_map(|text| text.lines()).map(login).collect::<Option<_>>();
        let passwords = passwords.ok_or_else(|| {
            refused("is refused: write the number of a row, a tab and the password in each line".to_owned())
        })?;
        let policies = document::of(&arguments.document)?.accepting(AcceptedWeak::all());
        Ok(Self { passwords, worker: one_worker()?, policies, keys, in_clear })
    }

    /// Verifies the login of a row, if it is known, with what the row becomes.
    fn verify(&self, row: &Row, new: &Outcome<'_>) -> Result<bool, Failure> {
        let Some(password) = self.passwords.get(&row.number) else { return Ok(false) };
        let old = row.hash();
        let matches = match new {
            // A wrapped hash matches what the hash inside matches.
            Outcome::Later(..) if self.in_clear => old.as_bytes() == password.expose(),
            new => {
                let stored = if let Outcome::Changed(new) = new { new } else { &*old };
                let admitted = self.policies.admit_stored_with(stored, |id| self.keys?.site_key(id));
                let admitted = admitted.map_err(|refusal| refused_stored(refusal, stored, &self.policies))?;
                Comparison::start(&self.worker, admitted, password).verdict(&self.policies)?.matches
            }
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
