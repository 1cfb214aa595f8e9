//! The shape of a hash: the part that decides its cost and the effect of a login.

use saltern_encoded::{Algorithm, Encoded, Params, Scheme, Setting, SitePreparation, argon2, verify_only};
use saltern_policy::WeakHash;
use saltern_seal::Keys;

use crate::price::parameters;

/// A hash without the bytes of its salt and output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) scheme: Scheme,
    pub(super) label: Option<&'static str>,
    /// The site's preparation of the passwords.
    pub(super) preparation: Option<&'static str>,
    pub(super) cost: Cost,
    pub(super) weakness: Option<WeakHash>,
    /// Whether its site key is not among the given ones.
    lacks_site_key: bool,
    salt_bytes: usize,
    output_bytes: usize,
}

/// The cost of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cost {
    Params(Params),
    /// Rounds that the software chooses at random for each hash, rounded to one digit. Exact rounds
    /// would make one row for each hash.
    RandomRounds(Algorithm, u64),
    VerifyOnly(Algorithm, verify_only::Cost),
    Wrapped(argon2::Params, Scheme),
}

impl Shape {
    pub(super) fn of(encoded: &Encoded, weakness: Option<WeakHash>, keys: Option<&Keys>) -> Self {
        let setting = encoded.setting();
        let site_key = encoded.innermost().preparation().and_then(SitePreparation::site_key);
        Self {
            scheme: encoded.scheme(),
            label: encoded.label(),
            preparation: encoded.preparation().map(SitePreparation::name),
            cost: Cost::of(encoded).to_count_by(),
            weakness,
            lacks_site_key: site_key.is_some_and(|id| keys.and_then(|keys| keys.site_key(id)).is_none()),
            salt_bytes: setting.salt().len(),
            output_bytes: setting.output_bytes(),
        }
    }
}

/// Returns the name of a shape for arguments. Random rounds are no part of it: one login proves the
/// hashes of all rounds.
pub(super) fn named(preparation: Option<&str>, scheme: Scheme, cost: Cost) -> String {
    let scheme = [preparation, Some(scheme.name())].into_iter().flatten().collect::<Vec<_>>().join(" ");
    match cost {
        Cost::RandomRounds(..) => scheme,
        cost => format!("{scheme}:{}", cost.in_words()),
    }
}

impl Cost {
    pub(super) fn of(encoded: &Encoded) -> Self {
        match encoded.setting() {
            Setting::Argon2(setting) => Self::Params(Params::Argon2(setting.params())),
            Setting::Bcrypt(setting) => Self::Params(Params::Bcrypt(setting.params())),
            Setting::Pbkdf2(setting) => Self::Params(Params::Pbkdf2(setting.params())),
            Setting::Scrypt(setting) => Self::Params(Params::Scrypt(setting.params())),
            Setting::VerifyOnly(setting) => Self::VerifyOnly(setting.algorithm(), setting.cost()),
            Setting::Wrapped(setting) => Self::Wrapped(setting.outer().params(), setting.inner().scheme()),
        }
    }

    /// Returns the cost to count by: random rounds are rounded.
    pub(super) fn to_count_by(self) -> Self {
        use Algorithm::{Sha1Crypt, SunMd5};
        match self {
            Self::VerifyOnly(algorithm @ (Sha1Crypt | SunMd5), verify_only::Cost::Rounds(rounds)) => {
                Self::RandomRounds(algorithm, to_one_digit(rounds))
            }
            other => other,
        }
    }

    pub(super) fn in_words(self) -> String {
        match self {
            Self::Params(params @ (Params::Argon2(_) | Params::Pbkdf2(_))) => {
                format!("{}, {}", params.algorithm().name(), parameters(params))
            }
            Self::Params(params) => parameters(params),
            Self::RandomRounds(_, rounds) => format!("about {rounds} rounds"),
            Self::VerifyOnly(_, verify_only::Cost::Rounds(1)) => "one pass".to_owned(),
            Self::VerifyOnly(_, verify_only::Cost::Rounds(rounds)) => format!("{rounds} rounds"),
            Self::VerifyOnly(_, verify_only::Cost::Memory { blocks, .. }) => {
                format!("{} KiB of memory", blocks / BLOCKS_PER_KIB)
            }
            Self::Wrapped(outer, inner) => {
                format!("{} over {}", parameters(Params::Argon2(outer)), inner.name())
            }
        }
    }
}

/// Rounds a number to one digit and zeros.
fn to_one_digit(number: u64) -> u64 {
    let zeros = 10_u64.pow(number.checked_ilog10().unwrap_or(0));
    number.saturating_add(zeros / 2) / zeros * zeros
}

/// scrypt counts blocks of 128 bytes.
const BLOCKS_PER_KIB: u64 = 8;
