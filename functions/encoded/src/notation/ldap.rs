//! LDAP directories. Either a label and the Base64 or hexadecimal of digest and salt, as `{SSHA}…`,
//! or a label and iterations, salt and output of PBKDF2, as `{PBKDF2-SHA256}…`.
//! Source: RFC 2307 §5.3; OpenLDAP `libraries/liblutil/passwd.c`, `contrib/slapd-modules/passwd`;
//! Dovecot "Password Schemes" and `src/auth/password-scheme.c`; passlib `ldap_digests`,
//! `ldap_pbkdf2_digests`; 389 Directory Server `src/plugins/pwdchan/src/lib.rs`.

use super::passlib;
use crate::{
    ParseError, Weakness,
    encoding::Encoding,
    parts::{OutputText, Parts},
    pbkdf2::Prf,
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Hash, Order, Setting},
};

pub(crate) static MD5: SchemeRow = unsalted(
    "ldap-md5",
    &[
        "{LDAP-MD5.B64}",
        "{LDAP-MD5.BASE64}",
        "{LDAP-MD5.HEX}",
        "{LDAP-MD5}",
        "{MD5}",
        "{PLAIN-MD5.B64}",
        "{PLAIN-MD5.BASE64}",
        "{PLAIN-MD5.HEX}",
        PLAIN_MD5,
        "{md5}",
    ],
    Parse::LabelAndText(|label, text| parse_unsalted(Hash::Md5, label, text)),
);

pub(crate) static SHA: SchemeRow = unsalted(
    "ldap-sha",
    &[
        "{SHA.B64}",
        "{SHA.BASE64}",
        "{SHA.HEX}",
        "{SHA1.B64}",
        "{SHA1.BASE64}",
        "{SHA1.HEX}",
        "{SHA1}",
        "{SHA}",
        "{ldap}{SHA}",
        "{ldap}{sha}",
        "{sha}",
    ],
    Parse::LabelAndText(|label, text| parse_unsalted(Hash::Sha1, label, text)),
);

pub(crate) static SHA256: SchemeRow = unsalted(
    "ldap-sha256",
    &["{SHA256.B64}", "{SHA256.BASE64}", "{SHA256.HEX}", "{SHA256}", "{sha256}"],
    Parse::LabelAndText(|label, text| parse_unsalted(Hash::Sha256, label, text)),
);

pub(crate) static SHA384: SchemeRow = unsalted(
    "ldap-sha384",
    &["{SHA384}", "{sha384}"],
    Parse::LabelAndText(|label, text| parse_unsalted(Hash::Sha384, label, text)),
);

pub(crate) static SHA512: SchemeRow = unsalted(
    "ldap-sha512",
    &["{SHA512.B64}", "{SHA512.BASE64}", "{SHA512.HEX}", "{SHA512}", "{sha512}"],
    Parse::LabelAndText(|label, text| parse_unsalted(Hash::Sha512, label, text)),
);

pub(crate) static SMD5: SchemeRow = salted(
    "ldap-smd5",
    &["{SMD5.B64}", "{SMD5.BASE64}", "{SMD5.HEX}", "{SMD5}", "{smd5}"],
    Parse::LabelAndText(|label, text| parse_salted(Hash::Md5, label, text)),
);

pub(crate) static SSHA: SchemeRow = salted(
    "ldap-ssha",
    &["{SSHA.B64}", "{SSHA.BASE64}", "{SSHA.HEX}", "{SSHA}", "{ldap}{SSHA}", "{ldap}{ssha}", "{ssha}"],
    Parse::LabelAndText(|label, text| parse_salted(Hash::Sha1, label, text)),
);

pub(crate) static SSHA256: SchemeRow = salted(
    "ldap-ssha256",
    &["{SSHA256.B64}", "{SSHA256.BASE64}", "{SSHA256.HEX}", "{SSHA256}", "{ssha256}"],
    Parse::LabelAndText(|label, text| parse_salted(Hash::Sha256, label, text)),
);

pub(crate) static SSHA384: SchemeRow = salted(
    "ldap-ssha384",
    &["{SSHA384}", "{ssha384}"],
    Parse::LabelAndText(|label, text| parse_salted(Hash::Sha384, label, text)),
);

pub(crate) static SSHA512: SchemeRow = salted(
    "ldap-ssha512",
    &["{SSHA512.B64}", "{SSHA512.BASE64}", "{SSHA512.HEX}", "{SSHA512}", "{ssha512}"],
    Parse::LabelAndText(|label, text| parse_salted(Hash::Sha512, label, text)),
);

pub(crate) static PBKDF2_SHA1: SchemeRow = SchemeRow {
    labels: &["{PBKDF2-SHA1}", "{PBKDF2}"],
    ..SchemeRow::new("ldap-pbkdf2", Parse::Text(|text| parse_pbkdf2(Prf::Sha1, text)))
};

pub(crate) static PBKDF2_SHA256: SchemeRow = SchemeRow {
    labels: &["{PBKDF2-SHA256}"],
    ..SchemeRow::new("ldap-pbkdf2", Parse::Text(|text| parse_pbkdf2(Prf::Sha256, text)))
};

pub(crate) static PBKDF2_SHA512: SchemeRow = SchemeRow {
    labels: &["{PBKDF2-SHA512}"],
    ..SchemeRow::new("ldap-pbkdf2", Parse::Text(|text| parse_pbkdf2(Prf::Sha512, text)))
};

const fn unsalted(name: &'static str, labels: &'static [&'static str], parse: Parse) -> SchemeRow {
    SchemeRow { labels, weakness: Some(Weakness::Unsalted), ..SchemeRow::new(name, parse) }
}

const fn salted(name: &'static str, labels: &'static [&'static str], parse: Parse) -> SchemeRow {
    SchemeRow { labels, weakness: Some(Weakness::Fast), ..SchemeRow::new(name, parse) }
}

fn parse_unsalted(hash: Hash, label: &str, text: &str) -> Result<Parts, ParseError> {
    parse_digest(hash, false, label, text)
}

/// The salt has any length: OpenLDAP has used 4 and 8 bytes, other software uses 16.
fn parse_salted(hash: Hash, label: &str, text: &str) -> Result<Parts, ParseError> {
    parse_digest(hash, true, label, text)
}

fn parse_digest(hash: Hash, is_salted: bool, label: &str, text: &str) -> Result<Parts, ParseError> {
    let is_hex = label == PLAIN_MD5 || label.ends_with(".HEX}");
    let encoding = if is_hex { Encoding::LowerHex } else { Encoding::Base64 };
    let bytes = encoding.decode(text)?;
    let output = OutputText::within(encoding, &bytes, 0..hash.output_bytes())?;
    let salt = &bytes[hash.output_bytes()..];
    if salt.is_empty() == is_salted {
        return Err(ParseError::Invalid);
    }
    super::digest(text, output, Setting::new(hash, Order::SaltLast, salt.to_vec()))
}

/// Reads `<iterations>$<salt>$<output>`.
fn parse_pbkdf2(prf: Prf, text: &str) -> Result<Parts, ParseError> {
    let [iterations, salt, output] = fields(text, '$')?;
    // 389 Directory Server pads, which is a deviation of `SCHEMES.md`. No block is without padding.
    let encoding = if output.ends_with('=') { Encoding::Base64 } else { Encoding::AdaptedBase64 };
    passlib::pbkdf2(text, (prf, phc::decimal(iterations)?), encoding, [salt, output])
}

/// The one label that means hexadecimal and does not say so.
const PLAIN_MD5: &str = "{PLAIN-MD5}";
