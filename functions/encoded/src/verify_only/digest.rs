//! A digest of the password and the salt, computed once or several times, or HMAC keyed with the
//! salt.

use strum::{EnumString, IntoStaticStr};

/// The hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Hash {
    /// MD5
    Md5,
    /// SHA-1
    Sha1,
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
}

impl Hash {
    /// The name in Kratos' form, and in the tables of prices.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Length of the digest, in bytes.
    pub const fn output_bytes(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

/// How the salt joins the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// `HMAC(salt, password)`: the salt is the key.
    SaltAsKey,
    /// `hash(salt ‖ password)`
    SaltFirst,
    /// `hash(password ‖ salt)`
    SaltLast,
    /// `hash` of these pieces, one after the other.
    Template(Vec<Piece>),
}

/// A piece of the text that a digest hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The password.
    Password,
    /// The salt.
    Salt,
    /// These bytes.
    Text(Vec<u8>),
}

/// A setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    hash: Hash,
    order: Order,
    salt: Vec<u8>,
    passes: u32,
}

impl Setting {
    /// A digest of one pass.
    pub(crate) const fn new(hash: Hash, order: Order, salt: Vec<u8>) -> Self {
        Self { hash, order, salt, passes: 1 }
    }

    /// The digest of the digest, and so on, `passes` times in all.
    pub(crate) fn repeated(self, passes: u32) -> Self {
        Self { passes, ..self }
    }

    /// The hash function.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// How the salt joins the password.
    pub const fn order(&self) -> &Order {
        &self.order
    }

    /// The salt; empty if the hash has none.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Passes, at least one. Each pass after the first hashes the digest alone.
    pub const fn passes(&self) -> u32 {
        self.passes
    }
}
