//! What directories store behind a scheme in braces: `{SSHA}` and the Base64 of digest and salt, one after the other, or their
//! hexadecimal; `{PBKDF2-SHA256}` and iterations, salt and output.
//! Source: RFC 2307 §5.3; OpenLDAP `libraries/liblutil/passwd.c`, `contrib/slapd-modules/passwd`; Dovecot
//! `src/auth/password-scheme.c`; passlib `ldap_digests`, `ldap_pbkdf2_digests`.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{ADAPTED_BASE64, decode_base64, decode_hex, fields};
use crate::{
    Encoded, ParseError, Scheme, Setting, Weakness, pbkdf2, phc,
    verify_only::{
        self,
        digest::{Hash, Order},
    },
};

/// Which digest, salted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digest {
    /// `{MD5}`
    Md5,
    /// `{SHA}`
    Sha,
    /// `{SHA256}`
    Sha256,
    /// `{SHA384}`
    Sha384,
    /// `{SHA512}`
    Sha512,
    /// `{SMD5}`
    Smd5,
    /// `{SSHA}`
    Ssha,
    /// `{SSHA256}`
    Ssha256,
    /// `{SSHA384}`
    Ssha384,
    /// `{SSHA512}`
    Ssha512,
}

impl Digest {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "ldap-md5",
            Self::Sha => "ldap-sha",
            Self::Sha256 => "ldap-sha256",
            Self::Sha384 => "ldap-sha384",
            Self::Sha512 => "ldap-sha512",
            Self::Smd5 => "ldap-smd5",
            Self::Ssha => "ldap-ssha",
            Self::Ssha256 => "ldap-ssha256",
            Self::Ssha384 => "ldap-ssha384",
            Self::Ssha512 => "ldap-ssha512",
        }
    }

    pub(crate) const fn weakness(self) -> Weakness {
        if self.is_salted() { Weakness::Fast } else { Weakness::Unsalted }
    }

    const fn is_salted(self) -> bool {
        match self {
            Self::Md5 | Self::Sha | Self::Sha256 | Self::Sha384 | Self::Sha512 => false,
            Self::Smd5 | Self::Ssha | Self::Ssha256 | Self::Ssha384 | Self::Ssha512 => true,
        }
    }

    const fn hash(self) -> Hash {
        match self {
            Self::Md5 | Self::Smd5 => Hash::Md5,
            Self::Sha | Self::Ssha => Hash::Sha1,
            Self::Sha256 | Self::Ssha256 => Hash::Sha256,
            Self::Sha384 | Self::Ssha384 => Hash::Sha384,
            Self::Sha512 | Self::Ssha512 => Hash::Sha512,
        }
    }
}

/// Reads the Base64 behind a digest's label. A salt has any length: OpenLDAP has drawn 4 and 8 bytes, others 16.
pub(crate) fn parse_digest(digest: Digest, text: &str) -> Result<Encoded, ParseError> {
    digest_and_salt(digest, &decode_base64(text)?, |setting| setting)
}

/// Reads the lower-case hexadecimal behind a digest's label.
pub(crate) fn parse_hexadecimal(digest: Digest, text: &str) -> Result<Encoded, ParseError> {
    digest_and_salt(digest, &decode_hex(text)?, verify_only::digest::Setting::in_hexadecimal)
}

fn digest_and_salt(
    digest: Digest,
    bytes: &[u8],
    written: impl Fn(verify_only::digest::Setting) -> verify_only::digest::Setting,
) -> Result<Encoded, ParseError> {
    let hash = digest.hash();
    let (output, salt) = bytes.split_at_checked(hash.output_bytes()).ok_or(ParseError::Invalid)?;
    if salt.is_empty() == digest.is_salted() {
        return Err(ParseError::Invalid);
    }
    let setting = verify_only::digest::Setting::new(hash, Order::SaltLast, salt.to_vec());
    let setting = Setting::VerifyOnly(verify_only::Setting::Digest(written(setting)));
    Encoded::written_as(Scheme::Ldap(digest), setting, output).ok_or(ParseError::Invalid)
}

/// Prints what [`parse_digest`] and [`parse_hexadecimal`] read.
pub(crate) fn print_digest(
    setting: &verify_only::digest::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let bytes = [output, setting.salt()].concat();
    if setting.is_in_hexadecimal() {
        f.write_str(&base16ct::lower::encode_string(&bytes))
    } else {
        f.write_str(&BASE64_STANDARD.encode(bytes))
    }
}

/// Reads `<iterations>$<salt>$<output>` behind the label of PBKDF2 over this function.
pub(crate) fn parse_pbkdf2(prf: pbkdf2::Prf, text: &str) -> Result<Encoded, ParseError> {
    let [iterations, salt, output] = fields(text, '$')?;
    super::passlib::pbkdf2(Scheme::LdapPbkdf2(prf), (prf, phc::decimal(iterations)?), salt, output)
}

/// Prints what [`parse_pbkdf2`] reads.
pub(crate) fn print_pbkdf2(
    setting: &pbkdf2::Setting,
    output: &[u8],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let (salt, output) = (ADAPTED_BASE64.encode(setting.salt()), ADAPTED_BASE64.encode(output));
    write!(f, "{}${salt}${output}", setting.params().iterations())
}
