//! Wipes what a computation leaves on the stack.

use zeroize::zeroize_stack;

/// Wipes the stack below the caller's own frame. A computation is below it if it is not inlined
/// into the caller.
pub fn wipe() {
    zeroize_stack::<STACK_BYTES>();
}

/// More stack than a computation before [`wipe`] uses, in bytes. The widest PBKDF2 has 5 KiB of
/// streams and 3 KiB of spilled words. Others have some digests, the tables of one Blowfish, or
/// some blocks of Argon2. bcrypt's lanes use more, and wipe their copies themselves.
const STACK_BYTES: usize = 16 << 10;
