use core::{
    cell::LazyCell,
    fmt,
    hash::{Hash, Hasher},
    ptr,
};

use strum::IntoStaticStr;

use crate::{
    Encoded, ParseError, argon2, bcrypt,
    notation::{
        aspnet, atlassian, django, grub, kratos, ldap, mysql, passlib, scrypt_7, spring, werkzeug, wordpress,
    },
    parts::Parts,
    pbkdf2, prepared,
    reading::Reading,
    scrypt,
    verify_only::{des_crypt, firebase, md5_crypt, phpass, sha_crypt, sha1_crypt, sun_md5, yescrypt},
    wrapped,
};

/// The textual form of a stored hash.
///
/// Several schemes may state one algorithm: the PBKDF2 of Django differs from a PHC string in its
/// text only.
#[derive(Clone, Copy)]
pub struct Scheme(pub(crate) &'static SchemeRow);

/// The definition of a scheme.
pub(crate) struct SchemeRow {
    pub(crate) name: &'static str,
    /// The beginnings of its text. If several schemes match a text, the longest beginning counts.
    /// Empty: only a label states the scheme. [`ANY_BEGINNING`]: `is` alone decides.
    pub(crate) begins: &'static [&'static str],
    /// A further condition on the text.
    pub(crate) is: fn(&str) -> bool,
    /// The labels that may stand before its text. If `begins` is empty, one of them must.
    pub(crate) labels: &'static [&'static str],
    pub(crate) parse: Parse,
    pub(crate) reading: Reading,
    pub(crate) weakness: Option<Weakness>,
}

/// How the text of a scheme is read, without its label.
pub(crate) enum Parse {
    Text(fn(&str) -> Result<Parts, ParseError>),
    /// Takes the label first, which states an encoding.
    LabelAndText(fn(&str, &str) -> Result<Parts, ParseError>),
}

/// The beginning of every text.
pub(crate) const ANY_BEGINNING: &[&str] = &[""];

impl SchemeRow {
    /// A scheme without beginnings and labels, which uses the whole password and is not weak.
    pub(crate) const fn new(name: &'static str, parse: Parse) -> Self {
        Self { name, begins: &[], is: |_| true, labels: &[], parse, reading: Reading::WHOLE, weakness: None }
    }

    /// Reads a text of this scheme that follows a label or a name.
    ///
    /// # Errors
    /// - [`ParseError::Unsupported`]: the text states a scheme that is not verified, as `$2x$…`
    ///   does.
    /// - [`ParseError::Invalid`]: the text states another scheme or none, or is not in canonical
    ///   form.
    pub(crate) fn parse_behind(&'static self, label: &str, text: &str) -> Result<Parts, ParseError> {
        self.parse_stated(label, text, || Scheme::of(text))
    }

    /// The same. `stated` returns the scheme that the text states by its beginning.
    fn parse_stated(
        &'static self,
        label: &str,
        text: &str,
        stated: impl FnOnce() -> Option<Scheme>,
    ) -> Result<Parts, ParseError> {
        if self.begins.is_empty() {
            return self.parse(label, text);
        }
        match stated() {
            Some(scheme) if scheme == Scheme(self) => self.parse(label, text),
            None if states_a_scheme(text) => Err(ParseError::Unsupported),
            Some(_) | None => Err(ParseError::Invalid),
        }
    }

    fn parse(&self, label: &str, text: &str) -> Result<Parts, ParseError> {
        let parts = match self.parse {
            Parse::Text(parse) => parse(text),
            Parse::LabelAndText(parse) => parse(label, text),
        };
        Ok(parts?.behind(label))
    }

    /// The length of the beginning that `text` has; `None` if `text` does not state this scheme.
    fn match_length(&self, text: &str) -> Option<usize> {
        let begins = self.begins.iter().filter(|beginning| text.starts_with(**beginning));
        let longest = begins.map(|beginning| beginning.len()).max()?;
        (self.is)(text).then_some(longest)
    }
}

/// Reads a stored hash of any scheme.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    if let Some(text) = stored.strip_prefix(prepared::MARK) {
        return prepared::parse(text);
    }
    if !stored.starts_with('{') {
        let scheme = Scheme::of(stored).ok_or(ParseError::Unsupported)?;
        return Ok(Encoded { preparation: None, label: None, scheme, parts: scheme.0.parse("", stored)? });
    }
    // Many schemes share `{CRYPT}`, so the scheme of the text behind the label is looked up once.
    // The label of a scheme with beginnings ends with its first `}` (a test checks this).
    let stated = LazyCell::new(|| stored.split_once('}').and_then(|(_label, text)| Scheme::of(text)));
    let mut error = None;
    let labels = |&scheme: &Scheme| scheme.0.labels.iter().map(move |&label| (scheme, label));
    for (scheme, label) in Scheme::ALL.iter().flat_map(labels) {
        let Some(text) = stored.strip_prefix(label) else { continue };
        match scheme.0.parse_stated(label, text, || *stated) {
            // If two schemes share a label, no text is of both.
            Ok(parts) => return Ok(Encoded { preparation: None, label: Some(label), scheme, parts }),
            Err(ParseError::Invalid) => error = error.or(Some(ParseError::Invalid)),
            Err(ParseError::Unsupported) => error = Some(ParseError::Unsupported),
        }
    }
    Err(error.unwrap_or(ParseError::Unsupported))
}

