//! scrypt by the RustCrypto `scrypt` crate.

use saltern_encoded::{
    Params as AnyParams,
    scrypt::{Params, Setting},
};

use crate::{OutOfMemory, arena::Claim, memory_bytes};

/// Writes the hash to `output`, which has the setting's output length.
///
/// # Errors
/// [`OutOfMemory`] if the system does not give the memory. The crate would abort the process then.
/// So this function first claims the memory.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    derive(setting.params(), password, setting.salt(), output)
}

/// Computes scrypt of RFC 7914. It also accepts salts that are too short for a setting.
#[allow(clippy::expect_used, reason = "every bound of the crate's `Params` is one of our own")]
pub(crate) fn derive(
    params: Params,
    password: &[u8],
    salt: &[u8],
    output: &mut [u8],
) -> Result<(), OutOfMemory> {
    let _claim = Claim::new(memory_bytes(AnyParams::Scrypt(params)))?;
    let costs = ::scrypt::Params::new(params.log_n(), params.r(), params.p());
    let costs = costs.expect("our parameters hold what the crate wants");
    ::scrypt::scrypt(password, salt, &costs, output).expect("an output is never empty and never 128 GiB");
    Ok(())
}

#[cfg(test)]
mod tests {
    use saltern_vectors::{ScryptRaw, Topic, for_each};

    use super::*;

    #[test]
    fn published_vectors_with_salts_too_short_for_a_string() {
        for_each(Topic::Scrypt, |vector: &ScryptRaw| {
            let params = Params::new(vector.log_n, vector.r, vector.p).unwrap();
            let mut output = vec![0; vector.dk_len];
            derive(params, &vector.password, &vector.salt, &mut output).unwrap();
            assert_eq!(output, vector.output, "{}", vector.comment);
        });
    }
}
