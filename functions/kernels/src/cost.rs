//! What a layer of a hash costs the worker that computes it.

use saltern_encoded::Setting;

use crate::{Kernels, admitted::setting_memory_bytes, arena::rounded_up, argon2};

pub use crate::admitted::{runs_whole, work};

/// Returns the memory that an arena lends for a hash, in bytes: rounded up to huge pages, and 0 for
/// a few KiB.
#[must_use]
pub fn held_bytes(setting: &Setting) -> u64 {
    rounded_up(setting_memory_bytes(setting))
}

/// Returns the number of threads that a block worker computes a hash with, at least 1.
#[must_use]
pub fn threads(setting: &Setting, kernels: Kernels) -> usize {
    match (setting, kernels) {
        (Setting::Argon2(setting), Kernels::Own) => argon2::kernel::threads(setting.params()),
        _ => 1,
    }
}
