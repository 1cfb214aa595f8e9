//! DES of crypt(3), after FIPS 46-3 and FreeSec by David Burren. No crate has DES with a salt.
//!
//! Branches do not depend on the content of the password. Table indexes do, as in bcrypt; the
//! tables have 2 KiB.

use core::ops::Range;

use saltern_encoded::verify_only::des_crypt::{Form, OUTPUT_BYTES, Setting};
use zeroize::Zeroizing;

use super::Rounds as _;

/// The encryptions of a block under one key.
pub(super) struct Encryptions {
    keys: Keys,
    salt: u64,
    /// Both halves, between the initial and the final permutation. Those between two encryptions
    /// cancel each other.
    halves: Zeroizing<(u32, u32)>,
}

impl Encryptions {
    pub(super) fn start(setting: &Setting, password: &[u8]) -> Self {
        let keys = match setting.form() {
            Form::Extended => extended_keys(password),
            Form::Traditional => Keys::new(key_block(password)),
        };
        Self::of(keys, 0, salt_mask(setting.salt_bits()))
    }

    fn of(keys: Keys, block: u64, salt: u64) -> Self {
        let halves = Zeroizing::new(halves(permute(block, u64::BITS, &INITIAL_PERMUTATION)));
        Self { keys, salt, halves }
    }

    fn block(&self) -> u64 {
        let (left, right) = *self.halves;
        permute(u64::from(left) << u32::BITS | u64::from(right), u64::BITS, &FINAL_PERMUTATION)
    }
}

impl super::Rounds for Encryptions {
    fn advance(&mut self, rounds: Range<u32>) {
        let (mut left, mut right) = *self.halves;
        for _ in rounds {
            for key in *self.keys.0 {
                (left, right) = (right, left ^ mixed(right, key, self.salt));
            }
            (left, right) = (right, left);
        }
        *self.halves = (left, right);
    }

    fn finish(&self, output: &mut [u8]) {
        output.copy_from_slice(&self.block().to_be_bytes());
    }
}

/// The keys of a whole password. The key so far is encrypted under itself, and the next eight bytes
/// are combined with it by XOR.
fn extended_keys(password: &[u8]) -> Keys {
    let (first, more) = password.split_at(password.len().min(BLOCK_BYTES));
    let mut block = key_block(first);
    for part in more.chunks(BLOCK_BYTES) {
        block = Keys::new(block).encrypt(block) ^ key_block(part);
    }
    Keys::new(block)
}

/// Eight bytes of a password as a key: seven bits of each, then the parity bit that DES ignores.
fn key_block(password: &[u8]) -> u64 {
    let mut block = [0; BLOCK_BYTES];
    for (key, byte) in block.iter_mut().zip(password) {
        *key = byte << 1;
    }
    u64::from_be_bytes(block)
}

/// The bits that the two halves of an expanded half exchange. The lowest bit of the salt selects
/// the first bit.
const fn salt_mask(bits: u32) -> u64 {
    (bits.reverse_bits() >> (u32::BITS - QUARTER_BITS)) as u64
}

/// The keys of the rounds, 48 bits each.
struct Keys(Zeroizing<[u64; ROUNDS]>);

impl Keys {
    fn new(block: u64) -> Self {
        let chosen = permute(block, u64::BITS, &PERMUTED_CHOICE_1);
        let (mut left, mut right) = (chosen >> KEY_HALF_BITS, chosen & KEY_HALF);
        Self(Zeroizing::new(SHIFTS.map(|shift| {
            left = rotate_key_half(left, shift);
            right = rotate_key_half(right, shift);
            permute(left << KEY_HALF_BITS | right, 2 * KEY_HALF_BITS, &PERMUTED_CHOICE_2)
        })))
    }

    /// Encrypts a block once, without a salt.
    fn encrypt(self, block: u64) -> u64 {
        let mut once = Encryptions::of(self, block, 0);
        once.advance(0..1);
        once.block()
    }
}

/// The function of DES of a half and the key of a round, with the exchange of the salt between
/// expansion and key.
fn mixed(half: u32, key: u64, salt: u64) -> u32 {
    let expanded = (0..BOXES).fold(0, |bits, number| {
        let six = half.rotate_left(4 * number + 5) & u32::from(SIX_BITS);
        bits << 6 | u64::from(six)
    });
    let exchanged = (expanded >> QUARTER_BITS ^ expanded) & salt;
    let expanded = expanded ^ exchanged ^ exchanged << QUARTER_BITS ^ key;
    (0..BOXES).zip(&PERMUTED_BOXES).fold(0, |mixed, (number, permuted_box)| {
        let [.., six] = (expanded >> (6 * (BOXES - 1 - number))).to_be_bytes();
        mixed | permuted_box[usize::from(six & SIX_BITS)]
    })
}

