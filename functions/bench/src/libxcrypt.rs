//! `crypt_r` of the system's libxcrypt, opened at run time.

use core::{
    ffi::{CStr, c_char},
    fmt,
};
use std::ffi::CString;

use libloading::Library;

/// The system's libxcrypt, with one work area that is used again and again, as a server would.
pub(crate) struct Libxcrypt {
    crypt_r: CryptR,
    data: Box<[Aligned]>,
    /// Keeps `crypt_r` in memory; dropped last, as the last field.
    _library: Library,
}

impl Libxcrypt {
    /// Opens the library.
    ///
    /// # Errors
    /// [`NotFound`] on a system without it (Debian: `libcrypt1`).
    pub(crate) fn open() -> Result<Self, NotFound> {
        // SAFETY: the system's own libcrypt has no initialisers that depend on us.
        #[allow(unsafe_code, reason = "a foreign library can only be opened by trusting it")]
        let library = unsafe { Library::new(SONAME) }.map_err(|_| NotFound)?;
        // SAFETY: `CryptR` is the signature that `crypt_r(3)` documents; the library is kept as long as the pointer.
        #[allow(unsafe_code, reason = "a symbol has no type but the one we give it")]
        let crypt_r = unsafe { library.get::<CryptR>(b"crypt_r\0") }.map(|symbol| *symbol);
        let crypt_r = crypt_r.map_err(|_| NotFound)?;
        Ok(Self {
            crypt_r,
            data: vec![Aligned::ZERO; CRYPT_DATA_BYTES / size_of::<Aligned>()].into(),
            _library: library,
        })
    }

    /// The hash of `password` under `setting`, as its text; `None` where libxcrypt refuses.
    pub(crate) fn hash(&mut self, password: &CString, setting: &CString) -> Option<String> {
        // SAFETY: both strings end in NUL and outlive the call; `data` is a `struct crypt_data`, zeroed at first use
        // as `crypt_r(3)` asks, and is used by nobody else, because we hold it by `&mut`.
        #[allow(unsafe_code, reason = "calls C")]
        let text = unsafe { (self.crypt_r)(password.as_ptr(), setting.as_ptr(), self.data.as_mut_ptr()) };
        if text.is_null() {
            return None;
        }
        // SAFETY: not null, so it points to a NUL-terminated string inside `data`, which nobody writes meanwhile.
        #[allow(unsafe_code, reason = "reads what C wrote")]
        let text = unsafe { CStr::from_ptr(text) };
        // A failure may also be told by a string that starts with `*` (`crypt(3)`, "failure tokens").
        text.to_str().ok().filter(|text| !text.starts_with('*')).map(str::to_owned)
    }
}

type CryptR = unsafe extern "C" fn(*const c_char, *const c_char, *mut Aligned) -> *mut c_char;

/// A piece of `struct crypt_data`, which is opaque here; aligned for whatever C puts into it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Aligned([u8; 16]);

impl Aligned {
    const ZERO: Self = Self([0; 16]);
}

/// `sizeof (struct crypt_data)`, fixed by libxcrypt's ABI (its header: "exactly 32768 bytes").
const CRYPT_DATA_BYTES: usize = 32 * 1024;

const SONAME: &str = "libcrypt.so.1";

/// There is no libxcrypt to compare to.
#[derive(Debug)]
pub(crate) struct NotFound;

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SONAME} with crypt_r is not on this system")
    }
}

impl core::error::Error for NotFound {}
