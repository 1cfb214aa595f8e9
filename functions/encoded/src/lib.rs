//! The text of a stored password hash: strict parse and print, without cryptography.
//!
//! [`parse`] accepts the one form that the reference software of a scheme prints. It refuses every
//! other spelling, except the deviations that `SCHEMES.md` lists. So no two strings state the same
//! hash, and an accepted string prints as it was.
//!
//! This crate does not bound costs (`saltern-kernels` does) and computes no hash.

#![forbid(unsafe_code)]

mod algorithm;
pub mod argon2;
pub mod bcrypt;
mod crypt;
mod encoding;
mod error;
mod notation;
mod parts;
pub mod pbkdf2;
mod phc;
mod prepared;
mod reading;
mod scheme;
pub mod scrypt;
pub mod verify_only;
pub mod wrapped;

use core::fmt;

pub use algorithm::Algorithm;
use encoding::Encoding;
pub use error::ParseError;
use parts::{OutputText, Parts};
pub use phc::{MIN_OUTPUT_BYTES, MIN_SALT_BYTES};
pub use prepared::{MAX_KEY_ID_BYTES, SitePreparation, is_key_id};
pub use reading::{Preparation, Reading};
pub use scheme::{Scheme, Weakness};

/// Longest stored hash that is read, in bytes (HTTP contract).
pub const MAX_ENCODED_BYTES: usize = 1024;

/// Salt of a new hash, in bytes: 128 bits, as NIST SP 800-132 §5.1 and RFC 9106 §3.1 recommend.
pub const NEW_SALT_BYTES: usize = 16;

/// Output of a new hash, in bytes. bcrypt alone has another length: 23.
pub const NEW_OUTPUT_BYTES: usize = 32;

/// Reads a stored hash.
///
/// # Errors
/// - [`ParseError::Unsupported`]: Saltern does not verify this scheme, or this variant of the
///   scheme.
/// - [`ParseError::Invalid`]: the scheme is known, and the string is not in the scheme's canonical
///   form.
pub fn parse(stored: &str) -> Result<Encoded, ParseError> {
    if stored.len() > MAX_ENCODED_BYTES { Err(ParseError::Invalid) } else { scheme::parse(stored) }
}

/// A stored hash: a setting, and the output that the right password gives.
///
/// [`fmt::Display`] prints the stored string again. It is the only way to get the output as text:
/// `Debug` shows the scheme and the algorithm.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded {
    preparation: Option<SitePreparation>,
    label: Option<&'static str>,
    scheme: Scheme,
    parts: Parts,
}

impl Encoded {
    /// Joins a setting and the output that was computed from it, in the canonical form of new
    /// hashes.
    ///
    /// Returns `None` if the output does not have the length that the setting states, or if Saltern
    /// makes no new hashes with the algorithm.
    pub fn new(setting: Setting, output: &[u8]) -> Option<Self> {
        let unpadded = Encoding::Base64Unpadded;
        let (row, head, encoding) = match &setting {
            Setting::Argon2(setting) => (&argon2::SCHEME, setting.head(), unpadded),
            Setting::Bcrypt(setting) => (&bcrypt::SCHEME, setting.head(), Encoding::BcryptBase64),
            Setting::Pbkdf2(setting) => (&pbkdf2::SCHEME, setting.head(), unpadded),
            Setting::Scrypt(setting) => (&scrypt::SCHEME, setting.head(), unpadded),
            Setting::VerifyOnly(_) => return None,
            Setting::Wrapped(setting) => (&wrapped::SCHEME, setting.head(), unpadded),
        };
        let parts = Parts { head, output: OutputText::new(encoding, output), setting };
        let has_its_length = output.len() == parts.setting.output_bytes();
        has_its_length.then_some(Self { preparation: None, label: None, scheme: Scheme(row), parts })
    }

    /// The same hash with another output; `None` if its length differs.
    pub fn with_output(&self, output: &[u8]) -> Option<Self> {
        let mut other = self.clone();
        other.parts.output = self.parts.output.with_bytes(output);
        (output.len() == self.output().len()).then_some(other)
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The hash inside a wrapped one. Other hashes are returned unchanged.
    pub fn innermost(&self) -> &Self {
        if let Setting::Wrapped(setting) = self.setting() { setting.inner() } else { self }
    }

    /// The site's preparation of the password, before the hash.
    pub fn preparation(&self) -> Option<&SitePreparation> {
        self.preparation.as_ref()
    }

    /// The label before the hash, such as `{bcrypt}`, which some software writes.
    pub fn label(&self) -> Option<&'static str> {
        self.label
    }

    /// The setting: parameters, salt and output length.
    pub fn setting(&self) -> &Setting {
        &self.parts.setting
    }

    /// The output that the right password gives. Compare it in constant time.
    pub fn output(&self) -> &[u8] {
        &self.parts.output.bytes
    }
}

impl fmt::Display for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.head)?;
        f.write_str(&self.parts.output.text())?;
        if let Setting::Wrapped(setting) = self.setting() {
            write!(f, "${}", setting.inner())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoded({:?}, {:?}, ..)", self.scheme, self.setting())
    }
}

/// Everything in a stored hash that determines the output of a password: params, salt and output
/// length.
///
/// crypt(3) calls this the setting.
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
    /// See [`verify_only::VerifyOnlySetting`].
    VerifyOnly(verify_only::VerifyOnlySetting),
    /// See [`wrapped::Setting`].
    Wrapped(Box<wrapped::Setting>),
}

impl Setting {
    /// The setting of a new hash, with [`NEW_OUTPUT_BYTES`] of output.
    pub fn fresh(params: Params, salt: [u8; NEW_SALT_BYTES]) -> Self {
        match params {
            Params::Argon2(params) => Self::Argon2(argon2::Setting::fresh(params, salt)),
            Params::Bcrypt(params) => Self::Bcrypt(bcrypt::Setting::fresh(params, salt)),
            Params::Pbkdf2(params) => Self::Pbkdf2(pbkdf2::Setting::fresh(params, salt)),
            Params::Scrypt(params) => Self::Scrypt(scrypt::Setting::fresh(params, salt)),
        }
    }

    /// The params that a policy can name; `None` for an algorithm that is only verified.
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

/// An algorithm with its cost parameters. A policy names them.
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
