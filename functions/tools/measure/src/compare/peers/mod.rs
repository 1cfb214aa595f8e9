//! Other implementations in C, their memory, and the only unsafe code of this program.

pub(super) mod argon2;
pub(super) mod libxcrypt;
pub(super) mod memory;
