//! The parts that all PHC strings share: canonical decimals and unpadded Base64.
//! Source: PHC string format specification, <https://github.com/P-H-C/phc-string-format>.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

use crate::{NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, encoding::Encoding, parts::OutputText};

/// Shortest salt that is read, in bytes (RFC 8018 §4.1, RFC 9106 §3.1: eight octets).
pub const MIN_SALT_BYTES: usize = 8;

/// Shortest output that is read, in bytes, if the scheme states no bound (PHC string format:
/// 80 bits).
pub const MIN_OUTPUT_BYTES: usize = 10;

/// A cost, and a salt and an output of any length.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting<P> {
    params: P,
    salt: Vec<u8>,
    output_bytes: usize,
}

impl<P: Copy> Setting<P> {
    pub(crate) const fn new(params: P, salt: Vec<u8>, output_bytes: usize) -> Self {
        Self { params, salt, output_bytes }
    }

    pub(crate) fn fresh(params: P, salt: [u8; NEW_SALT_BYTES]) -> Self {
        Self::new(params, salt.to_vec(), NEW_OUTPUT_BYTES)
    }

    /// The cost, and the variant of the algorithm.
    pub fn params(&self) -> P {
        self.params
    }

    /// The salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Length of the output, in bytes.
    pub fn output_bytes(&self) -> usize {
        self.output_bytes
    }
}

/// Splits `$<id>$<rest>`.
pub(crate) fn split_id(stored: &str) -> Result<(&str, &str), ParseError> {
    stored.strip_prefix('$').and_then(|text| text.split_once('$')).ok_or(ParseError::Invalid)
}

/// Splits a text into exactly `N` fields.
pub(crate) fn fields<const N: usize>(text: &str, separator: char) -> Result<[&str; N], ParseError> {
    let mut rest = text.split(separator);
    let mut fields = [""; N];
    for field in &mut fields {
        *field = rest.next().ok_or(ParseError::Invalid)?;
    }
    if rest.next().is_some() { Err(ParseError::Invalid) } else { Ok(fields) }
}

/// Reads `name=<decimal>`.
pub(crate) fn field(text: &str, name: &str) -> Result<u32, ParseError> {
    let value = text.strip_prefix(name).and_then(|t| t.strip_prefix('=')).ok_or(ParseError::Invalid)?;
    decimal(value)
}

/// Reads a decimal in its canonical form: digits, no sign, no leading zero, at most 2^32 - 1.
pub(crate) fn decimal(text: &str) -> Result<u32, ParseError> {
    let digits_only = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let canonical = digits_only && (text.len() == 1 || !text.starts_with('0'));
    if !canonical {
        return Err(ParseError::Invalid);
    }
    text.parse().map_err(|_| ParseError::Invalid)
}

/// The binary logarithm of a number, which must be a power of two.
pub(crate) fn log_2(n: u32) -> Result<u32, ParseError> {
    if n.is_power_of_two() { Ok(n.ilog2()) } else { Err(ParseError::Invalid) }
}

/// Reads the two last fields, salt and output.
pub(crate) fn salt_and_output(text: &str) -> Result<(Vec<u8>, OutputText), ParseError> {
    let (salt, output) = text.split_once('$').ok_or(ParseError::Invalid)?;
    let encoding = Encoding::Base64Unpadded;
    let (salt, output) = (encoding.decode(salt)?.to_vec(), OutputText::read(encoding, output)?);
    if salt.len() < MIN_SALT_BYTES { Err(ParseError::Invalid) } else { Ok((salt, output)) }
}

/// The text of a salt.
pub(crate) fn salt_text(salt: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(salt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_one_accepted_form() {
        for (text, want) in [("0", Some(0)), ("1", Some(1)), ("4294967295", Some(u32::MAX))] {
            assert_eq!(decimal(text).ok(), want, "{text}");
        }
        for text in ["", "+4", "-1", "04", "00", "0x10", "1e3", " 1", "1 ", "4294967296", "٣"] {
            assert_eq!(decimal(text), Err(ParseError::Invalid), "{text}");
        }
    }
}
