use super::Scheme;

/// Why a scheme is verified only where that was allowed by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weakness {
    /// Salted, and a try costs well under a tenth of a millisecond.
    Fast,
    /// One table of digests opens all accounts at once.
    Unsalted,
}

impl Weakness {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Unsalted => "unsalted",
        }
    }
}

impl Scheme {
    /// What makes a leaked table of it easy prey; `None` for what is salted and slow, however slow.
    #[must_use]
    pub const fn weakness(self) -> Option<Weakness> {
        match self {
            Self::DjangoSha1 => Some(Weakness::Unsalted),
            Self::Ldap(digest) => Some(digest.weakness()),
            Self::DesCrypt
            | Self::DjangoMd5
            | Self::SpringDigest(_)
            | Self::SpringSha256
            | Self::WerkzeugHmac => Some(Weakness::Fast),
            Self::Apr1
            | Self::Argon2
            | Self::AspNetV2
            | Self::AspNetV3
            | Self::AtlassianPkcs5s2
            | Self::Bcrypt
            | Self::BsdiCrypt
            | Self::DjangoArgon2
            | Self::DjangoBcrypt
            | Self::DjangoBcryptSha256
            | Self::DjangoPbkdf2
            | Self::DjangoScrypt
            | Self::Drupal7
            | Self::DrupalUpdated
            | Self::Firebase
            | Self::GrubPbkdf2
            | Self::LdapPbkdf2(_)
            | Self::Md5Crypt
            | Self::PasslibBcryptSha256(_)
            | Self::PasslibPbkdf2
            | Self::Pbkdf2
            | Self::Phpass
            | Self::Scrypt
            | Self::Scrypt7
            | Self::Sha1Crypt
            | Self::Sha256Crypt
            | Self::Sha512Crypt
            | Self::SpringPbkdf2(_)
            | Self::SpringPbkdf2Base64(_)
            | Self::SpringScrypt
            | Self::SunMd5
            | Self::WerkzeugPbkdf2
            | Self::WerkzeugScrypt
            | Self::WordPress
            | Self::Wrapped
            | Self::Yescrypt => None,
        }
    }
}
