//! bcrypt, up to eight hashes at once on one core.
//!
//! One bcrypt is a chain of dependent loads. Each round needs the bytes that the previous round
//! computed, so a core waits most of the time. A [`Lane`] is one computation that can stop between
//! two key expansions. [`advance`] computes the expansions of several lanes in step: one lane loads
//! while the others compute.
//!
//! The addresses of the loads depend on the password: bcrypt requires it. No branch and no
//! iteration count depends on the password's content.

#![allow(
    clippy::inline_always,
    reason = "lanes interleave only if the rounds of all of them are in one function"
)]

use core::array;

use saltern_encoded::bcrypt::{MAX_PASSWORD_BYTES, OUTPUT_BYTES, Setting};
use zeroize::{Zeroize, Zeroizing};

use super::barrier::computed_here;
use super::tables::{INITIAL_P, INITIAL_S, P_WORDS, S_BOXES, S_WORDS};
use crate::processor;

/// The most lanes that [`advance`] takes at once.
pub(crate) const MAX_LANES: usize = 8;

/// One bcrypt computation in progress. Wiped when dropped.
pub(crate) struct Lane {
    cipher: Zeroizing<Cipher>,
    remaining: u64,
}

/// Blowfish as bcrypt keys it.
///
/// The alignment keeps the S-boxes on separate cache lines. A line has 64 bytes on every supported
/// CPU.
#[repr(align(64))]
struct Cipher {
    s: [[u32; S_WORDS]; S_BOXES],
    p: [u32; P_WORDS],
    /// The words that the two expansions of a pair mix into the P-array: the key, then the repeated
    /// salt.
    mixed: [[u32; P_WORDS]; 2],
}

impl Zeroize for Cipher {
    fn zeroize(&mut self) {
        let Self { s, p, mixed } = self;
        s.zeroize();
        p.zeroize();
        mixed.zeroize();
    }
}

impl Lane {
    /// Sets up the cipher and does the first expansion. Only this one mixes the salt into the
    /// blocks.
    ///
    /// The key is the password and a NUL, cut to 72 bytes. A password of 72 bytes leaves no room
    /// for the NUL.
    pub(crate) fn start(setting: &Setting, password: &[u8]) -> Box<Self> {
        // This value may pass over the stack on its way to the heap, so it holds no secret yet.
        let cipher = Zeroizing::new(Cipher::INITIAL);
        let mut lane = Box::new(Self { cipher, remaining: 1 << setting.params().cost() });
        let [key, salt] = &mut lane.cipher.mixed;
        write_key(key, password);
        write_over_and_over(salt, setting.salt().iter());
        lane.cipher.expand_with_salt();
        lane
    }

    /// Returns the remaining pairs of expansions (key, then salt). At the start it is two to the
    /// power of the cost.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Writes the [`OUTPUT_BYTES`] of output and wipes the lane.
    ///
    /// # Panics
    /// If expansions remain, or `output` has another length.
    pub(crate) fn finish(self: Box<Self>, output: &mut [u8]) {
        assert!(self.remaining == 0, "a lane finishes after its last expansion");
        assert!(output.len() == OUTPUT_BYTES, "bcrypt has {OUTPUT_BYTES} bytes of output");
        let mut bytes = Zeroizing::new([0; MAGIC.len() * size_of::<u32>()]);
        for (magic, bytes) in MAGIC.chunks_exact(2).zip(bytes.chunks_exact_mut(8)) {
            let mut block = Split { left: [magic[0]], right: [magic[1]] };
            for _ in 0..MAGIC_ENCRYPTIONS {
                block.encrypt(array::from_ref(&*self.cipher));
            }
            let [left, right] = block.halves(0);
            bytes[..4].copy_from_slice(&left.to_be_bytes());
            bytes[4..].copy_from_slice(&right.to_be_bytes());
        }
        output.copy_from_slice(&bytes[..OUTPUT_BYTES]);
    }
}

