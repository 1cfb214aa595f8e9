//! Which hashes are computed at all: parse, bound, and choose before any work.

use saltern_algorithm::{Admitted, CostOutOfBounds, Output, Password, prepare};
use saltern_encoded::{
    Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, Params, ParseError, Preparation, Reading, Setting, argon2,
    bcrypt, verify_only, wrapped,
};
use zeroize::Zeroizing;

use crate::{Policies, Policy, Status};

/// Why nothing is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A cost of the stored hash is over its ceiling.
    CostOutOfBounds,
    /// The stored hash does not parse.
    InvalidHash,
    /// The operating system gave no random bytes for a salt.
    NoRandomness,
    /// A new bcrypt hash of a password with a NUL: software that stops there would accept less.
    PasswordHasNul,
    /// A new bcrypt hash of more than 72 bytes: the rest would never be checked.
    PasswordTooLong,
    /// The named policy is verify-only.
    PolicyNotForHashing,
    /// No policy has that name.
    UnknownPolicy,
    /// The stored hash is of a scheme unknown or switched off.
    UnsupportedHash,
    /// The stored hash is of an unsalted or fast scheme that was not allowed by name.
    WeakScheme,
}

/// A stored hash that may be verified.
#[derive(Clone, Debug)]
pub struct Stored {
    pub(crate) encoded: Encoded,
    admitted: Admitted,
    /// The output that a right password gives.
    expected: Zeroizing<Vec<u8>>,
    pub(crate) policy: Option<usize>,
    pub(crate) is_decoy: bool,
}

impl Stored {
    /// What to compute, once for each candidate.
    #[must_use]
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// Algorithm name, for logs and metrics.
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        self.encoded.setting().algorithm().name()
    }

    /// The readings of a password under which the stored hash may have been made. One, but for a NUL in what software
    /// on C strings may have hashed: it stopped there, other software went on, and the stored hash does not say which
    /// made it.
    #[must_use]
    pub fn candidates(&self, password: &Password) -> Vec<Candidate> {
        let innermost = innermost(&self.encoded);
        let (reading, salt) = (innermost.scheme().reading(), innermost.setting().salt());
        let bytes = password.expose();
        let before_nul = bytes.iter().position(|&b| b == 0).filter(|_| reading.may_stop_at_nul);
        let whole = Candidate::of(password, reading, salt);
        match before_nul.and_then(|nul| Password::new(&bytes[..nul]).ok()) {
            Some(stopped) => {
                vec![Candidate { ignores_part: true, ..Candidate::of(&stopped, reading, salt) }, whole]
            }
            None => vec![whole],
        }
    }

    /// Whether an output is the stored one. In constant time.
    #[must_use]
    pub fn matches(&self, output: &Output) -> bool {
        output.matches(&self.expected) && !self.is_decoy
    }
}

/// One reading of a password.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What to hash.
    pub password: Password,
    /// Whether the scheme, read so, ignores part of what was given.
    pub ignores_part: bool,
}

impl Candidate {
    fn of(password: &Password, reading: Reading, salt: &[u8]) -> Self {
        let whole = password.expose();
        let bytes = trimmed(whole, reading.trims);
        let beyond_most = reading.most_bytes.is_some_and(|most| bytes.len() > most);
        let eighth_bit = reading.seven_bits && !bytes.is_ascii();
        let ignores_part = bytes.len() < whole.len() || beyond_most || eighth_bit;
        // What is shorter than a password is not too long for one.
        let password = Password::new(bytes).unwrap_or_else(|_| password.clone());
        Self { password: prepare(reading.preparation, salt, &password), ignores_part }
    }
}

/// Without these bytes at both ends.
fn trimmed<'a>(mut bytes: &'a [u8], trims: &[u8]) -> &'a [u8] {
    while let [first, rest @ ..] = bytes
        && trims.contains(first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && trims.contains(last)
    {
        bytes = rest;
    }
    bytes
}

