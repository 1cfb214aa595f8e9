//! bcrypt, up to eight hashes at once on one core.
//!
//! One bcrypt is a chain of dependent loads: a round starts with the bytes that the round before computed, so a core
//! waits most of the time. A [`Lane`] is one computation that can stop between two key expansions; [`advance`] takes
//! several lanes through their expansions in step, and the loads of one lane fill the waiting of the others.
//!
//! Which memory is read depends on the password: that is bcrypt. No branch and no count depends on its content.

// Lanes interleave only where the rounds of all of them stand in one function.
#![allow(clippy::inline_always)]

use core::hint::black_box;
use std::{fs, path::Path};

use saltern_encoded::bcrypt::{MAX_PASSWORD_BYTES, OUTPUT_BYTES, SALT_BYTES, Setting};
use zeroize::{Zeroize as _, Zeroizing};

use super::tables::{INITIAL_P, INITIAL_S, P_WORDS, S_BOXES, S_WORDS};

/// The most lanes that [`advance`] takes at once.
pub(crate) const MAX_LANES: usize = 8;

/// One bcrypt under way. Wiped when dropped.
///
/// The alignment keeps a lane's S-boxes on cache lines of their own: 64 bytes is the line of every CPU we run on.
#[repr(align(64))]
pub(crate) struct Lane {
    s: [[u32; S_WORDS]; S_BOXES],
    p: [u32; P_WORDS],
    /// What the two expansions of a pair mix into the P-array: the key, then the salt over and over.
    mixed: [[u32; P_WORDS]; 2],
    remaining: u64,
}

impl Lane {
    /// Sets the cipher up and does the first expansion, the only one that mixes the salt into the blocks.
    ///
    /// The key is the password, a NUL, and nothing beyond 72 bytes: 72 bytes of password leave no room for the NUL.
    pub(crate) fn start(setting: &Setting, password: &[u8]) -> Box<Self> {
        // On its way to the heap this may pass over the stack, so it holds nothing secret yet.
        let mut lane = Box::new(Self {
            s: INITIAL_S,
            p: INITIAL_P,
            mixed: [[0; P_WORDS]; 2],
            remaining: 1 << setting.params().cost(),
        });
        let [key, salt] = &mut lane.mixed;
        write_key(key, password);
        write_over_and_over(salt, setting.salt().iter());
        lane.expand_with_salt();
        lane
    }

    /// Pairs of expansions, key then salt, that are still to do: two to the power of the cost at the start.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Writes the [`OUTPUT_BYTES`] of output and wipes the lane.
    ///
    /// # Panics
    /// Where expansions remain, or `output` has another length.
    pub(crate) fn finish(mut self: Box<Self>, output: &mut [u8]) {
        assert!(self.remaining == 0, "a lane finishes after its last expansion");
        assert!(output.len() == OUTPUT_BYTES, "bcrypt has {OUTPUT_BYTES} bytes of output");
        let mut bytes = Zeroizing::new([0; MAGIC.len() * size_of::<u32>()]);
        for (magic, bytes) in MAGIC.chunks_exact(2).zip(bytes.chunks_exact_mut(8)) {
            let mut block = Split { left: [magic[0]], right: [magic[1]] };
            for _ in 0..MAGIC_ENCRYPTIONS {
                block.encrypt(&[&mut self]);
            }
            let [left, right] = block.halves(0);
            bytes[..4].copy_from_slice(&left.to_be_bytes());
            bytes[4..].copy_from_slice(&right.to_be_bytes());
        }
        output.copy_from_slice(&bytes[..OUTPUT_BYTES]);
    }

    fn expand_with_salt(&mut self) {
        let [key, salt] = self.mixed;
        for (word, key) in self.p.iter_mut().zip(key) {
            *word ^= key;
        }
        let mut salt = salt[..SALT_WORDS].iter().cycle();
        let mut block = Split { left: [0], right: [0] };
        for pair in 0..BLOCKS {
            block.left[0] ^= salt.next().unwrap_or(&0);
            block.right[0] ^= salt.next().unwrap_or(&0);
            block.encrypt(&[self]);
            self.put(pair, block.halves(0));
        }
    }

