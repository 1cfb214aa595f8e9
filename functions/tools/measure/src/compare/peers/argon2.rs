//! The C reference (phc-winner-argon2, from the crate `argon2-sys`), built with the vectors of this
//! machine.
//!
//! It uses kept memory: with its own `malloc`, page faults would count.
#![allow(unsafe_code, reason = "calls C")]

use core::{cell::Cell, ptr};
use std::io;

use argon2_sys::{
    ARGON2_DEFAULT_FLAGS, ARGON2_MEMORY_ALLOCATION_ERROR, ARGON2_OK, ARGON2_VERSION_13, Argon2_Context,
    Argon2_id, argon2_ctx,
};
use memmap2::MmapMut;
use saltern_encoded::argon2::Setting;

use crate::measure::huge_pages;

/// The C code with its memory, which it wipes after each hash by default.
pub(crate) struct Argon2C {
    memory: MmapMut,
}

impl Argon2C {
    /// Takes the memory for one hash at a time.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        Ok(Self { memory: huge_pages(bytes)? })
    }

    /// Returns the output of argon2id, version 19; `None` if the C code fails.
    pub(crate) fn hash(&mut self, setting: &Setting, password: &[u8]) -> Option<Vec<u8>> {
        let params = setting.params();
        MEMORY.set((self.memory.as_mut_ptr(), self.memory.len()));
        let mut output = vec![0; setting.output_bytes()];
        let mut context = Argon2_Context {
            out: output.as_mut_ptr(),
            outlen: output.len().try_into().ok()?,
            pwd: password.as_ptr().cast_mut(),
            pwdlen: password.len().try_into().ok()?,
            salt: setting.salt().as_ptr().cast_mut(),
            saltlen: setting.salt().len().try_into().ok()?,
            secret: ptr::null_mut(),
            secretlen: 0,
            ad: ptr::null_mut(),
            adlen: 0,
            t_cost: params.passes(),
            m_cost: params.memory_kib(),
            lanes: params.parallelism(),
            threads: 1,
            version: ARGON2_VERSION_13,
            allocate_cbk: Some(allocate),
            free_cbk: Some(free),
            flags: ARGON2_DEFAULT_FLAGS,
        };
        // SAFETY: every pointer is valid for its length. Without `ARGON2_FLAG_CLEAR_*` password and
        // salt are only read. Only this thread uses the memory, because `threads` is 1.
        let code = unsafe { argon2_ctx(&raw mut context, Argon2_id) };
        (code == ARGON2_OK).then_some(output)
    }
}

thread_local! {
    /// The memory for `allocate`, whose C interface has no parameter for it.
    static MEMORY: Cell<(*mut u8, usize)> = const { Cell::new((ptr::null_mut(), 0)) };
}

unsafe extern "C" fn allocate(memory: *mut *mut u8, bytes: usize) -> i32 {
    let (start, available) = MEMORY.get();
    if bytes > available {
        return ARGON2_MEMORY_ALLOCATION_ERROR;
    }
    // SAFETY: the C code passes a pointer to its own variable.
    unsafe { *memory = start };
    ARGON2_OK
}

unsafe extern "C" fn free(_memory: *mut u8, _bytes: usize) {}
