//! bcrypt by the `bcrypt` crate.

use saltern_encoded::bcrypt::{MAX_PASSWORD_BYTES, OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

/// Computes into `output`, [`OUTPUT_BYTES`] long.
///
/// The key is the password, a NUL, and nothing beyond 72 bytes: 72 bytes of password leave no room for the NUL.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let mut key = Zeroizing::new([0_u8; MAX_PASSWORD_BYTES]);
    let taken = password.len().min(MAX_PASSWORD_BYTES);
    key[..taken].copy_from_slice(&password[..taken]);
    let terminated = (taken + 1).min(MAX_PASSWORD_BYTES);
    let full = Zeroizing::new(::bcrypt::bcrypt(setting.params().cost(), *setting.salt(), &key[..terminated]));
    output.copy_from_slice(&full[..OUTPUT_BYTES]);
}
