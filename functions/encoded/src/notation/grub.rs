//! GRUB: `grub.pbkdf2.sha512.<iterations>.<salt>.<output>`, in upper-case hexadecimal.
//! Source: GRUB `util/grub-mkpasswd-pbkdf2.c`; passlib `grub_pbkdf2_sha512`.

use crate::{
    ParseError,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2,
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["grub.pbkdf2.sha512."],
    is: |text| !text.contains('$'),
    ..SchemeRow::new("grub-pbkdf2-sha512", Parse::Text(parse))
};

/// Reads a line of `grub-mkpasswd-pbkdf2`.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let [_grub, _pbkdf2, _sha512, iterations, salt, output] = fields(text, '.')?;
    let salt = Encoding::UpperHex.decode(salt)?.to_vec();
    let output = OutputText::read(Encoding::UpperHex, output)?;
    // The option `-l` sets another length than 64 bytes.
    let output_bytes = output.bytes.len();
    if output_bytes < phc::MIN_OUTPUT_BYTES {
        return Err(ParseError::Invalid);
    }
    super::pbkdf2(text, (pbkdf2::Prf::Sha512, phc::decimal(iterations)?), salt, output_bytes, output)
}
