//! The project that hashes of Firebase belong to: the parameters that every account shares and no stored hash holds.

use core::{fmt, str::FromStr};
use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use saltern_encoded::{
    scrypt,
    verify_only::firebase::{OUTPUT_BYTES, Setting},
};
use zeroize::Zeroizing;

/// A Firebase project's password hash parameters.
#[derive(Clone)]
pub struct FirebaseProject(Arc<Parameters>);

struct Parameters {
    costs: scrypt::Params,
    separator: Vec<u8>,
    signer_key: Zeroizing<Vec<u8>>,
}

impl FirebaseProject {
    /// What to compute for an account of this project, and the output that a right password gives. `None` where the
    /// stored costs are not the project's: it is an account of another one, and every password would be wrong.
    pub(crate) fn resolve(&self, setting: &Setting, stored: &[u8]) -> Option<(Setting, Zeroizing<Vec<u8>>)> {
        if setting.params() != self.0.costs {
            return None;
        }
        // The stored output is the signer key under a stream of bytes, and the stream is what is computed.
        let stream = stored.iter().zip(self.0.signer_key.iter()).map(|(stored, key)| stored ^ key);
        Some((setting.in_project(&self.0.separator), Zeroizing::new(stream.collect())))
    }
}

/// The text of the Firebase console under "Password hash parameters".
impl FromStr for FirebaseProject {
    type Err = FirebaseProjectError;

    fn from_str(text: &str) -> Result<Self, FirebaseProjectError> {
        let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let [FIRST_LINE, parameters @ .., LAST_LINE] = &lines[..] else { return Err(FirebaseProjectError) };
        let pairs: Option<Vec<_>> =
            parameters.iter().map(|line| line.trim_end_matches(',').split_once(": ")).collect();
        let pairs = pairs.filter(|pairs| pairs.len() == NAMES.len()).ok_or(FirebaseProjectError)?;
        let value = |name| {
            let pair = pairs.iter().find(|pair| pair.0 == name);
            pair.map(|pair| pair.1).ok_or(FirebaseProjectError)
        };
        let bytes = |text| BASE64_STANDARD.decode(text).map_err(|_| FirebaseProjectError);
        let [algorithm, signer_key, separator, rounds, memory_cost] = NAMES.map(value);
        let signer_key = Zeroizing::new(bytes(signer_key?)?);
        let (r, log_n) = (rounds?.parse(), memory_cost?.parse());
        let costs =
            log_n.ok().zip(r.ok()).and_then(|(log_n, r)| scrypt::Params::new(log_n, r, PARALLELIZATION));
        if algorithm? != "SCRYPT" || signer_key.len() != OUTPUT_BYTES {
            return Err(FirebaseProjectError);
        }
        let costs = costs.ok_or(FirebaseProjectError)?;
        Ok(Self(Arc::new(Parameters { costs, separator: bytes(separator?)?, signer_key })))
    }
}

impl fmt::Debug for FirebaseProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FirebaseProject(..)")
    }
}

/// The text is not a project's parameters. It says what they look like and quotes nothing: the text holds a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirebaseProjectError;

impl fmt::Display for FirebaseProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "copy what the Firebase console shows as `Password hash parameters`, from `{FIRST_LINE}` to `{LAST_LINE}`:"
        )?;
        NAMES.iter().try_for_each(|name| write!(f, " {name}"))
    }
}

impl core::error::Error for FirebaseProjectError {}

const FIRST_LINE: &str = "hash_config {";
const LAST_LINE: &str = "}";
const NAMES: [&str; 5] = ["algorithm", "base64_signer_key", "base64_salt_separator", "rounds", "mem_cost"];

/// scrypt's `p`, which Firebase's own program fixes.
const PARALLELIZATION: u32 = 1;
