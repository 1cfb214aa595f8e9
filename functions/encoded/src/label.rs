//! What some software puts in front of a hash: LDAP's `{SSHA}` and `{CRYPT}` (RFC 2307 itself writes `{crypt}`), Dovecot's
//! `{SHA512-CRYPT}` and `{SHA256.HEX}`, Spring Security's `{bcrypt}` and its `{ldap}` before LDAP's own.
//! Source: RFC 2307 §5.3; Dovecot "Password Schemes"; Spring Security `DelegatingPasswordEncoder`; and what each scheme's
//! module names.

use crate::{
    Encoded, ParseError, Scheme,
    notation::{
        ldap::{self, Digest},
        spring,
    },
    pbkdf2::Prf,
    verify_only::digest::Hash,
};

/// A label and what may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    text: &'static str,
    follows: Follows,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// A hash that does not say itself what it is.
    A(Scheme),
    /// A digest of directories in hexadecimal.
    Hexadecimal(Digest),
    /// A hash that does, of one of these.
    OneOf(&'static [Scheme]),
}

impl Label {
    /// What stands before the hash.
    pub(crate) const fn text(self) -> &'static str {
        self.text
    }

    fn parse(self, rest: &str) -> Result<Encoded, ParseError> {
        let encoded = match self.follows {
            Follows::A(scheme) => scheme.parse(rest)?,
            Follows::Hexadecimal(digest) => ldap::parse_hexadecimal(digest, rest)?,
            Follows::OneOf(schemes) => Scheme::of_one_of(schemes, rest)?.parse(rest)?,
        };
        Ok(Encoded { label: Some(self), ..encoded })
    }
}

/// Reads a stored string that begins with a label; `None` where it begins with none. Where one label stands before two
/// forms, no string has both of them.
pub(crate) fn parse(stored: &str) -> Option<Result<Encoded, ParseError>> {
    let labelled = LABELS.iter().filter_map(|label| Some(label.parse(stored.strip_prefix(label.text)?)));
    labelled.reduce(Result::or)
}

const fn a(text: &'static str, scheme: Scheme) -> Label {
    Label { text, follows: Follows::A(scheme) }
}

const fn hexadecimal(text: &'static str, digest: Digest) -> Label {
    Label { text, follows: Follows::Hexadecimal(digest) }
}

const fn one_of(text: &'static str, schemes: &'static [Scheme]) -> Label {
    Label { text, follows: Follows::OneOf(schemes) }
}

