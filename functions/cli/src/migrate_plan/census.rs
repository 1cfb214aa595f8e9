//! Counts the hashes of each shape, in one pass over the rows.

use std::collections::HashMap;

use saltern_encoded::ParseError;
use saltern_policy::Policies;
use saltern_seal::is_sealed;
use zeroize::Zeroizing;

use super::shape::Shape;
use crate::table::{Occurrences, Row};

/// The counts.
#[derive(Default)]
pub(super) struct Census {
    pub(super) rows: u64,
    pub(super) shapes: HashMap<Shape, Counted>,
    pub(super) unread: HashMap<Unread, Occurrences>,
}

/// Hashes of one shape.
pub(super) struct Counted {
    pub(super) occurrences: Occurrences,
    /// One of these hashes, for admission and timing.
    pub(super) example: Zeroizing<String>,
}

/// The reason why a row was not read as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Unread {
    /// No password is set: an empty field, a comment, or the mark of a locked account.
    NoPassword,
    /// A sealed hash, of which only the key shows the scheme.
    Sealed,
    /// A digest in hexadecimal without the name of a scheme.
    BareDigest,
    /// A known scheme, but malformed: cut off or changed by hand.
    Invalid,
    /// An unsupported scheme.
    Unsupported,
    /// No text that looks like a hash.
    NoHash,
}

impl Unread {
    pub(crate) fn of(hash: &str, error: ParseError) -> Self {
        let locked = hash.trim_start_matches(['!', '*']);
        let is_digest =
            DIGEST_HEX_LENGTHS.contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_comment = hash.trim_start().starts_with('#');
        match error {
            _ if is_comment || locked.is_empty() || NO_PASSWORD.contains(&hash) => Self::NoPassword,
            _ if is_sealed(hash) => Self::Sealed,
            _ if is_digest => Self::BareDigest,
            ParseError::Invalid => Self::Invalid,
            ParseError::Unsupported if hash.starts_with(['$', '{', '_']) => Self::Unsupported,
            ParseError::Unsupported => Self::NoHash,
        }
    }
}

impl Census {
    pub(super) fn count(&mut self, row: &Row, policies: &Policies) {
        self.rows += 1;
        let hash = row.hash();
        match saltern_encoded::parse(&hash) {
            Ok(encoded) => {
                let shape = Shape::of(&encoded, policies.weakness(&encoded));
                let counted = self.shapes.entry(shape).or_insert_with(|| Counted {
                    occurrences: Occurrences::default(),
                    example: Zeroizing::new(hash.clone().into_owned()),
                });
                counted.occurrences.add(row);
            }
            Err(error) => self.unread.entry(Unread::of(&hash, error)).or_default().add(row),
        }
    }
}

/// MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512 in hexadecimal.
const DIGEST_HEX_LENGTHS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// shadow(5), and the words of exports for NULL.
const NO_PASSWORD: [&str; 5] = ["*0", "*1", "x", "NULL", "\\N"];
