//! Converts Keycloak's credentials to standard strings.
//!
//! Keycloak stores a hash in two JSON texts: the columns `credential_data` and `secret_data` of its
//! table `credential`. `functions/encoded/SCHEMES.md` describes how they become one string. This
//! code follows that description. The tests of `saltern-policy` include this file, and check it
//! against rows that Keycloak wrote.
//!
//! Source: Keycloak `PasswordCredentialModel`, `Pbkdf2PasswordHashProvider`,
//! `Argon2PasswordHashProvider`.

use std::{borrow::Cow, collections::BTreeMap};

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD},
};
use saltern_encoded::ParseError;
use serde::Deserialize;
use zeroize::Zeroizing;

/// Returns the PHC string of a row of Keycloak's table.
///
/// # Errors
/// - [`ParseError::Unsupported`]: Saltern does not verify the algorithm, or this variant of it.
/// - [`ParseError::Invalid`]: Keycloak does not write such a row.
pub(crate) fn keycloak(credential_data: &str, secret_data: &str) -> Result<String, ParseError> {
    let credential: Credential = serde_json::from_str(credential_data).map_err(|_| ParseError::Invalid)?;
    let secret: Secret<'_> = serde_json::from_str(secret_data).map_err(|_| ParseError::Invalid)?;
    let decode =
        |text: &str| BASE64_STANDARD.decode(text).map(Zeroizing::new).map_err(|_| ParseError::Invalid);
    let (salt, output) = (decode(&secret.salt)?, decode(&secret.value)?);
    let head = match credential.algorithm.as_str() {
        "argon2" => credential.argon2(output.len())?,
        id @ ("pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512") => {
            format!("${id}$i={},l={}", credential.hash_iterations, output.len())
        }
        _ => return Err(ParseError::Unsupported),
    };
    let (salt, output) = (BASE64_STANDARD_NO_PAD.encode(&*salt), BASE64_STANDARD_NO_PAD.encode(&*output));
    let string = format!("{head}${salt}${output}");
    saltern_encoded::parse(&string).map(|_parsed| string)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Credential {
    algorithm: String,
    hash_iterations: u32,
    #[serde(default)]
    additional_parameters: BTreeMap<String, [String; 1]>,
}

#[derive(Deserialize)]
struct Secret<'a> {
    #[serde(borrow)]
    salt: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

impl Credential {
    fn argon2(&self, output_bytes: usize) -> Result<String, ParseError> {
        let parameter = |name| {
            let [value] = self.additional_parameters.get(name).ok_or(ParseError::Invalid)?;
            Ok(value.as_str())
        };
        let variant @ ("d" | "i" | "id") = parameter("type")? else {
            return Err(ParseError::Unsupported);
        };
        let version = match parameter("version")? {
            "1.0" => 16,
            "1.3" => 19,
            _ => return Err(ParseError::Unsupported),
        };
        if parameter("hashLength")? != output_bytes.to_string() {
            return Err(ParseError::Invalid);
        }
        let (m, t, p) = (parameter("memory")?, self.hash_iterations, parameter("parallelism")?);
        Ok(format!("$argon2{variant}$v={version}$m={m},t={t},p={p}"))
    }
}
