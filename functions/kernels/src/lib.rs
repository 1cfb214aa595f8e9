//! Cost checks and hash kernels: all unsafe code that ships, but for JNI.
//!
//! A kernel takes only an [`Admitted`] setting. [`Admitted::new`] is the only way to make one: it
//! checks a parsed setting against the ceilings. [`compute`] runs one hash on the calling thread.
//! [`lanes`] computes many hashes at once in one thread; a pool of workers stands above it.
//!
//! This crate chooses no parameters (`saltern-policy` does) and knows no HTTP.

mod admitted;
mod arena;
mod argon2;
mod bcrypt;
mod compute;
#[cfg(test)]
mod constant_time;
mod cost;
mod kernels;
pub mod lanes;
mod output;
mod password;
pub mod paths;
mod pbkdf2;
mod preparation;
mod processor;
mod scrypt;
mod sha;
mod stack;
#[cfg(test)]
mod testing;
mod verify_only;

pub use admitted::{Admitted, Ceilings, CostOutOfBounds, Outer, SCRYPT_BLOCK_BYTES, memory_bytes};
pub use arena::{Arena, OutOfMemory};
pub use compute::{WholeKernel, compute};
pub use cost::{held_bytes, runs_whole, threads, work};
pub use kernels::Kernels;
pub use output::Output;
pub use password::{MAX_PASSWORD_BYTES, Password, PasswordTooLong};
pub use preparation::{prepare, prepare_for_site};
pub use stack::wipe as wipe_stack;
