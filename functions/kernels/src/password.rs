use core::fmt;

use zeroize::Zeroizing;

/// The longest password, in bytes of UTF-8 (HTTP contract).
pub const MAX_PASSWORD_BYTES: usize = 1024;

/// The bytes of a password, never normalised. Wiped when dropped; `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<Box<[u8]>>);

impl Password {
    /// Copies the password.
    ///
    /// # Errors
    /// [`PasswordTooLong`] if it has more than [`MAX_PASSWORD_BYTES`].
    pub fn new(bytes: &[u8]) -> Result<Self, PasswordTooLong> {
        if bytes.len() > MAX_PASSWORD_BYTES {
            return Err(PasswordTooLong);
        }
        Ok(Self(Zeroizing::new(bytes.into())))
    }

    /// Makes the text that an algorithm takes in place of the password.
    pub(crate) fn prepared(text: String) -> Self {
        Self(Zeroizing::new(text.into_bytes().into()))
    }

    /// Returns the password of no bytes.
    #[must_use]
    pub fn empty() -> Self {
        Self(Zeroizing::default())
    }

    /// Copies a part of the password, which is never too long.
    #[must_use]
    pub fn part(&self, part: impl FnOnce(&[u8]) -> &[u8]) -> Self {
        Self(Zeroizing::new(part(&self.0).into()))
    }

    /// Joins a password and a pepper. The result may be longer than a password.
    pub(crate) fn joined(parts: [&[u8]; 2]) -> Self {
        Self(Zeroizing::new(parts.concat().into()))
    }

    /// Returns the bytes: for kernels, and for checks of length and NUL in policies.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// The password has more than [`MAX_PASSWORD_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordTooLong;

impl fmt::Display for PasswordTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the password is longer than {MAX_PASSWORD_BYTES} bytes")
    }
}

impl core::error::Error for PasswordTooLong {}