impl Cipher {
    const INITIAL: Self = Self { s: INITIAL_S, p: INITIAL_P, mixed: [[0; P_WORDS]; 2] };
    const ZERO: Self = Self { s: [[0; S_WORDS]; S_BOXES], p: [0; P_WORDS], mixed: [[0; P_WORDS]; 2] };

    fn expand_with_salt(&mut self) {
        let Self { p, mixed: [key, salt], .. } = self;
        for (word, key) in p.iter_mut().zip(key) {
            *word ^= *key;
        }
        let [s0, s1, s2, s3, ..] = *salt;
        let mut salt = [[s0, s1], [s2, s3]].into_iter().cycle();
        let mut block = Split { left: [0], right: [0] };
        for pair in 0..BLOCKS {
            let [left, right] = salt.next().unwrap_or_default();
            block.left[0] ^= left;
            block.right[0] ^= right;
            block.encrypt(array::from_ref(self));
            self.put(pair, block.halves(0));
        }
    }

    /// Replaces one pair of words. The index counts through the P-array, then through the S-boxes.
    fn put(&mut self, pair: usize, halves: [u32; 2]) {
        let words = match pair.checked_sub(P_BLOCKS) {
            None => &mut self.p[2 * pair..],
            Some(pair) => &mut self.s[pair / S_BLOCKS][2 * (pair % S_BLOCKS)..],
        };
        words[..2].copy_from_slice(&halves);
    }

    /// Copies the other cipher in place: a moved value may leave a copy on the stack.
    fn copy_from(&mut self, other: &Self) {
        self.s.copy_from_slice(&other.s);
        self.p.copy_from_slice(&other.p);
        self.mixed.copy_from_slice(&other.mixed);
    }
}

/// Does `steps` pairs of expansions on each lane, interleaved.
///
/// # Panics
/// If a lane has fewer pairs left, or if there are no lanes or more than [`MAX_LANES`].
pub(crate) fn advance(lanes: &mut [&mut Lane], steps: u64) {
    assert!(lanes.iter().all(|lane| steps <= lane.remaining), "a lane has fewer expansions left");
    // Measured: hashes per core relative to libxcrypt, on AMD EPYC with Zen 4 (32 KiB of L1 data
    // cache) and Zen 5 (48 KiB). Zen 5 was measured with an older version: its ciphers were not
    // side by side, and its barrier was no instruction.
    //
    //     lanes                1     2     3     4     5     6     7     8
    //     Zen 4             1.00  1.89  2.45  2.95  3.06  3.14  3.11  3.03
    //     Zen 5, split      1.01  1.94  2.84  3.42  3.14  3.26  3.24  3.12
    //     Zen 5, packed     0.87  1.70  2.51  3.16  3.62  3.80  4.05  4.17
    //
    // Up to four lanes wait for the chain of loads, so the shorter chain is faster. From five lanes
    // on, the 16 registers of x86-64 cannot hold both halves of every lane, so one register per
    // lane is faster. More lanes are never slower per hash as long as they fit the cache, so all
    // lanes advance together.
    match lanes.len() {
        1 => expand_by::<1, Split<1>>(array::from_mut(&mut *lanes[0].cipher), steps),
        2 => side_by_side::<2, Split<2>>(lanes, steps),
        3 => side_by_side::<3, Split<3>>(lanes, steps),
        4 => side_by_side::<4, Split<4>>(lanes, steps),
        5 => side_by_side::<5, Packed<5>>(lanes, steps),
        6 => side_by_side::<6, Packed<6>>(lanes, steps),
        7 => side_by_side::<7, Packed<7>>(lanes, steps),
        8 => side_by_side::<8, Packed<8>>(lanes, steps),
        other => panic!("1 to {MAX_LANES} lanes advance at once, not {other}"),
    }
    for lane in lanes {
        lane.remaining -= steps;
    }
}

