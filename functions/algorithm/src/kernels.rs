use saltern_encoded::Setting;

use crate::{Admitted, Output, argon2, bcrypt, pbkdf2, scrypt};

/// Which code computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernels {
    /// The RustCrypto and `bcrypt` crates, one hash at a time: the reference, and the rollback.
    #[default]
    Crates,
}

/// Computes one hash on the calling thread with the reference crates, from start to end.
///
/// The password is the bytes that the algorithm takes; bcrypt reads the first 72 and a terminating NUL.
///
/// # Panics
/// Never, for an [`Admitted`] setting: every parameter that a crate could refuse was refused before.
#[must_use]
pub fn compute(admitted: &Admitted, password: &[u8]) -> Output {
    #[cfg(feature = "fault-injection")]
    crate::fault::strike(password);
    let mut output = Output::zeroed(admitted.setting().output_bytes());
    match admitted.setting() {
        Setting::Argon2(setting) => argon2::reference::compute(setting, password, output.as_mut()),
        Setting::Bcrypt(setting) => bcrypt::reference::compute(setting, password, output.as_mut()),
        Setting::Pbkdf2(setting) => pbkdf2::reference::compute(setting, password, output.as_mut()),
        Setting::Scrypt(setting) => scrypt::reference::compute(setting, password, output.as_mut()),
    }
    output
}
