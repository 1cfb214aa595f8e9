//! A module for each kernel: it compares the contenders of its algorithm.

pub(crate) mod argon2;
pub(crate) mod bcrypt;
pub(crate) mod crypt;
pub(crate) mod pbkdf2;
