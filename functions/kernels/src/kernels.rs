use core::str::FromStr;

/// The code that computes hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernels {
    /// This crate's own kernels; the setting's value is `lanes`.
    ///
    /// bcrypt, PBKDF2, scrypt and Argon2 run several hashes at once on each core. scrypt and Argon2
    /// use vector instructions and kept memory. sha-crypt has a kernel too. The digests of the
    /// other algorithms come from the crates, and their loops run in slices.
    #[default]
    Own,
    /// The RustCrypto and `bcrypt` crates, one hash at a time: the reference and the rollback.
    Crates,
}

impl Kernels {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::Own, Self::Crates];

    /// Returns the name in settings and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "lanes",
            Self::Crates => "crates",
        }
    }
}

/// Parses the name in settings. The error lists the names.
impl FromStr for Kernels {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|kernels| kernels.name() == name);
        named.ok_or_else(|| format!("write {}", Self::ALL.map(Self::name).join(" or ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_parsed_by_name() {
        for kernels in Kernels::ALL {
            assert_eq!(kernels.name().parse(), Ok(kernels));
        }
        assert_eq!("fast".parse::<Kernels>(), Err("write lanes or crates".to_owned()));
    }
}
