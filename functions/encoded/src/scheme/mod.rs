mod reading;
mod recognised;
mod text;
mod weakness;

pub use reading::{Preparation, Reading};
pub use weakness::Weakness;

use crate::{
    Params,
    notation::{ldap, passlib, spring},
    pbkdf2,
    verify_only::digest,
};

/// The form in which a stored hash is written. Several forms may state one algorithm: Django's PBKDF2 and ours are
/// computed alike.
///
/// Each form has a module with a `parse` and a `print` that are each other's inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// `$apr1$`: Apache's md5-crypt.
    Apr1,
    /// PHC string of argon2d, argon2i or argon2id.
    Argon2,
    /// Version 2 of ASP.NET Identity.
    AspNetV2,
    /// Version 3 of ASP.NET Identity, and of ASP.NET Core.
    AspNetV3,
    /// `{PKCS5S2}`
    AtlassianPkcs5s2,
    /// `$2a$`, `$2b$`, `$2y$`.
    Bcrypt,
    /// `_`: BSDi's DES.
    BsdiCrypt,
    /// Thirteen characters: the DES of Unix.
    DesCrypt,
    /// Django's `argon2`.
    DjangoArgon2,
    /// Django's `bcrypt`.
    DjangoBcrypt,
    /// Django's `bcrypt_sha256`.
    DjangoBcryptSha256,
    /// Django's `md5`.
    DjangoMd5,
    /// Django's `pbkdf2_sha1` and `pbkdf2_sha256`.
    DjangoPbkdf2,
    /// Django's `scrypt`.
    DjangoScrypt,
    /// Django's `sha1` without a salt.
    DjangoSha1,
    /// `$S$`: Drupal 7.
    Drupal7,
    /// `U$S$`, `U$P$`, `U$H$`: what Drupal 7 made of the MD5 digests of Drupal 6.
    DrupalUpdated,
    /// Firebase's scrypt, of one project.
    Firebase,
    /// `grub.pbkdf2.sha512.…`
    GrubPbkdf2,
    /// One pass of a digest in LDAP's form: `{SHA}`, `{SSHA}`, `{SMD5}` and their kin.
    Ldap(ldap::Digest),
    /// `{PBKDF2}`, `{PBKDF2-SHA256}`, `{PBKDF2-SHA512}`.
    LdapPbkdf2(pbkdf2::Prf),
    /// `$1$`
    Md5Crypt,
    /// passlib's `bcrypt_sha256`.
    PasslibBcryptSha256(passlib::BcryptSha256),
    /// passlib's PBKDF2.
    PasslibPbkdf2,
    /// PHC string of PBKDF2.
    Pbkdf2,
    /// `$P$`, `$H$`
    Phpass,
    /// PHC string of scrypt.
    Scrypt,
    /// `$7$`: scrypt in modular crypt format.
    Scrypt7,
    /// `$sha1$`
    Sha1Crypt,
    /// `$5$`
    Sha256Crypt,
    /// `$6$`
    Sha512Crypt,
    /// Spring Security's `{MD5}`, `{SHA-1}`, `{SHA-256}`.
    SpringDigest(digest::Hash),
    /// Spring Security's `{pbkdf2}`, `{pbkdf2@SpringSecurity_v5_8}`.
    SpringPbkdf2(spring::Pbkdf2),
    /// The same with `setEncodeHashAsBase64`.
    SpringPbkdf2Base64(spring::Pbkdf2),
    /// Spring Security's `{scrypt}`, `{scrypt@SpringSecurity_v5_8}`.
    SpringScrypt,
    /// Spring Security's `{sha256}`.
    SpringSha256,
    /// `$md5$`, `$md5,rounds=…$`: Sun's MD5.
    SunMd5,
    /// Werkzeug's `sha256$…` and `sha512$…`, before 3.
    WerkzeugHmac,
    /// Werkzeug's `pbkdf2:…`.
    WerkzeugPbkdf2,
    /// Werkzeug's `scrypt:…`.
    WerkzeugScrypt,
    /// WordPress since 6.8.
    WordPress,
    /// argon2id over another hash: see [`wrapped`](crate::wrapped).
    Wrapped,
    /// `$y$`
    Yescrypt,
}

