use super::Scheme;
use crate::{
    bcrypt,
    notation::{passlib, wordpress},
    verify_only::des_crypt,
};

/// How a scheme reads a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Bytes that are read; the rest has no effect. `None`: all of them.
    pub most_bytes: Option<usize>,
    /// Whether software on C strings made such hashes: it stopped at the first NUL, where other software went on.
    pub may_stop_at_nul: bool,
    /// Whether the eighth bit of each byte has no effect.
    pub seven_bits: bool,
    /// Bytes that have no effect before and behind the password.
    pub trims: &'static [u8],
    /// What is hashed in place of the password.
    pub preparation: Preparation,
}

impl Reading {
    /// All bytes, as they are.
    pub(crate) const WHOLE: Self = Self {
        most_bytes: None,
        may_stop_at_nul: false,
        seven_bits: false,
        trims: b"",
        preparation: Preparation::None,
    };
}

/// What some software hashes in place of the password itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// Its HMAC-SHA-256 in Base64, keyed with the text of bcrypt's salt: passlib's `bcrypt_sha256`.
    HmacSha256Base64,
    /// The 32 lower-case hexadecimal digits of the password's MD5.
    Md5Hex,
    /// The password.
    None,
    /// Its SHA-256 in Base64: passlib's `bcrypt_sha256` before 1.7.3.
    Sha256Base64,
    /// Its SHA-256, in lower-case hexadecimal: Django's `bcrypt_sha256`.
    Sha256Hex,
    /// Its HMAC-SHA-384 under a fixed key, in Base64: WordPress.
    WordPress,
}

impl Scheme {
    /// Which part of a password it reads, and what it makes of it first.
    #[must_use]
    pub const fn reading(self) -> Reading {
        match self {
            Self::Bcrypt | Self::DjangoBcrypt => Reading {
                most_bytes: Some(bcrypt::MAX_PASSWORD_BYTES),
                may_stop_at_nul: true,
                ..Reading::WHOLE
            },
            Self::BsdiCrypt => Reading { may_stop_at_nul: true, seven_bits: true, ..Reading::WHOLE },
            Self::DesCrypt => Reading {
                most_bytes: Some(des_crypt::MAX_PASSWORD_BYTES),
                may_stop_at_nul: true,
                seven_bits: true,
                ..Reading::WHOLE
            },
            Self::DjangoBcryptSha256 => {
                Reading { preparation: Preparation::Sha256Hex, ..Reading::WHOLE }
            }
            Self::DrupalUpdated => Reading { preparation: Preparation::Md5Hex, ..Reading::WHOLE },
            Self::PasslibBcryptSha256(passlib::BcryptSha256::V1) => {
                Reading { preparation: Preparation::Sha256Base64, ..Reading::WHOLE }
            }
            Self::PasslibBcryptSha256(passlib::BcryptSha256::V2) => {
                Reading { preparation: Preparation::HmacSha256Base64, ..Reading::WHOLE }
            }
            Self::WordPress => {
                Reading { trims: wordpress::TRIMMED, preparation: Preparation::WordPress, ..Reading::WHOLE }
            }
            Self::Apr1
            | Self::Md5Crypt
            | Self::Scrypt7
            | Self::Sha1Crypt
            | Self::Sha256Crypt
            | Self::Sha512Crypt
            | Self::SunMd5
            | Self::Yescrypt => Reading { may_stop_at_nul: true, ..Reading::WHOLE },
            Self::Argon2
            | Self::AspNetV2
            | Self::AspNetV3
            | Self::AtlassianPkcs5s2
            | Self::DjangoArgon2
            | Self::DjangoMd5
            | Self::DjangoPbkdf2
            | Self::DjangoScrypt
            | Self::DjangoSha1
            | Self::Drupal7
            | Self::Firebase
            | Self::GrubPbkdf2
            | Self::Ldap(_)
            | Self::LdapPbkdf2(_)
            | Self::PasslibPbkdf2
            | Self::Pbkdf2
            | Self::Phpass
            | Self::Scrypt
            | Self::SpringDigest(_)
            | Self::SpringPbkdf2(_)
            | Self::SpringPbkdf2Base64(_)
            | Self::SpringScrypt
            | Self::SpringSha256
            | Self::WerkzeugHmac
            | Self::WerkzeugPbkdf2
            | Self::WerkzeugScrypt
            // What is wrapped is read as the inner hash is.
            | Self::Wrapped => Reading::WHOLE,
        }
    }
}