/// Expands copies of the ciphers of several lanes, which are adjacent in memory.
///
/// One register then addresses all of them. Separate ciphers need one register each, which the
/// blocks then lack: 5 to 10 % of the time with four lanes and more. Copying costs less than a
/// thousandth of a slice.
fn side_by_side<const N: usize, B: Blocks<N>>(lanes: &mut [&mut Lane], steps: u64) {
    let mut ciphers = Zeroizing::new([const { Cipher::ZERO }; N]);
    for (cipher, lane) in ciphers.iter_mut().zip(&*lanes) {
        cipher.copy_from(&lane.cipher);
    }
    expand_by::<N, B>(&mut ciphers, steps);
    for (lane, cipher) in lanes.iter_mut().zip(ciphers.iter()) {
        lane.cipher.copy_from(cipher);
    }
}

// Never inlined: so the code that was measured is the code that runs.
#[inline(never)]
fn expand_by<const N: usize, B: Blocks<N>>(ciphers: &mut [Cipher; N], steps: u64) {
    for _ in 0..steps {
        for turn in 0..2 {
            for Cipher { p, mixed, .. } in &mut *ciphers {
                for (word, mixed) in p.iter_mut().zip(&mixed[turn]) {
                    *word ^= mixed;
                }
            }
            expand::<N, B>(ciphers);
        }
    }
}

/// Replaces every word of every cipher by the ciphertext of the words before it.
#[inline(always)]
fn expand<const N: usize, B: Blocks<N>>(ciphers: &mut [Cipher; N]) {
    let mut blocks = B::ZERO;
    for pair in 0..P_BLOCKS {
        blocks.encrypt(ciphers);
        for (n, cipher) in ciphers.iter_mut().enumerate() {
            cipher.p[2 * pair..2 * pair + 2].copy_from_slice(&blocks.halves(n));
        }
    }
    for s_box in 0..S_BOXES {
        for pair in 0..S_BLOCKS {
            blocks.encrypt(ciphers);
            for (n, cipher) in ciphers.iter_mut().enumerate() {
                cipher.s[s_box][2 * pair..2 * pair + 2].copy_from_slice(&blocks.halves(n));
            }
        }
    }
}

/// One block per lane, all at the same round of the cipher.
trait Blocks<const N: usize> {
    const ZERO: Self;

    /// Encrypts each block under the cipher of its lane.
    fn encrypt(&mut self, ciphers: &[Cipher; N]);

    /// Returns the left and the right half of one lane's block.
    fn halves(&self, lane: usize) -> [u32; 2];
}

/// Each half in its own register.
struct Split<const N: usize> {
    left: [u32; N],
    right: [u32; N],
}

impl<const N: usize> Split<N> {
    /// Computes the XOR with the P-array before the S-boxes are loaded.
    ///
    /// Without the barrier, LLVM turns `(r ^ p) ^ f` into `(f ^ p) ^ r`. That puts two XORs after
    /// the loads instead of one: 9 % of the time of a single lane.
    #[inline(always)]
    fn two_rounds(&mut self, ciphers: &[Cipher; N], round: usize) {
        let Self { left, right } = self;
        for ((right, left), cipher) in right.iter_mut().zip(&*left).zip(ciphers) {
            *right = computed_here(*right ^ cipher.p[round]) ^ substitute(&cipher.s, *left);
        }
        for ((left, right), cipher) in left.iter_mut().zip(&*right).zip(ciphers) {
            *left = computed_here(*left ^ cipher.p[round + 1]) ^ substitute(&cipher.s, *right);
        }
    }
}

impl<const N: usize> Blocks<N> for Split<N> {
    const ZERO: Self = Self { left: [0; N], right: [0; N] };

    #[inline(always)]
    fn encrypt(&mut self, ciphers: &[Cipher; N]) {
        for (left, cipher) in self.left.iter_mut().zip(ciphers) {
            *left ^= cipher.p[0];
        }
        // Written out, because the compiler keeps a loop from two lanes on: 3 % faster with four
        // lanes.
        self.two_rounds(ciphers, 1);
        self.two_rounds(ciphers, 3);
        self.two_rounds(ciphers, 5);
        self.two_rounds(ciphers, 7);
        self.two_rounds(ciphers, 9);
        self.two_rounds(ciphers, 11);
        self.two_rounds(ciphers, 13);
        self.two_rounds(ciphers, 15);
        for (right, cipher) in self.right.iter_mut().zip(ciphers) {
            *right ^= cipher.p[17];
        }
        core::mem::swap(&mut self.left, &mut self.right);
    }

