//! Firebase: scrypt of the password is a key, under which the secret signer key of the project is
//! encrypted.
//!
//! ```text
//! $fbscrypt$v=1,n=14,r=8,p=1$<salt>$<output>
//! ```
//!
//! Supabase Auth has the same form with two more fields: `ss`, the salt separator of the project,
//! and `sk`, its signer key. Both are the same for every account, and the key is a secret, so they
//! belong into the settings. A string that has them is refused.
//!
//! Source: <https://github.com/firebase/scrypt>; Supabase Auth `internal/crypto/password.go`.

use crate::{
    ParseError,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc::{self, fields},
    scheme::{Parse, SchemeRow},
    scrypt,
};

pub(crate) static SCHEME: SchemeRow =
    SchemeRow { begins: &["$fbscrypt$"], ..SchemeRow::new("firebase-scrypt", Parse::Text(parse)) };

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
    pub const fn params(&self) -> scrypt::Params {
        self.params
    }

    /// The stored salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// The salt separator of the project, which follows the salt. Empty before
    /// [`in_project`](Self::in_project).
    pub fn separator(&self) -> &[u8] {
        &self.separator
    }

    /// The same setting with the salt separator of a project.
    #[must_use]
    pub fn in_project(&self, separator: &[u8]) -> Self {
        Self { separator: separator.to_vec(), ..self.clone() }
    }
}

fn parse(text: &str) -> Result<Parts, ParseError> {
    let (_id, rest) = phc::split_id(text)?;
    let (costs, rest) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    if costs.contains(",ss=") || costs.contains(",sk=") {
        return Err(ParseError::Unsupported);
    }
    let [version, n, r, p] = fields(costs, ',')?;
    let (version, n) = (phc::field(version, "v")?, phc::field(n, "n")?);
    let (r, p) = (phc::field(r, "r")?, phc::field(p, "p")?);
    let log_n = u8::try_from(n).map_err(|_| ParseError::Invalid)?;
    let params = scrypt::Params::new(log_n, r, p).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_once('$').ok_or(ParseError::Invalid)?;
    let salt = Encoding::Base64.decode(salt)?.to_vec();
    if version != 1 || salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let setting = super::VerifyOnlySetting::Firebase(Setting { params, salt, separator: Vec::new() });
    Parts::new(text, OutputText::read(Encoding::Base64, output)?, crate::Setting::VerifyOnly(setting))
}
