use core::fmt;

use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// What a kernel computed. Wiped when dropped, absent from `Debug`.
#[derive(Clone)]
pub struct Output(Zeroizing<Vec<u8>>);

impl Output {
    pub(crate) fn zeroed(bytes: usize) -> Self {
        Self(Zeroizing::new(vec![0; bytes]))
    }

    /// What a load model says was computed.
    #[cfg(feature = "load-model")]
    #[must_use]
    pub fn stated(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Whether this is the expected output. The time depends on the lengths alone.
    #[must_use]
    pub fn matches(&self, expected: &[u8]) -> bool {
        self.0.ct_eq(expected).into()
    }

    /// The bytes: for printing a new hash.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output(..)")
    }
}
