//! Sealed hashes in requests: opens the stored ones, and says what a match should change.

use std::borrow::Cow;

use saltern_seal::{Context, Keys, NotOpened, is_sealed};
use zeroize::Zeroizing;

use crate::{Code, Problem};

/// A stored hash without its seal.
pub(crate) struct Unsealed {
    pub(crate) text: Zeroizing<String>,
    /// The label of the seal's key in logs and metrics; `None` on a service without keys.
    pub(crate) key: Option<Cow<'static, str>>,
    /// Why a match should seal the same string anew.
    pub(crate) due: Option<&'static str>,
}

/// Takes the seal off a stored hash. A service without keys opens none.
///
/// # Errors
/// The problem of the hash or of the context.
pub(crate) fn open(
    keys: Option<&Keys>,
    stored: &str,
    context: Option<&Context>,
) -> Result<Unsealed, Problem> {
    let Some(keys) = keys else {
        if is_sealed(stored) {
            return Err(Problem::no_seal_keys().in_member("hash"));
        }
        return Ok(Unsealed { text: Zeroizing::new(stored.to_owned()), key: None, due: None });
    };
    let unsealed = keys.unseal(stored, context).map_err(|defect| match defect {
        NotOpened::Broken => Problem::new(Code::SealBroken).in_member("hash"),
        NotOpened::ContextMissing => Problem::context_missing().in_member("context"),
        NotOpened::KeyUnavailable => Problem::new(Code::KeyUnavailable).in_member("hash"),
        NotOpened::Malformed => Problem::new(Code::InvalidHash).in_member("hash"),
        NotOpened::SealRequired => Problem::not_sealed().in_member("hash"),
        NotOpened::Unsupported => Problem::new(Code::UnsupportedHash).in_member("hash"),
    })?;
    let key = unsealed.key.map_or(NOT_SEALED.into(), |key| key.id().to_owned().into());
    Ok(Unsealed { text: unsealed.text, key: Some(key), due: unsealed.due })
}

/// Whether a new string can be sealed in this context. Without keys nothing is sealed.
pub(crate) fn can_seal(keys: Option<&Keys>, context: Option<&Context>) -> bool {
    keys.is_none_or(|keys| context.is_some() || !keys.current().wants_context())
}

/// The label of a hash without a seal. No id of a key has an underscore.
const NOT_SEALED: &str = "not_sealed";
