//! What is only ever verified, one module an algorithm: computed whole, by well-kept crates where there are any.

mod digest;

use saltern_encoded::verify_only::Setting;

use crate::OutOfMemory;

/// Computes one hash.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    match setting {
        Setting::Digest(setting) => digest::compute(setting, password, output),
    }
    Ok(())
}
