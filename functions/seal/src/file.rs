//! Reads a file with secrets, if only its owner can read it.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use zeroize::Zeroizing;

use crate::MAX_DOCUMENT_BYTES;

/// Reads a file of at most [`MAX_DOCUMENT_BYTES`]. Errors call it `what`, and give a remedy
/// for one that is too long. The buffer is wiped when it is dropped.
///
/// # Errors
/// A message for the operator if the file is not readable, too long, or readable by other users. It
/// quotes no part of the file.
pub fn read_private(file: &Path, what: &str, remedy: &str) -> Result<Zeroizing<Vec<u8>>, String> {
    let name = file.display();
    let unreadable = |error: io::Error| format!("cannot read {what} {name} ({error}): name a readable file");
    let mut opened = File::open(file).map_err(unreadable)?;
    let metadata = opened.metadata().map_err(unreadable)?;
    if !is_private(metadata.mode(), metadata.uid()) {
        return Err(format!(
            "other users can read {what} {name} (mode {:o}): give the file to the user of the server, and run chmod 600",
            metadata.mode() & PERMISSIONS
        ));
    }
    // With room for one byte more, the buffer never moves and leaves no copy.
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * MAX_DOCUMENT_BYTES));
    let at_most = u64::try_from(MAX_DOCUMENT_BYTES + 1).unwrap_or(u64::MAX);
    (&mut opened).take(at_most).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_DOCUMENT_BYTES {
        return Err(format!("{what} {name}: more than {MAX_DOCUMENT_BYTES} bytes: {remedy}"));
    }
    Ok(bytes)
}

/// Whether only the owner can read a file. A group may read a file of root: orchestrators give
/// secrets to a service by its group.
fn is_private(mode: u32, owner: u32) -> bool {
    let others = if owner == ROOT { GROUP_READS } else { 0 };
    mode & PERMISSIONS & !(OWNER | others) == 0
}

/// The bits of the mode that say who may do what.
const PERMISSIONS: u32 = 0o777;

const OWNER: u32 = 0o700;

const GROUP_READS: u32 = 0o040;

const ROOT: u32 = 0;

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn only_the_owner_and_the_group_of_a_file_of_root_may_read_it() {
        const USER: u32 = 1000;
        for (mode, owner, private) in [
            (0o600, USER, true),
            (0o400, USER, true),
            (0o700, USER, true),
            (0o100_600, USER, true),
            (0o640, USER, false),
            (0o604, USER, false),
            (0o644, USER, false),
            (0o620, USER, false),
            (0o640, ROOT, true),
            (0o440, ROOT, true),
            (0o660, ROOT, false),
            (0o644, ROOT, false),
            (0o604, ROOT, false),
        ] {
            assert_eq!(is_private(mode, owner), private, "{mode:o} of {owner}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_or_that_is_too_long_is_refused() {
        let file = std::env::temp_dir().join(format!("saltern-seal-{}", std::process::id()));
        for (mode, length, refusal) in [
            (0o600, MAX_DOCUMENT_BYTES, None),
            (0o600, MAX_DOCUMENT_BYTES + 1, Some("more than 4096 bytes")),
            (0o644, 1, Some("(mode 644)")),
        ] {
            fs::write(&file, vec![b' '; length]).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let read = read_private(&file, "the keys", "remove keys");
            assert_eq!(read.as_ref().ok().map(|bytes| bytes.len()), refusal.is_none().then_some(length));
            let said = read.err().unwrap_or_default();
            assert!(said.contains(refusal.unwrap_or_default()), "{said}");
        }
        fs::remove_file(&file).unwrap();
        let missing = read_private(&file, "the keys", "remove keys").unwrap_err();
        assert!(missing.starts_with("cannot read the keys"), "{missing}");
    }
}
