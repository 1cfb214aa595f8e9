use core::fmt;

use crate::{
    Encoded, Params, ParseError, Setting, argon2, bcrypt,
    notation::{django, ldap, scrypt_7},
    pbkdf2, scrypt,
    verify_only::{self, des_crypt, md5_crypt, phpass, sha_crypt, sha1_crypt, sun_md5, yescrypt},
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
    /// `$2a$`, `$2b$`, `$2y$`.
    Bcrypt,
    /// `_`: BSDi's DES.
    BsdiCrypt,
    /// Thirteen characters: the DES of Unix.
    DesCrypt,
    /// Django's `pbkdf2_sha1` and `pbkdf2_sha256`.
    DjangoPbkdf2,
    /// `$S$`: Drupal 7.
    Drupal7,
    /// `U$S$`, `U$P$`, `U$H$`: what Drupal 7 made of the MD5 digests of Drupal 6.
    DrupalUpdated,
    /// One pass of a digest in LDAP's form: `{SHA}`, `{SSHA}`, `{SMD5}` and their kin.
    Ldap(ldap::Digest),
    /// `$1$`
    Md5Crypt,
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
    /// `$md5$`, `$md5,rounds=…$`: Sun's MD5.
    SunMd5,
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
        Self::Bcrypt,
        Self::BsdiCrypt,
        Self::DesCrypt,
        Self::DjangoPbkdf2,
        Self::Drupal7,
        Self::DrupalUpdated,
        Self::Ldap(ldap::Digest::Md5),
        Self::Ldap(ldap::Digest::Sha),
        Self::Md5Crypt,
        Self::Pbkdf2,
        Self::Phpass,
        Self::Scrypt,
        Self::Scrypt7,
        Self::Sha1Crypt,
        Self::Sha256Crypt,
        Self::Sha512Crypt,
        Self::SunMd5,
        Self::Wrapped,
        Self::Yescrypt,
    ];

    /// Its name in settings, reports and test vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apr1 => "apr1",
            Self::Argon2 => "argon2",
            Self::Bcrypt => "bcrypt",
            Self::BsdiCrypt => "bsdi-crypt",
            Self::DesCrypt => "des-crypt",
            Self::DjangoPbkdf2 => "django-pbkdf2",
            Self::Drupal7 => "drupal7",
            Self::DrupalUpdated => "drupal7-updated",
            Self::Ldap(digest) => digest.name(),
            Self::Md5Crypt => "md5-crypt",
            Self::Pbkdf2 => "pbkdf2",
            Self::Phpass => "phpass",
            Self::Scrypt => "scrypt",
            Self::Scrypt7 => "scrypt-7",
            Self::Sha1Crypt => "sha1-crypt",
            Self::Sha256Crypt => "sha256-crypt",
            Self::Sha512Crypt => "sha512-crypt",
            Self::SunMd5 => "sun-md5",
            Self::Wrapped => "wrapped",
            Self::Yescrypt => "yescrypt",
        }
    }

    /// What makes a leaked table of it easy prey; `None` for what is salted and slow, however slow.
    #[must_use]
    pub const fn weakness(self) -> Option<Weakness> {
        match self {
            Self::DesCrypt => Some(Weakness::Fast),
            Self::Ldap(digest) => Some(digest.weakness()),
            Self::Apr1
            | Self::Argon2
            | Self::Bcrypt
            | Self::BsdiCrypt
            | Self::DjangoPbkdf2
            | Self::Drupal7
            | Self::DrupalUpdated
            | Self::Md5Crypt
            | Self::Pbkdf2
            | Self::Phpass
            | Self::Scrypt
            | Self::Scrypt7
            | Self::Sha1Crypt
            | Self::Sha256Crypt
            | Self::Sha512Crypt
            | Self::SunMd5
            | Self::Wrapped
            | Self::Yescrypt => None,
        }
    }

    /// Which part of a password it reads, and what it makes of it first.
    #[must_use]
    pub const fn reading(self) -> Reading {
        match self {
            Self::Bcrypt => Reading {
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
            Self::DrupalUpdated => Reading { preparation: Preparation::Md5Hex, ..Reading::WHOLE },
            Self::Apr1
            | Self::Md5Crypt
            | Self::Scrypt7
            | Self::Sha1Crypt
            | Self::Sha256Crypt
            | Self::Sha512Crypt
            | Self::SunMd5
            | Self::Yescrypt => Reading { may_stop_at_nul: true, ..Reading::WHOLE },
            Self::Argon2
            | Self::DjangoPbkdf2
            | Self::Drupal7
            | Self::Ldap(_)
            | Self::Pbkdf2
            | Self::Phpass
            | Self::Scrypt
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
        if stored.starts_with('{') {
            return ldap::Digest::of(stored).map(Self::Ldap);
        }
        if des_crypt::is_extended(stored) {
            return Some(Self::BsdiCrypt);
        }
        if des_crypt::is_traditional(stored) {
            return Some(Self::DesCrypt);
        }
        let Some(modular) = stored.strip_prefix('$') else {
            return match stored.split_once('$')?.0 {
                "U" => Some(Self::DrupalUpdated),
                "pbkdf2_sha1" | "pbkdf2_sha256" => Some(Self::DjangoPbkdf2),
                _ => None,
            };
        };
        if sun_md5::has_parameters(stored) {
            return Some(Self::SunMd5);
        }
        match modular.split_once('$')?.0 {
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
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" => Some(Self::Pbkdf2),
            "scrypt" => Some(Self::Scrypt),
            "sha1" => Some(Self::Sha1Crypt),
            "y" => Some(Self::Yescrypt),
            wrapped::ID => Some(Self::Wrapped),
            _ => None,
        }
    }

    /// Reads a string of this form.
    pub(crate) fn parse(self, stored: &str) -> Result<Encoded, ParseError> {
        match self {
            Self::Apr1 => md5_crypt::parse(md5_crypt::Variant::Apache, stored),
            Self::Argon2 => argon2::parse(stored),
            Self::Bcrypt => bcrypt::parse(stored),
            Self::BsdiCrypt => des_crypt::parse(des_crypt::Form::Extended, stored),
            Self::DesCrypt => des_crypt::parse(des_crypt::Form::Traditional, stored),
            Self::DjangoPbkdf2 => django::parse_pbkdf2(stored),
            Self::Drupal7 | Self::DrupalUpdated | Self::Phpass => phpass::parse(self, stored),
            Self::Ldap(digest) => ldap::parse(digest, stored),
            Self::Md5Crypt => md5_crypt::parse(md5_crypt::Variant::FreeBsd, stored),
            Self::Pbkdf2 => pbkdf2::parse(stored),
            Self::Scrypt => scrypt::parse(stored),
            Self::Scrypt7 => scrypt_7::parse(stored),
            Self::Sha1Crypt => sha1_crypt::parse(stored),
            Self::Sha256Crypt => sha_crypt::parse(sha_crypt::Hash::Sha256, stored),
            Self::Sha512Crypt => sha_crypt::parse(sha_crypt::Hash::Sha512, stored),
            Self::SunMd5 => sun_md5::parse(stored),
            Self::Wrapped => wrapped::parse(stored),
            Self::Yescrypt => yescrypt::parse(stored),
        }
    }

    /// Prints what [`Scheme::parse`] reads. Nothing but this form's own parser joins it with a setting, so no other
    /// pair comes here.
    pub(crate) fn print(self, setting: &Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, setting) {
            (Self::Argon2, Setting::Argon2(setting)) => setting.print(output, f),
            (Self::Bcrypt, Setting::Bcrypt(setting)) => setting.print(output, f),
            (Self::DjangoPbkdf2, Setting::Pbkdf2(setting)) => django::print_pbkdf2(setting, output, f),
            (Self::Pbkdf2, Setting::Pbkdf2(setting)) => setting.print(output, f),
            (Self::Scrypt, Setting::Scrypt(setting)) => setting.print(output, f),
            (Self::Scrypt7, Setting::Scrypt(setting)) => scrypt_7::print(setting, output, f),
            (_, Setting::VerifyOnly(setting)) => self.print_verify_only(setting, output, f),
            (Self::Wrapped, Setting::Wrapped(setting)) => setting.print(output, f),
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
            (Self::Ldap(digest), setting) => ldap::print(digest, setting.salt(), output, f),
            (_, verify_only::Setting::DesCrypt(setting)) => setting.print(output, f),
            (_, verify_only::Setting::Digest(_)) => Err(fmt::Error),
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

/// How a scheme reads a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Bytes that are read; the rest has no effect. `None`: all of them.
    pub most_bytes: Option<usize>,
    /// Whether software on C strings made such hashes: it stopped at the first NUL, where other software went on.
    pub may_stop_at_nul: bool,
    /// Whether the eighth bit of each byte has no effect.
    pub seven_bits: bool,
    /// What is hashed in place of the password.
    pub preparation: Preparation,
}

impl Reading {
    /// All bytes, as they are.
    pub(crate) const WHOLE: Self =
        Self { most_bytes: None, may_stop_at_nul: false, seven_bits: false, preparation: Preparation::None };
}

/// What some software hashes in place of the password itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// The 32 lower-case hexadecimal digits of the password's MD5.
    Md5Hex,
    /// The password.
    None,
}
