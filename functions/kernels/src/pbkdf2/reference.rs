//! PBKDF2 by the RustCrypto `pbkdf2` crate.

use saltern_encoded::pbkdf2::{Prf, Setting};

/// Writes the hash to `output`, which has the setting's output length.
pub(crate) fn compute(setting: &Setting, password: &[u8], output: &mut [u8]) {
    let params = setting.params();
    derive(params.prf(), params.iterations(), password, setting.salt(), output);
}

/// Computes PBKDF2 of RFC 8018. It also accepts salts that are too short for a setting.
fn derive(prf: Prf, iterations: u32, password: &[u8], salt: &[u8], output: &mut [u8]) {
    match prf {
        Prf::Sha1 => ::pbkdf2::pbkdf2_hmac::<sha1::Sha1>(password, salt, iterations, output),
        Prf::Sha256 => ::pbkdf2::pbkdf2_hmac::<sha2::Sha256>(password, salt, iterations, output),
        Prf::Sha512 => ::pbkdf2::pbkdf2_hmac::<sha2::Sha512>(password, salt, iterations, output),
    }
}

#[cfg(test)]
mod tests {
    use saltern_vectors::{Pbkdf2Raw, Topic, for_each};

    use super::*;

    #[test]
    fn published_vectors_with_salts_too_short_for_a_string() {
        for_each(Topic::Pbkdf2, |vector: &Pbkdf2Raw| {
            let prf = match vector.prf {
                saltern_vectors::Prf::Sha1 => Prf::Sha1,
                saltern_vectors::Prf::Sha256 => Prf::Sha256,
                saltern_vectors::Prf::Sha512 => Prf::Sha512,
            };
            let mut output = vec![0; vector.dk_len];
            derive(prf, vector.iterations, &vector.password, &vector.salt, &mut output);
            assert_eq!(output, vector.output, "{}", vector.comment);
        });
    }
}