    #[inline(always)]
    fn halves(&self, lane: usize) -> [u32; 2] {
        [self.left[lane], self.right[lane]]
    }
}

/// Both halves in one register: the right half above the left half.
struct Packed<const N: usize>([u64; N]);

impl<const N: usize> Blocks<N> for Packed<N> {
    const ZERO: Self = Self([0; N]);

    #[inline(always)]
    fn encrypt(&mut self, ciphers: &[Cipher; N]) {
        let Self(blocks) = self;
        for (block, cipher) in blocks.iter_mut().zip(ciphers) {
            *block ^= p_pair(cipher, 0);
        }
        // Not `step_by`: LLVM schedules that loop worse, and everything is 8 % slower with five
        // lanes and more (Zen 5).
        let mut round = 2;
        while round < P_WORDS {
            for (block, cipher) in blocks.iter_mut().zip(ciphers) {
                *block ^= u64::from(substitute(&cipher.s, low(*block))) << u32::BITS;
            }
            for (block, cipher) in blocks.iter_mut().zip(ciphers) {
                // The right half takes its word of the P-array here too: its next round is the
                // first use.
                *block ^= u64::from(substitute(&cipher.s, low(*block >> u32::BITS))) ^ p_pair(cipher, round);
            }
            round += 2;
        }
        for block in blocks {
            *block = block.rotate_left(u32::BITS);
        }
    }

    #[inline(always)]
    fn halves(&self, lane: usize) -> [u32; 2] {
        let Self(blocks) = self;
        [low(blocks[lane]), low(blocks[lane] >> u32::BITS)]
    }
}

#[inline(always)]
fn p_pair(cipher: &Cipher, first: usize) -> u64 {
    u64::from(cipher.p[first]) | u64::from(cipher.p[first + 1]) << u32::BITS
}

/// Returns the lower half. It goes through bytes because a lint forbids narrowing casts; it
/// compiles to nothing.
#[inline(always)]
fn low(block: u64) -> u32 {
    let [b0, b1, b2, b3, ..] = block.to_le_bytes();
    u32::from_le_bytes([b0, b1, b2, b3])
}

/// Computes Blowfish's F: one byte per S-box. A byte always is an index of a box with 256 words, so
/// no bound is checked.
#[inline(always)]
fn substitute(s: &[[u32; S_WORDS]; S_BOXES], half: u32) -> u32 {
    let first = s[0][(half >> 24) as usize];
    let second = s[1][(half >> 16 & 0xff) as usize];
    let third = s[2][(half >> 8 & 0xff) as usize];
    let fourth = s[3][(half & 0xff) as usize];
    (first.wrapping_add(second) ^ third).wrapping_add(fourth)
}

/// Returns how many lanes fit the L1 data cache of this machine, 1 to [`MAX_LANES`].
///
/// Measured with 48 KiB, which hold eleven lanes: hashes per core are level up to 90 % of the cache
/// (ten lanes). They are 15 % lower at 107 % (twelve) and 45 % lower at 143 % (sixteen). A cache
/// that two hardware threads share counts half.
pub(crate) fn lanes_that_fit_l1() -> usize {
    lanes_that_fit(processor::l1_data_bytes())
}

fn lanes_that_fit(l1_data_bytes: usize) -> usize {
    (l1_data_bytes.saturating_sub(L1_HEAD_ROOM_BYTES) / size_of::<Cipher>()).clamp(1, MAX_LANES)
}

fn write_key(key: &mut [u32; P_WORDS], password: &[u8]) {
    let taken = &password[..password.len().min(MAX_PASSWORD_BYTES)];
    let nul = (taken.len() < MAX_PASSWORD_BYTES).then_some(&0);
    write_over_and_over(key, taken.iter().chain(nul));
}