const LABELS: &[Label] = &[
    one_of("{ARGON2ID}", &[Scheme::Argon2]),
    one_of("{ARGON2I}", &[Scheme::Argon2]),
    one_of("{ARGON2}", &[Scheme::Argon2]),
    one_of("{BLF-CRYPT}", &[Scheme::Bcrypt]),
    one_of("{CRYPT}", CRYPT),
    one_of("{DES-CRYPT}", &[Scheme::DesCrypt]),
    a("{LDAP-MD5.B64}", Scheme::Ldap(Digest::Md5)),
    a("{LDAP-MD5.BASE64}", Scheme::Ldap(Digest::Md5)),
    hexadecimal("{LDAP-MD5.HEX}", Digest::Md5),
    a("{LDAP-MD5}", Scheme::Ldap(Digest::Md5)),
    one_of("{MD5-CRYPT}", &[Scheme::Md5Crypt]),
    a("{MD5}", Scheme::Ldap(Digest::Md5)),
    // What Dovecot itself calls MD5.
    one_of("{MD5}", &[Scheme::Md5Crypt]),
    // The brace is the salt's: without one it is no string of Spring Security's.
    a("{MD5}{", Scheme::SpringDigest(Hash::Md5)),
    a("{PBKDF2-SHA1}", Scheme::LdapPbkdf2(Prf::Sha1)),
    a("{PBKDF2-SHA256}", Scheme::LdapPbkdf2(Prf::Sha256)),
    a("{PBKDF2-SHA512}", Scheme::LdapPbkdf2(Prf::Sha512)),
    a("{PBKDF2}", Scheme::LdapPbkdf2(Prf::Sha1)),
    a("{PKCS5S2}", Scheme::AtlassianPkcs5s2),
    a("{PLAIN-MD5.B64}", Scheme::Ldap(Digest::Md5)),
    a("{PLAIN-MD5.BASE64}", Scheme::Ldap(Digest::Md5)),
    hexadecimal("{PLAIN-MD5.HEX}", Digest::Md5),
    hexadecimal("{PLAIN-MD5}", Digest::Md5),
    a("{SHA-1}{", Scheme::SpringDigest(Hash::Sha1)),
    a("{SHA-256}{", Scheme::SpringDigest(Hash::Sha256)),
    a("{SHA.B64}", Scheme::Ldap(Digest::Sha)),
    a("{SHA.BASE64}", Scheme::Ldap(Digest::Sha)),
    hexadecimal("{SHA.HEX}", Digest::Sha),
    a("{SHA1.B64}", Scheme::Ldap(Digest::Sha)),
    a("{SHA1.BASE64}", Scheme::Ldap(Digest::Sha)),
    hexadecimal("{SHA1.HEX}", Digest::Sha),
    a("{SHA1}", Scheme::Ldap(Digest::Sha)),
    one_of("{SHA256-CRYPT}", &[Scheme::Sha256Crypt]),
    a("{SHA256.B64}", Scheme::Ldap(Digest::Sha256)),
    a("{SHA256.BASE64}", Scheme::Ldap(Digest::Sha256)),
    hexadecimal("{SHA256.HEX}", Digest::Sha256),
    a("{SHA256}", Scheme::Ldap(Digest::Sha256)),
    a("{SHA384}", Scheme::Ldap(Digest::Sha384)),
    one_of("{SHA512-CRYPT}", &[Scheme::Sha512Crypt]),
    a("{SHA512.B64}", Scheme::Ldap(Digest::Sha512)),
    a("{SHA512.BASE64}", Scheme::Ldap(Digest::Sha512)),
    hexadecimal("{SHA512.HEX}", Digest::Sha512),
    a("{SHA512}", Scheme::Ldap(Digest::Sha512)),
    a("{SHA}", Scheme::Ldap(Digest::Sha)),
    a("{SMD5.B64}", Scheme::Ldap(Digest::Smd5)),
    a("{SMD5.BASE64}", Scheme::Ldap(Digest::Smd5)),
    hexadecimal("{SMD5.HEX}", Digest::Smd5),
    a("{SMD5}", Scheme::Ldap(Digest::Smd5)),
    a("{SSHA.B64}", Scheme::Ldap(Digest::Ssha)),
    a("{SSHA.BASE64}", Scheme::Ldap(Digest::Ssha)),
    hexadecimal("{SSHA.HEX}", Digest::Ssha),
    a("{SSHA256.B64}", Scheme::Ldap(Digest::Ssha256)),
    a("{SSHA256.BASE64}", Scheme::Ldap(Digest::Ssha256)),
    hexadecimal("{SSHA256.HEX}", Digest::Ssha256),
    a("{SSHA256}", Scheme::Ldap(Digest::Ssha256)),
    a("{SSHA384}", Scheme::Ldap(Digest::Ssha384)),
    a("{SSHA512.B64}", Scheme::Ldap(Digest::Ssha512)),
    a("{SSHA512.BASE64}", Scheme::Ldap(Digest::Ssha512)),
    hexadecimal("{SSHA512.HEX}", Digest::Ssha512),
    a("{SSHA512}", Scheme::Ldap(Digest::Ssha512)),
    a("{SSHA}", Scheme::Ldap(Digest::Ssha)),
    one_of("{argon2@SpringSecurity_v5_8}", &[Scheme::Argon2]),
    one_of("{argon2}", &[Scheme::Argon2]),
    one_of("{bcrypt}", &[Scheme::Bcrypt]),
    one_of("{crypt}", CRYPT),
    a("{ldap}{SHA}", Scheme::Ldap(Digest::Sha)),
    a("{ldap}{SSHA}", Scheme::Ldap(Digest::Ssha)),
    a("{ldap}{sha}", Scheme::Ldap(Digest::Sha)),
    a("{ldap}{ssha}", Scheme::Ldap(Digest::Ssha)),
    a("{md5}", Scheme::Ldap(Digest::Md5)),
    a("{pbkdf2@SpringSecurity_v5_8}", Scheme::SpringPbkdf2(spring::Pbkdf2::V5_8)),
    a("{pbkdf2@SpringSecurity_v5_8}", Scheme::SpringPbkdf2Base64(spring::Pbkdf2::V5_8)),
    a("{pbkdf2}", Scheme::SpringPbkdf2(spring::Pbkdf2::V5_5)),
    a("{pbkdf2}", Scheme::SpringPbkdf2Base64(spring::Pbkdf2::V5_5)),
    a("{scrypt@SpringSecurity_v5_8}", Scheme::SpringScrypt),
    a("{scrypt}", Scheme::SpringScrypt),
    a("{sha256}", Scheme::Ldap(Digest::Sha256)),
    a("{sha256}", Scheme::SpringSha256),
    a("{sha384}", Scheme::Ldap(Digest::Sha384)),
    a("{sha512}", Scheme::Ldap(Digest::Sha512)),
    a("{sha}", Scheme::Ldap(Digest::Sha)),
    a("{smd5}", Scheme::Ldap(Digest::Smd5)),
    a("{ssha256}", Scheme::Ldap(Digest::Ssha256)),
    a("{ssha384}", Scheme::Ldap(Digest::Ssha384)),
    a("{ssha512}", Scheme::Ldap(Digest::Ssha512)),
    a("{ssha}", Scheme::Ldap(Digest::Ssha)),
];

/// What the crypt(3) of one system or another makes.
const CRYPT: &[Scheme] = &[
    Scheme::Bcrypt,
    Scheme::BsdiCrypt,
    Scheme::DesCrypt,
    Scheme::Md5Crypt,
    Scheme::Scrypt7,
    Scheme::Sha1Crypt,
    Scheme::Sha256Crypt,
    Scheme::Sha512Crypt,
    Scheme::SunMd5,
    Scheme::Yescrypt,
];
