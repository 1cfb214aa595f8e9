//! yescrypt, with the RustCrypto `yescrypt` crate.

use ::yescrypt::{Mode, Params};
use saltern_encoded::verify_only::yescrypt::{Flavour, Setting};

use crate::{OutOfMemory, admitted::cost_memory_bytes, arena::Claim};

/// Computes into `output`, 32 bytes long.
///
/// # Errors
/// [`OutOfMemory`] if the system has not enough memory. A failed allocation in the crate would end
/// the process. So this function first claims the memory.
#[allow(clippy::expect_used, reason = "a setting is within every bound of the crate")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    let params = setting.params();
    let _claim = Claim::new(cost_memory_bytes(params.cost()))?;
    let mode = match params.flavour() {
        Flavour::Classic => Mode::Classic,
        Flavour::ReadWrite => Mode::Rw,
        Flavour::Worm => Mode::Worm,
    };
    let costs = Params::new_with_all_params(mode, params.n(), params.r(), params.p(), params.t(), 0);
    let costs = costs.expect("a setting is within the bounds of the crate");
    ::yescrypt::yescrypt(password, setting.salt(), &costs, output).expect("the output has 32 bytes");
    Ok(())
}
