//! A row in its own bytes, and the places of its fields.

use std::{borrow::Cow, io, num::NonZeroUsize, ops::Range};

/// How the fields of a row stand in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// RFC 4180 with this delimiter: a field in quotes may hold delimiters, newlines and doubled
    /// quotes.
    Csv(u8),
    /// A line is a hash, or `user:hash`.
    Lines,
    /// Tabs. A quote is a character as any other, and a backslash escapes: the text format of
    /// PostgreSQL's `COPY`, and `mariadb --batch`. A carriage return at the end of a row is of its last
    /// field, unless all rows have one.
    Tabs { crlf: bool },
}

impl Syntax {
    pub(super) fn of_delimiter(delimiter: u8) -> Self {
        if delimiter == b'\t' { Self::Tabs { crlf: false } } else { Self::Csv(delimiter) }
    }

    pub(super) fn without_newline(self, line: &[u8]) -> &[u8] {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let is_of_value = self == Self::Tabs { crlf: false };
        line.strip_suffix(b"\r").filter(|_| !is_of_value).unwrap_or(line)
    }

    /// The byte before an appended field.
    fn delimiter(self) -> u8 {
        match self {
            Self::Csv(delimiter) => delimiter,
            Self::Lines | Self::Tabs { .. } => b'\t',
        }
    }

    /// Reads a field.
    fn decode(self, raw: &[u8]) -> Cow<'_, str> {
        // A field that is not UTF-8 has no hash. It is passed on and refused.
        let text = str::from_utf8(raw).unwrap_or(UNREAD);
        match self {
            Self::Csv(_) => match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                Some(quoted) if quoted.contains('"') => quoted.replace("\"\"", "\"").into(),
                Some(quoted) => quoted.into(),
                None => text.into(),
            },
            Self::Tabs { .. } if text.contains('\\') && text != NULL => {
                unescaped(text).map_or(UNREAD.into(), Cow::Owned)
            }
            Self::Lines | Self::Tabs { .. } => text.into(),
        }
    }

    /// Writes a field in place of `old`.
    fn encode(self, text: &str, old: &[u8]) -> String {
        match self {
            Self::Lines => text.to_owned(),
            Self::Tabs { .. } => text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"),
            Self::Csv(delimiter) => {
                let special = [char::from(delimiter), '"', '\n', '\r'];
                if old.starts_with(b"\"") || text.contains(special) {
                    format!("\"{}\"", text.replace('"', "\"\""))
                } else {
                    text.to_owned()
                }
            }
        }
    }
}

/// `None` if no database escapes a text so: then its backslashes are its own.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '\\' => match characters.next()? {
                '0' => '\0',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                '\\' => '\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(out)
}

/// Finds the fields of a row, also of one that goes on over several lines.
pub(super) struct Splitter {
    syntax: Syntax,
    state: State,
    start: usize,
    /// The bytes that were looked at.
    seen: usize,
    fields: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// After a quote in quotes: the end of the field, or the first of two.
    Quote,
}

impl Splitter {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self { syntax, state: State::Start, start: 0, seen: 0, fields: Vec::new() }
    }

    /// Looks at the bytes that have come since the last call. Returns whether the row is whole.
    pub(super) fn is_whole_after(&mut self, bytes: &[u8]) -> bool {
        let end = self.syntax.without_newline(bytes).len();
        for (at, &byte) in bytes.iter().enumerate().skip(self.seen) {
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) => State::Quoted,
                (_, b'\n') => {
                    self.fields.push(self.start..end);
                    self.seen = bytes.len();
                    return true;
                }
                (_, byte) if byte == self.syntax.delimiter() => {
                    self.fields.push(self.start..at);
                    self.start = at + 1;
                    State::Start
                }
                (State::Start | State::Quote, b'"') if self.syntax.delimiter() != b'\t' => State::Quoted,
                _ => State::Plain,
            };
        }
        self.seen = bytes.len();
        let is_last = bytes.last() != Some(&b'\n') && self.state != State::Quoted;
        if is_last {
            self.fields.push(self.start..end);
        }
        is_last
    }

    pub(super) fn fields(self) -> Vec<Range<usize>> {
        self.fields
    }
}

