//! The text of a stored password hash: strict parse and print, no cryptography.
//!
//! [`parse`] reads the one form that a scheme's reference software prints and refuses every other spelling, so
//! that `parse(s)` succeeds only if printing the result gives `s` again. What real software prints differently is
//! listed in [`DEVIATIONS`], with a vector each.
//!
//! What this crate does not do: it bounds no cost (that is admission, in `saltern-algorithm`) and computes nothing.

#![forbid(unsafe_code)]

mod algorithm;
pub mod argon2;
pub mod bcrypt;
mod crypt;
mod deviations;
mod error;
mod label;
mod notation;
pub mod pbkdf2;
mod phc;
mod scheme;
pub mod scrypt;
pub mod verify_only;
pub mod wrapped;

use core::fmt;

use zeroize::Zeroizing;

pub use algorithm::Algorithm;
pub use deviations::{DEVIATIONS, Deviation};
pub use error::ParseError;
pub use phc::{MIN_OUTPUT_BYTES, MIN_SALT_BYTES};
pub use scheme::{Preparation, Reading, Scheme, Weakness};

/// Longest stored hash that is looked at, in bytes (HTTP contract, "Passwords and hashes").
pub const MAX_ENCODED_BYTES: usize = 1024;

/// Salt of a new hash, in bytes: 128 bits, as NIST SP 800-132 §5.1 and RFC 9106 §3.1 recommend.
pub const NEW_SALT_BYTES: usize = 16;

/// Output of a new hash, in bytes, wherever the scheme leaves it open (bcrypt's is 23).
pub const NEW_OUTPUT_BYTES: usize = 32;

/// Reads a stored hash.
///
/// # Errors
/// - [`ParseError::Unsupported`]: the scheme, or this variant of it, is not one that Saltern verifies.
/// - [`ParseError::Invalid`]: the scheme is known and the rest is not its canonical form.
pub fn parse(stored: &str) -> Result<Encoded, ParseError> {
    if stored.len() > MAX_ENCODED_BYTES {
        return Err(ParseError::Invalid);
    }
    let labelled = label::parse(stored);
    labelled.unwrap_or_else(|| Scheme::of(stored).ok_or(ParseError::Unsupported)?.parse(stored))
}

/// A stored hash, taken apart: what to compute, and the output that a right password gives.
///
/// [`fmt::Display`] prints the stored string again. It is the one way out; `Debug` shows the algorithm only.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded {
    label: Option<label::Label>,
    scheme: Scheme,
    setting: Setting,
    output: Zeroizing<Vec<u8>>,
}

impl Encoded {
    /// Joins a setting and the output computed under it, in the form that new hashes are written in.
    ///
    /// Returns `None` where the output has not the length that the setting names, and for a setting under which no new
    /// hashes are made.
    #[must_use]
    pub fn new(setting: Setting, output: &[u8]) -> Option<Self> {
        let scheme = match &setting {
            Setting::Wrapped(_) => Scheme::Wrapped,
            setting => Scheme::of_new(setting.params()?),
        };
        Self::written_as(scheme, setting, output)
    }

    /// Joins a setting and an output in the form of `scheme`.
    pub(crate) fn written_as(scheme: Scheme, setting: Setting, output: &[u8]) -> Option<Self> {
        (output.len() == setting.output_bytes()).then(|| Self {
            label: None,
            scheme,
            setting,
            output: Zeroizing::new(output.to_vec()),
        })
    }

    /// The same setting in the same form with another output; `None` where its length differs.
    #[must_use]
    pub fn with_output(&self, output: &[u8]) -> Option<Self> {
        let encoded = Self::written_as(self.scheme, self.setting.clone(), output)?;
        Some(Self { label: self.label, ..encoded })
    }

    /// Whose form it is written in.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// What some software wrote before it, such as `{bcrypt}`.
    #[must_use]
    pub fn label(&self) -> Option<&'static str> {
        self.label.map(label::Label::text)
    }

    /// What has to be computed: parameters, salt and output length.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The output that a right password gives. Compare it in constant time.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.output
    }
}

impl fmt::Display for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.label {
            f.write_str(label.text())?;
        }
        self.scheme.print(&self.setting, &self.output, f)
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoded({:?}, {:?}, ..)", self.scheme, self.setting)
    }
}

