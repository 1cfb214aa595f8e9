//! Cost checks, hash kernels, and the workers that run the kernels.
//!
//! A kernel takes only an [`Admitted`] setting. [`Admitted::new`] is the only way to make one: it
//! checks a parsed setting against the ceilings. [`compute`] runs one hash on the calling thread.
//! [`Pool`] runs many hashes on one worker per core.
//!
//! This crate chooses no parameters (`saltern-policy` does) and knows no HTTP.

mod admitted;
mod arena;
mod argon2;
mod bcrypt;
mod compute;
mod kernels;
mod output;
mod password;
pub mod paths;
mod pbkdf2;
mod pool;
mod preparation;
mod scrypt;
mod sha;
mod stack;
#[cfg(test)]
mod testing;
mod verify_only;

pub use admitted::{Admitted, Ceilings, CostOutOfBounds, SCRYPT_BLOCK_BYTES, memory_bytes};
pub use arena::OutOfMemory;
pub use compute::compute;
pub use kernels::{Kernels, UnknownKernels};
pub use output::Output;
pub use password::{MAX_PASSWORD_BYTES, Password, PasswordTooLong};
pub use pool::{
    Argon2Lanes, Caller, Done, Dropped, MOST_ARGON2_LANES, MOST_BCRYPT_LANES, NotArgon2Lanes, OneCore, Pool,
    PoolSettings, QueueLimits, Refused, Reply, Ticket, Urgency, Work, Workers,
};
pub use preparation::{prepare, prepare_for_site};
