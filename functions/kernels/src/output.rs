use core::fmt;

use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// The output of a kernel. Wiped when dropped; `Debug` does not show it.
#[derive(Clone)]
pub struct Output(Zeroizing<Vec<u8>>);

impl Output {
    /// Takes the output of a model of the workers, which no kernel has computed.
    #[must_use]
    pub fn of_model(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub(crate) fn zeroed(bytes: usize) -> Self {
        Self(Zeroizing::new(vec![0; bytes]))
    }

    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Whether this is the expected output. The time depends only on the lengths.
    #[must_use]
    pub fn matches(&self, expected: &[u8]) -> bool {
        self.0.ct_eq(expected).into()
    }

    /// Returns the bytes, for printing a new hash.
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
