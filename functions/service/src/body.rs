use core::{fmt, ops::Deref};

use zeroize::Zeroizing;

/// The body of a request or response. It may hold passwords and hashes, so it is wiped when dropped
/// and absent from `Debug`.
#[derive(Clone)]
pub struct Body(Bytes);

#[derive(Clone)]
enum Bytes {
    Wiped(Zeroizing<Vec<u8>>),
    /// A constant of the binary, shared by all responses.
    Public(&'static [u8]),
}

impl Body {
    /// Takes ownership of the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Zeroizing::new(bytes).into()
    }

    /// Refers to public bytes without a copy.
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self(Bytes::Public(bytes))
    }

    /// Returns the bytes of memory that this body alone holds.
    pub fn held_bytes(&self) -> usize {
        match &self.0 {
            Bytes::Wiped(bytes) => bytes.len(),
            Bytes::Public(_) => 0,
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::from_static(&[])
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl From<Zeroizing<Vec<u8>>> for Body {
    fn from(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(Bytes::Wiped(bytes))
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Wiped(bytes) => bytes,
            Bytes::Public(bytes) => bytes,
        }
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &Self::Target {
        self.as_ref()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Body(..)")
    }
}
