//! The algorithms that are only verified. Each is computed whole, with a well-kept crate if one
//! exists.

mod des_crypt;
mod digest;
mod firebase;
mod md5_crypt;
mod phpass;
mod sha1_crypt;
mod sha_crypt;
mod sun_md5;
mod yescrypt;

use saltern_encoded::verify_only::{
    Cost, VerifyOnlySetting, digest::Hash, phpass::Hash as PhpassHash, sha_crypt::Hash as ShaCryptHash,
};

use crate::{Kernels, OutOfMemory};

/// Computes one hash.
pub(crate) fn compute(
    kernels: Kernels,
    setting: &VerifyOnlySetting,
    password: &[u8],
    output: &mut [u8],
) -> Result<(), OutOfMemory> {
    match setting {
        VerifyOnlySetting::DesCrypt(setting) => des_crypt::compute(setting, password, output),
        VerifyOnlySetting::Digest(setting) => digest::compute(setting, password, output),
        VerifyOnlySetting::Firebase(setting) => firebase::compute(setting, password, output)?,
        VerifyOnlySetting::Md5Crypt(setting) => md5_crypt::compute(setting, password, output),
        VerifyOnlySetting::Phpass(setting) => phpass::compute(setting, password, output),
        VerifyOnlySetting::Sha1Crypt(setting) => sha1_crypt::compute(setting, password, output),
        VerifyOnlySetting::ShaCrypt(setting) => match kernels {
            Kernels::Crates => sha_crypt::reference::compute(setting, password, output),
            Kernels::Own => sha_crypt::kernel::compute(setting, password, output),
        },
        VerifyOnlySetting::SunMd5(setting) => sun_md5::compute(setting, password, output),
        VerifyOnlySetting::Yescrypt(setting) => yescrypt::compute(setting, password, output)?,
    }
    Ok(())
}

/// Returns the work of a hash: compressions of its digest, encryptions of DES, or `N·r·p` of scrypt
/// and yescrypt.
///
/// It counts all blocks, also those of a long password. The blocks that our own kernel of sha-crypt
/// saves count too, so the estimate for a long password is too long rather than too short.
pub(crate) fn work(setting: &VerifyOnlySetting, password_bytes: usize) -> u64 {
    let password = password_bytes as u64;
    let salt = setting.salt().len() as u64;
    let output = setting.output_bytes() as u64;
    let rounds = match setting.cost() {
        Cost::Memory { work, .. } => return work,
        Cost::Rounds(rounds) => rounds,
    };
    match setting {
        VerifyOnlySetting::DesCrypt(_) => rounds + ENCRYPTIONS_OF_A_KEY * (1 + password / 8),
        VerifyOnlySetting::Digest(setting) => {
            let blocks = match setting.hash() {
                Hash::Md5 | Hash::Sha1 | Hash::Sha256 => SMALL,
                Hash::Sha384 | Hash::Sha512 => LARGE,
            };
            rounds + blocks.of(digest::input_bytes(setting, password))
        }
        VerifyOnlySetting::Md5Crypt(_) => mixed(SMALL, rounds, output, salt, password),
        VerifyOnlySetting::Phpass(setting) => match setting.hash() {
            PhpassHash::Md5 => rounds.saturating_add(1).saturating_mul(SMALL.of(16 + password)),
            PhpassHash::Sha512 => rounds.saturating_add(1).saturating_mul(LARGE.of(64 + password)),
        },
        // An HMAC of a short text is two compressions.
        VerifyOnlySetting::Sha1Crypt(_) => rounds.saturating_mul(2) + SMALL.of(password),
        VerifyOnlySetting::ShaCrypt(setting) => {
            let blocks = match setting.hash() {
                ShaCryptHash::Sha256 => SMALL,
                ShaCryptHash::Sha512 => LARGE,
            };
            // The password is hashed once for each of its bytes before the rounds.
            let before = blocks.of(password * password);
            mixed(blocks, rounds, output, salt, password).saturating_add(before)
        }
        // Each round hashes a long text and a short one.
        VerifyOnlySetting::SunMd5(_) => {
            let texts = SMALL.of(16 + sun_md5::TEXT_BYTES) + 1;
            rounds.saturating_mul(texts) + SMALL.of(password + salt)
        }
        VerifyOnlySetting::Firebase(_) | VerifyOnlySetting::Yescrypt(_) => 0,
    }
}

/// Returns the work of the rounds of md5-crypt and of sha-crypt. Each hashes the digest and the
/// password. Two of three hash the salt, and six of seven the password again.
fn mixed(blocks: Blocks, rounds: u64, digest: u64, salt: u64, password: u64) -> u64 {
    let round = |number: u64| {
        let salt = if number.is_multiple_of(3) { 0 } else { salt };
        let again = if number.is_multiple_of(7) { 0 } else { password };
        blocks.of(digest + password + salt + again)
    };
    let period = (0..ROUNDS_OF_A_PERIOD).map(round).sum();
    rounds.saturating_mul(period).div_ceil(ROUNDS_OF_A_PERIOD)
}

/// The blocks of a digest.
#[derive(Clone, Copy)]
struct Blocks {
    bytes: u64,
    /// The padding: its first byte, and the length of the message.
    padding: u64,
}

impl Blocks {
    fn of(self, message_bytes: u64) -> u64 {
        (message_bytes + self.padding).div_ceil(self.bytes)
    }
}

/// MD5, SHA-1 and SHA-256.
const SMALL: Blocks = Blocks { bytes: 64, padding: 9 };

/// SHA-384 and SHA-512.
const LARGE: Blocks = Blocks { bytes: 128, padding: 17 };

/// The numbers of rounds repeat after 3 times 7.
const ROUNDS_OF_A_PERIOD: u64 = 21;

/// The time of a key of DES, in encryptions: its permutations take bit by bit.
const ENCRYPTIONS_OF_A_KEY: u64 = 8;
