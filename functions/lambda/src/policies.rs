//! Which policy document is in force: the one that a setting names, else the one in the zip, else the shipped one.

use std::{
    borrow::Cow,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use crate::refusal::Refusal;

/// A document and where it comes from, for messages.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) bytes: Cow<'static, [u8]>,
    pub(crate) source: String,
}

/// The document in force.
///
/// # Errors
/// [`Refusal`] where a file is there, or is named, and cannot be read: another document in its place would change
/// what is accepted without anybody noticing.
pub(crate) fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Document, Refusal> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = set(NAMED) {
        return match fs::read(&path) {
            Ok(bytes) => Ok(from_file(bytes, &path)),
            Err(error) => Err(unreadable(&path, &error)),
        };
    }
    if let Some(path) = set(ZIP).map(|directory| directory.join(IN_ZIP)) {
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

fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("the policy document {} cannot be read ({error})", path.display()))
}

/// The setting that names a document.
const NAMED: &str = "SALTERN_POLICIES";

/// Where Lambda has unpacked the zip.
const ZIP: &str = "LAMBDA_TASK_ROOT";

/// The document's name in the zip; `package` puts it there.
const IN_ZIP: &str = "policies.json";
