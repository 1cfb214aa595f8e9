//! yescrypt by the RustCrypto `yescrypt` crate.

use ::yescrypt::{Mode, Params};
use saltern_encoded::verify_only::yescrypt::{Flavour, Setting};

use crate::{OutOfMemory, admitted::cost_memory_bytes};

/// Computes into `output`, 32 bytes long.
///
/// # Errors
/// [`OutOfMemory`] where the system does not give the memory. The crate allocates it in a way that would end the process,
/// so it is asked for here first, and given back for the crate to take.
#[allow(clippy::expect_used, reason = "every bound of the crate is one of our own")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    let params = setting.params();
    let bytes = usize::try_from(cost_memory_bytes(params.cost())).map_err(|_| OutOfMemory)?;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| OutOfMemory)?;
    let mode = match params.flavour() {
        Flavour::Classic => Mode::Classic,
        Flavour::ReadWrite => Mode::Rw,
        Flavour::Worm => Mode::Worm,
    };
    let costs = Params::new_with_all_params(mode, params.n(), params.r(), params.p(), params.t(), 0);
    let costs = costs.expect("our parameters hold what the crate wants");
    ::yescrypt::yescrypt(password, setting.salt(), &costs, output).expect("the output has 32 bytes");
    Ok(())
}
