use core::fmt;

use zeroize::Zeroizing;

/// The row to which a seal belongs: an immutable id of the user, of 1 to [`MAX_CONTEXT_BYTES`].
#[derive(Clone)]
pub struct Context(Zeroizing<String>);

impl Context {
    /// Returns `None` if the length is out of bounds.
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=MAX_CONTEXT_BYTES).contains(&text.len());
        fits.then(|| Self(Zeroizing::new(text.to_owned())))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Shows no text: a caller may confuse two fields.
impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context(..)")
    }
}

/// Longest context, in bytes (HTTP contract).
pub const MAX_CONTEXT_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_has_1_to_256_bytes() {
        for (text, fits) in
            [("", false), ("7", true), (&"é".repeat(128), true), (&format!("{}7", "é".repeat(128)), false)]
        {
            assert_eq!(Context::new(text).is_some(), fits, "{text}");
        }
    }
}
