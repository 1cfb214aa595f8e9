//! `saltern migrate-plan`: counts the hashes of a table, and computes the cost of moving them.

mod census;
mod foreign;
mod htpasswd;
mod mistake;
mod plan;
mod price;
mod print;
mod shape;

use std::{num::NonZeroUsize, path::PathBuf};

use crate::price::PriceArguments;
use clap::Args;
use saltern_encoded::{Encoded, SitePreparation};
use saltern_pool::OneCore;

use crate::{
    keys,
    table::{ColumnArguments, Form, Table, field_number},
};
use saltern_server::{DocumentArguments, Failure, document, say};

pub(crate) use self::census::Unread;
use self::{
    census::{Census, Opening},
    mistake::Signs,
    plan::Plan,
    shape::Cost,
};

#[derive(Args, Debug)]
pub(crate) struct MigratePlanArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
    /// Open sealed hashes with these keys; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    /// The number of the field with the context of a seal, from 1: the user's id
    #[arg(long, value_name = "NUMBER", requires = "seal_keys", value_parser = field_number)]
    pub(crate) context_column: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) price: PriceArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &MigratePlanArguments) -> Result<(), Failure> {
    let limits = document::limits(&arguments.document.machine)?;
    let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
    let keys = arguments.seal_keys.as_deref().map(keys::read).transpose()?;
    let opening = Opening { keys: keys.as_ref(), context_column: arguments.context_column };
    let (mut census, mut signs) = (Census::default(), Signs::default());
    let mut table = Table::open(&arguments.column)?;
    while let Some(row) = table.next()? {
        table.done(&row);
        if !row.is_header {
            census.count(&row, &policies, &opening);
            signs.look_at(&row);
        }
    }
    table.end_progress();
    let plan = Plan::draw(&census, &policies, keys.as_ref(), OneCore::new(&document::worker(&limits)))?;
    let usd_per_hour = arguments.price.usd_per_hour();
    let mistake = signs.mistake(&census, &arguments.column);
    if arguments.json {
        say(&format!("{}\n", print::json(&plan, usd_per_hour, mistake.as_deref())))?;
    } else {
        let is_htpasswd = table.form() == Form::Htpasswd;
        let explained = if is_htpasswd { htpasswd::explain(&plan) } else { String::new() };
        say(&print::folded(&[print::text(&plan), price::text(&plan, usd_per_hour), explained].concat()))?;
    }
    mistake.map_or(Ok(()), |mistake| Err(Failure::data(mistake)))
}

/// Returns the shape of a value, as the plan prints it: the scheme and the cost of a hash, or the
/// kind of another text. Values of one shape may have different makers.
pub(crate) fn shape_of(value: &str) -> String {
    match saltern_encoded::parse(value) {
        Ok(encoded) => {
            let preparation = encoded.preparation().map(SitePreparation::name);
            shape::named(preparation, encoded.scheme(), Cost::of(&encoded).to_count_by())
        }
        Err(error) => Unread::of(value, error).shape(),
    }
}

/// Returns the cost of a hash in its usual terms.
pub(crate) fn cost_in_words(encoded: &Encoded) -> String {
    Cost::of(encoded).in_words()
}
