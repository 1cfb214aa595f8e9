//! A hash of a password that a site prepared before it hashed it.
//!
//! ```text
//! $saltern-prep$v=1,p=<name>[,k=<site key id>]$<inner>
//! ```
//!
//! The list of preparations is closed. `<inner>` is the hash that the site stored, unchanged. The
//! two peppers are secrets of the site: the string names a key, and settings hold it.
//!
//! `SCHEMES.md` has the grammar, and `functions/testing/vectors/data/sites.json` has vectors.

use core::fmt;

use strum::{IntoStaticStr, VariantNames};

use crate::{Encoded, ParseError, Setting, phc};

/// A site's preparation of a password, before the hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum SitePreparation {
    /// The MD5 in lower-case hexadecimal.
    Md5Hex,
    /// The password, then the site key with this id.
    PepperAppend(String),
    /// The site key with this id, then the password.
    PepperPrepend(String),
    /// The SHA-1 in lower-case hexadecimal.
    Sha1Hex,
    /// The SHA-256 in Base64 with padding.
    Sha256Base64,
}

impl SitePreparation {
    /// Returns the preparation with this name. A pepper wants the id of a site key, and the others
    /// take none. `None` if that does not hold.
    pub fn named(name: &str, site_key: Option<&str>) -> Option<Self> {
        let pepper = || site_key.filter(|id| is_key_id(id)).map(str::to_owned);
        match name {
            "pepper-append" => pepper().map(Self::PepperAppend),
            "pepper-prepend" => pepper().map(Self::PepperPrepend),
            _ if site_key.is_some() => None,
            "md5-hex" => Some(Self::Md5Hex),
            "sha1-hex" => Some(Self::Sha1Hex),
            "sha256-base64" => Some(Self::Sha256Base64),
            _ => None,
        }
    }

    /// The name in stored hashes.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The id of the site key; `None` if the preparation needs no secret.
    pub fn site_key(&self) -> Option<&str> {
        match self {
            Self::PepperAppend(id) | Self::PepperPrepend(id) => Some(id),
            Self::Md5Hex | Self::Sha1Hex | Self::Sha256Base64 => None,
        }
    }
}

/// Writes the text before the inner hash.
impl fmt::Display for SitePreparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}v={VERSION},p={}", self.name())?;
        self.site_key().map_or(Ok(()), |id| write!(f, ",k={id}"))?;
        f.write_str("$")
    }
}

/// Whether a text is the id of a key: 1 to 32 characters of `a-z`, `0-9` and `-`.
pub fn is_key_id(text: &str) -> bool {
    (1..=MAX_KEY_ID_BYTES).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Reads the text after [`MARK`].
pub(crate) fn parse(text: &str) -> Result<Encoded, ParseError> {
    let (params, inner) = text.split_once('$').ok_or(ParseError::Invalid)?;
    let (version, named) = params.split_once(",p=").ok_or(ParseError::Invalid)?;
    let number = version.strip_prefix("v=").ok_or(ParseError::Invalid)?;
    if phc::decimal(number)? != VERSION {
        return Err(ParseError::Unsupported);
    }
    let (name, site_key) = named.split_once(",k=").map_or((named, None), |(name, id)| (name, Some(id)));
    if !SitePreparation::VARIANTS.contains(&name) {
        return Err(ParseError::Unsupported);
    }
    let preparation = SitePreparation::named(name, site_key).ok_or(ParseError::Invalid)?;
    let inner = crate::parse(inner)?;
    // `saltern wrap` puts its layer around a prepared hash, and one hash is prepared once.
    if inner.preparation.is_some() || matches!(inner.setting(), Setting::Wrapped(_)) {
        return Err(ParseError::Invalid);
    }
    let parts = inner.parts.behind(&preparation.to_string());
    Ok(Encoded { preparation: Some(preparation), parts, ..inner })
}

/// The beginning of every such hash.
pub(crate) const MARK: &str = "$saltern-prep$";

const VERSION: u32 = 1;

/// Longest id of a key, in bytes (HTTP contract).
pub const MAX_KEY_ID_BYTES: usize = 32;
