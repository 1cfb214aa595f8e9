//! bcrypt by the `bcrypt` crate.

use saltern_encoded::bcrypt::{MAX_PASSWORD_BYTES, OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

/// Writes the hash to `output`, which has [`OUTPUT_BYTES`] bytes.
///
/// The key is the password and a NUL, cut to 72 bytes. A password of 72 bytes leaves no room for
/// the NUL.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let mut key = Zeroizing::new([0_u8; MAX_PASSWORD_BYTES]);
    let taken = password.len().min(MAX_PASSWORD_BYTES);
    key[..taken].copy_from_slice(&password[..taken]);
    let terminated = (taken + 1).min(MAX_PASSWORD_BYTES);
    let full = Zeroizing::new(::bcrypt::bcrypt(setting.params().cost(), *setting.salt(), &key[..terminated]));
    output.copy_from_slice(&full[..OUTPUT_BYTES]);
}
