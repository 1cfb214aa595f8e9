//! What the PHC string format fixes for all its schemes: canonical decimals and unpadded Base64.
//! Source: PHC string format specification, <https://github.com/P-H-C/phc-string-format>.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use zeroize::Zeroizing;

use crate::ParseError;

/// Shortest salt that is read, in bytes (RFC 8018 §4.1, RFC 9106 §3.1: eight octets).
pub const MIN_SALT_BYTES: usize = 8;

/// Shortest output that is read where the scheme sets no bound of its own, in bytes (PHC string format: 80 bits).
pub const MIN_OUTPUT_BYTES: usize = 10;

/// Splits `$<id>$<rest>`.
pub(crate) fn split_id(stored: &str) -> Result<(&str, &str), ParseError> {
    stored.strip_prefix('$').and_then(|text| text.split_once('$')).ok_or(ParseError::Invalid)
}

/// Reads `name=<decimal>` and nothing else.
pub(crate) fn field(text: &str, name: &str) -> Result<u32, ParseError> {
    let value = text.strip_prefix(name).and_then(|t| t.strip_prefix('=')).ok_or(ParseError::Invalid)?;
    decimal(value)
}

/// Reads a decimal in its one spelling: digits, no sign, no leading zero, at most 2^32 - 1.
pub(crate) fn decimal(text: &str) -> Result<u32, ParseError> {
    let digits_only = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let canonical = digits_only && (text.len() == 1 || !text.starts_with('0'));
    if !canonical {
        return Err(ParseError::Invalid);
    }
    text.parse().map_err(|_| ParseError::Invalid)
}

/// The logarithm of a number that software writes out, and that must be a power of two.
pub(crate) fn log_2(n: u32) -> Result<u32, ParseError> {
    if n.is_power_of_two() { Ok(n.ilog2()) } else { Err(ParseError::Invalid) }
}

/// Splits the two last fields, salt and output, and decodes them.
pub(crate) fn salt_and_output(text: &str) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>), ParseError> {
    let (salt, output) = text.split_once('$').ok_or(ParseError::Invalid)?;
    let (salt, output) = (decode(salt)?, Zeroizing::new(decode(output)?));
    if salt.len() < MIN_SALT_BYTES {
        return Err(ParseError::Invalid);
    }
    Ok((salt, output))
}

/// Encodes with the standard alphabet and no padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(bytes)
}

/// Unpadded standard Base64 whose unused trailing bits are zero.
fn decode(text: &str) -> Result<Vec<u8>, ParseError> {
    BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| ParseError::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_have_one_spelling() {
        for (text, want) in [("0", Some(0)), ("1", Some(1)), ("4294967295", Some(u32::MAX))] {
            assert_eq!(decimal(text).ok(), want, "{text}");
        }
        for text in ["", "+4", "-1", "04", "00", "0x10", "1e3", " 1", "1 ", "4294967296", "٣"] {
            assert_eq!(decimal(text), Err(ParseError::Invalid), "{text}");
        }
    }
}
