//! Counts the hashes of each shape, in one pass over the rows.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroUsize,
};

use saltern_encoded::ParseError;
use saltern_policy::Policies;
use saltern_seal::{Keys, NotOpened, Sealed, is_sealed};
use strum::IntoStaticStr;
use zeroize::Zeroizing;

use super::{foreign::software_of, shape::Shape};
use crate::{
    keys,
    table::{Kept, Occurrences, Row},
};

/// The counts.
#[derive(Default)]
pub(super) struct Census {
    pub(super) rows: u64,
    pub(super) shapes: HashMap<Shape, Counted>,
    pub(super) unread: HashMap<Unread, Occurrences>,
    /// The number of sealed rows of each key, opened or not.
    pub(super) sealed: BTreeMap<String, u64>,
}

/// The keys that open sealed rows.
pub(super) struct Opening<'a> {
    pub(super) keys: Option<&'a Keys>,
    pub(super) context_column: Option<NonZeroUsize>,
}

/// Hashes of one shape.
pub(super) struct Counted {
    pub(super) occurrences: Occurrences,
    /// One of these hashes, for admission and timing.
    pub(super) example: Zeroizing<String>,
}

/// The reason why a row was not read as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Unread {
    /// No password is set: an empty field, a comment, or the mark of a locked account.
    NoPassword,
    /// A sealed hash, of which only the key shows the scheme.
    Sealed,
    /// A sealed hash that the given keys do not open.
    NotOpened(NotOpened),
    /// A digest in hexadecimal of so many digits, without the name of a scheme.
    BareDigest(usize),
    /// A salt, a separator, and a digest of so many digits.
    SaltAndDigest(usize),
    /// A digest of so many digits, a separator, and a salt.
    DigestAndSalt(usize),
    /// A hash with white space before or after it.
    Padded,
    /// A known scheme, but malformed: cut off or changed by hand.
    #[strum(serialize = "invalid_hash")]
    Invalid,
    /// An unsupported scheme.
    #[strum(serialize = "unsupported_hash")]
    Unsupported,
    /// Base64 or other text of many bytes, without the name of a scheme.
    Encoded,
    /// A hash of this software, whose form is not read as it is.
    Foreign(&'static str),
    /// No known form, but with this sign of a hash.
    MayBeHash(&'static str),
    /// No text that looks like a hash.
    NoHash,
    /// A hash of another shape than the first [`MOST_SHAPES`].
    FurtherShape,
}

impl Unread {
    pub(crate) fn of(hash: &str, error: ParseError) -> Self {
        let digest = hex_digits(hash).map(Self::BareDigest).or_else(|| salted(hash));
        // shadow(5) and Django lock an account with a `!` before the rest. A salt may begin with one.
        let is_locked = hash.starts_with('!') && !matches!(digest, Some(Self::SaltAndDigest(_)))
            || hash.trim_start_matches('*').is_empty();
        match (error, software_of(hash), digest) {
            _ if is_locked || NO_PASSWORD.contains(&hash) => Self::NoPassword,
            _ if is_sealed(hash) => Self::Sealed,
            (_, Some(software), _) => Self::Foreign(software),
            (.., Some(digest)) => digest,
            _ if hash.trim() != hash && is_hash(hash.trim()) => Self::Padded,
            (ParseError::Invalid, ..) => Self::Invalid,
            (ParseError::Unsupported, ..) if hash.starts_with(['$', '{', '_', '*']) => Self::Unsupported,
            (ParseError::Unsupported, ..) if is_long_base64(hash) => Self::Encoded,
            (ParseError::Unsupported, ..) => {
                sign_of_a_hash(hash.trim()).map_or(Self::NoHash, Self::MayBeHash)
            }
        }
    }

    /// Returns how a row counts whose hash was to be changed.
    pub(crate) fn kept(self) -> Kept {
        let reason = self.in_words();
        if self == Self::NoPassword { Kept::as_wanted(reason) } else { Kept::skipped(reason) }
    }
}

impl Census {
    pub(super) fn count(&mut self, row: &Row, policies: &Policies, opening: &Opening<'_>) {
        self.rows += 1;
        let mut hash = Zeroizing::new(row.hash().into_owned());
        if let Ok(sealed) = Sealed::parse(&hash) {
            let has_room = self.sealed.len() < MOST_SHAPES || self.sealed.contains_key(sealed.key());
            *self.sealed.entry(if has_room { sealed.key() } else { OTHER_KEYS }.to_owned()).or_default() += 1;
        }
        let is_refused = |keys: &Keys| keys.requires_seal() && saltern_encoded::parse(&hash).is_ok();
        if let Some(keys) = opening.keys.filter(|keys| is_sealed(&hash) || is_refused(keys)) {
            let context = keys::context_of(row, opening.context_column);
            match keys.unseal(&hash, context.as_ref()) {
                Ok(unsealed) => hash = unsealed.text,
                Err(defect) => return self.unread.entry(Unread::NotOpened(defect)).or_default().add(row),
            }
        }
        match saltern_encoded::parse(&hash) {
            Ok(encoded) => {
                let shape = Shape::of(&encoded, policies.weakness(&encoded), opening.keys);
                if self.shapes.len() == MOST_SHAPES && !self.shapes.contains_key(&shape) {
                    return self.unread.entry(Unread::FurtherShape).or_default().add(row);
                }
                let counted = self.shapes.entry(shape).or_insert_with(|| Counted {
                    occurrences: Occurrences::default(),
                    example: hash.clone(),
                });
                counted.occurrences.add(row);
            }
            Err(error) => {
                let reason = if row.is_comment() { Unread::NoPassword } else { Unread::of(&hash, error) };
                self.unread.entry(reason).or_default().add(row);
            }
        }
    }
}

fn is_hash(text: &str) -> bool {
    let is_digest = hex_digits(text).is_some() || salted(text).is_some() || is_long_base64(text);
    is_digest || saltern_encoded::parse(text).is_ok()
}

/// Returns the number of digits of a digest in hexadecimal, perhaps behind `0x` or `\x`.
fn hex_digits(text: &str) -> Option<usize> {
    let digits = ["0x", "\\x", "*"].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    let is_digest =
        DIGEST_HEX_LENGTHS.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then_some(digits.len())
}

/// Recognises a digest with a salt before or after it. If both parts look like digests, the longer
/// one is the digest.
fn salted(text: &str) -> Option<Unread> {
    let separator = text.find(SEPARATORS)?;
    let first = hex_digits(&text[..separator]);
    let last = text.rfind(SEPARATORS).and_then(|at| hex_digits(&text[at + 1..]));
    match (first, last) {
        (None, None) => None,
        (Some(digits), last) if last.is_none_or(|last| last < digits) => Some(Unread::DigestAndSalt(digits)),
        (_, last) => last.map(Unread::SaltAndDigest),
    }
}

/// Whether a text may be the Base64 or Base32 of a digest: it has upper-case letters, and digits or
/// signs of Base64. One digest in a hundred has letters alone, but more upper-case ones than words
/// have.
fn is_long_base64(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_.:".contains(&byte);
    let count = |is_of: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is_of(byte)).count();
    let capitals = count(u8::is_ascii_uppercase);
    let has_other = count(|byte| byte.is_ascii_digit() || b"+/=".contains(byte)) > 0;
    text.len() >= FEWEST_CHARACTERS_OF_A_DIGEST
        && text.bytes().all(is_base64)
        && (has_other && capitals > 0 || 4 * capitals >= text.len())
}