/// What has to be computed: everything in a stored hash but its output (crypt(3) calls this the setting).
#[derive(Clone, PartialEq, Eq)]
pub enum Setting {
    /// See [`argon2::Setting`].
    Argon2(argon2::Setting),
    /// See [`bcrypt::Setting`].
    Bcrypt(bcrypt::Setting),
    /// See [`pbkdf2::Setting`].
    Pbkdf2(pbkdf2::Setting),
    /// See [`scrypt::Setting`].
    Scrypt(scrypt::Setting),
    /// See [`verify_only::Setting`].
    VerifyOnly(verify_only::Setting),
    /// See [`wrapped::Setting`].
    Wrapped(Box<wrapped::Setting>),
}

impl Setting {
    /// The setting of a new hash: the form that is written today, with [`NEW_OUTPUT_BYTES`] of output.
    #[must_use]
    pub fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        match params {
            Params::Argon2(params) => Self::Argon2(argon2::Setting::fresh(params, salt)),
            Params::Bcrypt(params) => Self::Bcrypt(bcrypt::Setting::fresh(params, salt)),
            Params::Pbkdf2(params) => Self::Pbkdf2(pbkdf2::Setting::fresh(params, salt)),
            Params::Scrypt(params) => Self::Scrypt(scrypt::Setting::fresh(params, salt)),
        }
    }

    /// Algorithm and cost, where a policy can name them; `None` for what is only ever verified.
    #[must_use]
    pub fn params(&self) -> Option<Params> {
        match self {
            Self::Argon2(setting) => Some(Params::Argon2(setting.params())),
            Self::Bcrypt(setting) => Some(Params::Bcrypt(setting.params())),
            Self::Pbkdf2(setting) => Some(Params::Pbkdf2(setting.params())),
            Self::Scrypt(setting) => Some(Params::Scrypt(setting.params())),
            Self::VerifyOnly(_) | Self::Wrapped(_) => None,
        }
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Argon2(setting) => Params::Argon2(setting.params()).algorithm(),
            Self::Bcrypt(setting) => Params::Bcrypt(setting.params()).algorithm(),
            Self::Pbkdf2(setting) => Params::Pbkdf2(setting.params()).algorithm(),
            Self::Scrypt(setting) => Params::Scrypt(setting.params()).algorithm(),
            Self::VerifyOnly(setting) => setting.algorithm(),
            Self::Wrapped(_) => Algorithm::Wrapped,
        }
    }

    /// The salt, in the bytes that the algorithm takes.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        match self {
            Self::Argon2(setting) => setting.salt(),
            Self::Bcrypt(setting) => setting.salt(),
            Self::Pbkdf2(setting) => setting.salt(),
            Self::Scrypt(setting) => setting.salt(),
            Self::VerifyOnly(setting) => setting.salt(),
            Self::Wrapped(setting) => setting.outer().salt(),
        }
    }

    /// Length of the output, in bytes.
    #[must_use]
    pub fn output_bytes(&self) -> usize {
        match self {
            Self::Argon2(setting) => setting.output_bytes(),
            Self::Bcrypt(_) => bcrypt::OUTPUT_BYTES,
            Self::Pbkdf2(setting) => setting.output_bytes(),
            Self::Scrypt(setting) => setting.output_bytes(),
            Self::VerifyOnly(setting) => setting.output_bytes(),
            Self::Wrapped(setting) => setting.outer().output_bytes(),
        }
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VerifyOnly(_) | Self::Wrapped(_) => write!(f, "Setting({:?}, ..)", self.algorithm()),
            _ => write!(f, "Setting({:?}, ..)", self.params()),
        }
    }
}

/// An algorithm with its cost parameters: what a policy names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Params {
    /// RFC 9106.
    Argon2(argon2::Params),
    /// Provos and Mazières, USENIX 1999.
    Bcrypt(bcrypt::Params),
    /// RFC 8018 §5.2 over HMAC.
    Pbkdf2(pbkdf2::Params),
    /// RFC 7914.
    Scrypt(scrypt::Params),
}

impl Params {
    /// The algorithm.
    #[must_use]
    pub const fn algorithm(self) -> Algorithm {
        match self {
            Self::Argon2(params) => match params.variant() {
                argon2::Variant::D => Algorithm::Argon2d,
                argon2::Variant::I => Algorithm::Argon2i,
                argon2::Variant::Id => Algorithm::Argon2id,
            },
            Self::Bcrypt(_) => Algorithm::Bcrypt,
            Self::Pbkdf2(params) => match params.prf() {
                pbkdf2::Prf::Sha1 => Algorithm::Pbkdf2Sha1,
                pbkdf2::Prf::Sha256 => Algorithm::Pbkdf2Sha256,
                pbkdf2::Prf::Sha512 => Algorithm::Pbkdf2Sha512,
            },
            Self::Scrypt(_) => Algorithm::Scrypt,
        }
    }
}
