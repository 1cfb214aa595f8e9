//! `saltern seal`, `reseal` and `unseal`: seals the hashes of a table, or takes the seals off.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::Args;
use saltern_encoded::parse;
use saltern_seal::{Keys, NotSealed, is_sealed};
use saltern_server::Failure;
use zeroize::Zeroizing;

use crate::{
    keys,
    migrate_plan::Unread,
    table::{Kept, Outcome, RewriteArguments, Row, field_number, rewrite},
};

#[derive(Args, Debug)]
pub(crate) struct SealArguments {
    #[command(flatten)]
    rewrite: RewriteArguments,
    /// The keys; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    seal_keys: PathBuf,
    /// The number of the field with the context, from 1: the user's id, as the backend sends it
    #[arg(long, value_name = "NUMBER", value_parser = field_number)]
    context_column: Option<NonZeroUsize>,
}

/// The change to each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Seal,
    Reseal,
    Unseal,
}

/// Writes the rows again with their hashes sealed, sealed anew, or without seals.
pub(crate) fn run(arguments: &SealArguments, change: Change) -> Result<(), Failure> {
    let keys = keys::read(&arguments.seal_keys)?;
    if change != Change::Unseal && keys.current().wants_context() && arguments.context_column.is_none() {
        return Err(Failure::configuration(
            "the current key wants a context: name the field with the user's id by --context-column",
        ));
    }
    rewrite(&arguments.rewrite, &mut |row| {
        Ok(match changed(&keys, change, row, arguments.context_column) {
            Ok(Ok(text)) => Outcome::Changed(text),
            Ok(Err(defect @ NotSealed::NoRandomness)) => return Err(Failure::system(defect.to_string())),
            Ok(Err(defect)) => Outcome::Kept(Kept::skipped(defect.to_string())),
            Err(kept) => Outcome::Kept(kept),
        })
    })
}

fn changed(
    keys: &Keys,
    change: Change,
    row: &Row,
    context_column: Option<NonZeroUsize>,
) -> Result<Result<Zeroizing<String>, NotSealed>, Kept> {
    let stored = row.hash();
    let is_sealed = is_sealed(&stored);
    if !is_sealed && change == Change::Unseal {
        return Err(Kept::as_wanted("not sealed"));
    }
    if !is_sealed {
        // No login could verify what is not read.
        parse(&stored).map_err(|error| Unread::of(&stored, error).kept())?;
        if change == Change::Reseal {
            return Err(Kept::skipped("not sealed: use `saltern seal`"));
        }
    }
    let context = keys::context_of(row, context_column);
    if context_column.is_some() && context.is_none() {
        return Err(Kept::skipped(NO_CONTEXT));
    }
    let text = if is_sealed {
        let opened = keys.open(&stored, context.as_ref());
        let opened = opened.map_err(|defect| Unread::NotOpened(defect).kept())?;
        match change {
            Change::Seal => return Err(Kept::as_wanted("sealed already")),
            Change::Unseal => return Ok(Ok(opened.text)),
            Change::Reseal if !opened.is_older => {
                return Err(Kept::as_wanted("sealed under the current key or a newer one"));
            }
            Change::Reseal => opened.text,
        }
    } else {
        Zeroizing::new(stored.into_owned())
    };
    Ok(keys.seal(&text, context.as_ref()).map(Zeroizing::new))
}

const NO_CONTEXT: &str =
    "its context is missing, empty, NULL, not UTF-8, longer than 256 bytes or the hash itself";
