//! `crypt_r` of the system's libxcrypt, which is opened at run time.
#![allow(unsafe_code, reason = "calls C")]

use core::ffi::{CStr, c_char};
use std::ffi::CString;

use libloading::Library;

/// The system's libxcrypt, with a work area that all its hashes use, as in a server.
pub(crate) struct Libxcrypt {
    crypt_r: CryptR,
    /// An opaque `struct crypt_data`, aligned for every C type.
    data: Box<[u128]>,
    /// Keeps `crypt_r` in memory. As the last field it is dropped last.
    _library: Library,
}

impl Libxcrypt {
    /// Opens the library.
    ///
    /// # Errors
    /// [`NOT_FOUND`] if the system has no libxcrypt.
    pub(crate) fn open() -> Result<Self, &'static str> {
        // SAFETY: the initialisers of the system's libcrypt have no preconditions.
        let library = unsafe { Library::new(SONAME) }.map_err(|_| NOT_FOUND)?;
        // SAFETY: `crypt_r(3)` documents the signature `CryptR`. The library stays open as long as
        // the pointer.
        let crypt_r = unsafe { library.get::<CryptR>(b"crypt_r\0") }.map(|symbol| *symbol);
        let crypt_r = crypt_r.map_err(|_| NOT_FOUND)?;
        Ok(Self { crypt_r, data: vec![0; CRYPT_DATA_BYTES / size_of::<u128>()].into(), _library: library })
    }

    /// Returns the hash of `password` as text; `None` if libxcrypt refuses the setting.
    pub(crate) fn hash(&mut self, password: &CString, setting: &CString) -> Option<String> {
        // SAFETY: both strings end in NUL and outlive the call. `data` is a `struct crypt_data`,
        // zeroed before its first use as `crypt_r(3)` requires, and the `&mut` excludes other uses.
        let text = unsafe { (self.crypt_r)(password.as_ptr(), setting.as_ptr(), self.data.as_mut_ptr()) };
        if text.is_null() {
            return None;
        }
        // SAFETY: it is not null, so it points to a NUL-terminated string inside `data`, which
        // stays unchanged.
        let text = unsafe { CStr::from_ptr(text) };
        // A string that starts with `*` is also a failure (`crypt(3)`, "failure tokens").
        text.to_str().ok().filter(|text| !text.starts_with('*')).map(str::to_owned)
    }
}

type CryptR = unsafe extern "C" fn(*const c_char, *const c_char, *mut u128) -> *mut c_char;

/// `sizeof (struct crypt_data)`, fixed by libxcrypt's ABI (its header: "exactly 32768 bytes").
const CRYPT_DATA_BYTES: usize = 32 * 1024;

const SONAME: &str = "libcrypt.so.1";

const NOT_FOUND: &str = "libcrypt.so.1 with crypt_r is not on this system: install it (Debian: libcrypt1)";
