//! Admission by cost, the hash kernels, and the workers that run them.
//!
//! [`Admitted`] is the only road to a kernel: it is made from a parsed setting and the ceilings, and by nothing
//! else. [`compute`] runs one hash on the calling thread; the pool runs many on a worker per core.
//!
//! What this crate does not do: it chooses no parameters (that is `saltern-policy`) and knows no HTTP.

mod admitted;
mod argon2;
mod bcrypt;
#[cfg(feature = "fault-injection")]
pub mod fault;
mod kernels;
#[cfg(feature = "bench-kernels")]
#[doc(hidden)]
pub mod kernels_for_bench;
mod output;
mod password;
mod pbkdf2;
mod pool;
mod preparation;
mod scrypt;
mod sha;
mod verify_only;

pub use admitted::{Admitted, Ceilings, CostOutOfBounds, memory_bytes};
pub use kernels::{Kernels, OutOfMemory, compute};
pub use output::Output;
pub use password::{MAX_PASSWORD_BYTES, Password, PasswordTooLong};
#[cfg(feature = "load-model")]
pub use pool::Reply;
pub use pool::{
    Done, Dropped, MOST_BCRYPT_LANES, OneCore, Pool, PoolSettings, QueueLimits, Refused, Ticket, Urgency,
    Work,
};
pub use preparation::prepare;
