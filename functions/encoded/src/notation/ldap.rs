//! One pass of a digest as LDAP servers store it: `{SSHA}` and the Base64 of digest and salt, one after the other.
//! Source: RFC 2307 §5.3; OpenLDAP `libraries/liblutil/passwd.c`; passlib `passlib.hash.ldap_digests`.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, Setting, Weakness, verify_only};

/// Which digest, salted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digest {
    /// `{MD5}`
    Md5,
    /// `{SHA}`
    Sha,
}

impl Digest {
    /// The form that a stored string names.
    pub(crate) fn of(stored: &str) -> Option<Self> {
        [Self::Md5, Self::Sha].into_iter().find(|digest| stored.starts_with(digest.label()))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "ldap-md5",
            Self::Sha => "ldap-sha",
        }
    }

    pub(crate) const fn weakness(self) -> Weakness {
        match self {
            Self::Md5 | Self::Sha => Weakness::Unsalted,
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Md5 => "{MD5}",
            Self::Sha => "{SHA}",
        }
    }

    const fn hash(self) -> verify_only::digest::Hash {
        match self {
            Self::Md5 => verify_only::digest::Hash::Md5,
            Self::Sha => verify_only::digest::Hash::Sha1,
        }
    }
}

/// Reads a label and the Base64 behind it.
pub(crate) fn parse(digest: Digest, stored: &str) -> Result<Encoded, ParseError> {
    let text = stored.strip_prefix(digest.label()).ok_or(ParseError::Invalid)?;
    let bytes = Zeroizing::new(BASE64_STANDARD.decode(text).map_err(|_| ParseError::Invalid)?);
    let hash = digest.hash();
    let (output, salt) = bytes.split_at_checked(hash.output_bytes()).ok_or(ParseError::Invalid)?;
    if !salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let setting = verify_only::digest::Setting::new(hash, salt.to_vec());
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(setting));
    Encoded::written_as(Scheme::Ldap(digest), setting, output).ok_or(ParseError::Invalid)
}

/// Prints what [`parse`] reads.
pub(crate) fn print(digest: Digest, salt: &[u8], output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let bytes = Zeroizing::new([output, salt].concat());
    write!(f, "{}{}", digest.label(), BASE64_STANDARD.encode(bytes))
}