#[allow(clippy::cast_possible_truncation, reason = "each cast keeps one half")]
const fn halves(block: u64) -> (u32, u32) {
    ((block >> u32::BITS) as u32, block as u32)
}

const fn rotate_key_half(half: u64, shift: u32) -> u64 {
    (half << shift | half >> (KEY_HALF_BITS - shift)) & KEY_HALF
}

/// Selects the bits that a table names. The table counts the highest of `bits` as 1.
const fn permute(value: u64, bits: u32, table: &[u8]) -> u64 {
    let mut permuted = 0;
    let mut at = 0;
    while at < table.len() {
        permuted = permuted << 1 | value >> (bits - table[at] as u32) & 1;
        at += 1;
    }
    permuted
}

/// The S-boxes, each with the permutation that follows: the bits that a box adds to the mixed half
/// for its six bits.
#[allow(clippy::cast_possible_truncation, reason = "at compile time, of 32 bits")]
const fn permuted_boxes() -> [[u32; 64]; BOXES as usize] {
    let mut permuted = [[0; 64]; BOXES as usize];
    let mut number = 0;
    while number < permuted.len() {
        let mut six = 0;
        while six < 64 {
            // The outer bits are the row, the inner bits the column.
            let (row, column) = (six >> 4 & 0b10 | six & 1, six >> 1 & 0b1111);
            let four = S_BOXES[number][row * 16 + column] as u64;
            let at = four << (4 * (permuted.len() - 1 - number));
            permuted[number][six] = permute(at, u32::BITS, &PERMUTATION) as u32;
            six += 1;
        }
        number += 1;
    }
    permuted
}

#[allow(clippy::cast_possible_truncation, reason = "at compile time, of numbers up to 64")]
const fn inverse(table: &[u8; 64]) -> [u8; 64] {
    let mut inverse = [0; 64];
    let mut at = 0;
    while at < 64 {
        inverse[table[at] as usize - 1] = at as u8 + 1;
        at += 1;
    }
    inverse
}

const BLOCK_BYTES: usize = OUTPUT_BYTES;
const ROUNDS: usize = 16;
const BOXES: u32 = 8;
const SIX_BITS: u8 = 0b11_1111;

/// Half of an expanded half.
const QUARTER_BITS: u32 = 24;

const KEY_HALF_BITS: u32 = 28;
const KEY_HALF: u64 = (1 << KEY_HALF_BITS) - 1;

static PERMUTED_BOXES: [[u32; 64]; BOXES as usize] = permuted_boxes();

const FINAL_PERMUTATION: [u8; 64] = inverse(&INITIAL_PERMUTATION);

/// FIPS 46-3, "Enciphering".
const INITIAL_PERMUTATION: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48,
    40, 32, 24, 16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21,
    13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];

/// FIPS 46-3, function P.
const PERMUTATION: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6,
    22, 11, 4, 25,
];

/// FIPS 46-3, functions PC-1 and PC-2, and the left shifts of the rounds.
const PERMUTED_CHOICE_1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44,
    36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20,
    12, 4,
];
const PERMUTED_CHOICE_2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37,
    47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];
const SHIFTS: [u32; ROUNDS] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

/// FIPS 46-3, functions S1 to S8, row by row.
const S_BOXES: [[u8; 64]; BOXES as usize] = [
    [
        14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5,
        3, 8, 4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14,
        10, 0, 6, 13,
    ],
    [
        15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9,
        11, 5, 0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12,
        0, 5, 14, 9,
    ],
    [
        10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11,
        15, 1, 13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3,
        11, 5, 2, 12,
    ],
    [
        7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10,
        14, 9, 10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11,
        12, 7, 2, 14,
    ],
    [
        2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9,
        8, 6, 4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9,
        10, 4, 5, 3,
    ],
    [
        12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11,
        3, 8, 9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7,
        6, 0, 8, 13,
    ],
    [
        4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15,
        8, 6, 1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15,
        14, 2, 3, 12,
    ],
    [
        13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14,
        9, 2, 7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0,
        3, 5, 6, 11,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 46-3 has no vectors. The first is the first S-box test of SP 500-20, the second is from
    /// a common tutorial.
    #[test]
    fn without_a_salt_the_output_is_plain_des() {
        for (key, block, encrypted) in [
            (0x7ca1_1045_4a1a_6e57, 0x01a1_d6d0_3977_6742, 0x690f_5b0d_9a26_939b),
            (0x1334_5779_9bbc_dff1, 0x0123_4567_89ab_cdef, 0x85e8_1354_0f0a_b405),
        ] {
            assert_eq!(Keys::new(key).encrypt(block), encrypted);
        }
    }
}
