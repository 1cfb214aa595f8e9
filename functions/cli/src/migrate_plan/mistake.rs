//! Notices a wrong column, a missing delimiter, and a header that was read as a hash.

use std::collections::BTreeMap;

use saltern_encoded::parse;
use saltern_seal::is_sealed;

use super::census::{Census, Unread};
use crate::number::counted;
use crate::table::{ColumnArguments, Row};

/// Signs of wrong arguments, in the first rows.
#[derive(Default)]
pub(super) struct Signs {
    looked_at: u64,
    /// Rows whose column holds a hash.
    hashes: u64,
    /// Rows with a hash in another field, by the index of the field.
    elsewhere: BTreeMap<usize, u64>,
    /// Lines with a hash between two such characters, by the index of the field.
    between: BTreeMap<(char, usize), u64>,
    first_is_a_name: bool,
    /// Rows without the field of the hash, in the whole table.
    short: u64,
}

impl Signs {
    pub(super) fn look_at(&mut self, row: &Row) {
        self.short += u64::from(!row.has_hash_field() && !row.line().is_empty());
        if self.looked_at == ROWS_LOOKED_AT {
            return;
        }
        self.looked_at += 1;
        let hash = row.hash();
        if is_hash(&hash) {
            self.hashes += 1;
            return;
        }
        self.first_is_a_name |= row.number == 1 && is_a_name(&hash);
        if row.is_line() {
            let line = row.line();
            for delimiter in DELIMITERS {
                for (index, field) in line.split(delimiter).enumerate() {
                    if is_hash(field.trim_matches('"')) && line.contains(delimiter) {
                        *self.between.entry((delimiter, index)).or_default() += 1;
                    }
                }
            }
        } else {
            for (index, _) in row.fields().enumerate().filter(|(_, field)| is_hash(field)) {
                *self.elsewhere.entry(index).or_default() += 1;
            }
        }
    }

    /// Returns the likeliest mistake in the arguments, and what to do.
    pub(super) fn mistake(&self, census: &Census, arguments: &ColumnArguments) -> Option<String> {
        // Of equal counts the first field.
        let elsewhere = self.elsewhere.iter().rev().max_by_key(|(_, count)| **count);
        let between = self.between.iter().rev().max_by_key(|(_, count)| **count);
        if let Some((index, _)) = elsewhere.filter(|(_, count)| **count > self.hashes) {
            return Some(format!("field {0} holds the hashes: use --column {0}", index + 1));
        }
        if let Some(((delimiter, index), _)) = between.filter(|(_, count)| **count > self.hashes) {
            let named = if *delimiter == '\t' { "\\t".to_owned() } else { delimiter.to_string() };
            return Some(format!(
                "the lines have fields: use --delimiter '{named}' --column {}, and --header if line 1 names them",
                index + 1
            ));
        }
        if self.short > 0 {
            return Some(format!(
                "{} without field {}: check --column and --delimiter",
                counted(self.short, "row is", "rows are"),
                arguments.column
            ));
        }
        if self.first_is_a_name {
            return Some(
                "row 1 names the fields: use --header with --delimiter, or remove the row".to_owned(),
            );
        }
        let is_no_column = census
            .unread
            .keys()
            .all(|reason| matches!(reason, Unread::NoPassword | Unread::MayBeHash(_) | Unread::NoHash));
        let is_empty = census.shapes.is_empty() && census.rows > 0;
        (is_empty && is_no_column).then(|| "no row has a hash: check --column and --delimiter".to_owned())
    }
}

fn is_hash(text: &str) -> bool {
    parse(text).is_ok() || is_sealed(text)
}

/// Whether a text looks like the name of a column of hashes.
fn is_a_name(text: &str) -> bool {
    let text = text.trim_matches('"').to_lowercase();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_- ".contains(&byte));
    is_plain && text.len() <= MOST_NAME_BYTES && NAMES.iter().any(|name| text.contains(name))
}

const ROWS_LOOKED_AT: u64 = 10_000;

const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// Parts of the names of such columns.
const NAMES: [&str; 6] = ["pass", "hash", "pwd", "crypt", "digest", "secret"];

const MOST_NAME_BYTES: usize = 40;