/// Returns the sign that a text is the hash of a program that is not known here. Some passwords have
/// such a sign, too.
fn sign_of_a_hash(text: &str) -> Option<&'static str> {
    let longest = |is_of: fn(u8) -> bool| text.as_bytes().split(|byte| !is_of(*byte)).map(<[u8]>::len).max();
    let name = text.find(|end: char| !end.is_ascii_alphanumeric() && end != '-' && end != '_');
    let fewest_digits =
        if text.bytes().all(|byte| byte.is_ascii_hexdigit()) { FEWEST_DIGITS_ALONE } else { FEWEST_DIGITS };
    let signs = [
        (
            "prefix",
            name.is_some_and(|end| MOST_NAME_BYTES >= end && text[end..].starts_with(['$', ':', '|'])),
        ),
        ("braces", text.split_once('{').is_some_and(|(_, rest)| rest.contains('}'))),
        ("hexadecimal", longest(|byte| byte.is_ascii_hexdigit()) >= Some(fewest_digits)),
        (
            "base64",
            longest(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)) >= Some(FEWEST_BASE64),
        ),
        ("long", text.len() > MOST_PASSWORD_BYTES),
    ];
    signs.into_iter().find_map(|(sign, has_it)| has_it.then_some(sign))
}

/// Shapes, and keys, that are counted apart. They bound the memory, and nobody reads more.
const MOST_SHAPES: usize = 1_000;

/// No key has this id.
const OTHER_KEYS: &str = "other keys";

/// Before `$`, `:` or `|`, as of `SCRAM-SHA-256$4096:` and `pbkdf2_sha256$`.
const MOST_NAME_BYTES: usize = 16;

/// The fewest digits of a digest in hexadecimal, and the fewest characters in Base64, that hardly
/// any password has in a row.
const FEWEST_DIGITS: usize = 24;
const FEWEST_BASE64: usize = 40;

/// `OLD_PASSWORD()` of MySQL has nothing but so many digits.
const FEWEST_DIGITS_ALONE: usize = 16;

/// Hardly any password is longer.
const MOST_PASSWORD_BYTES: usize = 64;

/// The Base64 of an MD5.
const FEWEST_CHARACTERS_OF_A_DIGEST: usize = 22;

/// Between a salt and a digest.
const SEPARATORS: [char; 6] = [':', '.', '|', ';', ',', '$'];

/// MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512 in hexadecimal.
const DIGEST_HEX_LENGTHS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// shadow(5), and the words of exports for NULL.
const NO_PASSWORD: [&str; 5] = ["*0", "*1", "x", "NULL", "\\N"];
