//! Other implementations in C, and the only unsafe code of this program.

pub(super) mod argon2;
pub(super) mod libxcrypt;
