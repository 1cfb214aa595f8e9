//! Firebase's scrypt by the RustCrypto crates `scrypt`, `aes` and `ctr`.
//!
//! Firebase stores its project's signer key, encrypted by AES-256 in counter mode under what scrypt makes of the password.
//! What is computed here is the stream that the key was added to; the policy takes the key out of the stored output, so
//! that no kernel sees the project's secret.

use aes::Aes256;
use ctr::{
    Ctr128BE,
    cipher::{KeyIvInit as _, StreamCipher as _},
};
use saltern_encoded::verify_only::firebase::Setting;
use zeroize::Zeroizing;

use crate::{OutOfMemory, scrypt::reference};

/// `output` has the length that the setting names.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    let salt = [setting.salt(), setting.separator()].concat();
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    reference::derive(setting.params(), password, &salt, &mut key[..])?;
    output.fill(0);
    Ctr128BE::<Aes256>::new((&*key).into(), &FIRST_BLOCK.into()).apply_keystream(output);
    Ok(())
}

const KEY_BYTES: usize = 32;

/// The counter begins at zero: every key encrypts one thing only.
const FIRST_BLOCK: [u8; 16] = [0; 16];
