//! Vectors as others publish them: the files of `third-party/`, whose digests `SHA256SUMS` pins.

#![expect(clippy::expect_used, reason = "a defect of a pinned file fails the test that reads it")]

use crate::{Expected, Prf, Verify, bytes};

/// A vector of NIST's validation program: the digest of a message or, with a key, its HMAC.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Nist {
    pub prf: Prf,
    pub key: Vec<u8>,
    pub message: Vec<u8>,
    /// An HMAC may be cut.
    pub digest: Vec<u8>,
}

/// Returns the digests of short messages by SHA-1, SHA-256 and SHA-512.
#[must_use]
pub fn nist_digests() -> Vec<Nist> {
    [
        include_str!("../third-party/SHA1ShortMsg.rsp"),
        include_str!("../third-party/SHA256ShortMsg.rsp"),
        include_str!("../third-party/SHA512ShortMsg.rsp"),
    ]
    .into_iter()
    .flat_map(nist)
    .collect()
}

/// Returns HMAC's codes with SHA-1, SHA-256 and SHA-512.
#[must_use]
pub fn nist_codes() -> Vec<Nist> {
    nist(include_str!("../third-party/HMAC.rsp"))
}

/// Returns the known answers of libxcrypt. The comment of a vector is libxcrypt's name of the
/// method.
///
/// # Panics
/// If a row of the table is not as expected.
#[must_use]
pub fn libxcrypt() -> Vec<Verify> {
    let mut method = "";
    let mut vectors = Vec::new();
    for (line, number) in include_str!("../third-party/ka-table.inc").lines().zip(1..) {
        if let Some(condition) = line.strip_prefix("#if INCLUDE_") {
            method = condition.split(' ').next().unwrap_or_default();
        }
        let Some(row) = line.strip_prefix("  { \"") else { continue };
        let cells: Vec<_> = row.trim_end_matches("\" },").splitn(3, "\", \"").collect();
        let [_setting, hash, phrase] = cells[..] else { panic!("line {number} of libxcrypt's table") };
        let password = unescaped(phrase);
        let is_of = |vector: &Verify, prefix| {
            vector.hash.strip_prefix(prefix) == hash.strip_prefix("$2a$") && vector.password == password
        };
        let result = match method {
            "bcrypt_x" | "gost_yescrypt" | "nt" => Expected::UnsupportedHash,
            // Of a phrase of at most eight bytes it is des-crypt.
            "bigcrypt" if hash.len() > DES_CRYPT_BYTES => Expected::UnsupportedHash,
            // The flag `OpenwallSafety` of bcrypt.json.
            "bcrypt_a" if !vectors.iter().any(|vector| is_of(vector, "$2b$")) => Expected::Mismatch,
            _ => Expected::Match,
        };
        vectors.push(Verify {
            tc_id: number,
            comment: method.to_owned(),
            flags: Vec::new(),
            password,
            hash: hash.to_owned(),
            site_key: Vec::new(),
            result,
        });
    }
    vectors
}

/// Reads a file of records, each of which ends with its digest. Sections of other functions are
/// left out.
fn nist(text: &str) -> Vec<Nist> {
    let (mut prf, mut key, mut message, mut length) = (None, Vec::new(), Vec::new(), usize::MAX);
    let mut vectors = Vec::new();
    for line in text.lines() {
        let Some((name, value)) = line.trim_matches(['[', ']']).split_once('=') else { continue };
        let value = value.trim();
        match name.trim() {
            "L" => {
                prf = match value {
                    "20" => Some(Prf::Sha1),
                    "32" => Some(Prf::Sha256),
                    "64" => Some(Prf::Sha512),
                    _ => None,
                }
            }
            // The empty message is written as one byte.
            "Len" => length = value.parse::<usize>().expect("a length in bits") / 8,
            "Key" => key = bytes(value).expect("hex"),
            "Msg" => message = bytes(value).expect("hex"),
            "MD" | "Mac" => {
                message.truncate(length);
                let (key, message) = (key.clone(), message.clone());
                let digest = bytes(value).expect("hex");
                vectors.extend(prf.map(|prf| Nist { prf, key, message, digest }));
            }
            _ => {}
        }
    }
    vectors
}

/// Returns the bytes of a text of C, in which only `\x` with two digits is an escape, and `""` ends
/// one.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut unescaped = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        unescaped.extend(bytes(digits).expect("two digits"));
        unescaped.extend(rest.trim_start_matches("\"\"").as_bytes());
    }
    unescaped
}

const DES_CRYPT_BYTES: usize = 13;

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fmt::Write as _, fs};

    use sha2::{Digest as _, Sha256};

    #[test]
    fn every_file_has_its_digest_and_every_digest_its_file() {
        let (mut found, mut pinned) = (BTreeMap::new(), BTreeMap::new());
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/third-party")).unwrap() {
            let (name, path) = entry.map(|entry| (entry.file_name(), entry.path())).unwrap();
            let content = fs::read(path).unwrap();
            if name == "SHA256SUMS" {
                let lines = String::from_utf8(content).unwrap();
                let rows = lines.lines().map(|line| line.split_once("  ").unwrap());
                pinned.extend(rows.map(|(digest, name)| (name.into(), digest.to_owned())));
            } else {
                let mut digest = String::new();
                Sha256::digest(content).iter().for_each(|byte| write!(digest, "{byte:02x}").unwrap());
                found.insert(name, digest);
            }
        }
        assert_eq!(found, pinned);
    }
}
