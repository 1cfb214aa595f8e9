//! Atlassian: `{PKCS5S2}` and the Base64 of salt and output.
//! Source: `com.atlassian.security.password.PKCS5S2PasswordHashGenerator`; passlib
//! `atlassian_pbkdf2_sha1`.

use crate::{
    ParseError,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2,
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow =
    SchemeRow { labels: &["{PKCS5S2}"], ..SchemeRow::new("atlassian-pkcs5s2", Parse::Text(parse)) };

fn parse(text: &str) -> Result<Parts, ParseError> {
    let bytes = Encoding::Base64.decode(text)?;
    let output = OutputText::within(Encoding::Base64, &bytes, SALT_BYTES..bytes.len())?;
    super::pbkdf2(text, COSTS, bytes[..SALT_BYTES].to_vec(), OUTPUT_BYTES, output)
}

/// The string does not state them.
const COSTS: (pbkdf2::Prf, u32) = (pbkdf2::Prf::Sha1, 10_000);

const SALT_BYTES: usize = 16;
const OUTPUT_BYTES: usize = 32;
