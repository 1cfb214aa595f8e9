//! Spring Security's hashes behind the id of an encoder in braces. Those that the encoders of bcrypt and Argon2 print say
//! themselves what they are; the others do not, and of PBKDF2 and SHA-256 the id alone fixes the costs.
//! Source: Spring Security `PasswordEncoderFactories`, and the encoders that each constant names.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{decode_base64, decode_hex, fields, text_salt};
use crate::{
    Encoded, ParseError, Scheme, Setting, pbkdf2, scrypt,
    verify_only::{
        self,
        digest::{Hash, Order},
    },
};

/// Which defaults an id of `Pbkdf2PasswordEncoder` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pbkdf2 {
    /// `{pbkdf2}`: `defaultsForSpringSecurity_v5_5`.
    V5_5,
    /// `{pbkdf2@SpringSecurity_v5_8}`: `defaultsForSpringSecurity_v5_8`.
    V5_8,
}

impl Pbkdf2 {
    /// Function and iterations.
    const fn costs(self) -> (pbkdf2::Prf, u32) {
        match self {
            Self::V5_5 => (pbkdf2::Prf::Sha1, 185_000),
            Self::V5_8 => (pbkdf2::Prf::Sha256, 310_000),
        }
    }

    const fn salt_bytes(self) -> usize {
        match self {
            Self::V5_5 => 8,
            Self::V5_8 => 16,
        }
    }
}

pub(crate) const fn digest_name(hash: Hash) -> &'static str {
    match hash {
        Hash::Md5 => "spring-md5",
        Hash::Sha1 => "spring-sha-1",
        Hash::Sha256 => "spring-sha-256",
        // No encoder has these by default, and so no label either.
        Hash::Sha384 => "spring-sha-384",
        Hash::Sha512 => "spring-sha-512",
    }
}

/// Reads `<salt>}<hex>` behind a label that ends with the salt's own opening brace: `MessageDigestPasswordEncoder`. The
/// braces are hashed with the salt.
pub(crate) fn parse_digest(hash: Hash, text: &str) -> Result<Encoded, ParseError> {
    let [salt, output] = fields(text, '}')?;
    let salt = [b"{", &text_salt(salt)?[..], b"}"].concat();
    let setting = verify_only::digest::Setting::new(hash, Order::SaltLast, salt);
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(setting));
    Encoded::written_as(Scheme::SpringDigest(hash), setting, &decode_hex(output)?).ok_or(ParseError::Invalid)
}

/// Prints what [`parse_digest`] reads.
pub(crate) fn print_digest(salt: &[u8], output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let salt = str::from_utf8(salt).ok().and_then(|salt| salt.strip_prefix('{')).ok_or(fmt::Error)?;
    write!(f, "{salt}{}", base16ct::lower::encode_string(output))
}

/// Reads the hexadecimal of salt and output: `Pbkdf2PasswordEncoder`.
pub(crate) fn parse_pbkdf2(defaults: Pbkdf2, text: &str) -> Result<Encoded, ParseError> {
    pbkdf2_of(Scheme::SpringPbkdf2(defaults), defaults, &decode_hex(text)?)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    print_salt_and_output(setting.salt(), output, f)
}

/// Reads the Base64 of salt and output: `Pbkdf2PasswordEncoder` after `setEncodeHashAsBase64(true)`.
pub(crate) fn parse_pbkdf2_base64(defaults: Pbkdf2, text: &str) -> Result<Encoded, ParseError> {
    // Two thirds of the hexadecimal are as long as the Base64.
    if decode_hex(text).is_ok() {
        return Err(ParseError::Invalid);
    }
    pbkdf2_of(Scheme::SpringPbkdf2Base64(defaults), defaults, &decode_base64(text)?)
}

/// Prints what [`parse_pbkdf2_base64`] reads.
pub(crate) fn print_pbkdf2_base64(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    f.write_str(&BASE64_STANDARD.encode([setting.salt(), output].concat()))
}

fn pbkdf2_of(scheme: Scheme, defaults: Pbkdf2, bytes: &[u8]) -> Result<Encoded, ParseError> {
    let (salt, output) = bytes.split_at_checked(defaults.salt_bytes()).ok_or(ParseError::Invalid)?;
    super::pbkdf2(scheme, defaults.costs(), salt.to_vec(), PBKDF2_OUTPUT_BYTES, output)
}

/// Reads `$<costs>$<salt>$<output>`: `SCryptPasswordEncoder`. The costs are one hexadecimal number, `log2(N)·2^16 + r·2^8 +
/// p`, so that `$e0801` is N = 2^14, r = 8, p = 1.
pub(crate) fn parse_scrypt(text: &str) -> Result<Encoded, ParseError> {
    let ["", costs, salt, output] = fields(text, '$')? else { return Err(ParseError::Invalid) };
    let number = u32::from_str_radix(costs, 16).map_err(|_| ParseError::Invalid)?;
    if format!("{number:x}") != costs {
        return Err(ParseError::Invalid);
    }
    let costs = (number >> 16, number >> 8 & 0xff, number & 0xff);
    let (salt, output) = (decode_base64(salt)?, decode_base64(output)?);
    super::scrypt(Scheme::SpringScrypt, costs, salt.to_vec(), SCRYPT_OUTPUT_BYTES, &output)
}

/// Prints what [`parse_scrypt`] reads.
pub(crate) fn print_scrypt(
    setting: &scrypt::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let params = setting.params();
    let costs = u32::from(params.log_n()) << 16 | params.r() << 8 | params.p();
    let (salt, output) = (BASE64_STANDARD.encode(setting.salt()), BASE64_STANDARD.encode(output));
    write!(f, "${costs:x}${salt}${output}")
}

/// Reads the hexadecimal of salt and output: `StandardPasswordEncoder`.
pub(crate) fn parse_sha256(text: &str) -> Result<Encoded, ParseError> {
    let bytes = decode_hex(text)?;
    let (salt, output) = bytes.split_at_checked(SHA256_SALT_BYTES).ok_or(ParseError::Invalid)?;
    let setting = verify_only::digest::Setting::new(Hash::Sha256, Order::SaltFirst, salt.to_vec());
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(setting.repeated(SHA256_PASSES)));
    Encoded::written_as(Scheme::SpringSha256, setting, output).ok_or(ParseError::Invalid)
}

/// Prints what [`parse_sha256`] reads.
pub(crate) fn print_sha256(salt: &[u8], output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    print_salt_and_output(salt, output, f)
}

fn print_salt_and_output(salt: &[u8], output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&base16ct::lower::encode_string(&[salt, output].concat()))
}

/// `Pbkdf2PasswordEncoder`: the argument `hashWidth` of 256 bits in 5.5, one block of SHA-256 in 5.8.
const PBKDF2_OUTPUT_BYTES: usize = 32;

/// `SCryptPasswordEncoder`: the argument `keyLength`.
const SCRYPT_OUTPUT_BYTES: usize = 32;

/// `StandardPasswordEncoder.DEFAULT_ITERATIONS`.
const SHA256_PASSES: u32 = 1024;

/// `KeyGenerators.secureRandom()`.
const SHA256_SALT_BYTES: usize = 8;
