//! The algorithms that are only verified, with a well-kept crate if one exists.
//!
//! The time of most of them is a loop of digests or encryptions, which a [`Lane`] computes in slices.
//! The others are computed whole.

mod des_crypt;
mod digest;
mod firebase;
mod md5_crypt;
mod phpass;
mod sha1_crypt;
mod sha_crypt;
mod sun_md5;
mod yescrypt;

use core::ops::Range;

use md5::Md5;
use saltern_encoded::verify_only::{
    Cost, VerifyOnlySetting, digest::Hash, phpass::Hash as PhpassHash, sha_crypt::Hash as ShaCryptHash,
};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

use self::sha_crypt::kernel::ShaCrypt;
use crate::{Kernels, OutOfMemory, scrypt, stack};

/// Computes one hash.
pub(crate) fn compute(
    kernels: Kernels,
    setting: &VerifyOnlySetting,
    password: &[u8],
    output: &mut [u8],
) -> Result<(), OutOfMemory> {
    match setting {
        VerifyOnlySetting::Firebase(setting) => firebase::compute(setting, password, output)?,
        VerifyOnlySetting::ShaCrypt(setting) if kernels == Kernels::Crates => {
            sha_crypt::reference::compute(setting, password, output);
        }
        VerifyOnlySetting::Yescrypt(setting) => yescrypt::compute(setting, password, output)?,
        _ => {
            if let Some(mut lane) = Lane::start(setting, password) {
                lane.advance(lane.remaining());
                lane.finish(output);
            }
        }
    }
    Ok(())
}

/// A hash that is computed in slices. Wiped when dropped.
pub(crate) struct Lane {
    rounds: Box<dyn Rounds>,
    /// The rounds that were computed, of `all`.
    computed: u32,
    all: u32,
    /// The work of the whole hash.
    work: u64,
    remaining: u64,
}

/// The loop of a hash: rounds of about the same time. What it holds of a secret is wiped when dropped.
trait Rounds: Send {
    /// Computes these rounds, which follow those of the last call. The first round is 0.
    fn advance(&mut self, rounds: Range<u32>);

    /// Writes the output, after the last round.
    fn finish(&self, output: &mut [u8]);
}

impl Lane {
    /// Starts a hash, which takes as long as a few rounds; `None` if the algorithm has no such loop.
    pub(crate) fn start(setting: &VerifyOnlySetting, password: &[u8]) -> Option<Self> {
        let rounds = rounds(setting, password);
        stack::wipe();
        let (rounds, all) = rounds?;
        let work = work(setting, password.len());
        Some(Self { rounds, computed: 0, all, work, remaining: work })
    }

    /// Returns the remaining work, in the unit of [`work`].
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Does so much work, rounded down to whole rounds from the start of the hash on.
    ///
    /// # Panics
    /// If less work remains.
    pub(crate) fn advance(&mut self, work: u64) {
        assert!(work <= self.remaining, "a lane has less work left");
        self.remaining -= work;
        let done = u128::from(self.work - self.remaining) * u128::from(self.all) / u128::from(self.work);
        let done = u32::try_from(done).unwrap_or(self.all);
        self.rounds.advance(self.computed..done);
        self.computed = done;
        // The rounds are called through a pointer, so they are never inlined.
        stack::wipe();
    }

    /// Writes the output, of the setting's output length, and wipes the lane.
    ///
    /// # Panics
    /// If work remains, or `output` has another length.
    pub(crate) fn finish(self, output: &mut [u8]) {
        assert!(self.remaining == 0, "a lane finishes after its last round");
        self.rounds.finish(output);
    }
}

/// Hashes of an algorithm that a worker holds at once. They gain nothing from each other, but a
/// short one need not wait for the end of a long one.
pub(crate) const MOST_AT_ONCE: usize = 4;

/// Returns the loop of a hash before its first round, and the number of its rounds, at least one.
#[inline(never)]
fn rounds(setting: &VerifyOnlySetting, password: &[u8]) -> Option<(Box<dyn Rounds>, u32)> {
    Some(match setting {
        VerifyOnlySetting::DesCrypt(setting) => {
            (Box::new(des_crypt::Encryptions::start(setting, password)), setting.encryptions())
        }
        VerifyOnlySetting::Digest(setting) => {
            let rounds: Box<dyn Rounds> = match setting.hash() {
                Hash::Md5 => Box::new(digest::Passes::<Md5>::start(setting, password)),
                Hash::Sha1 => Box::new(digest::Passes::<Sha1>::start(setting, password)),
                Hash::Sha256 => Box::new(digest::Passes::<Sha256>::start(setting, password)),
                Hash::Sha384 => Box::new(digest::Passes::<Sha384>::start(setting, password)),
                Hash::Sha512 => Box::new(digest::Passes::<Sha512>::start(setting, password)),
            };
            (rounds, setting.passes())
        }
        VerifyOnlySetting::Md5Crypt(setting) => {
            (Box::new(md5_crypt::Md5Crypt::start(setting, password)), md5_crypt::ROUNDS)
        }
        VerifyOnlySetting::Phpass(setting) => {
            let rounds: Box<dyn Rounds> = match setting.hash() {
                PhpassHash::Md5 => Box::new(phpass::Phpass::<Md5>::start(setting, password)),
                PhpassHash::Sha512 => Box::new(phpass::Phpass::<Sha512>::start(setting, password)),
            };
            (rounds, setting.rounds())
        }
        VerifyOnlySetting::Sha1Crypt(setting) => {
            (Box::new(sha1_crypt::Sha1Crypt::start(setting, password)), setting.rounds())
        }
        VerifyOnlySetting::ShaCrypt(setting) => {
            let rounds: Box<dyn Rounds> = match setting.hash() {
                ShaCryptHash::Sha256 => Box::new(ShaCrypt::<[u32; 8]>::start(setting, password)),
                ShaCryptHash::Sha512 => Box::new(ShaCrypt::<[u64; 8]>::start(setting, password)),
            };
            let repetitions = u32::try_from(password.len()).unwrap_or(u32::MAX);
            (rounds, repetitions.saturating_add(setting.rounds()))
        }
        VerifyOnlySetting::SunMd5(setting) => {
            (Box::new(sun_md5::SunMd5::start(setting, password)), setting.rounds())
        }
        VerifyOnlySetting::Firebase(_) | VerifyOnlySetting::Yescrypt(_) => return None,
    })
}