/// The hash beneath, where one is wrapped.
pub(crate) fn innermost(encoded: &Encoded) -> &Encoded {
    match encoded.setting() {
        Setting::Wrapped(setting) => setting.inner(),
        _ => encoded,
    }
}

/// A stored hash that may be wrapped: argon2id over the string itself.
#[derive(Clone)]
pub struct Wrapping {
    setting: wrapped::Setting,
    admitted: Admitted,
    stored: Password,
}

impl Wrapping {
    /// What to compute.
    #[must_use]
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// What to compute it for: the stored hash.
    #[must_use]
    pub fn stored(&self) -> &Password {
        &self.stored
    }

    /// The string to store; `None` where the output is not of this setting's length.
    #[must_use]
    pub fn encode(&self, output: &Output) -> Option<String> {
        let setting = Setting::Wrapped(Box::new(self.setting.clone()));
        Encoded::new(setting, output.expose()).map(|encoded| encoded.to_string())
    }
}

/// A new hash that may be computed.
#[derive(Clone, Debug)]
pub struct NewHash {
    setting: Setting,
    admitted: Admitted,
    policy: String,
}

impl NewHash {
    /// What to compute.
    #[must_use]
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The policy it is made under.
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// The string to store; `None` where the output is not of this setting's length.
    #[must_use]
    pub fn encode(&self, output: &Output) -> Option<String> {
        Encoded::new(self.setting.clone(), output.expose()).map(|encoded| encoded.to_string())
    }
}

impl Policies {
    /// Parses a stored hash and bounds its cost.
    ///
    /// # Errors
    /// [`Refusal::UnsupportedHash`], [`Refusal::InvalidHash`], [`Refusal::WeakScheme`], [`Refusal::CostOutOfBounds`].
    pub fn admit_stored(&self, stored: &str) -> Result<Stored, Refusal> {
        let encoded = saltern_encoded::parse(stored)?;
        if !self.accepted_weak.accepts(encoded.scheme()) {
            return Err(Refusal::WeakScheme);
        }
        let policy = self.policy_of(&encoded);
        self.stored(encoded, policy, false)
    }

    /// What is verified where there is no stored hash: the decoy policy's work, always a mismatch.
    ///
    /// # Errors
    /// None in practice: the decoy's policy was admitted when the document was loaded.
    pub fn admit_decoy(&self) -> Result<Stored, Refusal> {
        self.stored(self.decoy_hash.clone(), None, true)
    }

    /// Prepares a new hash under the named policy, or the current one.
    ///
    /// # Errors
    /// [`Refusal::UnknownPolicy`], [`Refusal::PolicyNotForHashing`]; under bcrypt [`Refusal::PasswordTooLong`] over
    /// 72 bytes and [`Refusal::PasswordHasNul`]; [`Refusal::NoRandomness`].
    pub fn admit_new(&self, policy: Option<&str>, password: &Password) -> Result<NewHash, Refusal> {
        let policy = self.policy_for_hashing(policy)?;
        refuse_what_bcrypt_ignores(policy, password)?;
        let mut salt = [0; NEW_SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| Refusal::NoRandomness)?;
        let setting = Setting::fresh(policy.params, salt);
        let admitted = Admitted::new(setting.clone(), self.ceilings())?;
        Ok(NewHash { setting, admitted, policy: policy.id.clone() })
    }

