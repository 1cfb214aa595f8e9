//! Argon2 by the RustCrypto `argon2` crate.

use ::argon2::Block;
use saltern_encoded::argon2::{Setting, Variant, Version};
use zeroize::Zeroize as _;

use super::block::BYTES;
use crate::{OutOfMemory, arena::Claim};

/// Writes the hash to `output`, which has the setting's output length. Wipes the blocks: the crate
/// does not.
///
/// # Errors
/// [`OutOfMemory`] if the blocks cannot be allocated. A plain allocation would abort the process.
#[allow(clippy::expect_used, reason = "every bound of the crate's `Params` is one of the setting's own")]
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) -> Result<(), OutOfMemory> {
    let params = setting.params();
    let variant = match params.variant() {
        Variant::D => ::argon2::Algorithm::Argon2d,
        Variant::I => ::argon2::Algorithm::Argon2i,
        Variant::Id => ::argon2::Algorithm::Argon2id,
    };
    let version = match params.version() {
        Version::V16 => ::argon2::Version::V0x10,
        Version::V19 => ::argon2::Version::V0x13,
    };
    let costs =
        ::argon2::Params::new(params.memory_kib(), params.passes(), params.parallelism(), Some(output.len()));
    let costs = costs.expect("a setting holds what the crate wants");
    let _claim = Claim::new((costs.block_count() * BYTES) as u64)?;
    let mut blocks = Vec::new();
    blocks.try_reserve_exact(costs.block_count()).map_err(|_| OutOfMemory)?;
    blocks.resize(costs.block_count(), Block::default());
    ::argon2::Argon2::new(variant, version, costs)
        .hash_password_into_with_memory(password, setting.salt(), output, &mut blocks)
        .expect("a setting holds what the crate wants");
    for block in &mut blocks {
        block.zeroize();
    }
    Ok(())
}
