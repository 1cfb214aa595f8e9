//! Finds the policy document: the document that a setting names, else the document in the zip, else
//! the shipped document.

use std::{
    borrow::Cow,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use crate::fatal_error::FatalError;

/// A policy document, and its source for messages.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) bytes: Cow<'static, [u8]>,
    pub(crate) source: String,
}

/// Finds the policy document.
///
/// # Errors
/// [`FatalError`] if a file exists or is named, and cannot be read. Another document in its place
/// would silently change which hashes are accepted.
pub(crate) fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Document, FatalError> {
    let path_in = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = path_in(NAMED) {
        return match fs::read(&path) {
            Ok(bytes) => Ok(from_file(bytes, &path)),
            Err(error) => Err(unreadable(&path, &error)),
        };
    }
    if let Some(path) = path_in(ZIP).map(|directory| directory.join(IN_ZIP)) {
        match fs::read(&path) {
            Ok(bytes) => return Ok(from_file(bytes, &path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(&path, &error)),
        }
    }
    Ok(Document { bytes: Cow::Borrowed(saltern_policy::SHIPPED), source: "the shipped policies".to_owned() })
}

fn from_file(bytes: Vec<u8>, path: &Path) -> Document {
    Document { bytes: Cow::Owned(bytes), source: path.display().to_string() }
}

fn unreadable(path: &Path, error: &io::Error) -> FatalError {
    FatalError::new(format!("the policy document {} cannot be read ({error})", path.display()))
}

/// The setting that names a document.
const NAMED: &str = "SALTERN_POLICIES";

/// The variable with the directory into which Lambda unpacks the zip.
const ZIP: &str = "LAMBDA_TASK_ROOT";

/// The file name of the document in the zip, as `package` writes it.
const IN_ZIP: &str = "policies.json";
