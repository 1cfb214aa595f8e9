//! The algorithms that are only verified. Each is computed whole, with a well-kept crate if one
//! exists.

mod des_crypt;
mod digest;
mod firebase;
mod md5_crypt;
mod phpass;
mod sha1_crypt;
mod sha_crypt;
mod sun_md5;
mod yescrypt;

use saltern_encoded::verify_only::Setting;

use crate::{Kernels, OutOfMemory};

/// Computes one hash.
pub(crate) fn compute(
    kernels: Kernels,
    setting: &Setting,
    password: &[u8],
    output: &mut [u8],
) -> Result<(), OutOfMemory> {
    match setting {
        Setting::DesCrypt(setting) => des_crypt::compute(setting, password, output),
        Setting::Digest(setting) => digest::compute(setting, password, output),
        Setting::Firebase(setting) => firebase::compute(setting, password, output)?,
        Setting::Md5Crypt(setting) => md5_crypt::compute(setting, password, output),
        Setting::Phpass(setting) => phpass::compute(setting, password, output),
        Setting::Sha1Crypt(setting) => sha1_crypt::compute(setting, password, output),
        Setting::ShaCrypt(setting) => match kernels {
            Kernels::Crates => sha_crypt::reference::compute(setting, password, output),
            Kernels::Own => sha_crypt::kernel::compute(setting, password, output),
        },
        Setting::SunMd5(setting) => sun_md5::compute(setting, password, output),
        Setting::Yescrypt(setting) => yescrypt::compute(setting, password, output)?,
    }
    Ok(())
}
