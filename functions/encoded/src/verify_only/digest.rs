//! One pass of a digest over the password and the salt.

/// The hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// MD5
    Md5,
    /// SHA-1
    Sha1,
}

impl Hash {
    /// Length of the digest, in bytes.
    #[must_use]
    pub const fn output_bytes(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
        }
    }
}

/// A setting: `hash(password ‖ salt)`.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    hash: Hash,
    salt: Vec<u8>,
}

impl Setting {
    pub(crate) const fn new(hash: Hash, salt: Vec<u8>) -> Self {
        Self { hash, salt }
    }

    /// The hash function.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The salt; empty where there is none.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }
}
