//! scrypt by the RustCrypto `scrypt` crate.

use saltern_encoded::scrypt::Setting;

/// Computes into `output`, of the setting's output length.
#[allow(clippy::expect_used, reason = "every bound of the crate's `Params` is one of the setting's own")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let params = setting.params();
    let costs = ::scrypt::Params::new(params.log_n(), params.r(), params.p());
    let costs = costs.expect("a setting holds what the crate wants");
    ::scrypt::scrypt(password, setting.salt(), &costs, output).expect("a setting holds what the crate wants");
}
