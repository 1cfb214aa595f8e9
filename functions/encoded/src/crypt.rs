//! The encoding that the schemes of crypt(3) share: six bits a character, the lowest bits first, in
//! the alphabet `./0-9A-Za-z`.
//! Source: libxcrypt `lib/util-base64.c`, `crypt(5)`; Openwall phpass `encode64`.

use zeroize::Zeroizing;

use crate::ParseError;

/// The characters, by the six bits that each stands for.
pub(crate) const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The six bits that a character stands for.
pub(crate) fn value(character: u8) -> Result<u32, ParseError> {
    let value = match character {
        b'.' => 0,
        b'/' => 1,
        b'0'..=b'9' => character - b'0' + 2,
        b'A'..=b'Z' => character - b'A' + 12,
        b'a'..=b'z' => character - b'a' + 38,
        _ => return Err(ParseError::Invalid),
    };
    Ok(value.into())
}

/// The character for the six lowest bits.
pub(crate) fn character(value: u32) -> char {
    ALPHABET[value as usize & 0b11_1111].into()
}

/// Whether every character is in the alphabet.
pub(crate) fn is_in_alphabet(text: &str) -> bool {
    text.bytes().all(|byte| value(byte).is_ok())
}

/// Whether crypt(3) accepts every character in a salt that it hashes as text.
///
/// It accepts printable characters, except its separators, those of `/etc/shadow`, and the marks of
/// a locked account.
pub(crate) fn is_salt(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"$!*:;\\".contains(&byte))
}

/// A number of at most five characters.
pub(crate) fn number(text: &str) -> Result<u32, ParseError> {
    let bits = text.bytes().enumerate().map(|(place, byte)| Ok(value(byte)? << (BITS * place)));
    bits.sum()
}

/// Writes three bytes in four characters, and the remaining one or two in two or three.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity((bytes.len() * u8::BITS as usize).div_ceil(BITS));
    for group in bytes.chunks(GROUP_BYTES) {
        let number = group.iter().rev().fold(0, |number, &byte| number << u8::BITS | u32::from(byte));
        // A number in one character more than it has bytes.
        text.extend((0..=group.len()).map(|place| character(number >> (BITS * place))));
    }
    text
}

/// Reads the text that [`encode`] writes. Bits beyond the last byte must be zero.
pub(crate) fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, ParseError> {
    // The alphabet is ASCII, so every index is a character boundary.
    if !is_in_alphabet(text) {
        return Err(ParseError::Invalid);
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    for at in (0..text.len()).step_by(GROUP_BYTES + 1) {
        let group = &text[at..text.len().min(at + GROUP_BYTES + 1)];
        let number = Zeroizing::new(number(group)?.to_le_bytes());
        let (taken, beyond) = number.split_at(group.len() - 1);
        if taken.is_empty() || beyond.iter().any(|&byte| byte != 0) {
            return Err(ParseError::Invalid);
        }
        bytes.extend_from_slice(taken);
    }
    Ok(bytes)
}

const BITS: usize = 6;

const GROUP_BYTES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sequence_of_bytes_has_one_text() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[0xff; 64]] {
            assert_eq!(decode(&encode(bytes)).unwrap().as_slice(), bytes);
        }
        // One character carries no byte; bits beyond the last byte; characters of other alphabets.
        for text in ["a", "abcda", "z2", "zzE", "zzzzz2", "a+", "ab=", "a ", "aä"] {
            assert_eq!(decode(text), Err(ParseError::Invalid), "{text}");
        }
    }

    #[test]
    fn every_character_has_its_own_value() {
        for (value, &byte) in (0..).zip(ALPHABET) {
            assert_eq!((super::value(byte), character(value)), (Ok(value), char::from(byte)));
        }
        assert_eq!((0..=u8::MAX).filter(|&byte| value(byte).is_ok()).count(), ALPHABET.len());
    }
}
