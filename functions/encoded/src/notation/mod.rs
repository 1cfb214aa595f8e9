//! How other software writes what is computed here anyway.

pub(crate) mod aspnet;
pub(crate) mod atlassian;
pub(crate) mod django;
pub(crate) mod grub;
pub(crate) mod ldap;
pub(crate) mod passlib;
pub(crate) mod scrypt_7;
pub(crate) mod spring;
pub(crate) mod werkzeug;
pub(crate) mod wordpress;

use base64::{
    Engine as _,
    alphabet::{Alphabet, ParseAlphabetError},
    engine::{GeneralPurpose, general_purpose::NO_PAD},
    prelude::BASE64_STANDARD,
};
use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, Setting, pbkdf2, scrypt};

/// Splits into so many fields, no more and no fewer.
fn fields<const N: usize>(text: &str, separator: char) -> Result<[&str; N], ParseError> {
    let mut fields = text.split(separator);
    let mut found = [""; N];
    for field in &mut found {
        *field = fields.next().ok_or(ParseError::Invalid)?;
    }
    if fields.next().is_some() { Err(ParseError::Invalid) } else { Ok(found) }
}

/// A salt that is used as the text it is: what may stand in a string without being taken for another part of it.
fn text_salt(text: &str) -> Result<Vec<u8>, ParseError> {
    let is_text = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_text { Ok(text.into()) } else { Err(ParseError::Invalid) }
}

/// PBKDF2 with an output of `output_bytes`, which is what the software always asks for.
fn pbkdf2(
    scheme: Scheme,
    (prf, iterations): (pbkdf2::Prf, u32),
    salt: Vec<u8>,
    output_bytes: usize,
    output: &[u8],
) -> Result<Encoded, ParseError> {
    let params = pbkdf2::Params::new(prf, iterations).ok_or(ParseError::Invalid)?;
    if salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let setting = Setting::Pbkdf2(pbkdf2::Setting::new(params, salt, output_bytes));
    Encoded::written_as(scheme, setting, output).ok_or(ParseError::Invalid)
}

/// scrypt with an output of `output_bytes`, which is what the software always asks for.
fn scrypt(
    scheme: Scheme,
    (log_n, r, p): (u32, u32, u32),
    salt: Vec<u8>,
    output_bytes: usize,
    output: &[u8],
) -> Result<Encoded, ParseError> {
    let log_n = u8::try_from(log_n).map_err(|_| ParseError::Invalid)?;
    let params = scrypt::Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    if salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let setting = Setting::Scrypt(scrypt::Setting::new(params, salt, output_bytes));
    Encoded::written_as(scheme, setting, output).ok_or(ParseError::Invalid)
}

/// bcrypt of something else than the password, behind a name.
fn bcrypt_of_prepared(scheme: Scheme, inner: &str) -> Result<Encoded, ParseError> {
    let encoded = Scheme::of_one_of(&[Scheme::Bcrypt], inner)?.parse(inner)?;
    Encoded::written_as(scheme, encoded.setting, &encoded.output).ok_or(ParseError::Invalid)
}

/// Base64 with its padding.
fn decode_base64(text: &str) -> Result<Zeroizing<Vec<u8>>, ParseError> {
    BASE64_STANDARD.decode(text).map(Zeroizing::new).map_err(|_| ParseError::Invalid)
}

/// Lower-case hexadecimal.
fn decode_hex(text: &str) -> Result<Zeroizing<Vec<u8>>, ParseError> {
    base16ct::lower::decode_vec(text).map(Zeroizing::new).map_err(|_| ParseError::Invalid)
}

/// passlib's "adapted Base64": a point for the plus, and no padding.
const ADAPTED_BASE64: GeneralPurpose = GeneralPurpose::new(&ADAPTED_ALPHABET, NO_PAD);

const ADAPTED_ALPHABET: Alphabet =
    alphabet(Alphabet::new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./"));

const fn alphabet(checked: Result<Alphabet, ParseAlphabetError>) -> Alphabet {
    match checked {
        Ok(alphabet) => alphabet,
        Err(_) => panic!("64 characters, each once"),
    }
}
