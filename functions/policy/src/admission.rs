//! Admission: parses hashes and bounds their cost before any work.

use saltern_encoded::{
    Encoded, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, Params, ParseError, Preparation, Reading, Scheme, Setting,
    SitePreparation, argon2, bcrypt, verify_only, wrapped,
};
use saltern_kernels::{Admitted, CostOutOfBounds, Output, Password, prepare, prepare_for_site};
use zeroize::Zeroizing;

use crate::{Policies, Policy, Status};

/// Why a hash is not admitted. Nothing is computed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A cost of the stored hash exceeds its ceiling.
    CostOutOfBounds,
    /// The stored hash does not parse.
    InvalidHash,
    /// The operating system gave no random bytes for a salt.
    NoRandomness,
    /// The password of a new bcrypt hash contains a NUL: other software ignores all bytes after it.
    PasswordHasNul,
    /// The password of a new bcrypt hash is longer than 72 bytes: bcrypt ignores the rest.
    PasswordTooLong,
    /// The named policy is verify-only.
    PolicyNotForHashing,
    /// The site prepared the password with a key that is not known here.
    SiteKeyUnavailable,
    /// No policy has that name.
    UnknownPolicy,
    /// The scheme of the stored hash is unknown, or lacks a setting that it needs.
    UnsupportedHash,
    /// The scheme of the stored hash is unsalted or fast, or the hash is below a floor, and the
    /// operator has not accepted the scheme.
    WeakScheme,
}

/// A stored hash that may be verified.
#[derive(Clone, Debug)]
pub struct Stored {
    pub(crate) encoded: Encoded,
    admitted: Admitted,
    /// The output of the correct password.
    expected: Zeroizing<Vec<u8>>,
    /// The pepper of the site. Empty if the hash has none.
    site_key: Password,
    pub(crate) policy: Option<usize>,
    pub(crate) is_decoy: bool,
}

impl Stored {
    /// The work to do for each candidate.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The scheme of the stored hash.
    pub fn scheme(&self) -> Scheme {
        self.encoded.scheme()
    }

    /// The name of the algorithm, for logs and metrics.
    pub fn algorithm(&self) -> &'static str {
        self.encoded.setting().algorithm().name()
    }

    /// Returns the readings of a password from which the stored hash may have been made.
    ///
    /// Usually there is one. If software with C strings uses the scheme, a password with a NUL has
    /// two readings. Such software stops at the NUL, and other software does not.
    pub fn candidates(&self, password: &Password) -> Candidates {
        let innermost = self.encoded.innermost();
        let (reading, salt) = (innermost.scheme().reading(), innermost.setting().salt());
        let given = Prepared::of(password, innermost.preparation(), &self.site_key);
        let bytes = given.text.expose();
        let before_nul = bytes.iter().position(|&b| b == 0).filter(|_| reading.may_stop_at_nul);
        let whole = Candidate::of(&given, reading, salt);
        let Some(nul) = before_nul else { return Candidates { first: whole, second: None } };
        let stopped = Prepared { text: given.text.part(|bytes| &bytes[..nul]), ..given };
        let stopped = Candidate::of(&stopped, reading, salt);
        Candidates { first: stopped, second: Some(whole) }
    }

    /// Whether an output equals the stored one, in constant time. Always false for the decoy.
    #[must_use]
    pub fn matches(&self, output: &Output) -> bool {
        output.matches(&self.expected) && !self.is_decoy
    }
}

/// The readings of a password.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The only reading, or the one up to the NUL.
    pub first: Candidate,
    /// The reading of the whole password, if there are two.
    pub second: Option<Candidate>,
}

/// One reading of a password: the bytes that the scheme hashes.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The bytes to hash.
    pub password: Password,
    /// Whether the scheme ignores a part of the given password.
    pub ignores_part: bool,
}

/// The text that the scheme is given, and the end of the password in it.
struct Prepared {
    text: Password,
    /// 0 if the text is a digest: no part of the password is ignored with a part of the digest.
    password_end: usize,
}

impl Prepared {
    fn of(password: &Password, preparation: Option<&SitePreparation>, site_key: &Password) -> Self {
        let length = password.expose().len();
        let Some(preparation) = preparation else {
            return Self { text: password.clone(), password_end: length };
        };
        let text = prepare_for_site(preparation, site_key.expose(), password);
        let password_end = match preparation {
            SitePreparation::PepperAppend(_) => length,
            SitePreparation::PepperPrepend(_) => text.expose().len(),
            SitePreparation::Md5Hex | SitePreparation::Sha1Hex | SitePreparation::Sha256Base64 => 0,
        };
        Self { text, password_end }
    }
}

