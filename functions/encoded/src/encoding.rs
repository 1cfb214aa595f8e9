use base64::{
    Engine as _,
    alphabet::{self, Alphabet, ParseAlphabetError},
    engine::{GeneralPurpose, general_purpose::NO_PAD},
    prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD},
};
use zeroize::Zeroizing;

use crate::{ParseError, crypt};

/// How bytes are written as text. Each sequence of bytes has one text, and every other text is
/// refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// passlib's "adapted Base64": a point instead of the plus sign, without padding.
    AdaptedBase64,
    /// Base64 of RFC 4648 §4, with padding.
    Base64,
    /// Base64 of RFC 4648 §4, without padding.
    Base64Unpadded,
    /// Base64 in the alphabet of bcrypt, without padding.
    BcryptBase64,
    /// The Base64 of crypt(3), which starts with the lowest bits.
    Crypt,
    /// The same; the array has the index of each printed byte. If an index occurs twice, the byte
    /// is printed twice.
    CryptInOrder(&'static [u8]),
    /// The same, without the last character: Drupal cuts it off. The bits in it are zero.
    CryptWithoutLast,
    /// Base64 in the alphabet of crypt(3), without padding; starts with the highest bits.
    DesBase64,
    /// Lower-case hexadecimal.
    LowerHex,
    /// Upper-case hexadecimal.
    UpperHex,
}

impl Encoding {
    pub(crate) fn encode(self, bytes: &[u8]) -> Zeroizing<String> {
        Zeroizing::new(match self {
            Self::AdaptedBase64 => ADAPTED.encode(bytes),
            Self::Base64 => BASE64_STANDARD.encode(bytes),
            Self::Base64Unpadded => BASE64_STANDARD_NO_PAD.encode(bytes),
            Self::BcryptBase64 => BCRYPT.encode(bytes),
            Self::Crypt => crypt::encode(bytes),
            Self::CryptInOrder(order) => crypt::encode(&in_order(bytes, order)),
            Self::CryptWithoutLast => {
                let mut text = crypt::encode(bytes);
                text.pop();
                text
            }
            Self::DesBase64 => DES.encode(bytes),
            Self::LowerHex => base16ct::lower::encode_string(bytes),
            Self::UpperHex => base16ct::upper::encode_string(bytes),
        })
    }

    /// Reads the text that [`encode`](Self::encode) writes.
    pub(crate) fn decode(self, text: &str) -> Result<Zeroizing<Vec<u8>>, ParseError> {
        let bytes = match self {
            Self::AdaptedBase64 => ADAPTED.decode(text).ok(),
            Self::Base64 => BASE64_STANDARD.decode(text).ok(),
            Self::Base64Unpadded => BASE64_STANDARD_NO_PAD.decode(text).ok(),
            Self::BcryptBase64 => BCRYPT.decode(text).ok(),
            Self::Crypt => return crypt::decode(text),
            Self::CryptInOrder(order) => return out_of_order(&crypt::decode(text)?, order),
            Self::CryptWithoutLast => {
                return crypt::decode(&Zeroizing::new(format!("{text}{}", crypt::character(0))));
            }
            Self::DesBase64 => DES.decode(text).ok(),
            Self::LowerHex => base16ct::lower::decode_vec(text).ok(),
            Self::UpperHex => base16ct::upper::decode_vec(text).ok(),
        };
        bytes.map(Zeroizing::new).ok_or(ParseError::Invalid)
    }
}

fn in_order(bytes: &[u8], order: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(order.iter().filter_map(|&index| bytes.get(usize::from(index)).copied()).collect())
}

/// Reverses [`in_order`].
fn out_of_order(printed: &[u8], order: &[u8]) -> Result<Zeroizing<Vec<u8>>, ParseError> {
    let length = order.iter().max().map_or(0, |&last| usize::from(last) + 1);
    let mut bytes = Zeroizing::new(vec![0; length]);
    for (&index, &byte) in order.iter().zip(printed) {
        bytes[usize::from(index)] = byte;
    }
    // A byte that is printed twice must be the same both times.
    if *in_order(&bytes, order) == *printed { Ok(bytes) } else { Err(ParseError::Invalid) }
}

const BCRYPT: GeneralPurpose = GeneralPurpose::new(&alphabet::BCRYPT, NO_PAD);

const DES: GeneralPurpose = GeneralPurpose::new(&alphabet::CRYPT, NO_PAD);

const ADAPTED: GeneralPurpose = GeneralPurpose::new(
    &checked(Alphabet::new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./")),
    NO_PAD,
);

const fn checked(alphabet: Result<Alphabet, ParseAlphabetError>) -> Alphabet {
    match alphabet {
        Ok(alphabet) => alphabet,
        Err(_) => panic!("the alphabet has 64 different characters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_is_printed_twice_must_be_the_same_both_times() {
        let encoding = Encoding::CryptInOrder(&[0, 1, 0]);
        assert_eq!(encoding.decode(&crypt::encode(b"aba")).unwrap().as_slice(), b"ab");
        assert_eq!(encoding.encode(b"ab").as_str(), crypt::encode(b"aba"));
        assert_eq!(encoding.decode(&crypt::encode(b"abb")), Err(ParseError::Invalid));
        assert_eq!(encoding.decode(&crypt::encode(b"ab")), Err(ParseError::Invalid));
    }
}
