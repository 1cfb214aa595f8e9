//! The project of Firebase hashes: its params are shared by all accounts and are not in the hashes.

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
    /// Parses a file with the text that the Firebase console shows.
    ///
    /// # Errors
    /// A sentence that quotes no part of the file.
    pub fn parse(file: &[u8]) -> Result<Self, String> {
        str::from_utf8(file).map_err(|error| error.to_string())?.parse()
    }

    /// Returns the stored hash of a user, from the salt and the hash that Firebase exports, in
    /// Base64 of either alphabet.
    pub fn stored(&self, salt: &str, hash: &str) -> String {
        let [salt, hash] = [salt, hash].map(|text| text.replace('-', "+").replace('_', "/"));
        let (n, r) = (self.0.costs.log_n(), self.0.costs.r());
        format!("$fbscrypt$v=1,n={n},r={r},p={PARALLELIZATION}${salt}${hash}")
    }

    /// Returns the setting to compute for an account of this project, and the output of the correct
    /// password. `None` if the costs are not the project's: the account belongs to another project,
    /// and no password would match.
    pub(crate) fn resolve(&self, setting: &Setting, stored: &[u8]) -> Option<(Setting, Zeroizing<Vec<u8>>)> {
        if setting.params() != self.0.costs {
            return None;
        }
        // The stored output is the signer key, encrypted with the computed stream by XOR.
        let stream = stored.iter().zip(self.0.signer_key.iter()).map(|(stored, key)| stored ^ key);
        Some((setting.in_project(&self.0.separator), Zeroizing::new(stream.collect())))
    }
}

/// Parses the text that the Firebase console shows under "Password hash parameters". The error quotes
/// no part of it, since it holds a secret.
impl FromStr for FirebaseProject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parameters(text).map(|parameters| Self(Arc::new(parameters))).ok_or_else(|| {
            format!(
                "copy the text of `Password hash parameters` in the Firebase console, from `{FIRST_LINE}` to `{LAST_LINE}`, with the members {}",
                NAMES.join(" ")
            )
        })
    }
}

fn parameters(text: &str) -> Option<Parameters> {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let [FIRST_LINE, members @ .., LAST_LINE] = &lines[..] else { return None };
    let pairs = members.iter().map(|line| line.trim_end_matches(',').split_once(": "));
    let pairs = pairs.collect::<Option<Vec<_>>>().filter(|pairs| pairs.len() == NAMES.len())?;
    let value = |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1);
    let bytes = |text| BASE64_STANDARD.decode(text).ok();
    let [algorithm, signer_key, separator, rounds, memory_cost] = NAMES.map(value);
    let signer_key = Zeroizing::new(bytes(signer_key?)?);
    let (r, log_n) = (rounds?.parse().ok()?, memory_cost?.parse().ok()?);
    let costs = scrypt::Params::new(log_n, r, PARALLELIZATION)?;
    if algorithm? != "SCRYPT" || signer_key.len() != OUTPUT_BYTES {
        return None;
    }
    Some(Parameters { costs, separator: bytes(separator?)?, signer_key })
}

impl fmt::Debug for FirebaseProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FirebaseProject(..)")
    }
}

const FIRST_LINE: &str = "hash_config {";
const LAST_LINE: &str = "}";
const NAMES: [&str; 5] = ["algorithm", "base64_signer_key", "base64_salt_separator", "rounds", "mem_cost"];

/// scrypt's `p`, which is a constant in Firebase's own program.
const PARALLELIZATION: u32 = 1;
