use crate::number::grouped;

use super::Row;

/// The number of rows, and the first of them.
#[derive(Clone, Default)]
pub(crate) struct Occurrences {
    pub(crate) count: u64,
    /// The numbers of the first rows, with their users in an htpasswd file.
    first: Vec<(u64, Option<String>)>,
}

impl Occurrences {
    pub(crate) fn add(&mut self, row: &Row) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push((row.number, row.user().map(str::to_owned)));
        }
    }

    /// Adds other rows of the same table.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.first.extend_from_slice(&other.first);
        self.first.sort_unstable();
        self.first.truncate(MOST_NAMED);
    }

    pub(crate) fn first_rows(&self) -> Vec<u64> {
        self.first.iter().map(|(number, _)| *number).collect()
    }

    pub(crate) fn first_users(&self) -> Vec<&str> {
        self.first.iter().filter_map(|(_, user)| user.as_deref()).collect()
    }

    /// Names the first rows: `rows 1, 2, 3, …`.
    pub(crate) fn places(&self) -> String {
        let rows: Vec<String> = self.first_rows().into_iter().map(grouped).collect();
        let more = if self.count > rows.len() as u64 { ", …" } else { "" };
        let noun = if self.count == 1 { "row" } else { "rows" };
        format!("{noun} {}{more}", rows.join(", "))
    }
}

/// The number of rows and users that are named.
const MOST_NAMED: usize = 5;
