use saltern_program::number::grouped;

use super::Row;

/// The number of rows, and the first of them.
#[derive(Default)]
pub(crate) struct Occurrences {
    pub(crate) count: u64,
    pub(crate) first_rows: Vec<u64>,
    pub(crate) first_users: Vec<String>,
}

impl Occurrences {
    pub(crate) fn add(&mut self, row: &Row) {
        self.count += 1;
        if self.first_rows.len() < MOST_NAMED {
            self.first_rows.push(row.number);
            self.first_users.extend(row.user().map(str::to_owned));
        }
    }

    /// Names the first rows: `rows 1, 2, 3, …`.
    pub(crate) fn places(&self) -> String {
        let rows: Vec<String> = self.first_rows.iter().map(|&row| grouped(row)).collect();
        let more = if self.count > self.first_rows.len() as u64 { ", …" } else { "" };
        let noun = if self.count == 1 { "row" } else { "rows" };
        format!("{noun} {}{more}", rows.join(", "))
    }
}

/// The number of rows and users that are named.
const MOST_NAMED: usize = 5;
