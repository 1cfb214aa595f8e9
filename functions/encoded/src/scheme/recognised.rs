use super::Scheme;
use crate::{
    ParseError,
    notation::{aspnet, django, grub, passlib, werkzeug},
    pbkdf2,
    verify_only::{des_crypt, firebase, sun_md5},
    wrapped,
};

impl Scheme {
    /// The form of what stands behind a label or a name, where only the `admitted` ones may.
    ///
    /// # Errors
    /// - [`ParseError::Unsupported`]: it names a scheme that is not verified, as `$2x$…` does.
    /// - [`ParseError::Invalid`]: it names none, or one that never stands there.
    pub(crate) fn of_one_of(admitted: &[Self], text: &str) -> Result<Self, ParseError> {
        match Self::of(text) {
            Some(scheme) if admitted.contains(&scheme) => Ok(scheme),
            None if names_a_scheme(text) => Err(ParseError::Unsupported),
            Some(_) | None => Err(ParseError::Invalid),
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
            passlib::BCRYPT_SHA256 => Some(Self::PasslibBcryptSha256(passlib::BcryptSha256::of(rest))),
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" if passlib::is_pbkdf2(rest) => {
                Some(Self::PasslibPbkdf2)
            }
            "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" => Some(Self::Pbkdf2),
            pbkdf2::SHA1_WITHOUT_LENGTH if !passlib::is_pbkdf2(rest) => Some(Self::Pbkdf2),
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
        let Some((name, rest)) = stored.split_once('$') else { return Self::of_no_fields(stored) };
        match name {
            "argon2" => Some(Self::DjangoArgon2),
            "bcrypt" => Some(Self::DjangoBcrypt),
            "bcrypt_sha256" => Some(Self::DjangoBcryptSha256),
            "md5" => Some(Self::DjangoMd5),
            "pbkdf2_sha1" | "pbkdf2_sha256" => Some(Self::DjangoPbkdf2),
            "scrypt" => Some(Self::DjangoScrypt),
            "U" => Some(Self::DrupalUpdated),
            "sha1" => stored.starts_with(django::UNSALTED_SHA1).then_some(Self::DjangoSha1),
            method => werkzeug::scheme_of(method, rest),
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
}

/// Whether something stands between two dollar signs.
fn names_a_scheme(text: &str) -> bool {
    let modular = text.strip_prefix('$').and_then(|text| text.split_once('$'));
    modular.is_some_and(|(id, _rest)| !id.is_empty())
}
