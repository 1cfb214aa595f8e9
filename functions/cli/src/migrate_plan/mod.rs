//! `saltern migrate-plan`: counts the hashes of a table, and computes the cost of moving them.

mod census;
mod htpasswd;
mod mistake;
mod plan;
mod price;
mod print;
mod shape;

use clap::Args;
use saltern_encoded::Encoded;
use saltern_meter::Meter;
use saltern_price::PriceArguments;

use crate::table::{ColumnArguments, Form, Table};
use saltern_program::{DocumentArguments, Failure, document, say};

pub(crate) use self::census::Unread;
use self::{census::Census, mistake::Signs, plan::Plan, shape::Cost};

#[derive(Args, Debug)]
pub(crate) struct MigratePlanArguments {
    #[command(flatten)]
    pub(crate) column: ColumnArguments,
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
    let (mut census, mut signs) = (Census::default(), Signs::default());
    let mut table = Table::open(&arguments.column)?;
    while let Some(row) = table.next()? {
        if !row.is_header {
            census.count(&row, &policies);
            signs.look_at(&row);
        }
    }
    table.end_progress();
    let plan = Plan::draw(&census, &policies, Meter::of_worker(&document::worker(&limits)))?;
    let usd_per_hour = arguments.price.usd_per_hour();
    let mistake = signs.mistake(&census, &arguments.column);
    if arguments.json {
        say(&format!("{}\n", print::json(&plan, usd_per_hour, mistake.as_deref())))?;
    } else {
        say(&print::text(&plan))?;
        say(&price::text(&plan, usd_per_hour))?;
        if table.form() == Form::Htpasswd {
            say(&htpasswd::explain(&plan))?;
        }
    }
    mistake.map_or(Ok(()), |mistake| Err(Failure::data(mistake)))
}

/// Returns the cost of a hash in its usual terms.
pub(crate) fn cost_in_words(encoded: &Encoded) -> String {
    Cost::of(encoded).in_words()
}
