//! One module a kernel: each builds the contenders of its algorithm and has them compared.

pub(crate) mod argon2;
pub(crate) mod bcrypt;
pub(crate) mod crypt;
pub(crate) mod pbkdf2;
