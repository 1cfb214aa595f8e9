//! argon2id over a weak hash, made without the password.
//!
//! ```text
//! $saltern-wrap$argon2id$v=19$m=19456,t=2,p=1$<salt>$<output>$<inner>
//! ```
//!
//! After `$saltern-wrap` follows the PHC string of argon2id. `<inner>` is the wrapped hash with all
//! bytes of its output set to zero: it keeps form, cost and salt, and nothing that helps to guess.
//! The password of argon2id is the wrapped hash, unchanged.
//!
//! To verify, a login computes the inner hash of the given password, prints it in its scheme, and
//! hashes that string with argon2id.
//!
//! `SCHEMES.md` has the grammar, and `functions/testing/vectors/data/wrapped.json` has vectors.

use crate::{
    Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, argon2,
    parts::Parts,
    scheme::{Parse, SchemeRow},
    verify_only,
};

pub(crate) static SCHEME: SchemeRow =
    SchemeRow { begins: &["$saltern-wrap$"], ..SchemeRow::new("wrapped", Parse::Text(parse)) };

/// The setting of argon2id, and the hash beneath.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    outer: argon2::Setting,
    /// Its output is all zeros.
    inner: Encoded,
}

impl Setting {
    /// Prepares to wrap `stored` under new parameters.
    ///
    /// Returns `None` if `stored` is wrapped already, if its output depends on a secret of a
    /// project, or if the parameters are not of argon2id.
    pub fn fresh(params: argon2::Params, salt: [u8; NEW_SALT_BYTES], stored: &Encoded) -> Option<Self> {
        let is_plain = can_be_inner(stored) && params.variant() == argon2::Variant::Id;
        let inner = stored.with_output(&vec![0; stored.output().len()])?;
        is_plain.then(|| Self { outer: argon2::Setting::fresh(params, salt), inner })
    }

    /// The parameters and the salt of argon2id.
    pub fn outer(&self) -> &argon2::Setting {
        &self.outer
    }

    /// The hash beneath, with zeros as its output.
    pub fn inner(&self) -> &Encoded {
        &self.inner
    }

    /// The text of a new hash up to its output.
    pub(crate) fn head(&self) -> String {
        MARK.to_owned() + &self.outer.head()
    }
}

fn parse(text: &str) -> Result<Parts, ParseError> {
    let layers = text.strip_prefix(MARK).ok_or(ParseError::Invalid)?;
    let outer_end = layers.match_indices('$').nth(OUTER_FIELDS).ok_or(ParseError::Invalid)?.0;
    let outer = argon2::SCHEME.parse_behind("", &layers[..outer_end])?;
    let inner = crate::parse(&layers[outer_end + 1..])?;
    let crate::Setting::Argon2(setting) = outer.setting else { return Err(ParseError::Invalid) };
    let setting = Setting { outer: setting, inner };
    let is_inner = can_be_inner(&setting.inner) && setting.inner.output().iter().all(|&byte| byte == 0);
    // Only `Setting::fresh` makes outer layers, so they have no other form.
    let is_fresh = setting.outer.params().variant() == argon2::Variant::Id
        && setting.outer.params().version() == argon2::Version::V19
        && setting.outer.salt().len() == NEW_SALT_BYTES
        && setting.outer.output_bytes() == NEW_OUTPUT_BYTES
        && text.starts_with(&setting.head());
    if !is_inner || !is_fresh {
        return Err(ParseError::Invalid);
    }
    Ok(Parts {
        head: setting.head(),
        output: outer.output,
        setting: crate::Setting::Wrapped(Box::new(setting)),
    })
}

fn can_be_inner(stored: &Encoded) -> bool {
    use crate::Setting::{VerifyOnly, Wrapped};
    !matches!(stored.setting(), VerifyOnly(verify_only::VerifyOnlySetting::Firebase(_)) | Wrapped(_))
}

/// The text before the PHC string.
const MARK: &str = "$saltern-wrap";

/// `argon2id`, `v=19`, the costs, the salt, the output.
const OUTER_FIELDS: usize = 5;
