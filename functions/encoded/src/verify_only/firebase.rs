//! Firebase's scrypt: a project's secret signer key, encrypted under what scrypt makes of the password.
//!
//! ```text
//! $fbscrypt$v=1,n=14,r=8,p=1$<salt>$<output>
//! ```
//!
//! The form is Supabase Auth's, without the two fields that it leaves free: `ss`, the project's salt separator, and `sk`, its
//! signer key. They are the same for every account, and the key is a secret: it stands in the settings. A string that
//! carries them is not read.
//!
//! Source: <https://github.com/firebase/scrypt>; Supabase Auth `internal/crypto/password.go`.

use core::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, phc, scrypt};

/// What stands between the first two dollar signs.
pub const ID: &str = "fbscrypt";

/// Length of a signer key, and so of an output, in bytes.
pub const OUTPUT_BYTES: usize = 64;

/// A setting.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    params: scrypt::Params,
    salt: Vec<u8>,
    separator: Vec<u8>,
}

impl Setting {
    /// The cost of scrypt. Firebase calls `log2(N)` the memory cost and `r` the rounds.
    #[must_use]
    pub const fn params(&self) -> scrypt::Params {
        self.params
    }

    /// The salt as it is stored.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// The project's salt separator, which follows the salt; empty until a project is known.
    #[must_use]
    pub fn separator(&self) -> &[u8] {
        &self.separator
    }

    /// The same setting in a project.
    #[must_use]
    pub fn in_project(&self, separator: &[u8]) -> Self {
        Self { separator: separator.to_vec(), ..self.clone() }
    }

    pub(crate) fn print(&self, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, r, p) = (self.params.log_n(), self.params.r(), self.params.p());
        let (salt, output) = (BASE64_STANDARD.encode(&self.salt), BASE64_STANDARD.encode(output));
        write!(f, "${ID}$v=1,n={n},r={r},p={p}${salt}${output}")
    }
}

/// Reads a string without the project's fields.
pub(crate) fn parse(stored: &str) -> Result<Encoded, ParseError> {
    let (_id, rest) = phc::split_id(stored)?;
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    if costs.contains(",ss=") || costs.contains(",sk=") {
        return Err(ParseError::Unsupported);
    }
    let mut costs = costs.split(',');
    let mut cost = |name| phc::field(costs.next().ok_or(ParseError::Invalid)?, name);
    let (version, n, r, p) = (cost("v")?, cost("n")?, cost("r")?, cost("p")?);
    if version != 1 || costs.next().is_some() {
        return Err(ParseError::Invalid);
    }
    let log_n = u8::try_from(n).map_err(|_| ParseError::Invalid)?;
    let params = scrypt::Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let decode = |text| BASE64_STANDARD.decode(text).map_err(|_| ParseError::Invalid);
    let (salt, output) = (decode(salt)?, Zeroizing::new(decode(output)?));
    if salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let setting = Setting { params, salt, separator: Vec::new() };
    let setting = crate::Setting::VerifyOnly(super::Setting::Firebase(setting));
    Encoded::written_as(Scheme::Firebase, setting, &output).ok_or(ParseError::Invalid)
}