/// A row, in the bytes of the file.
pub(crate) struct Row {
    /// The number of the row, from 1.
    pub(crate) number: u64,
    /// Whether the row names the fields and has no hash.
    pub(crate) is_header: bool,
    pub(super) syntax: Syntax,
    pub(super) bytes: Vec<u8>,
    pub(super) fields: Vec<Range<usize>>,
    /// The index of the field with the hash. The row may have fewer fields.
    pub(super) hash: usize,
}

impl Row {
    /// The stored hash; empty if the row has no such field.
    pub(crate) fn hash(&self) -> Cow<'_, str> {
        self.raw_hash().map_or(Cow::Borrowed(""), |raw| self.syntax.decode(raw))
    }

    /// Whether the quotes around the value may be its own. Files of users and passwords, with colons,
    /// are seldom CSV, which needs quotes only around a colon or a quote.
    pub(crate) fn may_have_own_quotes(&self) -> bool {
        let text = self.hash();
        let is_quoted = self.raw_hash().is_some_and(|raw| raw.starts_with(b"\"") && !text.is_empty());
        self.syntax == Syntax::Csv(b':') && is_quoted && (text.contains('\n') || !text.contains([':', '"']))
    }

    /// Whether the row has the field of the hash.
    pub(crate) fn has_hash_field(&self) -> bool {
        self.hash < self.fields.len()
    }

    /// The user, in an htpasswd file.
    pub(crate) fn user(&self) -> Option<&str> {
        let is_named = self.syntax == Syntax::Lines && self.fields.len() > 1;
        self.fields
            .first()
            .filter(|_| is_named)
            .and_then(|user| str::from_utf8(&self.bytes[user.clone()]).ok())
    }

    /// Whether the row is a line without further fields, or `user:hash`.
    pub(crate) fn is_line(&self) -> bool {
        self.syntax == Syntax::Lines
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.fields.iter().map(|field| self.syntax.decode(&self.bytes[field.clone()]))
    }

    /// Whether the row is a comment. Only files of lines have comments.
    pub(crate) fn is_comment(&self) -> bool {
        self.syntax == Syntax::Lines && self.line().trim_start().starts_with('#')
    }

    /// Another field, by its number from 1.
    ///
    /// `None` for the field of the hash, without a value, and for a value that cannot be read.
    pub(crate) fn field(&self, number: NonZeroUsize) -> Option<Cow<'_, str>> {
        let index = number.get() - 1;
        let raw = &self.bytes[self.fields.get(index).filter(|_| index != self.hash)?.clone()];
        // The byte order mark of a file is of no context and of no salt.
        let is_first = (self.number, index) == (1, 0);
        let raw = raw.strip_prefix("\u{feff}".as_bytes()).filter(|_| is_first).unwrap_or(raw);
        let has_value = self.syntax == Syntax::Lines || !NULLS.contains(&raw);
        has_value.then(|| self.syntax.decode(raw)).filter(|text| text != UNREAD)
    }

    /// The whole row without its newline.
    pub(crate) fn line(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.syntax.without_newline(&self.bytes))
    }

    /// The bytes of the row, with its newline.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The last field.
    pub(super) fn last_field(&self) -> Cow<'_, str> {
        let last = self.fields.last().cloned().unwrap_or_default();
        self.syntax.decode(&self.bytes[last])
    }

    /// Whether a newline ends the row.
    pub(super) fn is_ended(&self) -> bool {
        self.bytes.ends_with(b"\n")
    }

    /// Whether an earlier run has appended the old hash to a line. If that run left the value as it was,
    /// the value stands there twice.
    pub(super) fn has_old_hash(&self) -> bool {
        let Some(hash) = self.fields.get(self.hash).filter(|_| self.syntax == Syntax::Lines) else {
            return false;
        };
        let (hash, after) = self.bytes[hash.start..].split_at(hash.len());
        let (first, second) = hash.split_at(hash.len() / 2);
        after.contains(&b'\t') || second.strip_prefix(b"\t") == Some(first)
    }

    /// Writes the row with `new` in place of its hash, and with one more field.
    pub(super) fn write(
        &self,
        output: &mut dyn io::Write,
        new: Option<&str>,
        appended: Option<Appended>,
    ) -> io::Result<()> {
        let (before, after) = self.around(appended);
        output.write_all(before)?;
        match (new, self.raw_hash()) {
            (Some(new), Some(old)) => output.write_all(self.syntax.encode(new, old).as_bytes())?,
            (_, old) => output.write_all(old.unwrap_or_default())?,
        }
        output.write_all(&after)
    }

    /// Returns the hash that an earlier run has put into this row, of which it wrote `written`;
    /// `None` if that is not this row.
    pub(super) fn written<'a>(&self, written: &'a [u8], appended: Option<Appended>) -> Option<&'a [u8]> {
        let (before, after) = self.around(appended);
        written.strip_prefix(before)?.strip_suffix(&after[..])
    }

    /// The bytes of the hash.
    pub(super) fn raw_hash(&self) -> Option<&[u8]> {
        self.fields.get(self.hash).map(|hash| &self.bytes[hash.clone()])
    }

    /// Returns the bytes before the hash and those after it.
    fn around(&self, appended: Option<Appended>) -> (&[u8], Vec<u8>) {
        let end = self.syntax.without_newline(&self.bytes).len();
        let hash = self.fields.get(self.hash).cloned().unwrap_or(end..end);
        let mut after = self.bytes[hash.end..end].to_vec();
        if let Some(appended) = appended {
            after.push(self.syntax.delimiter());
            after.extend_from_slice(match appended {
                Appended::Name(name) => name.as_bytes(),
                Appended::OldHash => self.raw_hash().unwrap_or_default(),
            });
        }
        after.extend_from_slice(&self.bytes[end..]);
        (&self.bytes[..hash.start], after)
    }
}