    /// Prepares to wrap a stored hash in argon2id under new parameters.
    ///
    /// # Errors
    /// [`Refusal::UnsupportedHash`] where it is wrapped already or the parameters are not argon2id's,
    /// [`Refusal::InvalidHash`] where the result would be longer than a stored hash may be,
    /// [`Refusal::CostOutOfBounds`] where a login could not be checked through both layers,
    /// [`Refusal::NoRandomness`].
    pub fn admit_wrapping(&self, stored: &Encoded, params: argon2::Params) -> Result<Wrapping, Refusal> {
        let mut salt = [0; NEW_SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| Refusal::NoRandomness)?;
        let setting = wrapped::Setting::fresh(params, salt, stored).ok_or(Refusal::UnsupportedHash)?;
        let both = Setting::Wrapped(Box::new(setting.clone()));
        Admitted::new(both.clone(), self.ceilings())?;
        // What cannot be read again would lock its owner out.
        let unread = Encoded::new(both, &[0; NEW_OUTPUT_BYTES]).ok_or(Refusal::UnsupportedHash)?;
        saltern_encoded::parse(&unread.to_string())?;
        let admitted = Admitted::new(Setting::Argon2(setting.outer().clone()), self.ceilings())?;
        let stored = Zeroizing::new(stored.to_string());
        let stored = Password::new(stored.as_bytes()).map_err(|_| Refusal::InvalidHash)?;
        Ok(Wrapping { setting, admitted, stored })
    }

    fn stored(&self, encoded: Encoded, policy: Option<usize>, is_decoy: bool) -> Result<Stored, Refusal> {
        let (setting, expected) = self.resolve(&encoded)?;
        let admitted = Admitted::new(setting, self.ceilings())?;
        Ok(Stored { encoded, admitted, expected, policy, is_decoy })
    }

    /// What to compute, and the output that a right password gives: as they are stored, but for Firebase, whose project's
    /// parameters stand in the settings.
    fn resolve(&self, encoded: &Encoded) -> Result<(Setting, Zeroizing<Vec<u8>>), Refusal> {
        let Setting::VerifyOnly(verify_only::Setting::Firebase(setting)) = encoded.setting() else {
            return Ok((encoded.setting().clone(), Zeroizing::new(encoded.output().to_vec())));
        };
        let project = self.firebase_project.as_ref();
        let resolved = project.and_then(|project| project.resolve(setting, encoded.output()));
        let (setting, expected) = resolved.ok_or(Refusal::UnsupportedHash)?;
        Ok((Setting::VerifyOnly(verify_only::Setting::Firebase(setting)), expected))
    }

    fn policy_for_hashing(&self, id: Option<&str>) -> Result<&Policy, Refusal> {
        let Some(id) = id else { return Ok(self.current()) };
        let policy = self.list().iter().find(|p| p.id == id).ok_or(Refusal::UnknownPolicy)?;
        match policy.status {
            Status::Active => Ok(policy),
            Status::VerifyOnly => Err(Refusal::PolicyNotForHashing),
        }
    }

    /// The policy whose hash this is. A salt or output shorter than a policy's own was not made under it, and neither was
    /// a hash of something else than the password.
    fn policy_of(&self, encoded: &Encoded) -> Option<usize> {
        if encoded.scheme().reading().preparation != Preparation::None {
            return None;
        }
        let setting = encoded.setting();
        let made_here = |policy: &Policy| {
            let own = Setting::fresh(policy.params, [0; NEW_SALT_BYTES]);
            setting.params() == Some(policy.params)
                && setting.salt().len() >= own.salt().len()
                && setting.output_bytes() >= own.output_bytes()
        };
        self.list().iter().position(made_here)
    }
}

fn refuse_what_bcrypt_ignores(policy: &Policy, password: &Password) -> Result<(), Refusal> {
    let Params::Bcrypt(_) = policy.params else { return Ok(()) };
    if password.expose().len() > bcrypt::MAX_PASSWORD_BYTES {
        return Err(Refusal::PasswordTooLong);
    }
    if password.expose().contains(&0) {
        return Err(Refusal::PasswordHasNul);
    }
    Ok(())
}

impl From<ParseError> for Refusal {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::Invalid => Self::InvalidHash,
            ParseError::Unsupported => Self::UnsupportedHash,
        }
    }
}

impl From<CostOutOfBounds> for Refusal {
    fn from(CostOutOfBounds: CostOutOfBounds) -> Self {
        Self::CostOutOfBounds
    }
}
