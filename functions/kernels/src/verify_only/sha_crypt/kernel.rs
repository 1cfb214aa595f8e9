//! sha-crypt with the compressions of the `sha2` crate.
//!
//! Every round hashes one of eight messages, in which only the digest changes from round to round.
//! So this code lays out each message once, with its padding, and hashes the whole blocks before
//! the digest once. Branches and iteration counts do not depend on the content of a password.

use core::ops::Range;

use saltern_encoded::verify_only::sha_crypt::Setting;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq as _, ConstantTimeLess as _};
use zeroize::Zeroizing;

use crate::{
    sha::{END_OF_MESSAGE, MAX_DIGEST_BYTES, State, absorb},
    verify_only::Rounds,
};

/// A hash. Before the rounds of the setting it has one for each byte of the password, which hashes
/// the password once more (step 14).
pub(crate) struct ShaCrypt<S: State> {
    salt: Box<[u8]>,
    /// The password over and over, so that each block of its repetition is here in one piece.
    password: Zeroizing<Vec<u8>>,
    password_bytes: usize,
    /// The state after the whole blocks of the repeated password, and their length in bytes.
    repeated: Zeroizing<S>,
    repeated_bytes: usize,
    digest: Zeroizing<Vec<u8>>,
    /// Empty before the first round of the setting.
    messages: Vec<Message<S>>,
}

impl<S: State> ShaCrypt<S>
where
    S::Word: ConditionallySelectable,
{
    pub(crate) fn start(setting: &Setting, password: &[u8]) -> Self {
        let mut digest = Zeroizing::new(vec![0; S::DIGEST_BYTES]);
        first::<S>(setting.salt(), password).write(&mut digest);
        Self {
            salt: setting.salt().into(),
            password: over_and_over(password, password.len() + S::BLOCK_BYTES),
            password_bytes: password.len(),
            repeated: Zeroizing::new(S::INITIAL),
            repeated_bytes: 0,
            digest,
            messages: Vec::new(),
        }
    }

    /// Hashes the whole blocks of so many repetitions of the password.
    fn repeat_password(&mut self, times: usize) {
        while self.repeated_bytes + S::BLOCK_BYTES <= times * self.password_bytes {
            let at = self.repeated_bytes % self.password_bytes;
            self.repeated.compress(&self.password[at..][..S::BLOCK_BYTES]);
            self.repeated_bytes += S::BLOCK_BYTES;
        }
    }

    /// Lays out the messages of the rounds (steps 15 to 20).
    fn lay_out(&mut self) {
        let mut sequence = Zeroizing::new([0; MAX_DIGEST_BYTES]);
        let sequence = &mut sequence[..S::DIGEST_BYTES];
        let rest = self.password_bytes * self.password_bytes - self.repeated_bytes;
        let at = self.repeated_bytes.checked_rem(self.password_bytes).unwrap_or(0);
        absorb(*self.repeated, self.repeated_bytes, &[&self.password[at..][..rest]]).write(sequence);
        let password = over_and_over(sequence, self.password_bytes);
        repeated_salt::<S>(&self.salt, self.digest[0]).write(sequence);
        let salt = over_and_over(sequence, self.salt.len());

        let message = |kind| {
            let salt = if kind & HAS_SALT == 0 { &[] } else { &salt[..] };
            let again = if kind & HAS_PASSWORD_AGAIN == 0 { &[] } else { &password[..] };
            if kind & IS_ODD == 0 {
                Message::new(&[], &[salt, again, &password])
            } else {
                Message::new(&[&password, salt, again], &[])
            }
        };
        self.messages = (0..=(IS_ODD | HAS_SALT | HAS_PASSWORD_AGAIN)).map(message).collect();
    }
}

impl<S: State> Rounds for ShaCrypt<S>
where
    S::Word: ConditionallySelectable,
{
    fn advance(&mut self, rounds: Range<u32>) {
        for number in rounds {
            let Some(round) = (number as usize).checked_sub(self.password_bytes) else {
                self.repeat_password(number as usize + 1);
                continue;
            };
            if round == 0 {
                self.lay_out();
            }
            let mut kind = if round % 2 == 0 { 0 } else { IS_ODD };
            kind |= if round % 3 == 0 { 0 } else { HAS_SALT };
            kind |= if round % 7 == 0 { 0 } else { HAS_PASSWORD_AGAIN };
            self.messages[kind].hash(&mut self.digest);
        }
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&self.digest);
    }
}

/// The digest before the first round (steps 1 to 12).
fn first<S: State>(salt: &[u8], password: &[u8]) -> S {
    let mut alternate = Zeroizing::new([0; MAX_DIGEST_BYTES]);
    let alternate = &mut alternate[..S::DIGEST_BYTES];
    absorb(S::INITIAL, 0, &[password, salt, password]).write(alternate);
    let mut parts = vec![password, salt];
    parts.extend(password.chunks(S::DIGEST_BYTES).map(|part| &alternate[..part.len()]));
    let mut bits = password.len();
    while bits > 0 {
        parts.push(if bits % 2 == 1 { alternate } else { password });
        bits /= 2;
    }
    absorb(S::INITIAL, 0, &parts)
}

/// Bytes, repeated to this length: the sequence P or S of a digest (steps 16 and 20).
fn over_and_over(bytes: &[u8], length: usize) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(bytes.iter().copied().cycle().take(length).collect())
}

