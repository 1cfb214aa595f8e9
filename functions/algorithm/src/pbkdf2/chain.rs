//! HMAC over SHA-1, SHA-256 and SHA-512 as PBKDF2 needs it: two midstates and a chain of one-block messages.
//! Sources: RFC 2104 (HMAC), RFC 8018 §5.2 (PBKDF2), FIPS 180-4 (SHA).

use sha2::block_api::{compress256, compress512};
use zeroize::{Zeroize, Zeroizing};

/// The words between two compressions: chaining value of a hash, and its digest at the end.
pub(super) trait State: AsRef<[Self::Word]> + Copy + Zeroize {
    type Word: Copy + Default + Zeroize;

    /// Length of a message block, in bytes.
    const BLOCK_BYTES: usize;
    /// Length of a digest, in bytes.
    const DIGEST_BYTES: usize;
    /// The chaining value before the first block.
    const INITIAL: Self;

    /// Takes in one block of `BLOCK_BYTES`.
    fn compress(&mut self, block: &[u8; MAX_BLOCK_BYTES]);

    /// Writes the digest, cut to the length of `output`.
    fn write(&self, output: &mut [u8]);
}

/// The state of one PBKDF2 output block: HMAC's two midstates, the last U and the sum T of all U so far.
///
/// An iteration is two compressions, one from each midstate, of a block that holds one digest and fixed padding.
pub(super) struct Chain<S> {
    /// After the block `key ^ ipad`.
    pub(super) inner: S,
    /// After the block `key ^ opad`.
    pub(super) outer: S,
    /// U of RFC 8018.
    pub(super) last: S,
    /// T of RFC 8018.
    pub(super) sum: S,
}

impl<S: State> Chain<S> {
    /// A chain without a key.
    pub(super) fn idle() -> Self {
        Self { inner: S::INITIAL, outer: S::INITIAL, last: S::INITIAL, sum: S::INITIAL }
    }

    /// Sets the key up. The time depends on the length of the password alone.
    pub(super) fn key(&mut self, password: &[u8]) {
        let mut block = Zeroizing::new([0_u8; MAX_BLOCK_BYTES]);
        if password.len() > S::BLOCK_BYTES {
            let mut digest = absorb(S::INITIAL, 0, &[password]);
            digest.write(&mut block[..S::DIGEST_BYTES]);
            digest.zeroize();
        } else {
            block[..password.len()].copy_from_slice(password);
        }
        block.iter_mut().for_each(|byte| *byte ^= INNER_PAD);
        self.inner = S::INITIAL;
        self.inner.compress(&block);
        block.iter_mut().for_each(|byte| *byte ^= INNER_PAD ^ OUTER_PAD);
        self.outer = S::INITIAL;
        self.outer.compress(&block);
    }

    /// The first iteration of an output block: HMAC of the salt and the number of the block, counted from one.
    pub(super) fn open(&mut self, salt: &[u8], number: u32) {
        let mut digest = Zeroizing::new([0_u8; MAX_DIGEST_BYTES]);
        let digest = &mut digest[..S::DIGEST_BYTES];
        absorb(self.inner, S::BLOCK_BYTES, &[salt, &number.to_be_bytes()]).write(digest);
        self.last = absorb(self.outer, S::BLOCK_BYTES, &[digest]);
        self.sum = self.last;
    }

    /// Writes T where it belongs in the output, block `number` of it, cut at its end.
    pub(super) fn write_block(&self, number: u32, output: &mut [u8]) {
        let blocks = output.chunks_mut(S::DIGEST_BYTES);
        if let Some(block) = blocks.take(number as usize).last() {
            self.sum.write(block);
        }
    }
}

impl<S: Zeroize> Zeroize for Chain<S> {
    fn zeroize(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
        self.last.zeroize();
        self.sum.zeroize();
    }
}

/// Hashes the rest of a message to its end, `before` bytes of which the state has taken in.
fn absorb<S: State>(mut state: S, before: usize, parts: &[&[u8]]) -> S {
    let mut block = Zeroizing::new([0_u8; MAX_BLOCK_BYTES]);
    let (mut filled, mut total) = (0, before);
    for mut part in parts.iter().copied() {
        total += part.len();
        while !part.is_empty() {
            let taken = part.len().min(S::BLOCK_BYTES - filled);
            block[filled..filled + taken].copy_from_slice(&part[..taken]);
            filled += taken;
            part = &part[taken..];
            if filled == S::BLOCK_BYTES {
                state.compress(&block);
                filled = 0;
            }
        }
    }
    block[filled..].fill(0);
    block[filled] = END_OF_MESSAGE;
    // The bit length takes an eighth of a block. Its upper half, of SHA-512, stays zero.
    if filled >= S::BLOCK_BYTES - S::BLOCK_BYTES / 8 {
        state.compress(&block);
        block.fill(0);
    }
    let bits = 8 * total as u64;
    block[S::BLOCK_BYTES - 8..S::BLOCK_BYTES].copy_from_slice(&bits.to_be_bytes());
    state.compress(&block);
    state
}

impl State for [u32; 5] {
    type Word = u32;

    const BLOCK_BYTES: usize = 64;
    const DIGEST_BYTES: usize = 20;
    const INITIAL: Self = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

    fn compress(&mut self, block: &[u8; MAX_BLOCK_BYTES]) {
        sha1::block_api::compress(self, &block.as_chunks().0[..1]);
    }

    fn write(&self, output: &mut [u8]) {
        write_words(self.map(u32::to_be_bytes).as_flattened(), output);
    }
}

impl State for [u32; 8] {
    type Word = u32;

    const BLOCK_BYTES: usize = 64;
    const DIGEST_BYTES: usize = 32;
    const INITIAL: Self = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];

    fn compress(&mut self, block: &[u8; MAX_BLOCK_BYTES]) {
        compress256(self, &block.as_chunks().0[..1]);
    }

    fn write(&self, output: &mut [u8]) {
        write_words(self.map(u32::to_be_bytes).as_flattened(), output);
    }
}

impl State for [u64; 8] {
    type Word = u64;

    const BLOCK_BYTES: usize = 128;
    const DIGEST_BYTES: usize = 64;
    const INITIAL: Self = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];

    fn compress(&mut self, block: &[u8; MAX_BLOCK_BYTES]) {
        compress512(self, &block.as_chunks().0[..1]);
    }

    fn write(&self, output: &mut [u8]) {
        write_words(self.map(u64::to_be_bytes).as_flattened(), output);
    }
}

fn write_words(digest: &[u8], output: &mut [u8]) {
    output.copy_from_slice(&digest[..output.len()]);
}

/// The block of SHA-512, in bytes; SHA-1 and SHA-256 use the first half.
pub(super) const MAX_BLOCK_BYTES: usize = 128;

/// The digest of SHA-512, in bytes.
const MAX_DIGEST_BYTES: usize = 64;

/// RFC 2104 §2.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/// The bit that ends a message (FIPS 180-4 §5.1).
const END_OF_MESSAGE: u8 = 0x80;
