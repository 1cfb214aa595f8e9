//! ASP.NET Identity: Base64 of a version byte, the costs (version 3), the salt and the output.
//! Source: ASP.NET Core `src/Identity/Extensions.Core/src/PasswordHasher.cs`.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig, general_purpose::PAD},
};

use crate::{
    ParseError,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2,
    scheme::{ANY_BEGINNING, Parse, SchemeRow},
    verify_only::des_crypt,
};

pub(crate) static V2: SchemeRow = SchemeRow {
    begins: ANY_BEGINNING,
    is: is_v2,
    ..SchemeRow::new("aspnet-identity-v2", Parse::Text(parse_v2))
};

pub(crate) static V3: SchemeRow = SchemeRow {
    begins: &["AQAAAA"],
    is: is_v3,
    ..SchemeRow::new("aspnet-identity-v3", Parse::Text(parse_v3))
};

/// Whether a text has the length and the first byte of version 2.
///
/// It must be Base64, but bits beyond the last byte may be set: such a text is damaged, and of no
/// other scheme.
fn is_v2(text: &str) -> bool {
    let is = |bytes: Vec<u8>| bytes.len() == V2_BYTES && bytes[0] == VERSION_2;
    text.len() == V2_BYTES.div_ceil(3) * 4 && UNUSED_BITS_IGNORED.decode(text).is_ok_and(is)
}

/// Whether a text begins with the byte of version 3 and a known function. These 40 bits end within
/// the seventh character.
fn is_v3(text: &str) -> bool {
    let is_known = text.as_bytes().get(6).is_some_and(|character| (b'A'..=b'L').contains(character));
    is_known && !text.contains('$') && !des_crypt::is_traditional(text)
}

/// Reads `00 ‖ salt ‖ output`.
fn parse_v2(text: &str) -> Result<Parts, ParseError> {
    let bytes = Encoding::Base64.decode(text)?;
    let output = OutputText::within(Encoding::Base64, &bytes, V2_BYTES - OUTPUT_BYTES..bytes.len())?;
    let salt = bytes.get(1..1 + SALT_BYTES).ok_or(ParseError::Invalid)?;
    super::pbkdf2(text, V2_COSTS, salt.to_vec(), OUTPUT_BYTES, output)
}

/// Reads `01 ‖ function ‖ iterations ‖ length of the salt ‖ salt ‖ output`. Each number has 32
/// bits, the highest byte first.
fn parse_v3(text: &str) -> Result<Parts, ParseError> {
    let bytes = Encoding::Base64.decode(text)?;
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
    let (salt, output_bytes) = (salt.to_vec(), output.len());
    let output = OutputText::within(Encoding::Base64, &bytes, bytes.len() - output_bytes..bytes.len())?;
    super::pbkdf2(text, (prf, iterations), salt, output_bytes, output)
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), ParseError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(ParseError::Invalid)?;
    Ok((u32::from_be_bytes(*number), rest))
}

const VERSION_2: u8 = 0x00;

/// `HashPasswordV2`: `Pbkdf2Prf`, `Pbkdf2IterCount`. The string does not state them.
const V2_COSTS: (pbkdf2::Prf, u32) = (pbkdf2::Prf::Sha1, 1000);

/// `HashPasswordV2`: `SaltSize`.
const SALT_BYTES: usize = 128 / 8;

/// `HashPasswordV2`: `Pbkdf2SubkeyLength`.
const OUTPUT_BYTES: usize = 256 / 8;

/// `VerifyHashedPasswordV3`: least length of the salt and of the output.
const LEAST_BYTES: usize = 128 / 8;

const V2_BYTES: usize = 1 + SALT_BYTES + OUTPUT_BYTES;

const UNUSED_BITS_IGNORED: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::with_decode_allow_trailing_bits(PAD, true));
