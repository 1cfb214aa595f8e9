use core::fmt;

use crate::{
    Encoded, Params, ParseError, Setting, argon2, bcrypt,
    notation::{django, ldap},
    pbkdf2, scrypt, wrapped,
};

/// The form in which a stored hash is written. Several forms may state one algorithm: Django's PBKDF2 and ours are
/// computed alike.
///
/// Each form has a module with a `parse` and a `print` that are each other's inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// PHC string of argon2d, argon2i or argon2id.
    Argon2,
    /// `$2a$`, `$2b$`, `$2y$`.
    Bcrypt,
    /// Django's `pbkdf2_sha1` and `pbkdf2_sha256`.
    DjangoPbkdf2,
    /// One pass of a digest in LDAP's form: `{SHA}`, `{SSHA}`, `{SMD5}` and their kin.
    Ldap(ldap::Digest),
    /// PHC string of PBKDF2.
    Pbkdf2,
    /// PHC string of scrypt.
    Scrypt,
    /// argon2id over another hash: see [`wrapped`].
    Wrapped,
}

impl Scheme {
    /// Every form.
    pub const ALL: &'static [Self] = &[
        Self::Argon2,
        Self::Bcrypt,
        Self::DjangoPbkdf2,
        Self::Ldap(ldap::Digest::Md5),
        Self::Ldap(ldap::Digest::Sha),
        Self::Pbkdf2,
        Self::Scrypt,
        Self::Wrapped,
    ];

    /// Its name in settings, reports and test vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Argon2 => "argon2",
            Self::Bcrypt => "bcrypt",
            Self::DjangoPbkdf2 => "django-pbkdf2",
            Self::Ldap(digest) => digest.name(),
            Self::Pbkdf2 => "pbkdf2",
            Self::Scrypt => "scrypt",
            Self::Wrapped => "wrapped",
        }
    }

    /// What makes a leaked table of it easy prey; `None` for what is salted and slow, however slow.
    #[must_use]
    pub const fn weakness(self) -> Option<Weakness> {
        match self {
            Self::Ldap(digest) => Some(digest.weakness()),
            Self::Argon2
            | Self::Bcrypt
            | Self::DjangoPbkdf2
            | Self::Pbkdf2
            | Self::Scrypt
            | Self::Wrapped => None,
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
            Self::Argon2
            | Self::DjangoPbkdf2
            | Self::Ldap(_)
            | Self::Pbkdf2
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
        let Some(modular) = stored.strip_prefix('$') else {
            return match stored.split_once('$')?.0 {
                "pbkdf2_sha1" | "pbkdf2_sha256" => Some(Self::DjangoPbkdf2),
                _ => None,
            };
        };
        match modular.split_once('$')?.0 {
            "2a" | "2b" | "2y" => Some(Self::Bcrypt),
            "argon2d" | "argon2i" | "argon2id" => Some(Self::Argon2),
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" => Some(Self::Pbkdf2),
            "scrypt" => Some(Self::Scrypt),
            wrapped::ID => Some(Self::Wrapped),
            _ => None,
        }
    }

    /// Reads a string of this form.
    pub(crate) fn parse(self, stored: &str) -> Result<Encoded, ParseError> {
        match self {
            Self::Argon2 => argon2::parse(stored),
            Self::Bcrypt => bcrypt::parse(stored),
            Self::DjangoPbkdf2 => django::parse_pbkdf2(stored),
            Self::Ldap(digest) => ldap::parse(digest, stored),
            Self::Pbkdf2 => pbkdf2::parse(stored),
            Self::Scrypt => scrypt::parse(stored),
            Self::Wrapped => wrapped::parse(stored),
        }
    }

    /// Prints what [`Scheme::parse`] reads. Nothing but this form's own parser joins it with a setting, so no other
    /// pair comes here.
    pub(crate) fn print(self, setting: &Setting, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, setting) {
            (Self::Argon2, Setting::Argon2(setting)) => setting.print(output, f),
            (Self::Bcrypt, Setting::Bcrypt(setting)) => setting.print(output, f),
            (Self::DjangoPbkdf2, Setting::Pbkdf2(setting)) => django::print_pbkdf2(setting, output, f),
            (Self::Ldap(digest), Setting::VerifyOnly(setting)) => {
                ldap::print(digest, setting.salt(), output, f)
            }
            (Self::Pbkdf2, Setting::Pbkdf2(setting)) => setting.print(output, f),
            (Self::Scrypt, Setting::Scrypt(setting)) => setting.print(output, f),
            (Self::Wrapped, Setting::Wrapped(setting)) => setting.print(output, f),
            _ => Err(fmt::Error),
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
    /// The password.
    None,
}
