//! The text of a sealed hash: strict parse and print.

use core::{fmt, ops::RangeInclusive};

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use saltern_encoded::{MAX_ENCODED_BYTES, ParseError, is_key_id};

/// Whether a stored string is sealed, or claims to be.
pub fn is_sealed(stored: &str) -> bool {
    stored.starts_with(MARK)
}

/// A sealed string, taken apart. Printing gives the string again.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed<'a> {
    /// The text up to the `$` before the nonce, inclusive.
    pub(crate) head: &'a str,
    pub(crate) key: &'a str,
    pub(crate) nonce: [u8; NONCE_BYTES],
    /// The ciphertext and the tag.
    pub(crate) body: Vec<u8>,
}

impl<'a> Sealed<'a> {
    /// Parses a sealed string.
    ///
    /// # Errors
    /// - [`ParseError::Unsupported`]: the string has no seal, or a seal of another version.
    /// - [`ParseError::Invalid`]: the seal is not in its canonical form.
    pub fn parse(stored: &'a str) -> Result<Self, ParseError> {
        if !is_sealed(stored) {
            return Err(ParseError::Unsupported);
        }
        if stored.len() > MAX_SEALED_BYTES {
            return Err(ParseError::Invalid);
        }
        let mut fields = stored[MARK.len()..].split('$');
        let (Some(params), Some(nonce), Some(body), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(ParseError::Invalid);
        };
        let key = key_of(params)?;
        let nonce = decode(nonce)?.try_into().map_err(|_| ParseError::Invalid)?;
        let body = decode(body)?;
        if !BODY_BYTES.contains(&body.len()) {
            return Err(ParseError::Invalid);
        }
        Ok(Self { head: &stored[..=MARK.len() + params.len()], key, nonce, body })
    }

    /// The id of the key.
    pub fn key(&self) -> &'a str {
        self.key
    }
}

impl fmt::Display for Sealed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| BASE64_STANDARD_NO_PAD.encode(bytes);
        write!(f, "{}{}${}", self.head, text(&self.nonce), text(&self.body))
    }
}

/// Shows the key's id only: a sealed hash is a stored hash.
impl fmt::Debug for Sealed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({}, ..)", self.key)
    }
}

/// The text of a seal under this key, up to the `$` before the nonce.
pub(crate) fn head(key: &str) -> String {
    format!("{MARK}{VERSION},k={key}$")
}

fn key_of(params: &str) -> Result<&str, ParseError> {
    let (version, key) = params.split_once(",k=").ok_or(ParseError::Invalid)?;
    if !is_key_id(key) {
        return Err(ParseError::Invalid);
    }
    let number = version.strip_prefix("v=").ok_or(ParseError::Invalid)?;
    let is_number = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
    match version {
        VERSION => Ok(key),
        _ if is_number && !number.is_empty() => Err(ParseError::Unsupported),
        _ => Err(ParseError::Invalid),
    }
}

/// Reads unpadded Base64. Each sequence of bytes has one text.
fn decode(text: &str) -> Result<Vec<u8>, ParseError> {
    BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| ParseError::Invalid)
}

/// Longest sealed string that is read, in bytes (HTTP contract): the
/// longest stored hash under the longest id.
pub const MAX_SEALED_BYTES: usize = 1457;

const MARK: &str = "$saltern-seal$";

const VERSION: &str = "v=1";

/// 96 bits (NIST SP 800-38D §8.2.2).
pub(crate) const NONCE_BYTES: usize = 12;

/// 128 bits, the longest tag of GCM.
pub(crate) const TAG_BYTES: usize = 16;

/// A hash has at least one byte.
const BODY_BYTES: RangeInclusive<usize> = TAG_BYTES + 1..=TAG_BYTES + MAX_ENCODED_BYTES;

#[cfg(test)]
mod tests {
    use saltern_encoded::MAX_KEY_ID_BYTES;

    use super::*;

    #[test]
    fn the_longest_seal_has_the_bytes_of_the_contract() {
        let id = "k".repeat(MAX_KEY_ID_BYTES);
        let longest =
            Sealed { head: &head(&id), key: &id, nonce: [0; NONCE_BYTES], body: vec![0; *BODY_BYTES.end()] };
        let text = longest.to_string();
        assert_eq!(text.len(), MAX_SEALED_BYTES);
        assert_eq!(Sealed::parse(&text), Ok(longest));
    }
}
