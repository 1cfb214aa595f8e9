//! SHA-1, SHA-256 and SHA-512 as compression functions, for kernels that keep a state between two
//! blocks. The crates compute the compressions. Source: FIPS 180-4.

use sha2::block_api::{compress256, compress512};
use zeroize::{Zeroize, Zeroizing};

/// The state between two compressions: the chaining value of a hash, and its digest at the end.
pub(crate) trait State: AsRef<[Self::Word]> + AsMut<[Self::Word]> + Copy + Send + Zeroize {
    type Word: Copy + Default + Zeroize;

    /// Length of a message block, in bytes.
    const BLOCK_BYTES: usize;
    /// Length of a digest, in bytes.
    const DIGEST_BYTES: usize;
    /// The chaining value before the first block.
    const INITIAL: Self;

    /// Compresses whole blocks of `BLOCK_BYTES`.
    fn compress(&mut self, blocks: &[u8]);

    /// Writes the digest, cut to the length of `output`.
    fn write(&self, output: &mut [u8]);
}

/// Hashes the rest of a message. The state already contains its first `before` bytes.
pub(crate) fn absorb<S: State>(mut state: S, before: usize, parts: &[&[u8]]) -> S {
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
                state.compress(&block[..S::BLOCK_BYTES]);
                filled = 0;
            }
        }
    }
    block[filled..].fill(0);
    block[filled] = END_OF_MESSAGE;
    // The bit length has an eighth of a block. For SHA-512 its upper half stays zero.
    if filled >= S::BLOCK_BYTES - S::BLOCK_BYTES / 8 {
        state.compress(&block[..S::BLOCK_BYTES]);
        block.fill(0);
    }
    let bits = 8 * total as u64;
    block[S::BLOCK_BYTES - 8..S::BLOCK_BYTES].copy_from_slice(&bits.to_be_bytes());
    state.compress(&block[..S::BLOCK_BYTES]);
    state
}

impl State for [u32; 5] {
    type Word = u32;

    const BLOCK_BYTES: usize = 64;
    const DIGEST_BYTES: usize = 20;
    const INITIAL: Self = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

    fn compress(&mut self, blocks: &[u8]) {
        sha1::block_api::compress(self, blocks.as_chunks().0);
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

    fn compress(&mut self, blocks: &[u8]) {
        compress256(self, blocks.as_chunks().0);
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

    fn compress(&mut self, blocks: &[u8]) {
        compress512(self, blocks.as_chunks().0);
    }

    fn write(&self, output: &mut [u8]) {
        write_words(self.map(u64::to_be_bytes).as_flattened(), output);
    }
}

fn write_words(digest: &[u8], output: &mut [u8]) {
    output.copy_from_slice(&digest[..output.len()]);
}

/// The block of SHA-512, in bytes; SHA-1 and SHA-256 use the first half.
pub(crate) const MAX_BLOCK_BYTES: usize = 128;

/// The digest of SHA-512, in bytes.
pub(crate) const MAX_DIGEST_BYTES: usize = 64;

/// The bit that ends a message (FIPS 180-4 §5.1).
pub(crate) const END_OF_MESSAGE: u8 = 0x80;

#[cfg(test)]
mod tests {
    use saltern_vectors::{Prf, nist_digests};

    use super::*;

    #[test]
    fn messages_have_the_digests_of_nist() {
        fn digest<S: State>(message: &[u8]) -> Vec<u8> {
            let mut digest = vec![0; S::DIGEST_BYTES];
            absorb(S::INITIAL, 0, &[message]).write(&mut digest);
            digest
        }
        let vectors = nist_digests();
        assert_eq!(vectors.len(), 65 + 65 + 129);
        for vector in vectors {
            let digest = match vector.prf {
                Prf::Sha1 => digest::<[u32; 5]>,
                Prf::Sha256 => digest::<[u32; 8]>,
                Prf::Sha512 => digest::<[u64; 8]>,
            };
            assert_eq!(digest(&vector.message), vector.digest, "{vector:?}");
        }
    }
}
