//! Reads files of settings.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use zeroize::Zeroizing;

/// Reads a file of at most [`MOST_BYTES`]. A device may have no end.
pub(super) fn read(file: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::default();
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {MOST_BYTES} bytes"),
        ));
    }
    Ok(bytes)
}

/// Longer than every list of tokens, every policy document and every chain of certificates.
const MOST_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_refused() {
        let refused = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(refused.to_string(), "it has more than 1048576 bytes");
        assert_eq!(read(Path::new("/dev/null")).unwrap().len(), 0);
    }
}
