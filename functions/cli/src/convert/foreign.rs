//! Forms of other software that state everything about a hash.
//!
//! Sources: Nextcloud `OC\Security\Hasher`; Mosquitto `password_mosq.c`; Liferay
//! `PBKDF2PasswordEncryptor`; Magento 2 `Framework\Encryption\Encryptor`.

use saltern_encoded::{pbkdf2::Prf, verify_only::digest::Hash};

use super::source::{Misfit, PASSWORD_SALT, SALT_PASSWORD, base64, digest, of_template, pbkdf2, phc};

/// The software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    Liferay,
    Magento,
    Mosquitto,
    Nextcloud,
}

impl Foreign {
    /// Returns the stored hash for a value of this software.
    pub(super) fn stored(self, value: &str) -> Result<String, Misfit> {
        match self {
            Self::Liferay => liferay(value),
            Self::Magento => magento(value),
            Self::Mosquitto => mosquitto(value),
            Self::Nextcloud => {
                let hash = ["1|", "2|", "3|"].iter().find_map(|version| value.strip_prefix(version));
                hash.map(str::to_owned).ok_or(Misfit("not of Nextcloud: no 1|, 2| or 3| before it"))
            }
        }
    }
}

/// Base64 of the bits of the output, the rounds, the salt and the output, perhaps behind the name of
/// the algorithm. The salt has 8 bytes, or 16 in later versions.
fn liferay(value: &str) -> Result<String, Misfit> {
    let (name, encoded) = match value.rsplit_once('}') {
        Some(both) => both,
        None if value.starts_with("PBKDF2WithHmacSHA1/") => ("", value.splitn(4, '/').nth(3).unwrap_or("")),
        None => ("", value),
    };
    let prf = match name.to_ascii_uppercase().split('/').next() {
        Some("" | "{PBKDF2WITHHMACSHA1") => Prf::Sha1,
        Some("{PBKDF2WITHHMACSHA256") => Prf::Sha256,
        Some("{PBKDF2WITHHMACSHA512") => Prf::Sha512,
        _ => return Err(Misfit("not of Liferay's PBKDF2 over SHA-1, SHA-256 or SHA-512")),
    };
    let read = |bytes: &[u8]| {
        let (bits, rest) = bytes.split_first_chunk()?;
        let (rounds, rest) = rest.split_first_chunk()?;
        let bits = u32::from_be_bytes(*bits) as usize;
        let (salt, output) = rest.split_at_checked(rest.len().checked_sub(bits / 8)?)?;
        let is_whole = bits == 8 * output.len() && [8, 16].contains(&salt.len());
        is_whole.then(|| pbkdf2(prf, u32::from_be_bytes(*rounds), salt, output))
    };
    base64(encoded).and_then(|bytes| read(&bytes)).ok_or(Misfit("not of Liferay: its parts do not fit"))?
}

/// `hash:salt:version`. Of the salt, libsodium takes the first 16 bytes.
fn magento(value: &str) -> Result<String, Misfit> {
    let [hash, salt, version] = value.split(':').collect::<Vec<_>>()[..] else {
        return Err(Misfit("not of Magento 2 with one version: hash:salt:version"));
    };
    let simple = |function: Hash| {
        let digest = digest(hash, function.output_bytes())?;
        Ok(of_template(function, SALT_PASSWORD, salt.as_bytes(), &digest))
    };
    let argon2id = |bytes: &str, passes: &str, memory: &str| {
        let salt = salt.as_bytes().first_chunk::<16>().ok_or(Misfit("its salt is shorter than 16 bytes"))?;
        let misfit = Misfit("its version has no numbers");
        let (bytes, memory): (usize, u64) =
            (bytes.parse().map_err(|_| misfit)?, memory.parse().map_err(|_| misfit)?);
        let output = digest(hash, bytes)?;
        Ok(format!("$argon2id$v=19$m={},t={passes},p=1${}${}", memory / 1024, phc(salt), phc(&output)))
    };
    match version.split('_').collect::<Vec<_>>()[..] {
        ["0"] => simple(Hash::Md5),
        ["1"] => simple(Hash::Sha256),
        ["2"] => argon2id("32", "2", "67108864"),
        ["3", bytes, passes, memory] => argon2id(bytes, passes, memory),
        _ => Err(Misfit("its version of Magento's hashing is not known")),
    }
}

/// `$6$salt$hash` is SHA-512 of password and salt, and `$7$iterations$salt$hash` PBKDF2.
fn mosquitto(value: &str) -> Result<String, Misfit> {
    let misfit = Misfit("not of Mosquitto: $6$salt$hash or $7$iterations$salt$hash in Base64");
    let salt_of = |text: &str| base64(text).ok_or(misfit);
    match value.split('$').collect::<Vec<_>>()[..] {
        ["", "6", salt, hash] => {
            let output = digest(hash, Hash::Sha512.output_bytes())?;
            Ok(of_template(Hash::Sha512, PASSWORD_SALT, &salt_of(salt)?, &output))
        }
        ["", "7", iterations, salt, hash] => {
            let output = digest(hash, Hash::Sha512.output_bytes())?;
            pbkdf2(Prf::Sha512, iterations.parse().map_err(|_| misfit)?, &salt_of(salt)?, &output)
        }
        _ => Err(misfit),
    }
}