impl Candidate {
    fn of(given: &Prepared, reading: Reading, salt: &[u8]) -> Self {
        let whole = given.text.expose();
        let bytes = trimmed(whole, reading.trims);
        let read = reading.most_bytes.unwrap_or(usize::MAX).min(whole.len());
        let eighth_bit = reading.seven_bits && !bytes.is_ascii();
        let ignores_part = bytes.len() < whole.len() || read < given.password_end || eighth_bit;
        let password = given.text.part(|bytes| trimmed(bytes, reading.trims));
        Self { password: prepare(reading.preparation, salt, &password), ignores_part }
    }
}

/// Removes these bytes from both ends.
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

/// A stored hash that is admitted for wrapping: argon2id of the stored string.
#[derive(Clone)]
pub struct Wrapping {
    setting: wrapped::Setting,
    admitted: Admitted,
    stored: Password,
}

impl Wrapping {
    /// The work to do.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The input of the work: the stored hash.
    pub fn stored(&self) -> &Password {
        &self.stored
    }

    /// Returns the string to store; `None` if the output has another length than the setting's.
    pub fn encode(&self, output: &Output) -> Option<String> {
        let setting = Setting::Wrapped(Box::new(self.setting.clone()));
        Encoded::new(setting, output.expose()).map(|encoded| encoded.to_string())
    }
}

/// A new hash that is admitted.
#[derive(Clone, Debug)]
pub struct NewHash {
    setting: Setting,
    admitted: Admitted,
    policy: String,
}

impl NewHash {
    /// The work to do.
    pub fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The id of its policy.
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// Returns the string to store; `None` if the output has another length than the setting's.
    pub fn encode(&self, output: &Output) -> Option<String> {
        Encoded::new(self.setting.clone(), output.expose()).map(|encoded| encoded.to_string())
    }
}

impl Policies {
    /// Parses a stored hash and bounds its cost.
    ///
    /// # Errors
    /// [`Refusal::UnsupportedHash`], [`Refusal::InvalidHash`], [`Refusal::WeakScheme`],
    /// [`Refusal::CostOutOfBounds`], [`Refusal::SiteKeyUnavailable`].
    pub fn admit_stored(&self, stored: &str) -> Result<Stored, Refusal> {
        self.admit_stored_with(stored, |_| None)
    }