/// A field that is appended to a row.
#[derive(Clone, Copy)]
pub(super) enum Appended {
    Name(&'static str),
    OldHash,
}

/// In place of a field that cannot be read.
const UNREAD: &str = "\u{fffd}";

/// The text format of PostgreSQL's `COPY` for no value.
const NULL: &str = "\\N";

/// No value, as `COPY` and `mariadb --batch` write it.
const NULLS: [&[u8]; 2] = [NULL.as_bytes(), b"NULL"];

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(syntax: Syntax, text: &str) -> Option<Vec<String>> {
        let mut splitter = Splitter::new(syntax);
        let is_whole = splitter.is_whole_after(text.as_bytes());
        let decode = |field: Range<usize>| syntax.decode(&text.as_bytes()[field]).into_owned();
        is_whole.then(|| splitter.fields().into_iter().map(decode).collect())
    }

    #[test]
    fn fields_are_found_as_rfc_4180_and_copy_write_them() {
        let csv = Syntax::Csv(b',');
        for (syntax, text, want) in [
            (csv, "1,\"a, \"\"b\"\"\",\r\n", Some(vec!["1", "a, \"b\"", ""])),
            (csv, "1,\"a\nb\",c", Some(vec!["1", "a\nb", "c"])),
            (csv, "\n", Some(vec![""])),
            (csv, "1,\"open\n", None),
            (csv, "a\"b,c\n", Some(vec!["a\"b", "c"])),
            (Syntax::Tabs { crlf: false }, "\"a\tb\\\\c\\td\t\\N\n", Some(vec!["\"a", "b\\c\td", "\\N"])),
            // A file that no database wrote.
            (Syntax::Tabs { crlf: false }, "p\\ass\tend\\\n", Some(vec![UNREAD, UNREAD])),
        ] {
            let want = want.map(|fields| fields.into_iter().map(str::to_owned).collect());
            assert_eq!(fields(syntax, text), want, "{text:?}");
        }
    }

    #[test]
    fn a_written_field_is_read_again() {
        for syntax in [Syntax::Csv(b';'), Syntax::Tabs { crlf: false }] {
            for text in ["plain", "a;b", "a\"b", "a\\b", "a\nb", ""] {
                for old in ["x", "\"x\""] {
                    let written = syntax.encode(text, old.as_bytes());
                    assert_eq!(syntax.decode(written.as_bytes()), text, "{syntax:?} {written}");
                }
            }
        }
    }
}
