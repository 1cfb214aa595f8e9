//! The document with the keys: its members, and how it is written.

use core::fmt;
use std::path::Path;

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use crate::{KeysError, NoRandomness, Randomness, file::read_private};

/// The members of a document of keys. [`Keys`](crate::Keys) checks its rules.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The id of the key that seals.
    pub current: String,
    /// The keys, from oldest to newest.
    pub keys: Vec<KeyEntry>,
    /// Whether hashes without a seal are refused.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub require: bool,
    /// The keys of passwords that a site prepared before it hashed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub site_keys: Vec<SiteKeyEntry>,
}

impl Document {
    /// Makes a document with one key.
    pub fn new(key: KeyEntry, require: bool) -> Self {
        Self { current: key.id.clone(), keys: vec![key], require, site_keys: Vec::new() }
    }

    /// Reads the document in a file. Checks its form only.
    ///
    /// # Errors
    /// [`KeysError`] if the file is not private or not readable, or if its form is wrong.
    pub fn read(file: &Path) -> Result<Self, KeysError> {
        let remedy = "remove keys under which no row is sealed";
        let text = read_private(file, "the seal keys", remedy).map_err(KeysError::new)?;
        Self::parse(&text).map_err(|error| error.about(file))
    }

    /// Parses a document. Checks its form only.
    ///
    /// # Errors
    /// [`KeysError`], with the place of the first error and never its text.
    pub fn parse(document: &[u8]) -> Result<Self, KeysError> {
        serde_json::from_slice(document).map_err(|error| {
            // The message of the error would quote the document.
            KeysError::new(format!(
                "line {}, column {}: write {FORM}, each member once",
                error.line(),
                error.column()
            ))
        })
    }

    /// Prints the document. The text is wiped when it is dropped.
    #[must_use]
    pub fn print(&self) -> Zeroizing<Vec<u8>> {
        let mut text = Zeroizing::new(Vec::with_capacity(2 * MAX_DOCUMENT_BYTES));
        // Writing strings and booleans to memory cannot fail.
        let _infallible = serde_json::to_writer_pretty::<&mut Vec<u8>, _>(&mut text, self);
        text.push(b'\n');
        text
    }
}

/// A key as the document has it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// The id, which every seal under the key names.
    pub id: String,
    pub(crate) key: Secret,
    /// Whether the key wants a context.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub context: bool,
}

impl KeyEntry {
    /// Makes a new key.
    ///
    /// # Errors
    /// [`NoRandomness`] if the system gives no random bytes.
    pub fn fresh(id: &str, context: bool, randomness: Randomness) -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        randomness(bytes.as_mut_slice())?;
        let key = Secret(Zeroizing::new(BASE64.encode(bytes.as_slice())));
        Ok(Self { id: id.to_owned(), key, context })
    }
}

/// A site key as the document has it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SiteKeyEntry {
    /// The id, which the hashes of passwords with this pepper name.
    pub id: String,
    pub(crate) key: Secret,
}

impl SiteKeyEntry {
    /// A pepper that is this text.
    pub fn of_text(id: &str, text: &str) -> Self {
        Self::of_base64(id, Zeroizing::new(BASE64.encode(text)))
    }

    /// A pepper that is the bytes of this Base64. [`Keys`](crate::Keys) checks it.
    pub fn of_base64(id: &str, text: Zeroizing<String>) -> Self {
        Self { id: id.to_owned(), key: Secret(text) }
    }
}

/// The Base64 of a key. It is wiped when it is dropped.
pub(crate) struct Secret(Zeroizing<String>);

impl Secret {
    /// The bytes; `None` if the text is not Base64. The padding may be left out.
    pub(crate) fn bytes(&self) -> Option<Zeroizing<Vec<u8>>> {
        BASE64.decode(self.0.as_bytes()).ok().map(Zeroizing::new)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Writes padding, as `openssl rand -base64 32` does, and reads texts without it too.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The key of AES-256.
pub(crate) const KEY_BYTES: usize = 32;

/// Longest document, in bytes (HTTP contract): the 4 KB that KMS encrypts at once.
pub const MAX_DOCUMENT_BYTES: usize = 4096;

const FORM: &str = r#"{"current": "<id>", "keys": [{"id": "<id>", "key": "<32 bytes in Base64>"}]}"#;
