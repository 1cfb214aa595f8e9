use strum::{IntoStaticStr, VariantArray};

/// An algorithm: the function that turns a password and a setting into an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Algorithm {
    /// Argon2d, RFC 9106.
    Argon2d,
    /// Argon2i, RFC 9106.
    Argon2i,
    /// Argon2id, RFC 9106.
    Argon2id,
    /// bcrypt: Provos and Mazières, USENIX 1999.
    Bcrypt,
    /// DES of crypt(3), traditional or extended.
    DesCrypt,
    /// A digest, computed once or several times.
    Digest,
    /// scrypt and AES, as Firebase combines them.
    #[strum(serialize = "firebase-scrypt")]
    Firebase,
    /// md5-crypt, in either variant.
    Md5Crypt,
    /// PBKDF2 over HMAC-SHA-1, RFC 8018 §5.2.
    Pbkdf2Sha1,
    /// PBKDF2 over HMAC-SHA-256.
    Pbkdf2Sha256,
    /// PBKDF2 over HMAC-SHA-512.
    Pbkdf2Sha512,
    /// phpass over MD5.
    #[strum(serialize = "phpass")]
    PhpassMd5,
    /// phpass over SHA-512.
    PhpassSha512,
    /// scrypt, RFC 7914.
    Scrypt,
    /// Rounds of HMAC-SHA-1.
    Sha1Crypt,
    /// sha-crypt over SHA-256.
    Sha256Crypt,
    /// sha-crypt over SHA-512.
    Sha512Crypt,
    /// The MD5 scheme of Sun.
    SunMd5,
    /// argon2id over another hash: see [`wrapped`](crate::wrapped).
    Wrapped,
    /// yescrypt.
    Yescrypt,
}

impl Algorithm {
    /// Every algorithm, in the order of the variants: `ALL[algorithm as usize]` is `algorithm`.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.first_chunk().unwrap();

    /// The name in policies, documents, logs and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_stands_at_its_own_place_in_the_list() {
        for (place, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            assert_eq!(algorithm as usize, place, "{algorithm:?}");
        }
    }
}
