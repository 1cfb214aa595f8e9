//! argon2id over a weak hash, made without knowing the password. Our only format of our own.
//!
//! ```text
//! $saltern-wrap$argon2id$v=19$m=19456,t=2,p=1$<salt>$<output>$<inner>
//! ```
//!
//! After `$saltern-wrap` stands the PHC string of argon2id. `<inner>` is the stored hash that was wrapped, with every byte
//! of its output set to zero: its form, cost and salt, and nothing that helps to guess. argon2id's password is the stored
//! hash as it was before it was wrapped, byte for byte. So a login computes the inner hash of the given password, prints
//! it as its scheme does, and puts that string through argon2id.
//!
//! The grammar stands in `SCHEMES.md`, and `functions/vectors/data/wrapped.json` has vectors.

use core::fmt;

use crate::{Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, ParseError, Scheme, argon2};

/// What stands between the first two dollar signs.
pub const ID: &str = "saltern-wrap";

/// argon2id's setting, and the hash beneath it.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    outer: argon2::Setting,
    /// Its output is all zeros.
    inner: Encoded,
}

impl Setting {
    /// Prepares to wrap `stored` under new parameters.
    ///
    /// Returns `None` where `stored` is wrapped already, where its output cannot be printed without a project's secret, and
    /// for parameters that are not those of argon2id.
    #[must_use]
    pub fn fresh(params: argon2::Params, salt: [u8; NEW_SALT_BYTES], stored: &Encoded) -> Option<Self> {
        let is_plain = can_be_inner(stored) && params.variant() == argon2::Variant::Id;
        let inner = without_output(stored)?;
        is_plain.then(|| Self { outer: argon2::Setting::fresh(params, salt), inner })
    }

    /// argon2id's parameters and salt.
    #[must_use]
    pub fn outer(&self) -> &argon2::Setting {
        &self.outer
    }

    /// The hash beneath, with zeros for an output.
    #[must_use]
    pub fn inner(&self) -> &Encoded {
        &self.inner
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${ID}")?;
        self.outer.print(output, f)?;
        write!(f, "${}", self.inner)
    }
}

/// Reads a wrapped hash.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let layers =
        stored.strip_prefix('$').and_then(|text| text.strip_prefix(ID)).ok_or(ParseError::Invalid)?;
    let outer_end = layers.match_indices('$').nth(OUTER_FIELDS).ok_or(ParseError::Invalid)?.0;
    let (outer, inner) = (argon2::parse(&layers[..outer_end])?, crate::parse(&layers[outer_end + 1..])?);
    let crate::Setting::Argon2(setting) = outer.setting() else { return Err(ParseError::Invalid) };
    let is_inner = can_be_inner(&inner) && inner.output().iter().all(|&byte| byte == 0);
    if !is_fresh(setting) || !is_inner {
        return Err(ParseError::Invalid);
    }
    let setting = Setting { outer: setting.clone(), inner };
    Encoded::written_as(Scheme::Wrapped, crate::Setting::Wrapped(Box::new(setting)), outer.output())
        .ok_or(ParseError::Invalid)
}

/// Nothing but [`Setting::fresh`] ever made one.
fn is_fresh(outer: &argon2::Setting) -> bool {
    outer.params().variant() == argon2::Variant::Id
        && outer.is_as_printed_today()
        && outer.salt().len() == NEW_SALT_BYTES
        && outer.output_bytes() == NEW_OUTPUT_BYTES
}

fn can_be_inner(stored: &Encoded) -> bool {
    !matches!(stored.scheme(), Scheme::Firebase | Scheme::Wrapped)
}

fn without_output(stored: &Encoded) -> Option<Encoded> {
    stored.with_output(&vec![0; stored.output().len()])
}

/// `argon2id`, `v=19`, the costs, the salt, the output.
const OUTER_FIELDS: usize = 5;
