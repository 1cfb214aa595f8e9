//! Spring Security: the id of an encoder in braces, then a hash. The hashes of bcrypt and Argon2
//! state their own scheme. The others do not; for PBKDF2 and SHA-256 the id alone states the costs.
//! Source: Spring Security `PasswordEncoderFactories`, `DelegatingPasswordEncoder`, and the
//! encoders that each constant names.

use super::text_salt;
use crate::{
    ParseError, Weakness,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2::Prf,
    phc::fields,
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Hash, Order, Setting},
};

// The opening brace of the salt ends these labels: without a salt no string is of Spring Security.
pub(crate) static MD5: SchemeRow =
    weak("spring-md5", &["{MD5}{"], Parse::Text(|text| parse_digest(Hash::Md5, text)));
pub(crate) static SHA1: SchemeRow =
    weak("spring-sha-1", &["{SHA-1}{"], Parse::Text(|text| parse_digest(Hash::Sha1, text)));
pub(crate) static SHA256_WITH_SALT: SchemeRow =
    weak("spring-sha-256", &["{SHA-256}{"], Parse::Text(|text| parse_digest(Hash::Sha256, text)));

pub(crate) static SHA256: SchemeRow = weak("spring-sha256", &["{sha256}"], Parse::Text(parse_sha256));

pub(crate) static PBKDF2_V5_5: SchemeRow = SchemeRow {
    labels: &["{pbkdf2}"],
    ..SchemeRow::new("spring-pbkdf2", Parse::Text(|text| pbkdf2(&V5_5, Encoding::LowerHex, text)))
};
pub(crate) static PBKDF2_V5_5_BASE64: SchemeRow = SchemeRow {
    labels: &["{pbkdf2}"],
    ..SchemeRow::new("spring-pbkdf2", Parse::Text(|text| parse_pbkdf2_base64(&V5_5, text)))
};
pub(crate) static PBKDF2_V5_8: SchemeRow = SchemeRow {
    labels: &["{pbkdf2@SpringSecurity_v5_8}"],
    ..SchemeRow::new("spring-pbkdf2", Parse::Text(|text| pbkdf2(&V5_8, Encoding::LowerHex, text)))
};
pub(crate) static PBKDF2_V5_8_BASE64: SchemeRow = SchemeRow {
    labels: &["{pbkdf2@SpringSecurity_v5_8}"],
    ..SchemeRow::new("spring-pbkdf2", Parse::Text(|text| parse_pbkdf2_base64(&V5_8, text)))
};

pub(crate) static SCRYPT: SchemeRow = SchemeRow {
    labels: &["{scrypt@SpringSecurity_v5_8}", "{scrypt}"],
    ..SchemeRow::new("spring-scrypt", Parse::Text(parse_scrypt))
};

const fn weak(name: &'static str, labels: &'static [&'static str], parse: Parse) -> SchemeRow {
    SchemeRow { labels, weakness: Some(Weakness::Fast), ..SchemeRow::new(name, parse) }
}

/// The defaults of `Pbkdf2PasswordEncoder` that an id stands for.
struct Pbkdf2 {
    /// Function and iterations.
    costs: (Prf, u32),
    salt_bytes: usize,
}

/// `defaultsForSpringSecurity_v5_5`.
const V5_5: Pbkdf2 = Pbkdf2 { costs: (Prf::Sha1, 185_000), salt_bytes: 8 };

/// `defaultsForSpringSecurity_v5_8`.
const V5_8: Pbkdf2 = Pbkdf2 { costs: (Prf::Sha256, 310_000), salt_bytes: 16 };

/// Reads `<salt>}<hex>` of `MessageDigestPasswordEncoder`. The braces are hashed with the salt.
fn parse_digest(hash: Hash, text: &str) -> Result<Parts, ParseError> {
    let [salt, output] = fields(text, '}')?;
    let salt = [b"{", &text_salt(salt)?[..], b"}"].concat();
    let output = OutputText::read(Encoding::LowerHex, output)?;
    super::digest(text, output, Setting::new(hash, Order::SaltLast, salt))
}

/// Reads the Base64 of salt and output: `Pbkdf2PasswordEncoder` after
/// `setEncodeHashAsBase64(true)`.
fn parse_pbkdf2_base64(defaults: &Pbkdf2, text: &str) -> Result<Parts, ParseError> {
    // Hexadecimal of two thirds of the bytes has the same length. Such a text is refused.
    if Encoding::LowerHex.decode(text).is_ok() {
        return Err(ParseError::Invalid);
    }
    pbkdf2(defaults, Encoding::Base64, text)
}

/// Reads salt and output together: `Pbkdf2PasswordEncoder` writes them in hexadecimal.
fn pbkdf2(defaults: &Pbkdf2, encoding: Encoding, text: &str) -> Result<Parts, ParseError> {
    let bytes = encoding.decode(text)?;
    let output = OutputText::within(encoding, &bytes, defaults.salt_bytes..bytes.len())?;
    let salt = bytes[..defaults.salt_bytes].to_vec();
    super::pbkdf2(text, defaults.costs, salt, PBKDF2_OUTPUT_BYTES, output)
}

/// Reads `$<costs>$<salt>$<output>` of `SCryptPasswordEncoder`.
///
/// The costs are one hexadecimal number, `log2(N)·2^16 + r·2^8 + p`: `$e0801` is N = 2^14, r = 8, p
/// = 1.
fn parse_scrypt(text: &str) -> Result<Parts, ParseError> {
    let ["", costs, salt, output] = fields(text, '$')? else { return Err(ParseError::Invalid) };
    let number = u32::from_str_radix(costs, 16).map_err(|_| ParseError::Invalid)?;
    if format!("{number:x}") != costs {
        return Err(ParseError::Invalid);
    }
    let costs = (number >> 16, number >> 8 & 0xff, number & 0xff);
    let salt = Encoding::Base64.decode(salt)?.to_vec();
    let output = OutputText::read(Encoding::Base64, output)?;
    super::scrypt(text, costs, salt, SCRYPT_OUTPUT_BYTES, output)
}

/// Reads the hexadecimal of salt and output: `StandardPasswordEncoder`.
fn parse_sha256(text: &str) -> Result<Parts, ParseError> {
    let bytes = Encoding::LowerHex.decode(text)?;
    let output = OutputText::within(Encoding::LowerHex, &bytes, SHA256_SALT_BYTES..bytes.len())?;
    let salt = bytes[..SHA256_SALT_BYTES].to_vec();
    super::digest(text, output, Setting::new(Hash::Sha256, Order::SaltFirst, salt).repeated(SHA256_PASSES))
}

/// `Pbkdf2PasswordEncoder`: `hashWidth` is 256 bits in 5.5; one block of SHA-256 in 5.8.
const PBKDF2_OUTPUT_BYTES: usize = 32;

/// `SCryptPasswordEncoder`: `keyLength`.
const SCRYPT_OUTPUT_BYTES: usize = 32;

/// `StandardPasswordEncoder.DEFAULT_ITERATIONS`.
const SHA256_PASSES: u32 = 1024;

/// `KeyGenerators.secureRandom()`.
const SHA256_SALT_BYTES: usize = 8;
