//! ASP.NET Identity's hashes: Base64 of a byte that says which version, the costs where they are stated, the salt and the
//! output.
//! Source: ASP.NET Core `src/Identity/Extensions.Core/src/PasswordHasher.cs`.

use core::fmt;

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig, general_purpose::PAD},
    prelude::BASE64_STANDARD,
};

use super::decode_base64;
use crate::{Encoded, ParseError, Scheme, pbkdf2};

/// Whether a string is as long as version 2 makes it and begins with its byte. The rest is Base64, but for bits behind the
/// last byte: what is none at all might be anybody's.
pub(crate) fn is_v2(stored: &str) -> bool {
    let is = |bytes: Vec<u8>| bytes.len() == V2_BYTES && bytes[0] == V2;
    stored.len() == V2_BYTES.div_ceil(3) * 4 && UNUSED_BITS_IGNORED.decode(stored).is_ok_and(is)
}

/// Whether a string begins with version 3's byte and a function that there is: 40 bits, which end within the seventh
/// character.
pub(crate) fn is_v3(stored: &str) -> bool {
    let seventh = stored.strip_prefix("AQAAAA").and_then(|rest| rest.bytes().next());
    seventh.is_some_and(|character| (b'A'..=b'L').contains(&character))
}

/// Reads `00 ‖ salt ‖ output`.
pub(crate) fn parse_v2(stored: &str) -> Result<Encoded, ParseError> {
    let bytes = decode_base64(stored)?;
    let ([_version], rest) = bytes.split_first_chunk().ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_at_checked(SALT_BYTES).ok_or(ParseError::Invalid)?;
    super::pbkdf2(Scheme::AspNetV2, V2_COSTS, salt.to_vec(), OUTPUT_BYTES, output)
}

/// Prints what [`parse_v2`] reads.
pub(crate) fn print_v2(setting: &pbkdf2::Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&BASE64_STANDARD.encode([&[V2], setting.salt(), output].concat()))
}

/// Reads `01 ‖ function ‖ iterations ‖ length of the salt ‖ salt ‖ output`, numbers of 32 bits with the highest byte first.
pub(crate) fn parse_v3(stored: &str) -> Result<Encoded, ParseError> {
    let bytes = decode_base64(stored)?;
    let ([_version], rest) = bytes.split_first_chunk().ok_or(ParseError::Invalid)?;
    let (function, rest) = number(rest)?;
    let (iterations, rest) = number(rest)?;
    let (salt_bytes, rest) = number(rest)?;
    let salt_bytes = usize::try_from(salt_bytes).map_err(|_| ParseError::Invalid)?;
    let (salt, output) = rest.split_at_checked(salt_bytes).ok_or(ParseError::Invalid)?;
    if salt.len() < LEAST_BYTES || output.len() < LEAST_BYTES {
        return Err(ParseError::Invalid);
    }
    let prf = match function {
        0 => pbkdf2::Prf::Sha1,
        1 => pbkdf2::Prf::Sha256,
        2 => pbkdf2::Prf::Sha512,
        _ => return Err(ParseError::Invalid),
    };
    super::pbkdf2(Scheme::AspNetV3, (prf, iterations), salt.to_vec(), output.len(), output)
}

/// Prints what [`parse_v3`] reads.
pub(crate) fn print_v3(setting: &pbkdf2::Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let params = setting.params();
    let function: u32 = match params.prf() {
        pbkdf2::Prf::Sha1 => 0,
        pbkdf2::Prf::Sha256 => 1,
        pbkdf2::Prf::Sha512 => 2,
    };
    let salt_bytes = u32::try_from(setting.salt().len()).map_err(|_| fmt::Error)?;
    let numbers = [function, params.iterations(), salt_bytes].map(u32::to_be_bytes);
    f.write_str(&BASE64_STANDARD.encode([&[V3], numbers.as_flattened(), setting.salt(), output].concat()))
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), ParseError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(ParseError::Invalid)?;
    Ok((u32::from_be_bytes(*number), rest))
}

const V2: u8 = 0x00;
const V3: u8 = 0x01;

/// `HashPasswordV2`: `Pbkdf2Prf`, `Pbkdf2IterCount`. The string does not state them.
const V2_COSTS: (pbkdf2::Prf, u32) = (pbkdf2::Prf::Sha1, 1000);

/// `HashPasswordV2`: `SaltSize`.
const SALT_BYTES: usize = 128 / 8;

/// `HashPasswordV2`: `Pbkdf2SubkeyLength`.
const OUTPUT_BYTES: usize = 256 / 8;

/// `VerifyHashedPasswordV3`: of the salt and of the output.
const LEAST_BYTES: usize = 128 / 8;

const V2_BYTES: usize = 1 + SALT_BYTES + OUTPUT_BYTES;

const UNUSED_BITS_IGNORED: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::with_decode_allow_trailing_bits(PAD, true));
