use core::fmt;

use super::Scheme;
use crate::{
    Encoded, ParseError, Setting, argon2, bcrypt,
    notation::{aspnet, atlassian, django, grub, ldap, passlib, scrypt_7, spring, werkzeug, wordpress},
    pbkdf2, scrypt,
    verify_only::{self, des_crypt, firebase, md5_crypt, phpass, sha_crypt, sha1_crypt, sun_md5, yescrypt},
    wrapped,
};

impl Scheme {
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
            Self::PasslibBcryptSha256(version) => passlib::parse_bcrypt_sha256(version, stored),
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
            Self::WerkzeugHmac => werkzeug::parse_hmac(stored),
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
            Self::PasslibBcryptSha256(version) => {
                return passlib::print_bcrypt_sha256(version, setting, output, f);
            }
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
        use verify_only::Setting as Of;
        match (self, setting) {
            (Self::Apr1 | Self::Md5Crypt, Of::Md5Crypt(setting)) => setting.print(output, f),
            (Self::BsdiCrypt | Self::DesCrypt, Of::DesCrypt(setting)) => setting.print(output, f),
            (Self::DjangoMd5, Of::Digest(setting)) => django::print_md5(setting, output, f),
            (Self::DjangoSha1, Of::Digest(_)) => django::print_sha1(output, f),
            (Self::Drupal7 | Self::DrupalUpdated | Self::Phpass, Of::Phpass(setting)) => {
                setting.print(self, output, f)
            }
            (Self::Firebase, Of::Firebase(setting)) => setting.print(output, f),
            (Self::Ldap(_), Of::Digest(setting)) => ldap::print_digest(setting, output, f),
            (Self::Sha1Crypt, Of::Sha1Crypt(setting)) => setting.print(output, f),
            (Self::Sha256Crypt | Self::Sha512Crypt, Of::ShaCrypt(setting)) => setting.print(output, f),
            (Self::SpringDigest(_), Of::Digest(setting)) => spring::print_digest(setting.salt(), output, f),
            (Self::SpringSha256, Of::Digest(setting)) => spring::print_sha256(setting.salt(), output, f),
            (Self::SunMd5, Of::SunMd5(setting)) => setting.print(output, f),
            (Self::WerkzeugHmac, Of::Digest(setting)) => werkzeug::print_hmac(setting, output, f),
            (Self::Yescrypt, Of::Yescrypt(setting)) => setting.print(output, f),
            _ => Err(fmt::Error),
        }
    }
}