    /// The same. `site_key` returns the site key with an id, if it is known.
    ///
    /// # Errors
    /// Those of [`Self::admit_stored`].
    pub fn admit_stored_with<'k>(
        &self,
        stored: &str,
        site_key: impl FnOnce(&str) -> Option<&'k [u8]>,
    ) -> Result<Stored, Refusal> {
        let encoded = saltern_encoded::parse(stored)?;
        let is_refused = self.weakness(&encoded).is_some() && !self.accepted_weak.names(encoded.scheme());
        let policy = self.policy_of(&encoded);
        // A hash below a floor may exceed a ceiling too. No permission helps then.
        let stored = self.stored(encoded, policy, false)?;
        if is_refused {
            return Err(Refusal::WeakScheme);
        }
        Ok(Stored { site_key: pepper(stored.encoded.innermost(), site_key)?, ..stored })
    }

    /// Returns the hash to verify if the user does not exist: it takes the work of the decoy
    /// policy, and no password matches it. It is parsed each time, as a user's is: after a hash the
    /// code of a parser is no longer in the caches, and takes some 20 µs.
    ///
    /// # Errors
    /// None in practice: loading the document has admitted the decoy's policy.
    pub fn admit_decoy(&self) -> Result<Stored, Refusal> {
        self.stored(saltern_encoded::parse(&self.decoy_hash)?, None, true)
    }

    /// Prepares a new hash under the named policy; the default is the current one.
    ///
    /// # Errors
    /// [`Refusal::UnknownPolicy`], [`Refusal::PolicyNotForHashing`],
    /// [`Refusal::NoRandomness`]. Under bcrypt also [`Refusal::PasswordTooLong`] and
    /// [`Refusal::PasswordHasNul`].
    pub fn admit_new(&self, policy: Option<&str>, password: &Password) -> Result<NewHash, Refusal> {
        let policy = self.policy_for_hashing(policy)?;
        refuse_what_bcrypt_ignores(policy, password)?;
        let mut salt = [0; NEW_SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| Refusal::NoRandomness)?;
        let setting = Setting::fresh(policy.params, salt);
        let admitted = Admitted::new(setting.clone(), self.ceilings())?;
        Ok(NewHash { setting, admitted, policy: policy.id.clone() })
    }

    /// Prepares to wrap a stored hash in argon2id with these params.
    ///
    /// # Errors
    /// - [`Refusal::UnsupportedHash`]: the hash is wrapped already, or the params are not
    ///   argon2id's.
    /// - [`Refusal::InvalidHash`]: the result would be longer than a stored hash may be.
    /// - [`Refusal::CostOutOfBounds`]: the cost of both layers together exceeds a ceiling.
    /// - [`Refusal::NoRandomness`].
    pub fn admit_wrapping(&self, stored: &Encoded, params: argon2::Params) -> Result<Wrapping, Refusal> {
        let mut salt = [0; NEW_SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| Refusal::NoRandomness)?;
        let setting = wrapped::Setting::fresh(params, salt, stored).ok_or(Refusal::UnsupportedHash)?;
        let both = Setting::Wrapped(Box::new(setting.clone()));
        Admitted::new(both.clone(), self.ceilings())?;
        // A result that does not parse would lock the user out.
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
        Ok(Stored { encoded, admitted, expected, site_key: Password::empty(), policy, is_decoy })
    }

    /// Returns the setting to compute and the output of the correct password. Both are stored in
    /// the hash, except for Firebase, where a setting of the service holds the project's params.
    fn resolve(&self, encoded: &Encoded) -> Result<(Setting, Zeroizing<Vec<u8>>), Refusal> {
        let Setting::VerifyOnly(verify_only::VerifyOnlySetting::Firebase(setting)) = encoded.setting() else {
            return Ok((encoded.setting().clone(), Zeroizing::new(encoded.output().to_vec())));
        };
        let project = self.firebase_project.as_ref();
        let resolved = project.and_then(|project| project.resolve(setting, encoded.output()));
        let (setting, expected) = resolved.ok_or(Refusal::UnsupportedHash)?;
        Ok((Setting::VerifyOnly(verify_only::VerifyOnlySetting::Firebase(setting)), expected))
    }

    fn policy_for_hashing(&self, id: Option<&str>) -> Result<&Policy, Refusal> {
        let Some(id) = id else { return Ok(self.current()) };
        let policy = self.list().iter().find(|p| p.id == id).ok_or(Refusal::UnknownPolicy)?;
        match policy.status {
            Status::Active => Ok(policy),
            Status::VerifyOnly => Err(Refusal::PolicyNotForHashing),
        }
    }

    /// Returns the policy of a hash. A hash has none if its salt or output is shorter than the
    /// policy's, or if the password was prepared.
    fn policy_of(&self, encoded: &Encoded) -> Option<usize> {
        if is_prepared(encoded) {
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

/// Whether the scheme or the site prepared the password.
pub(crate) fn is_prepared(encoded: &Encoded) -> bool {
    encoded.preparation().is_some() || encoded.scheme().reading().preparation != Preparation::None
}

/// Returns the pepper of a hash, which is empty if the site had none.
fn pepper<'k>(
    encoded: &Encoded,
    site_key: impl FnOnce(&str) -> Option<&'k [u8]>,
) -> Result<Password, Refusal> {
    let Some(id) = encoded.preparation().and_then(SitePreparation::site_key) else {
        return Ok(Password::empty());
    };
    let key = site_key(id).ok_or(Refusal::SiteKeyUnavailable)?;
    let reading = encoded.scheme().reading();
    let hides_the_password = reading.most_bytes.is_some_and(|most| key.len() + LEAST_BYTES_LEFT > most)
        || reading.may_stop_at_nul && key.contains(&0);
    match encoded.preparation() {
        // Every password would match, or one of a few.
        Some(SitePreparation::PepperPrepend(_)) if hides_the_password => Err(Refusal::UnsupportedHash),
        _ => Password::new(key).map_err(|_| Refusal::UnsupportedHash),
    }
}

/// A pepper before the password leaves so many bytes of it at least, as traditional crypt(3) does. Of
/// one byte there are 256.
const LEAST_BYTES_LEFT: usize = 8;

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
