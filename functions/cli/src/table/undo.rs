//! The statement that takes the change of a table back.

use super::Row;

/// The names of the fields in the operator's table.
pub(super) struct Undo {
    id: String,
    hash: String,
}

impl Default for Undo {
    /// The names of the guide.
    fn default() -> Self {
        Self { id: "id".to_owned(), hash: "password_hash".to_owned() }
    }
}

impl Undo {
    /// Reads the names in a header. A name that SQL wants in quotes is left to the operator.
    pub(super) fn of_header(header: &Row) -> Self {
        let Self { id, hash } = Self::default();
        let plain =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let named = |name: &str, other: String| if plain(name) { name.to_owned() } else { other };
        let first = header.fields().next().filter(|first| *first != header.hash());
        Self { id: named(&first.unwrap_or_default(), id), hash: named(&header.hash(), hash) }
    }

    /// Returns the statement, in the SQL of every database. Rows that the run has not changed stay,
    /// and so does a hash that a login or its user has replaced meanwhile.
    ///
    /// `moved` is the table that gets the result of this run.
    pub(super) fn statement(&self, moved: &str, keeps_old: bool) -> String {
        let Self { id, hash } = self;
        let (explained, table, old, join) = if keeps_old {
            ("", moved, "old_hash", String::new())
        } else {
            (
                ", and the copy that you made before as `users_before`",
                "users_before",
                hash.as_str(),
                format!(" JOIN users_before ON users_before.{id} = {moved}.{id}"),
            )
        };
        format!(
            "take the change back, with this result as the table `{moved}`{explained}:\n  UPDATE users SET {hash} = \
             (SELECT {old} FROM {table} WHERE {table}.{id} = users.{id})\n  WHERE EXISTS (SELECT 1 FROM {moved}{join} \
             WHERE {moved}.{id} = users.{id}\n    AND {moved}.{hash} = users.{hash} AND {moved}.{hash} <> \
             {table}.{old});\n"
        )
    }
}
