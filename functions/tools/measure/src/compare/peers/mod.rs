//! Other implementations in C.

pub(super) mod argon2;
pub(super) mod libxcrypt;
