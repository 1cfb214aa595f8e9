use core::fmt;

use zeroize::Zeroizing;

/// Longest password, in bytes of UTF-8 (HTTP contract, "Passwords and hashes"): a bound on what is copied and hashed.
pub const MAX_PASSWORD_BYTES: usize = 1024;

/// A password: its bytes, never normalised, wiped when dropped, absent from `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<Box<[u8]>>);

impl Password {
    /// Takes a copy of the password.
    ///
    /// # Errors
    /// [`PasswordTooLong`] above [`MAX_PASSWORD_BYTES`].
    pub fn new(bytes: &[u8]) -> Result<Self, PasswordTooLong> {
        if bytes.len() > MAX_PASSWORD_BYTES {
            return Err(PasswordTooLong);
        }
        Ok(Self(Zeroizing::new(bytes.into())))
    }

    /// What is hashed in place of a password.
    pub(crate) fn prepared(text: String) -> Self {
        Self(Zeroizing::new(text.into_bytes().into()))
    }

    /// The bytes: for kernels, and for the questions about length and NUL that policies ask.
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
