//! Labels that some software puts before another's hash: LDAP's `{CRYPT}`, Spring Security's `{bcrypt}`.
//! Source: RFC 2307 §5.3; Spring Security `DelegatingPasswordEncoder`.

use crate::{Encoded, ParseError, Scheme};

/// A label and the forms that may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    text: &'static str,
    before: &'static [Scheme],
}

impl Label {
    /// What stands before the hash.
    pub(crate) const fn text(self) -> &'static str {
        self.text
    }

    /// Reads what follows the label.
    pub(crate) fn parse(self, rest: &str) -> Result<Encoded, ParseError> {
        let scheme = Scheme::of(rest).filter(|scheme| self.before.contains(scheme));
        let encoded = scheme.ok_or(ParseError::Invalid)?.parse(rest)?;
        Ok(Encoded { label: Some(self), ..encoded })
    }
}

/// The label that a stored string begins with, and the rest.
pub(crate) fn split(stored: &str) -> Option<(Label, &str)> {
    LABELS.iter().find_map(|label| Some((*label, stored.strip_prefix(label.text)?)))
}

const LABELS: &[Label] = &[
    Label { text: "{CRYPT}", before: &[Scheme::Bcrypt] },
    Label { text: "{argon2@SpringSecurity_v5_8}", before: &[Scheme::Argon2] },
    Label { text: "{argon2}", before: &[Scheme::Argon2] },
    Label { text: "{bcrypt}", before: &[Scheme::Bcrypt] },
];