impl Scheme {
    /// Every form.
    pub const ALL: &'static [Self] = &[
        Self::Apr1,
        Self::Argon2,
        Self::AspNetV2,
        Self::AspNetV3,
        Self::AtlassianPkcs5s2,
        Self::Bcrypt,
        Self::BsdiCrypt,
        Self::DesCrypt,
        Self::DjangoArgon2,
        Self::DjangoBcrypt,
        Self::DjangoBcryptSha256,
        Self::DjangoMd5,
        Self::DjangoPbkdf2,
        Self::DjangoScrypt,
        Self::DjangoSha1,
        Self::Drupal7,
        Self::DrupalUpdated,
        Self::Firebase,
        Self::GrubPbkdf2,
        Self::Ldap(ldap::Digest::Md5),
        Self::Ldap(ldap::Digest::Sha),
        Self::Ldap(ldap::Digest::Sha256),
        Self::Ldap(ldap::Digest::Sha384),
        Self::Ldap(ldap::Digest::Sha512),
        Self::Ldap(ldap::Digest::Smd5),
        Self::Ldap(ldap::Digest::Ssha),
        Self::Ldap(ldap::Digest::Ssha256),
        Self::Ldap(ldap::Digest::Ssha384),
        Self::Ldap(ldap::Digest::Ssha512),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha1),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha256),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha512),
        Self::Md5Crypt,
        Self::PasslibBcryptSha256(passlib::BcryptSha256::V1),
        Self::PasslibBcryptSha256(passlib::BcryptSha256::V2),
        Self::PasslibPbkdf2,
        Self::Pbkdf2,
        Self::Phpass,
        Self::Scrypt,
        Self::Scrypt7,
        Self::Sha1Crypt,
        Self::Sha256Crypt,
        Self::Sha512Crypt,
        Self::SpringDigest(digest::Hash::Md5),
        Self::SpringDigest(digest::Hash::Sha1),
        Self::SpringDigest(digest::Hash::Sha256),
        Self::SpringPbkdf2(spring::Pbkdf2::V5_5),
        Self::SpringPbkdf2(spring::Pbkdf2::V5_8),
        Self::SpringPbkdf2Base64(spring::Pbkdf2::V5_5),
        Self::SpringPbkdf2Base64(spring::Pbkdf2::V5_8),
        Self::SpringScrypt,
        Self::SpringSha256,
        Self::SunMd5,
        Self::WerkzeugHmac,
        Self::WerkzeugPbkdf2,
        Self::WerkzeugScrypt,
        Self::WordPress,
        Self::Wrapped,
        Self::Yescrypt,
    ];

    /// Its name in settings, reports and test vectors. Forms that a label alone tells apart share one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apr1 => "apr1",
            Self::Argon2 => "argon2",
            Self::AspNetV2 => "aspnet-identity-v2",
            Self::AspNetV3 => "aspnet-identity-v3",
            Self::AtlassianPkcs5s2 => "atlassian-pkcs5s2",
            Self::Bcrypt => "bcrypt",
            Self::BsdiCrypt => "bsdi-crypt",
            Self::DesCrypt => "des-crypt",
            Self::DjangoArgon2 => "django-argon2",
            Self::DjangoBcrypt => "django-bcrypt",
            Self::DjangoBcryptSha256 => "django-bcrypt-sha256",
            Self::DjangoMd5 => "django-md5",
            Self::DjangoPbkdf2 => "django-pbkdf2",
            Self::DjangoScrypt => "django-scrypt",
            Self::DjangoSha1 => "django-unsalted-sha1",
            Self::Drupal7 => "drupal7",
            Self::DrupalUpdated => "drupal7-updated",
            Self::Firebase => "firebase-scrypt",
            Self::GrubPbkdf2 => "grub-pbkdf2-sha512",
            Self::Ldap(digest) => digest.name(),
            Self::LdapPbkdf2(_) => "ldap-pbkdf2",
            Self::Md5Crypt => "md5-crypt",
            Self::PasslibBcryptSha256(_) => "passlib-bcrypt-sha256",
            Self::PasslibPbkdf2 => "passlib-pbkdf2",
            Self::Pbkdf2 => "pbkdf2",
            Self::Phpass => "phpass",
            Self::Scrypt => "scrypt",
            Self::Scrypt7 => "scrypt-7",
            Self::Sha1Crypt => "sha1-crypt",
            Self::Sha256Crypt => "sha256-crypt",
            Self::Sha512Crypt => "sha512-crypt",
            Self::SpringDigest(hash) => spring::digest_name(hash),
            Self::SpringPbkdf2(_) | Self::SpringPbkdf2Base64(_) => "spring-pbkdf2",
            Self::SpringScrypt => "spring-scrypt",
            Self::SpringSha256 => "spring-sha256",
            Self::SunMd5 => "sun-md5",
            Self::WerkzeugHmac => "werkzeug-hmac",
            Self::WerkzeugPbkdf2 => "werkzeug-pbkdf2",
            Self::WerkzeugScrypt => "werkzeug-scrypt",
            Self::WordPress => "wordpress",
            Self::Wrapped => "wrapped",
            Self::Yescrypt => "yescrypt",
        }
    }

    /// The form that new hashes are written in.
    pub(crate) const fn of_new(params: Params) -> Self {
        match params {
            Params::Argon2(_) => Self::Argon2,
            Params::Bcrypt(_) => Self::Bcrypt,
            Params::Pbkdf2(_) => Self::Pbkdf2,
            Params::Scrypt(_) => Self::Scrypt,
        }
    }
}
