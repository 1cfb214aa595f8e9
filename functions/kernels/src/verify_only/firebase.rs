//! scrypt of Firebase, with the RustCrypto crates `scrypt`, `aes` and `ctr`.
//!
//! scrypt of the password is a key. Firebase stores the signer key of the project, encrypted under
//! this key with AES-256 in counter mode. This module computes the key stream alone. The policy
//! removes the signer key from the stored output, so no kernel sees the secret of the project.

use aes::Aes256;
use ctr::{
    Ctr128BE,
    cipher::{KeyIvInit as _, StreamCipher as _},
};
use saltern_encoded::verify_only::firebase::Setting;
use zeroize::Zeroizing;

use crate::{OutOfMemory, scrypt::reference};

/// Computes into `output`, which has the length that the setting states.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    let salt = [setting.salt(), setting.separator()].concat();
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    reference::derive(setting.params(), password, &salt, &mut key[..])?;
    output.fill(0);
    Ctr128BE::<Aes256>::new((&*key).into(), &FIRST_BLOCK.into()).apply_keystream(output);
    Ok(())
}

const KEY_BYTES: usize = 32;

/// The counter starts at zero. This is safe because each key encrypts one message.
const FIRST_BLOCK: [u8; 16] = [0; 16];
