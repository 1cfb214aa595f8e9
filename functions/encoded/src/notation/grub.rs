//! GRUB's `grub.pbkdf2.sha512.<iterations>.<salt>.<output>`, in upper-case hexadecimal.
//! Source: GRUB `util/grub-mkpasswd-pbkdf2.c`; passlib `grub_pbkdf2_sha512`.

use core::fmt;

use zeroize::Zeroizing;

use super::fields;
use crate::{Encoded, ParseError, Scheme, pbkdf2, phc};

/// Reads a line of `grub-mkpasswd-pbkdf2`.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let [iterations, salt, output] = fields(stored.strip_prefix(HEAD).ok_or(ParseError::Invalid)?, '.')?;
    let decode = |text| base16ct::upper::decode_vec(text).map_err(|_| ParseError::Invalid);
    let (salt, output) = (decode(salt)?, Zeroizing::new(decode(output)?));
    let costs = (pbkdf2::Prf::Sha512, phc::decimal(iterations)?);
    // `-l` asks for another length than 64 bytes.
    if output.len() < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    super::pbkdf2(Scheme::GrubPbkdf2, costs, salt, output.len(), &output)
}

/// Prints what [`parse`] reads.
pub(crate) fn print(setting: &pbkdf2::Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let hex = base16ct::upper::encode_string;
    write!(f, "{HEAD}{}.{}.{}", setting.params().iterations(), hex(setting.salt()), hex(output))
}

/// What such a string begins with.
pub(crate) const HEAD: &str = "grub.pbkdf2.sha512.";