/// Returns the work of a hash: compressions of its digest, encryptions of DES, or `N·r·p` of scrypt
/// and yescrypt with the ends.
///
/// It counts all blocks, also those of a long password. The blocks that our own kernel of sha-crypt
/// saves count too, so the estimate for a long password is too long rather than too short.
pub(crate) fn work(setting: &VerifyOnlySetting, password_bytes: usize) -> u64 {
    let password = password_bytes as u64;
    let salt = setting.salt().len() as u64;
    let output = setting.output_bytes() as u64;
    let rounds = match setting.cost() {
        Cost::Memory { work, other_blocks, .. } => return scrypt::with_ends(work, other_blocks),
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

#[cfg(test)]
mod tests {
    use saltern_encoded::{Setting, parse};

    use super::*;
    use crate::{MAX_PASSWORD_BYTES, testing::Random};

    /// Every loop, with every function under it and with the fewest rounds: the text before the
    /// output, and the characters of the output.
    const STORED: [(&str, usize); 16] = [
        ("_/...salt", 11),
        ("_J9..salt", 11),
        ("sa", 11),
        ("{SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=", 0),
        ("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19", 0),
        ("$1$saltsalt$", 22),
        ("$apr1$saltsalt$", 22),
        ("$P$5saltsalt", 22),
        ("$S$5saltsalt", 43),
        ("$sha1$1$saltsalt$", 28),
        ("$sha1$100$saltsalt$", 28),
        ("$5$rounds=1000$salt$", 43),
        ("$5$rounds=1001$$", 43),
        ("$6$rounds=1000$saltsaltsaltsalt$", 86),
        ("$md5$saltsalt$$", 22),
        ("$md5,rounds=5$saltsalt$", 22),
    ];

    /// Runs a test with every hash and with Spring's digest of 1,024 passes.
    fn for_each_setting(mut test: impl FnMut(&VerifyOnlySetting, &str)) {
        let stored = STORED.map(|(before, zeros)| before.to_owned() + &".".repeat(zeros));
        for stored in stored.into_iter().chain(["{sha256}".to_owned() + &"0".repeat(80)]) {
            let encoded = parse(&stored).unwrap_or_else(|_| panic!("{stored}"));
            let Setting::VerifyOnly(setting) = encoded.setting() else { panic!("{stored}") };
            test(setting, &stored);
        }
    }

    fn whole(setting: &VerifyOnlySetting, password: &[u8]) -> Vec<u8> {
        let mut output = vec![0; setting.output_bytes()];
        compute(Kernels::Own, setting, password, &mut output).unwrap();
        output
    }

    #[test]
    fn slices_of_every_size_give_the_output_of_the_whole_computation() {
        let mut random = Random(1);
        for_each_setting(|setting, stored| {
            for case in 0..CASES {
                let length = [0, 1, 64, MAX_PASSWORD_BYTES, random.below(MAX_PASSWORD_BYTES)][case % 5];
                let password = random.bytes(length);
                let mut lane = Lane::start(setting, &password).unwrap();
                assert_eq!(lane.remaining(), work(setting, length), "{stored}");
                let longest = [1, 7, 1 + lane.remaining() / 3][case % 3].max(lane.remaining() / 500);
                while lane.remaining() > 0 {
                    let before = lane.remaining();
                    let slice = (1 + random.next() % longest).min(before);
                    lane.advance(slice);
                    assert_eq!(lane.remaining(), before - slice, "{stored}");
                }
                let mut output = vec![0; setting.output_bytes()];
                lane.finish(&mut output);
                assert_eq!(output, whole(setting, &password), "{stored}, {length} bytes");
            }
        });
    }

    /// So a lane does at a boundary what the work before it pays for, and no round is left for the end.
    #[test]
    fn rounds_are_computed_in_proportion_to_the_work() {
        for_each_setting(|setting, stored| {
            let mut lane = Lane::start(setting, b"password").unwrap();
            let half = lane.remaining() / 2;
            lane.advance(half);
            let expected = u64::from(lane.all) * half / lane.work;
            assert_eq!(u64::from(lane.computed), expected, "{stored}");
            lane.advance(lane.remaining());
            assert_eq!(lane.computed, lane.all, "{stored}");
        });
    }

    #[test]
    fn hashes_in_memory_have_no_loop_of_digests() {
        let stored = "$y$j75$........$".to_owned() + &".".repeat(43);
        let encoded = parse(&stored).unwrap();
        let Setting::VerifyOnly(setting) = encoded.setting() else { panic!("{stored}") };
        assert!(Lane::start(setting, b"password").is_none());
    }

    /// Twice each kind of length with each kind of slice.
    const CASES: usize = 30;
}
