//! What hashes have in common that cost the same and are judged alike.

use saltern_encoded::{Encoded, Params, Scheme, Setting, argon2, verify_only};

/// Everything about a hash but its salt and its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) scheme: Scheme,
    pub(super) label: Option<&'static str>,
    pub(super) cost: Cost,
    salt_bytes: usize,
    output_bytes: usize,
}

/// What computing costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cost {
    Params(Params),
    VerifyOnly(verify_only::Algorithm, verify_only::Cost),
    Wrapped(argon2::Params, Scheme),
}

impl Shape {
    pub(super) fn of(encoded: &Encoded) -> Self {
        let setting = encoded.setting();
        let cost = match setting {
            Setting::Argon2(setting) => Cost::Params(Params::Argon2(setting.params())),
            Setting::Bcrypt(setting) => Cost::Params(Params::Bcrypt(setting.params())),
            Setting::Pbkdf2(setting) => Cost::Params(Params::Pbkdf2(setting.params())),
            Setting::Scrypt(setting) => Cost::Params(Params::Scrypt(setting.params())),
            Setting::VerifyOnly(setting) => Cost::VerifyOnly(setting.algorithm(), setting.cost()),
            Setting::Wrapped(setting) => Cost::Wrapped(setting.outer().params(), setting.inner().scheme()),
        };
        Self {
            scheme: encoded.scheme(),
            label: encoded.label(),
            cost,
            salt_bytes: setting.salt().len(),
            output_bytes: setting.output_bytes(),
        }
    }
}

impl Cost {
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Params(Params::Argon2(p)) => {
                let algorithm = Params::Argon2(p).algorithm();
                format!("{algorithm}, m={} KiB, t={}, p={}", p.memory_kib(), p.passes(), p.parallelism())
            }
            Self::Params(Params::Bcrypt(p)) => format!("cost {}", p.cost()),
            Self::Params(Params::Pbkdf2(p)) => {
                format!("{}, {} iterations", Params::Pbkdf2(p).algorithm(), p.iterations())
            }
            Self::Params(Params::Scrypt(p)) => format!("N=2^{}, r={}, p={}", p.log_n(), p.r(), p.p()),
            Self::VerifyOnly(_, verify_only::Cost::Rounds(1)) => "one pass".to_owned(),
            Self::VerifyOnly(_, verify_only::Cost::Rounds(rounds)) => format!("{rounds} rounds"),
            Self::VerifyOnly(_, verify_only::Cost::Memory { blocks, .. }) => {
                format!("{} KiB of memory", blocks / BLOCKS_PER_KIB)
            }
            Self::Wrapped(p, inner) => {
                format!(
                    "m={} KiB, t={}, p={} over {}",
                    p.memory_kib(),
                    p.passes(),
                    p.parallelism(),
                    inner.name()
                )
            }
        }
    }
}

/// scrypt counts blocks of 128 bytes.
const BLOCKS_PER_KIB: u64 = 8;
