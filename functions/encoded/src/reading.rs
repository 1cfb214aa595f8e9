/// Which part of a password a scheme uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The first bytes that count; the rest has no effect. `None`: all bytes count.
    pub most_bytes: Option<usize>,
    /// Whether some software stopped at the first NUL, because it used C strings, and other
    /// software did not.
    pub may_stop_at_nul: bool,
    /// Whether the eighth bit of each byte has no effect.
    pub seven_bits: bool,
    /// Bytes that have no effect before and after the password.
    pub trims: &'static [u8],
    /// The text that is hashed instead of the password.
    pub preparation: Preparation,
}

impl Reading {
    /// All bytes, unchanged.
    pub(crate) const WHOLE: Self = Self {
        most_bytes: None,
        may_stop_at_nul: false,
        seven_bits: false,
        trims: b"",
        preparation: Preparation::None,
    };

    /// All bytes; some software stops at the first NUL.
    pub(crate) const C_STRING: Self = Self { may_stop_at_nul: true, ..Self::WHOLE };

    pub(crate) const fn prepared(preparation: Preparation) -> Self {
        Self { preparation, ..Self::WHOLE }
    }
}

/// The text that some software hashes instead of the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// The HMAC-SHA-256 of the password in Base64, keyed with the text of bcrypt's salt: passlib's
    /// `bcrypt_sha256`.
    HmacSha256Base64,
    /// The MD5 of the password in 32 lower-case hexadecimal digits: Drupal 7 for passwords of
    /// Drupal 6.
    Md5Hex,
    /// The password.
    None,
    /// The SHA-1 of the password in lower-case hexadecimal, of a site's own preparation.
    Sha1Hex,
    /// The SHA-256 of the password in Base64: passlib's `bcrypt_sha256` before 1.7.3.
    Sha256Base64,
    /// The SHA-256 of the password in lower-case hexadecimal: Django's `bcrypt_sha256`.
    Sha256Hex,
    /// The HMAC-SHA-384 of the password under a fixed key, in Base64: WordPress.
    WordPress,
}
