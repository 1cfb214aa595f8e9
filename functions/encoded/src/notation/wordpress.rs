//! WordPress 6.8 and later: `$wp$2y$…`, bcrypt of a keyed digest of the password.
//! Source: WordPress `wp-includes/pluggable.php`, `wp_hash_password`.

use super::bcrypt_of_prepared;
use crate::{Encoded, ParseError, Scheme};

/// Reads PHP's bcrypt behind `$wp`.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let inner = stored.strip_prefix(HEAD).ok_or(ParseError::Invalid)?;
    let encoded = bcrypt_of_prepared(Scheme::WordPress, inner)?;
    if inner.starts_with("$2y$") { Ok(encoded) } else { Err(ParseError::Invalid) }
}

/// What PHP's `trim` takes away: from a new password in `wp_hash_password`, and in `wp_authenticate` from one that is to be
/// checked.
pub(crate) const TRIMMED: &[u8] = b" \t\n\r\0\x0b";

/// What stands before bcrypt.
pub(crate) const HEAD: &str = "$wp";