/// The hash of the salt, repeated 16 times plus the value of a byte of the digest (steps 17 to 19).
///
/// This byte depends on the password. So this function always hashes as many blocks as for the
/// highest value, and selects the right state in constant time.
fn repeated_salt<S: State>(salt: &[u8], more_times: u8) -> S
where
    S::Word: ConditionallySelectable,
{
    let length = (LEAST_TIMES + u64::from(more_times)) * salt.len() as u64;
    let most = (LEAST_TIMES + u64::from(u8::MAX)) * salt.len() as u64;
    let last_block =
        |length: u64| (length + 1 + length_field::<S>() as u64).div_ceil(S::BLOCK_BYTES as u64) - 1;
    let characters = salt.iter().copied().cycle().chain([0]);
    let mut text = (0_u64..).zip(characters).map(|(at, character)| {
        let text = u8::conditional_select(&0, &character, at.ct_lt(&length));
        u8::conditional_select(&text, &END_OF_MESSAGE, at.ct_eq(&length))
    });
    let (mut state, mut wanted) = (S::INITIAL, S::INITIAL);
    for number in 0..=last_block(most) {
        let is_last = number.ct_eq(&last_block(length));
        let mut block: Zeroizing<Vec<u8>> = Zeroizing::new(text.by_ref().take(S::BLOCK_BYTES).collect());
        block.resize(S::BLOCK_BYTES, 0);
        let bits = u64::conditional_select(&0, &(8 * length), is_last).to_be_bytes();
        let field = S::BLOCK_BYTES - bits.len();
        block[field..].iter_mut().zip(bits).for_each(|(byte, bits)| *byte |= bits);
        state.compress(&block);
        select(&mut wanted, &state, is_last);
    }
    wanted
}

fn select<S: State>(state: &mut S, other: &S, choice: Choice)
where
    S::Word: ConditionallySelectable,
{
    for (word, other) in state.as_mut().iter_mut().zip(other.as_ref()) {
        word.conditional_assign(other, choice);
    }
}

/// A message that is hashed in many rounds, each time with another digest in it.
struct Message<S: State> {
    /// The state after the whole blocks before the digest.
    state: Zeroizing<S>,
    /// The remaining blocks, with the padding.
    blocks: Zeroizing<Vec<u8>>,
    digest_at: usize,
}

impl<S: State> Message<S> {
    /// Lays out the parts before and after the digest.
    fn new(before: &[&[u8]], after: &[&[u8]]) -> Self {
        let bytes = |parts: &[&[u8]]| parts.iter().map(|part| part.len()).sum::<usize>();
        let length = bytes(before) + S::DIGEST_BYTES + bytes(after);
        let padded = (length + 1 + length_field::<S>()).next_multiple_of(S::BLOCK_BYTES);
        // The capacity is exact, so that no reallocation leaves a copy in memory.
        let mut text = Zeroizing::new(Vec::with_capacity(padded));
        before.iter().copied().for_each(|part| text.extend_from_slice(part));
        let digest_at = text.len();
        text.resize(digest_at + S::DIGEST_BYTES, 0);
        after.iter().copied().for_each(|part| text.extend_from_slice(part));
        text.push(END_OF_MESSAGE);
        text.resize(padded, 0);
        let bits = (8 * length as u64).to_be_bytes();
        text[padded - bits.len()..].copy_from_slice(&bits);

        let (hashed, blocks) = text.split_at(digest_at - digest_at % S::BLOCK_BYTES);
        let mut state = Zeroizing::new(S::INITIAL);
        state.compress(hashed);
        Self { state, blocks: Zeroizing::new(blocks.to_vec()), digest_at: digest_at % S::BLOCK_BYTES }
    }

    /// Hashes the message with this digest in it, and replaces the digest by the result.
    fn hash(&mut self, digest: &mut [u8]) {
        self.blocks[self.digest_at..][..S::DIGEST_BYTES].copy_from_slice(digest);
        let mut state = *self.state;
        state.compress(&self.blocks);
        state.write(digest);
    }
}

/// Bytes of the padding that state the length of the message (FIPS 180-4 §5.1).
const fn length_field<S: State>() -> usize {
    S::BLOCK_BYTES / 8
}

const IS_ODD: usize = 1;
const HAS_SALT: usize = 2;
const HAS_PASSWORD_AGAIN: usize = 4;

const LEAST_TIMES: u64 = 16;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saltern_encoded::{Setting, parse};

    use crate::{Kernels, MAX_PASSWORD_BYTES, verify_only};

    #[test]
    fn every_length_of_password_and_salt_gives_the_output_of_the_crate() {
        for length in (0..=MAX_PASSWORD_BYTES).filter(|length| *length < 140 || length % 61 == 0) {
            let password: Vec<u8> = (1..=u8::MAX).cycle().take(length).collect();
            equals_the_crate(&password, &"saltsaltsaltsalt"[..length % 17]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn random_passwords_and_salts_give_the_output_of_the_crate(
            password in proptest::collection::vec(any::<u8>(), 0..=200), salt in "[./0-9A-Za-z]{0,16}",
        ) {
            equals_the_crate(&password, &salt);
        }
    }

    fn equals_the_crate(password: &[u8], salt: &str) {
        let zeros = |characters| ".".repeat(characters);
        for stored in
            [format!("$5$rounds=1000${salt}${}", zeros(43)), format!("$6$rounds=1000${salt}${}", zeros(86))]
        {
            let encoded = parse(&stored).unwrap();
            let Setting::VerifyOnly(setting) = encoded.setting() else { unreachable!() };
            let outputs = Kernels::ALL.map(|kernels| {
                let mut output = vec![0; encoded.output().len()];
                verify_only::compute(kernels, setting, password, &mut output).unwrap();
                output
            });
            assert_eq!(outputs[0], outputs[1], "{stored}, {} bytes", password.len());
        }
    }
}
