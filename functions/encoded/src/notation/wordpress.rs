//! WordPress 6.8 and later: `$wp$2y$…`, bcrypt of a keyed digest of the password.
//! Source: WordPress `wp-includes/pluggable.php`, `wp_hash_password`.

use crate::{
    ParseError, bcrypt,
    parts::Parts,
    reading::{Preparation, Reading},
    scheme::{Parse, SchemeRow},
};

pub(crate) static SCHEME: SchemeRow = SchemeRow {
    begins: &["$wp$"],
    reading: Reading { trims: TRIMMED, ..Reading::prepared(Preparation::WordPress) },
    ..SchemeRow::new("wordpress", Parse::Text(parse))
};

/// Reads PHP's bcrypt after `$wp`.
fn parse(text: &str) -> Result<Parts, ParseError> {
    let inner = text.strip_prefix(HEAD).ok_or(ParseError::Invalid)?;
    let parts = bcrypt::SCHEME.parse_behind(HEAD, inner)?;
    if inner.starts_with("$2y$") { Ok(parts) } else { Err(ParseError::Invalid) }
}

/// The bytes that PHP's `trim` removes. `wp_hash_password` calls it for a new password,
/// `wp_authenticate` for a login.
const TRIMMED: &[u8] = b" \t\n\r\0\x0b";

const HEAD: &str = "$wp";
