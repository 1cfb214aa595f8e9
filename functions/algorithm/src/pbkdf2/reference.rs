//! PBKDF2 by the RustCrypto `pbkdf2` crate.

use saltern_encoded::pbkdf2::{Prf, Setting};

/// Computes into `output`, of the setting's output length.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let (salt, iterations) = (setting.salt(), setting.params().iterations());
    match setting.params().prf() {
        Prf::Sha1 => ::pbkdf2::pbkdf2_hmac::<sha1::Sha1>(password, salt, iterations, output),
        Prf::Sha256 => ::pbkdf2::pbkdf2_hmac::<sha2::Sha256>(password, salt, iterations, output),
        Prf::Sha512 => ::pbkdf2::pbkdf2_hmac::<sha2::Sha512>(password, salt, iterations, output),
    }
}