/// Whether the text has an id between two dollar signs.
fn states_a_scheme(text: &str) -> bool {
    let modular = text.strip_prefix('$').and_then(|text| text.split_once('$'));
    modular.is_some_and(|(id, _rest)| !id.is_empty())
}

impl Scheme {
    /// Every scheme. Those that a label or a version alone tells apart share a name.
    ///
    /// To add a scheme, define its row in its own module and list the row here.
    pub const ALL: &'static [Self] = &[
        Self(&md5_crypt::APR1),
        Self(&argon2::SCHEME),
        Self(&aspnet::V2),
        Self(&aspnet::V3),
        Self(&atlassian::SCHEME),
        Self(&bcrypt::SCHEME),
        Self(&des_crypt::BSDI),
        Self(&des_crypt::TRADITIONAL),
        Self(&django::ARGON2),
        Self(&django::BCRYPT),
        Self(&django::BCRYPT_SHA256),
        Self(&django::MD5),
        Self(&django::PBKDF2),
        Self(&django::SCRYPT),
        Self(&django::UNSALTED_SHA1),
        Self(&phpass::DRUPAL),
        Self(&phpass::DRUPAL_UPDATED),
        Self(&firebase::SCHEME),
        Self(&grub::SCHEME),
        Self(&kratos::DIGEST),
        Self(&ldap::MD5),
        Self(&ldap::SHA),
        Self(&ldap::SHA256),
        Self(&ldap::SHA384),
        Self(&ldap::SHA512),
        Self(&ldap::SMD5),
        Self(&ldap::SSHA),
        Self(&ldap::SSHA256),
        Self(&ldap::SSHA384),
        Self(&ldap::SSHA512),
        Self(&ldap::PBKDF2_SHA1),
        Self(&ldap::PBKDF2_SHA256),
        Self(&ldap::PBKDF2_SHA512),
        Self(&md5_crypt::FREE_BSD),
        Self(&mysql::NATIVE),
        Self(&passlib::BCRYPT_SHA256_V1),
        Self(&passlib::BCRYPT_SHA256_V2),
        Self(&passlib::PBKDF2),
        Self(&pbkdf2::SCHEME),
        Self(&phpass::PHPASS),
        Self(&scrypt::SCHEME),
        Self(&scrypt_7::SCHEME),
        Self(&sha1_crypt::SCHEME),
        Self(&sha_crypt::SHA256),
        Self(&sha_crypt::SHA512),
        Self(&spring::MD5),
        Self(&spring::SHA1),
        Self(&spring::SHA256_WITH_SALT),
        Self(&spring::PBKDF2_V5_5),
        Self(&spring::PBKDF2_V5_5_BASE64),
        Self(&spring::PBKDF2_V5_8),
        Self(&spring::PBKDF2_V5_8_BASE64),
        Self(&spring::SCRYPT),
        Self(&spring::SHA256),
        Self(&sun_md5::SCHEME),
        Self(&werkzeug::HMAC),
        Self(&werkzeug::PBKDF2),
        Self(&werkzeug::SCRYPT),
        Self(&wordpress::SCHEME),
        Self(&wrapped::SCHEME),
        Self(&yescrypt::SCHEME),
    ];

    /// The scheme that a text without a label states by its beginning. A bare digest states none.
    fn of(text: &str) -> Option<Self> {
        let matches = Self::ALL.iter().filter_map(|scheme| Some((scheme.0.match_length(text)?, *scheme)));
        matches.max_by_key(|(length, _scheme)| *length).map(|(_length, scheme)| scheme)
    }

    /// The name in settings, reports and test vectors.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Which part of a password the scheme uses, and how it prepares it.
    pub fn reading(self) -> Reading {
        self.0.reading
    }

    /// The reason why a leaked table is easy to guess; `None` if the scheme is salted and each
    /// guess takes time.
    pub fn weakness(self) -> Option<Weakness> {
        self.0.weakness
    }
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for Scheme {}

impl Hash for Scheme {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self.0, state);
    }
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a scheme is verified only if a setting names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Weakness {
    /// Salted, and a guess takes well under a tenth of a millisecond.
    Fast,
    /// Without a salt: one table of digests serves for all accounts.
    Unsalted,
}

impl Weakness {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_before_a_beginning_ends_with_its_first_brace() {
        let with_beginnings = Scheme::ALL.iter().filter(|scheme| !scheme.0.begins.is_empty());
        for label in with_beginnings.flat_map(|scheme| scheme.0.labels) {
            assert_eq!(label.find('}'), Some(label.len() - 1), "{label}");
        }
    }

    #[test]
    fn no_two_schemes_have_the_same_beginning() {
        let begins = Scheme::ALL.iter().flat_map(|scheme| scheme.0.begins);
        let mut begins: Vec<_> = begins.filter(|beginning| !beginning.is_empty()).collect();
        let all = begins.len();
        begins.sort_unstable();
        begins.dedup();
        assert_eq!(begins.len(), all);
    }

    #[test]
    fn every_scheme_has_a_beginning_or_a_label() {
        for scheme in Scheme::ALL {
            assert!(!scheme.0.begins.is_empty() || !scheme.0.labels.is_empty(), "{scheme:?}");
        }
    }
}
