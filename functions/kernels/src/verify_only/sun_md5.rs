//! MD5 of Sun, after `crypt_sunmd5.c` of OpenSolaris by Alec Muffett.
//!
//! In every round a bit of the digest decides whether a text of Shakespeare is hashed too. So the
//! original takes longer for some passwords. This code computes both digests, and selects one in
//! constant time.

use core::{array::from_fn, ops::Range};

use md5::{Digest as _, Md5};
use saltern_encoded::verify_only::{md5_crypt::OUTPUT_BYTES, sun_md5::Setting};
use subtle::{Choice, ConditionallySelectable as _};
use zeroize::Zeroizing;

/// The digest, which is all that a round needs.
pub(super) struct SunMd5(Zeroizing<[u8; OUTPUT_BYTES]>);

impl SunMd5 {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let digest = Md5::new().chain_update(password).chain_update(setting.hashed_text()).finalize();
        Self(Zeroizing::new(digest.into()))
    }
}

impl super::Rounds for SunMd5 {
    fn advance(&mut self, rounds: Range<u32>) {
        let Self(digest) = self;
        for round in rounds {
            let number = round.to_string();
            let short = Md5::new().chain_update(**digest);
            let long = short.clone().chain_update(SOLILOQUY).chain_update([0]);
            let [short, long] = [short, long].map(|hash| hash.chain_update(&number).finalize());
            let is_long = coin(digest, round);
            **digest = from_fn(|at| u8::conditional_select(&short[at], &long[at], is_long));
        }
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&*self.0);
    }
}

/// The bit that decides in each round.
fn coin(digest: &[u8; OUTPUT_BYTES], round: u32) -> Choice {
    let bit_of = |place: u32| bit(digest, place);
    let number = |from: usize| {
        (0..8).fold(0, |number, place| number | bit_of(wandering(digest, from + place)) << place)
    };
    // Shifts instead of branches.
    let x = number(0) >> bit_of(round);
    let y = number(8) >> bit_of(round.wrapping_add(64));
    Choice::from(u8::from(bit_of(x) ^ bit_of(y) == 1))
}

/// A byte of the digest, or half of it. Other bytes of the digest select it.
fn wandering(digest: &[u8; OUTPUT_BYTES], place: usize) -> u32 {
    let a = u32::from(digest[place % OUTPUT_BYTES]);
    let b = u32::from(digest[(place + 3) % OUTPUT_BYTES]);
    let led_to = u32::from(digest[(a >> (b % 5)) as usize % OUTPUT_BYTES]);
    led_to >> (b >> (a % 8) & 1)
}

fn bit(digest: &[u8; OUTPUT_BYTES], place: u32) -> u32 {
    let place = place % 128;
    u32::from(digest[place as usize / 8]) >> (place % 8) & 1
}

/// Length of the long text that a round may hash, in bytes.
pub(super) const TEXT_BYTES: u64 = SOLILOQUY.len() as u64;

/// Hamlet, III. i. The original also hashes the NUL that ends the C string.
const SOLILOQUY: &[u8] = include_bytes!("hamlet.txt");