/// Fills `words` with big-endian words of the bytes, repeated as often as necessary.
fn write_over_and_over<'a>(words: &mut [u32; P_WORDS], bytes: impl Iterator<Item = &'a u8> + Clone) {
    let mut bytes = bytes.cycle();
    for word in words {
        for _ in 0..size_of::<u32>() {
            *word = *word << u8::BITS | bytes.next().copied().map_or(0, u32::from);
        }
    }
}

/// Blocks of two words that an expansion writes.
const P_BLOCKS: usize = P_WORDS / 2;
const S_BLOCKS: usize = S_WORDS / 2;
const BLOCKS: usize = P_BLOCKS + S_BOXES * S_BLOCKS;

/// `OrpheanBeholderScryDoubt` as big-endian words (Provos and Mazières, USENIX 1999, §4).
const MAGIC: [u32; 6] = [0x4f72_7068, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];

/// Number of times that the magic text is encrypted (same source).
const MAGIC_ENCRYPTIONS: usize = 64;

/// Kept free for the stack and the system: 4 KiB is one line in each of 64 sets.
const L1_HEAD_ROOM_BYTES: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use std::env;

    use saltern_encoded::{
        Params, Setting as AnySetting,
        bcrypt::{MIN_COST, Params as Cost},
    };

    use super::*;
    use crate::{bcrypt::reference, testing::Random};

    #[test]
    fn equals_the_reference_with_lanes_that_join_and_leave_at_any_time() {
        let mut random = Random(RANDOM_SEED);
        let cases = env::var("SALTERN_RANDOM_CASES").map_or(DEFAULT_CASES, |cases| cases.parse().unwrap());
        assert!(cases >= MAX_LANES, "every number of lanes needs a case");
        for most in 1..=MAX_LANES {
            let hashes = (0..cases.div_ceil(MAX_LANES)).map(|_| Hash::random(&mut random)).collect();
            serve(hashes, most, &mut random);
        }
    }

    /// Does as a worker: fills up to `most` lanes, advances them, removes finished lanes, at random
    /// boundaries.
    fn serve(mut waiting: Vec<Hash>, most: usize, random: &mut Random) {
        let mut active: Vec<(Hash, Box<Lane>)> = Vec::new();
        while !waiting.is_empty() || !active.is_empty() {
            let joining = random.below(most - active.len() + 1).max(usize::from(active.is_empty()));
            for hash in waiting.drain(waiting.len().saturating_sub(joining)..) {
                let lane = Lane::start(&hash.setting, &hash.password);
                active.push((hash, lane));
            }
            let left = active.iter().map(|(_, lane)| lane.remaining()).min().unwrap();
            let steps = u64::try_from(random.below(usize::try_from(left).unwrap() + 1)).unwrap();
            advance(&mut in_step(active.iter_mut().map(|(_, lane)| lane)), steps);
            for (hash, lane) in active.extract_if(.., |(_, lane)| lane.remaining() == 0) {
                hash.assert_output_of(lane);
            }
        }
    }

    #[test]
    fn a_lane_joins_at_every_step_of_another() {
        let mut random = Random(RANDOM_SEED);
        for steps in 0..=1 << MIN_COST {
            let hashes = [(); 2].map(|()| Hash::new(&mut random, MIN_COST, b"salt of the earth"));
            let [mut first, mut second] = hashes.each_ref().map(Hash::start);
            advance(&mut [&mut first], steps);
            let together = first.remaining();
            advance(&mut [&mut first, &mut second], together);
            advance(&mut [&mut second], steps);
            let [first_hash, second_hash] = hashes;
            first_hash.assert_output_of(first);
            second_hash.assert_output_of(second);
        }
    }

    #[test]
    fn accepts_every_password_length_and_every_byte() {
        let mut random = Random(RANDOM_SEED);
        let mut passwords: Vec<Vec<u8>> = [0, 1, 71, 72, 73, 1024].map(|bytes| vec![b'p'; bytes]).into();
        passwords
            .extend([&b"\0"[..], b"before\0after", b"\0\0\0\0\0", b"\xff\xa3", &[0xff; 72]].map(Vec::from));
        for password in passwords {
            let hashes: Vec<_> =
                (0..MAX_LANES).map(|_| Hash::new(&mut random, MIN_COST, &password)).collect();
            for most in 1..=MAX_LANES {
                let mut lanes: Vec<_> = hashes[..most].iter().map(Hash::start).collect();
                advance(&mut in_step(lanes.iter_mut()), 1 << MIN_COST);
                for (hash, lane) in hashes.iter().zip(lanes) {
                    hash.assert_output_of(lane);
                }
            }
        }
    }

    /// Lanes, and the copies that [`side_by_side`] makes of them, hold their secrets in a
    /// `Zeroizing<Cipher>`.
    #[test]
    fn wiping_a_cipher_leaves_no_word_of_it() {
        let is_zero = |Cipher { s, p, mixed }: &Cipher| {
            s.iter().flatten().chain(p).chain(mixed.iter().flatten()).all(|word| *word == 0)
        };
        let mut lane = Hash::random(&mut Random(RANDOM_SEED)).start();
        assert!(!is_zero(&lane.cipher));
        lane.cipher.zeroize();
        assert!(is_zero(&lane.cipher));
    }

    #[test]
    #[should_panic(expected = "fewer expansions left")]
    fn no_lane_goes_beyond_its_cost() {
        let mut lane = Hash::new(&mut Random(RANDOM_SEED), MIN_COST, b"p").start();
        advance(&mut [&mut lane], (1 << MIN_COST) + 1);
    }

    #[test]
    #[should_panic(expected = "after its last expansion")]
    fn no_lane_finishes_early() {
        Hash::new(&mut Random(RANDOM_SEED), MIN_COST, b"p").start().finish(&mut [0; OUTPUT_BYTES]);
    }

    #[test]
    #[should_panic(expected = "1 to 8 lanes")]
    fn no_ninth_lane() {
        let hash = Hash::new(&mut Random(RANDOM_SEED), MIN_COST, b"p");
        let mut lanes: Vec<_> = (0..=MAX_LANES).map(|_| hash.start()).collect();
        advance(&mut in_step(lanes.iter_mut()), 1);
    }

    #[test]
    fn lanes_follow_the_cache() {
        let lanes_of_kib = [0, 16, 24, 32, 48, 64].map(|kib| lanes_that_fit(kib * 1024));
        assert_eq!(lanes_of_kib, [1, 2, 4, 6, 8, 8]);
        assert!((1..=MAX_LANES).contains(&lanes_that_fit_l1()));
    }

    struct Hash {
        setting: Setting,
        password: Vec<u8>,
    }

    impl Hash {
        fn new(random: &mut Random, cost: u32, password: &[u8]) -> Self {
            let salt = array::from_fn(|_| random.byte());
            let params = Params::Bcrypt(Cost::new(cost).unwrap());
            let AnySetting::Bcrypt(setting) = AnySetting::fresh(params, salt) else { unreachable!() };
            Self { setting, password: password.to_vec() }
        }

        /// Mostly of the lowest cost: 4, 4, 5 or 6.
        fn random(random: &mut Random) -> Self {
            let cost = [MIN_COST, MIN_COST, MIN_COST + 1, MIN_COST + 2][random.below(4)];
            let bytes = random.below(80);
            let password = random.bytes(bytes);
            Self::new(random, cost, &password)
        }

        fn start(&self) -> Box<Lane> {
            Lane::start(&self.setting, &self.password)
        }

        fn assert_output_of(&self, lane: Box<Lane>) {
            let [mut output, mut expected] = [[0; OUTPUT_BYTES]; 2];
            lane.finish(&mut output);
            reference::compute(&self.setting, &self.password, &mut expected);
            assert_eq!(output, expected, "cost {}, {:02x?}", self.setting.params().cost(), self.password);
        }
    }

    fn in_step<'a>(lanes: impl Iterator<Item = &'a mut Box<Lane>>) -> Vec<&'a mut Lane> {
        lanes.map(|lane| &mut **lane).collect()
    }

    const RANDOM_SEED: u64 = 0x5a17_e42e;

    /// Hashes in the quick run; `SALTERN_RANDOM_CASES` sets more.
    const DEFAULT_CASES: usize = 64;
}
