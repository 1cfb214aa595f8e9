//! The secrets of the function: files in a layer, which KMS decrypts once, at the start.
//!
//! No request calls KMS. So environments that run go on if KMS does not answer.

use std::{ffi::OsString, fs, time::Duration};

use aws_sdk_kms::{
    Client,
    config::{Builder, retry::RetryConfig},
    primitives::Blob,
};
use saltern_policy::FirebaseProject;
use saltern_seal::Keys;
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::{
    cloudwatch::{CallFailure, sdk_config},
    fatal_error::FatalError,
    settings::{FUNCTION, REGION, text},
};

/// The decrypted secrets.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    pub(crate) firebase_project: Option<FirebaseProject>,
    pub(crate) seal_keys: Option<Keys>,
}

impl Secrets {
    /// Decrypts the files that the settings name. Without such a setting it calls nothing.
    ///
    /// # Errors
    /// [`FatalError`] if a file is unreadable, not decrypted or invalid. It quotes no file.
    pub(crate) async fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, FatalError> {
        let (firebase_project, seal_keys) = (text(&variable, FIREBASE_PROJECT)?, text(&variable, SEAL_KEYS)?);
        if firebase_project.is_none() && seal_keys.is_none() {
            return Ok(Self::default());
        }
        let kms = Kms::new(&variable).await?;
        let (firebase_project, seal_keys) =
            tokio::try_join!(kms.decrypt(firebase_project), kms.decrypt(seal_keys))?;
        Ok(Self {
            firebase_project: firebase_project.map(|file| file.parsed(FirebaseProject::parse)).transpose()?,
            seal_keys: seal_keys
                .map(|file| file.parsed(|bytes| Keys::parse(bytes).map_err(|error| error.to_string())))
                .transpose()?,
        })
    }
}

/// A client of KMS, for this function's documents.
struct Kms {
    client: Client,
    function: String,
}

impl Kms {
    async fn new(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, FatalError> {
        let region = text(&variable, REGION)?.ok_or_else(|| {
            FatalError::new(format!("{REGION} is not set, and KMS decrypts the secrets of the function"))
        })?;
        let config = Builder::from(&sdk_config(region).await).retry_config(RetryConfig::standard());
        let function = text(&variable, FUNCTION)?.unwrap_or_default();
        Ok(Self { client: Client::from_conf(config.build()), function })
    }

    /// Decrypts a file, if one is named.
    async fn decrypt(&self, file: Option<String>) -> Result<Option<Decrypted>, FatalError> {
        let Some(file) = file else { return Ok(None) };
        let ciphertext = fs::read(&file)
            .map_err(|error| FatalError::new(format!("the secret {file} cannot be read ({error})")))?;
        let call = self
            .client
            .decrypt()
            .ciphertext_blob(Blob::new(ciphertext))
            .encryption_context("function", &self.function)
            .encryption_context("purpose", PURPOSE);
        let answer = match timeout(DECRYPTED_WITHIN, call.send()).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(not_decrypted(&file, &CallFailure::of(&error))),
            Err(_elapsed) => return Err(not_decrypted(&file, &CallFailure::TIMEOUT)),
        };
        let bytes = Zeroizing::new(answer.plaintext.map(Blob::into_inner).unwrap_or_default());
        Ok(Some(Decrypted { file, bytes }))
    }
}

/// The content of a file.
struct Decrypted {
    file: String,
    bytes: Zeroizing<Vec<u8>>,
}

impl Decrypted {
    fn parsed<T>(&self, parse: impl FnOnce(&[u8]) -> Result<T, String>) -> Result<T, FatalError> {
        parse(&self.bytes).map_err(|error| FatalError::new(format!("the secret {}: {error}", self.file)))
    }
}

fn not_decrypted(file: &str, failure: &CallFailure) -> FatalError {
    FatalError::new(format!(
        "KMS does not decrypt the secret {file} ({failure}): encrypt the file for this function and the purpose {PURPOSE}, and allow its role to decrypt it"
    ))
}

/// The encryption context `purpose` of the function's documents. Its owner has copies under another
/// purpose, which the function cannot decrypt.
const PURPOSE: &str = "serve";

/// Time for all attempts. Lambda allows 10 s for the whole start, and the failure is reported in
/// this time.
const DECRYPTED_WITHIN: Duration = Duration::from_secs(5);

/// A file with the encrypted Firebase project whose hashes are verified.
const FIREBASE_PROJECT: &str = "SALTERN_FIREBASE_PROJECT";

/// A file with the encrypted keys of sealed hashes.
const SEAL_KEYS: &str = "SALTERN_SEAL_KEYS";
