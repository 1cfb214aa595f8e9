use core::fmt;

use crate::{
    Encoded, Params, ParseError, Setting, argon2, bcrypt,
    notation::{aspnet, atlassian, django, grub, ldap, passlib, scrypt_7, spring, werkzeug, wordpress},
    pbkdf2, scrypt,
    verify_only::{
        self, des_crypt, digest, firebase, md5_crypt, phpass, sha_crypt, sha1_crypt, sun_md5, yescrypt,
    },
    wrapped,
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
    /// Werkzeug's `pbkdf2:…`.
    WerkzeugPbkdf2,
    /// Werkzeug's `scrypt:…`.
    WerkzeugScrypt,
    /// WordPress since 6.8.
    WordPress,
    /// argon2id over another hash: see [`wrapped`].
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
        Self::Ldap(ldap::Digest::Sha512),
        Self::Ldap(ldap::Digest::Smd5),
        Self::Ldap(ldap::Digest::Ssha),
        Self::Ldap(ldap::Digest::Ssha256),
        Self::Ldap(ldap::Digest::Ssha512),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha1),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha256),
        Self::LdapPbkdf2(pbkdf2::Prf::Sha512),
        Self::Md5Crypt,
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
            Self::WerkzeugPbkdf2 => "werkzeug-pbkdf2",
            Self::WerkzeugScrypt => "werkzeug-scrypt",
            Self::WordPress => "wordpress",
            Self::Wrapped => "wrapped",
            Self::Yescrypt => "yescrypt",
        }
    }

    /// What makes a leaked table of it easy prey; `None` for what is salted and slow, however slow.
    #[must_use]
    pub const fn weakness(self) -> Option<Weakness> {
        match self {
            Self::DjangoSha1 => Some(Weakness::Unsalted),
            Self::Ldap(digest) => Some(digest.weakness()),
            Self::DesCrypt | Self::DjangoMd5 | Self::SpringDigest(_) | Self::SpringSha256 => {
                Some(Weakness::Fast)
            }
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
            | Self::WerkzeugPbkdf2
            | Self::WerkzeugScrypt
            // What is wrapped is read as the inner hash is.
            | Self::Wrapped => Reading::WHOLE,
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

    /// Whose form a stored string has, by what it begins with. `None` where nothing says so: a bare digest is not guessed.
    pub(crate) fn of(stored: &str) -> Option<Self> {
        if des_crypt::is_extended(stored) {
            return Some(Self::BsdiCrypt);
        }
        if des_crypt::is_traditional(stored) {
            return Some(Self::DesCrypt);
        }
        let Some(modular) = stored.strip_prefix('$') else { return Self::of_no_modular(stored) };
        if sun_md5::has_parameters(stored) {
            return Some(Self::SunMd5);
        }
        let (id, rest) = modular.split_once('$')?;
        match id {
            "1" => Some(Self::Md5Crypt),
            "2a" | "2b" | "2y" => Some(Self::Bcrypt),
            "5" => Some(Self::Sha256Crypt),
            "6" => Some(Self::Sha512Crypt),
            "7" => Some(Self::Scrypt7),
            "H" | "P" => Some(Self::Phpass),
            "S" => Some(Self::Drupal7),
            "apr1" => Some(Self::Apr1),
            "argon2d" | "argon2i" | "argon2id" => Some(Self::Argon2),
            "md5" => Some(Self::SunMd5),
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" if passlib::is_pbkdf2(rest) => {
                Some(Self::PasslibPbkdf2)
            }
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" => Some(Self::Pbkdf2),
            "scrypt" => Some(Self::Scrypt),
            "sha1" => Some(Self::Sha1Crypt),
            "wp" => Some(Self::WordPress),
            "y" => Some(Self::Yescrypt),
            firebase::ID => Some(Self::Firebase),
            wrapped::ID => Some(Self::Wrapped),
            _ => None,
        }
    }

    /// The same for a string that does not begin with a dollar sign.
    fn of_no_modular(stored: &str) -> Option<Self> {
        let Some((name, _rest)) = stored.split_once('$') else { return Self::of_no_fields(stored) };
        match name {
            "argon2" => Some(Self::DjangoArgon2),
            "bcrypt" => Some(Self::DjangoBcrypt),
            "bcrypt_sha256" => Some(Self::DjangoBcryptSha256),
            "md5" => Some(Self::DjangoMd5),
            "pbkdf2_sha1" | "pbkdf2_sha256" => Some(Self::DjangoPbkdf2),
            "scrypt" => Some(Self::DjangoScrypt),
            "U" => Some(Self::DrupalUpdated),
            "sha1" => stored.starts_with(django::UNSALTED_SHA1).then_some(Self::DjangoSha1),
            method => werkzeug::scheme_of(method),
        }
    }

    /// The same for a string without a dollar sign.
    fn of_no_fields(stored: &str) -> Option<Self> {
        if stored.starts_with(grub::HEAD) {
            return Some(Self::GrubPbkdf2);
        }
        let aspnet = [(Self::AspNetV2, aspnet::is_v2(stored)), (Self::AspNetV3, aspnet::is_v3(stored))];
        aspnet.into_iter().find_map(|(scheme, is)| is.then_some(scheme))
    }

    /// Reads a string of this form.
    pub(crate) fn parse(self, stored: &str) -> Result<Encoded, ParseError> {
        match self {
            Self::Apr1 => md5_crypt::parse(md5_crypt::Variant::Apache, stored),
            Self::Argon2 => argon2::parse(stored),
            Self::AspNetV2 => aspnet::parse_v2(stored),
            Self::AspNetV3 => aspnet::parse_v3(stored),
            Self::AtlassianPkcs5s2 => atlassian::parse(stored),
            Self::Bcrypt => bcrypt::parse(stored),
            Self::BsdiCrypt => des_crypt::parse(des_crypt::Form::Extended, stored),
            Self::DesCrypt => des_crypt::parse(des_crypt::Form::Traditional, stored),
            Self::DjangoArgon2 => django::parse_argon2(stored),
            Self::DjangoBcrypt => django::parse_bcrypt(stored),
            Self::DjangoBcryptSha256 => django::parse_bcrypt_sha256(stored),
            Self::DjangoMd5 => django::parse_md5(stored),
            Self::DjangoPbkdf2 => django::parse_pbkdf2(stored),
            Self::DjangoScrypt => django::parse_scrypt(stored),
            Self::DjangoSha1 => django::parse_sha1(stored),
            Self::Drupal7 | Self::DrupalUpdated | Self::Phpass => phpass::parse(self, stored),
            Self::Firebase => firebase::parse(stored),
            Self::GrubPbkdf2 => grub::parse(stored),
            Self::Ldap(digest) => ldap::parse_digest(digest, stored),
            Self::LdapPbkdf2(prf) => ldap::parse_pbkdf2(prf, stored),
            Self::Md5Crypt => md5_crypt::parse(md5_crypt::Variant::FreeBsd, stored),
            Self::PasslibPbkdf2 => passlib::parse_pbkdf2(stored),
            Self::Pbkdf2 => pbkdf2::parse(stored),
            Self::Scrypt => scrypt::parse(stored),
            Self::Scrypt7 => scrypt_7::parse(stored),
            Self::Sha1Crypt => sha1_crypt::parse(stored),
            Self::Sha256Crypt => sha_crypt::parse(sha_crypt::Hash::Sha256, stored),
            Self::Sha512Crypt => sha_crypt::parse(sha_crypt::Hash::Sha512, stored),
            Self::SpringDigest(hash) => spring::parse_digest(hash, stored),
            Self::SpringPbkdf2(defaults) => spring::parse_pbkdf2(defaults, stored),
            Self::SpringPbkdf2Base64(defaults) => spring::parse_pbkdf2_base64(defaults, stored),
            Self::SpringScrypt => spring::parse_scrypt(stored),
            Self::SpringSha256 => spring::parse_sha256(stored),
            Self::SunMd5 => sun_md5::parse(stored),
            Self::WerkzeugPbkdf2 => werkzeug::parse_pbkdf2(stored),
            Self::WerkzeugScrypt => werkzeug::parse_scrypt(stored),
            Self::WordPress => wordpress::parse(stored),
            Self::Wrapped => wrapped::parse(stored),
            Self::Yescrypt => yescrypt::parse(stored),
        }
    }

    /// Prints what [`Scheme::parse`] reads. Nothing but this form's own parser joins it with a setting, so no other
    /// pair comes here.
    pub(crate) fn print(self, setting: &Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match setting {
            Setting::Argon2(setting) => self.print_argon2(setting, output, f),
            Setting::Bcrypt(setting) => self.print_bcrypt(setting, output, f),
            Setting::Pbkdf2(setting) => self.print_pbkdf2(setting, output, f),
            Setting::Scrypt(setting) => self.print_scrypt(setting, output, f),
            Setting::VerifyOnly(setting) => self.print_verify_only(setting, output, f),
            Setting::Wrapped(setting) => setting.print(output, f),
        }
    }

    fn print_argon2(
        self,
        setting: &argon2::Setting,
        output: &[u8],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match self {
            Self::Argon2 => {}
            Self::DjangoArgon2 => f.write_str(django::ARGON2)?,
            _ => return Err(fmt::Error),
        }
        setting.print(output, f)
    }

    fn print_bcrypt(
        self,
        setting: &bcrypt::Setting,
        output: &[u8],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match self {
            Self::Bcrypt => {}
            Self::DjangoBcrypt => f.write_str(django::BCRYPT)?,
            Self::DjangoBcryptSha256 => f.write_str(django::BCRYPT_SHA256)?,
            Self::WordPress => f.write_str(wordpress::HEAD)?,
            _ => return Err(fmt::Error),
        }
        setting.print(output, f)
    }

    fn print_pbkdf2(
        self,
        setting: &pbkdf2::Setting,
        output: &[u8],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match self {
            Self::AspNetV2 => aspnet::print_v2(setting, output, f),
            Self::AspNetV3 => aspnet::print_v3(setting, output, f),
            Self::AtlassianPkcs5s2 => atlassian::print(setting, output, f),
            Self::DjangoPbkdf2 => django::print_pbkdf2(setting, output, f),
            Self::GrubPbkdf2 => grub::print(setting, output, f),
            Self::LdapPbkdf2(_) => ldap::print_pbkdf2(setting, output, f),
            Self::PasslibPbkdf2 => passlib::print_pbkdf2(setting, output, f),
            Self::Pbkdf2 => setting.print(output, f),
            Self::SpringPbkdf2(_) => spring::print_pbkdf2(setting, output, f),
            Self::SpringPbkdf2Base64(_) => spring::print_pbkdf2_base64(setting, output, f),
            Self::WerkzeugPbkdf2 => werkzeug::print_pbkdf2(setting, output, f),
            _ => Err(fmt::Error),
        }
    }

    fn print_scrypt(
        self,
        setting: &scrypt::Setting,
        output: &[u8],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match self {
            Self::DjangoScrypt => django::print_scrypt(setting, output, f),
            Self::Scrypt => setting.print(output, f),
            Self::Scrypt7 => scrypt_7::print(setting, output, f),
            Self::SpringScrypt => spring::print_scrypt(setting, output, f),
            Self::WerkzeugScrypt => werkzeug::print_scrypt(setting, output, f),
            _ => Err(fmt::Error),
        }
    }

    fn print_verify_only(
        self,
        setting: &verify_only::Setting,
        output: &[u8],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match (self, setting) {
            (Self::DjangoMd5, verify_only::Setting::Digest(setting)) => django::print_md5(setting, output, f),
            (Self::DjangoSha1, _) => django::print_sha1(output, f),
            (Self::Ldap(_), setting) => ldap::print_digest(setting.salt(), output, f),
            (Self::SpringDigest(_), setting) => spring::print_digest(setting.salt(), output, f),
            (Self::SpringSha256, setting) => spring::print_sha256(setting.salt(), output, f),
            (_, verify_only::Setting::DesCrypt(setting)) => setting.print(output, f),
            (_, verify_only::Setting::Digest(_)) => Err(fmt::Error),
            (_, verify_only::Setting::Firebase(setting)) => setting.print(output, f),
            (_, verify_only::Setting::Md5Crypt(setting)) => setting.print(output, f),
            (_, verify_only::Setting::Phpass(setting)) => setting.print(self, output, f),
            (_, verify_only::Setting::Sha1Crypt(setting)) => setting.print(output, f),
            (_, verify_only::Setting::ShaCrypt(setting)) => setting.print(output, f),
            (_, verify_only::Setting::SunMd5(setting)) => setting.print(output, f),
            (_, verify_only::Setting::Yescrypt(setting)) => setting.print(output, f),
        }
    }
}

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
    /// The 32 lower-case hexadecimal digits of the password's MD5.
    Md5Hex,
    /// The password.
    None,
    /// Its SHA-256, in lower-case hexadecimal: Django's `bcrypt_sha256`.
    Sha256Hex,
    /// Its HMAC-SHA-384 under a fixed key, in Base64: WordPress.
    WordPress,
}
