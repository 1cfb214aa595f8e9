//! Sealed hashes: a stored hash, encrypted under a key that the database does not have.
//!
//! ```text
//! $saltern-seal$v=1,k=<key id>$<nonce>$<ciphertext and tag>
//! ```
//!
//! [`Keys`] seals and opens strings with AES-256-GCM. A nonce has 96 random bits. The associated
//! data are the bytes up to the `$` before the nonce, then the [`Context`] if the key has contexts.
//! So a seal that is damaged, or that belongs to another row, does not open.
//!
//! [`Document`] is the file with the keys. This crate parses no hash, and computes none.

#![forbid(unsafe_code)]

mod context;
mod document;
mod error;
mod file;
mod keys;
mod sealed;

pub use context::{Context, MAX_CONTEXT_BYTES};
pub use document::{Document, KeyEntry, MAX_DOCUMENT_BYTES, SiteKeyEntry};
pub use error::{KeysError, NotOpened, NotSealed};
pub use file::read_private;
pub use keys::{
    Key, Keys, NoRandomness, OLDER_KEY, Opened, Randomness, UNSEALED, Unsealed, system_randomness,
};
pub use sealed::{MAX_SEALED_BYTES, Sealed, is_sealed};