    /// Replaces one pair of words, counted through the P-array and then through the S-boxes.
    fn put(&mut self, pair: usize, halves: [u32; 2]) {
        let words = match pair.checked_sub(P_BLOCKS) {
            None => &mut self.p[2 * pair..],
            Some(pair) => &mut self.s[pair / S_BLOCKS][2 * (pair % S_BLOCKS)..],
        };
        words[..2].copy_from_slice(&halves);
    }

    fn wipe(&mut self) {
        self.s.zeroize();
        self.p.zeroize();
        self.mixed.zeroize();
        self.remaining = 0;
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Does `steps` pairs of expansions on each lane, interleaved.
///
/// # Panics
/// Where a lane has fewer pairs left, and with no lanes or more than [`MAX_LANES`].
pub(crate) fn advance(lanes: &mut [&mut Lane], steps: u64) {
    assert!(lanes.iter().all(|lane| steps <= lane.remaining), "a lane has fewer expansions left");
    // Measured, hashes per core against libxcrypt (AMD EPYC, Zen 5, 48 KiB of L1 data cache):
    //
    //     lanes     1     2     3     4     5     6     7     8
    //     split  1.01  1.97  2.86  3.46  3.25  3.05  2.98  2.67
    //     packed 0.87  1.70  2.52  3.19  3.73  3.89  4.09  4.18
    //
    // Up to four lanes wait for the chain of loads, and the shorter chain wins. From five on the 16 registers of
    // x86-64 no longer hold both halves of every lane, and one register a lane wins.
    match lanes.len() {
        1 => advance_by::<1, Split<1>>(lanes, steps),
        2 => advance_by::<2, Split<2>>(lanes, steps),
        3 => advance_by::<3, Split<3>>(lanes, steps),
        4 => advance_by::<4, Split<4>>(lanes, steps),
        5 => advance_by::<5, Packed<5>>(lanes, steps),
        6 => advance_by::<6, Packed<6>>(lanes, steps),
        7 => advance_by::<7, Packed<7>>(lanes, steps),
        8 => advance_by::<8, Packed<8>>(lanes, steps),
        other => panic!("1 to {MAX_LANES} lanes advance at once, not {other}"),
    }
}

// A function of its own whoever calls: what was measured is then what runs.
#[inline(never)]
fn advance_by<const N: usize, B: Blocks<N>>(lanes: &mut [&mut Lane], steps: u64) {
    let Some(lanes) = lanes.first_chunk_mut::<N>() else { return };
    let mut lanes = lanes.each_mut().map(|lane| &mut **lane);
    for _ in 0..steps {
        for turn in 0..2 {
            for lane in &mut lanes {
                let Lane { p, mixed, .. } = &mut **lane;
                for (word, mixed) in p.iter_mut().zip(mixed[turn]) {
                    *word ^= mixed;
                }
            }
            expand::<N, B>(&mut lanes);
        }
    }
    for lane in &mut lanes {
        lane.remaining -= steps;
    }
}

/// Replaces every word of every lane by the ciphertext of the words before it.
#[inline(always)]
fn expand<const N: usize, B: Blocks<N>>(lanes: &mut [&mut Lane; N]) {
    let mut blocks = B::ZERO;
    for pair in 0..P_BLOCKS {
        blocks.encrypt(lanes);
        for (n, lane) in lanes.iter_mut().enumerate() {
            lane.p[2 * pair..2 * pair + 2].copy_from_slice(&blocks.halves(n));
        }
    }
    for s_box in 0..S_BOXES {
        for pair in 0..S_BLOCKS {
            blocks.encrypt(lanes);
            for (n, lane) in lanes.iter_mut().enumerate() {
                lane.s[s_box][2 * pair..2 * pair + 2].copy_from_slice(&blocks.halves(n));
            }
        }
    }
}

/// A block a lane, all at the same round of the cipher.
trait Blocks<const N: usize> {
    const ZERO: Self;

    /// Encrypts each block under its lane's P-array and S-boxes.
    fn encrypt(&mut self, lanes: &[&mut Lane; N]);

    /// The left and the right half of one lane's block.
    fn halves(&self, lane: usize) -> [u32; 2];
}

/// Each half in a register of its own.
struct Split<const N: usize> {
    left: [u32; N],
    right: [u32; N],
}

impl<const N: usize> Split<N> {
    #[inline(always)]
    fn two_rounds(&mut self, lanes: &[&mut Lane; N], round: usize) {
        let Self { left, right } = self;
        for ((right, left), lane) in right.iter_mut().zip(&*left).zip(lanes) {
            *right = kept(*right ^ lane.p[round]) ^ substitute(&lane.s, *left);
        }
        for ((left, right), lane) in left.iter_mut().zip(&*right).zip(lanes) {
            *left = kept(*left ^ lane.p[round + 1]) ^ substitute(&lane.s, *right);
        }
    }
}

impl<const N: usize> Blocks<N> for Split<N> {
    const ZERO: Self = Self { left: [0; N], right: [0; N] };

    #[inline(always)]
    fn encrypt(&mut self, lanes: &[&mut Lane; N]) {
        for (left, lane) in self.left.iter_mut().zip(lanes) {
            *left ^= lane.p[0];
        }
        // Written out because the compiler leaves it a loop from two lanes on: worth 3 % with four.
        self.two_rounds(lanes, 1);
        self.two_rounds(lanes, 3);
        self.two_rounds(lanes, 5);
        self.two_rounds(lanes, 7);
        self.two_rounds(lanes, 9);
        self.two_rounds(lanes, 11);
        self.two_rounds(lanes, 13);
        self.two_rounds(lanes, 15);
        for (right, lane) in self.right.iter_mut().zip(lanes) {
            *right ^= lane.p[17];
        }
        core::mem::swap(&mut self.left, &mut self.right);
    }

    #[inline(always)]
    fn halves(&self, lane: usize) -> [u32; 2] {
        [self.left[lane], self.right[lane]]
    }
}

/// The XOR with the P-array, finished before the S-boxes answer.
///
/// Left alone, LLVM turns `(r ^ p) ^ f` into `(f ^ p) ^ r`, which puts two XORs behind the loads instead of one: 9 %
/// of the time of a single lane. The detour through memory that `black_box` makes is not on that chain, and costs
/// 1 % at most against an empty `asm!`, which would be unsafe code and opaque to Miri.
#[inline(always)]
fn kept(value: u32) -> u32 {
    black_box(value)
}

/// Both halves in one register: the right one above the left.
struct Packed<const N: usize>([u64; N]);

impl<const N: usize> Blocks<N> for Packed<N> {
    const ZERO: Self = Self([0; N]);

    #[inline(always)]
    fn encrypt(&mut self, lanes: &[&mut Lane; N]) {
        let Self(blocks) = self;
        for (block, lane) in blocks.iter_mut().zip(lanes) {
            *block ^= p_pair(lane, 0);
        }
        for round in (2..P_WORDS).step_by(2) {
            for (block, lane) in blocks.iter_mut().zip(lanes) {
                *block ^= u64::from(substitute(&lane.s, low(*block))) << u32::BITS;
            }
            for (block, lane) in blocks.iter_mut().zip(lanes) {
                // The right half takes the P-array's word for its next round here too: it is not looked at before.
                *block ^= u64::from(substitute(&lane.s, low(*block >> u32::BITS))) ^ p_pair(lane, round);
            }
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
fn p_pair(lane: &Lane, first: usize) -> u64 {
    u64::from(lane.p[first]) | u64::from(lane.p[first + 1]) << u32::BITS
}

/// The lower half. Spelt by bytes because a cast that drops bits is forbidden here; it compiles to nothing.
#[inline(always)]
fn low(block: u64) -> u32 {
    let [b0, b1, b2, b3, ..] = block.to_le_bytes();
    u32::from_le_bytes([b0, b1, b2, b3])
}

/// Blowfish's F: a byte an S-box. A byte never leaves a box of 256 words, so that no bound is checked.
#[inline(always)]
fn substitute(s: &[[u32; S_WORDS]; S_BOXES], half: u32) -> u32 {
    let bytes = half.to_be_bytes().map(usize::from);
    let [first, second, third, fourth] = core::array::from_fn(|s_box| s[s_box][bytes[s_box]]);
    (first.wrapping_add(second) ^ third).wrapping_add(fourth)
}

/// How many lanes stay in the L1 data cache of this machine, 1 to [`MAX_LANES`].
///
/// Measured where 48 KiB hold eleven lanes: hashes per core stay level up to 90 % of the cache (ten lanes), are 15 %
/// down at 107 % (twelve) and 45 % down at 143 % (sixteen). A cache that two hardware threads share counts half.
pub(crate) fn lanes_that_fit_l1() -> usize {
    let bytes = l1_data_bytes_a_cpu(Path::new(CPU0_CACHES)).unwrap_or(UNKNOWN_L1_DATA_BYTES);
    lanes_that_fit(bytes)
}

fn lanes_that_fit(l1_data_bytes: usize) -> usize {
    (l1_data_bytes.saturating_sub(L1_HEAD_ROOM_BYTES) / size_of::<Lane>()).clamp(1, MAX_LANES)
}

/// The L1 data cache over the CPUs that share it, as Linux tells in sysfs; `None` where it does not.
fn l1_data_bytes_a_cpu(caches: &Path) -> Option<usize> {
    let cache = fs::read_dir(caches).ok()?.flatten().map(|entry| entry.path()).find(|cache| {
        let is = |file, text| fs::read_to_string(cache.join(file)).is_ok_and(|found| found.trim() == text);
        is("level", "1") && (is("type", "Data") || is("type", "Unified"))
    })?;
    let size = fs::read_to_string(cache.join("size")).ok()?;
    let kib: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    // A bit a CPU, in hexadecimal, a comma every eight digits.
    let sharers = fs::read_to_string(cache.join("shared_cpu_map")).unwrap_or_default();
    let sharers: u32 = sharers.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum();
    Some(kib * 1024 / usize::try_from(sharers.max(1)).ok()?)
}

fn write_key(key: &mut [u32; P_WORDS], password: &[u8]) {
    let taken = &password[..password.len().min(MAX_PASSWORD_BYTES)];
    let nul = (taken.len() < MAX_PASSWORD_BYTES).then_some(&0);
    write_over_and_over(key, taken.iter().chain(nul));
}

/// Fills `words` with big-endian words of the bytes, which start anew where they end.
fn write_over_and_over<'a>(words: &mut [u32; P_WORDS], bytes: impl Iterator<Item = &'a u8> + Clone) {
    let mut bytes = bytes.cycle();
    for word in words {
        for _ in 0..size_of::<u32>() {
            *word = *word << u8::BITS | bytes.next().copied().map_or(0, u32::from);
        }
    }
}

const SALT_WORDS: usize = SALT_BYTES / size_of::<u32>();

/// Blocks of two words that an expansion writes.
const P_BLOCKS: usize = P_WORDS / 2;
const S_BLOCKS: usize = S_WORDS / 2;
const BLOCKS: usize = P_BLOCKS + S_BOXES * S_BLOCKS;

/// `OrpheanBeholderScryDoubt` as big-endian words (Provos and Mazières, USENIX 1999, §4).
const MAGIC: [u32; 6] = [0x4f72_7068, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];

/// Times that the magic text is encrypted (same source).
const MAGIC_ENCRYPTIONS: usize = 64;

/// Where Linux describes the caches of the first CPU. The cores of one machine may differ; those of servers do not.
const CPU0_CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// What every x86-64 server CPU has at least.
const UNKNOWN_L1_DATA_BYTES: usize = 32 * 1024;

/// Kept free for the stack and for what the system does meanwhile: 4 KiB is a line in each of 64 sets.
const L1_HEAD_ROOM_BYTES: usize = 4 * 1024;
