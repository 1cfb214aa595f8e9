//! One PBKDF2 computation that can pause.

use core::fmt;

use saltern_encoded::pbkdf2::{Prf, Setting};
use zeroize::Zeroize;

use super::chain::Chain;
use crate::{sha::State, stack};

/// One PBKDF2 computation in progress. Wiped when dropped; `Debug` does not show it.
pub(crate) struct Lane {
    pub(super) chain: AnyChain,
    salt: Box<[u8]>,
    /// Iterations for each output block.
    iterations: u64,
    /// Remaining iterations over all output blocks. Between two blocks it is a multiple of
    /// `iterations`.
    remaining: u64,
    /// Output blocks that were started.
    blocks: u32,
    /// The finished blocks, then zeros. The last block is cut to fit.
    pub(super) output: Box<[u8]>,
}

impl Lane {
    /// Sets up the key. The time depends only on the length of the password.
    pub(crate) fn start(setting: &Setting, password: &[u8]) -> Box<Self> {
        let iterations = u64::from(setting.params().iterations());
        let mut lane = Box::new(Self {
            chain: AnyChain::idle(setting.params().prf()),
            salt: setting.salt().into(),
            iterations,
            remaining: iterations * setting.output_blocks() as u64,
            blocks: 0,
            output: vec![0; setting.output_bytes()].into(),
        });
        // In place, so that the stack keeps no copy of the key's state.
        lane.key(password);
        stack::wipe();
        lane
    }

    /// Returns the function under PBKDF2. Only lanes of the same function can share a kernel.
    pub(crate) fn prf(&self) -> Prf {
        match &self.chain {
            AnyChain::Sha1(_) => Prf::Sha1,
            AnyChain::Sha256(_) => Prf::Sha256,
            AnyChain::Sha512(_) => Prf::Sha512,
        }
    }

    /// Returns the remaining iterations over all output blocks.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Writes the output, of the setting's output length.
    ///
    /// # Panics
    /// If iterations remain, or `output` has another length.
    pub(crate) fn finish(self: Box<Self>, output: &mut [u8]) {
        assert_eq!(self.remaining, 0, "a lane is finished when nothing remains to be done");
        output.copy_from_slice(&self.output);
    }

    #[inline(never)]
    fn key(&mut self, password: &[u8]) {
        match &mut self.chain {
            AnyChain::Sha1(chain) => chain.key(password),
            AnyChain::Sha256(chain) => chain.key(password),
            AnyChain::Sha512(chain) => chain.key(password),
        }
    }

    /// Does the first iteration of each block that is due, at most `most` of them. Returns their
    /// number.
    pub(super) fn open_blocks(&mut self, most: u64) -> u64 {
        let mut done = 0;
        while done < most && self.remaining.is_multiple_of(self.iterations) {
            self.blocks += 1;
            match &mut self.chain {
                AnyChain::Sha1(chain) => chain.open(&self.salt, self.blocks),
                AnyChain::Sha256(chain) => chain.open(&self.salt, self.blocks),
                AnyChain::Sha512(chain) => chain.open(&self.salt, self.blocks),
            }
            self.count(1);
            done += 1;
        }
        done
    }

    /// Returns the remaining iterations of the open block; 0 if no block is open.
    pub(super) fn remaining_in_block(&self) -> u64 {
        self.remaining % self.iterations
    }

    /// Counts iterations of one block. If the block is finished, writes it to the output.
    pub(super) fn count(&mut self, steps: u64) {
        self.remaining -= steps;
        if self.remaining.is_multiple_of(self.iterations) {
            match &self.chain {
                AnyChain::Sha1(chain) => chain.write_block(self.blocks, &mut self.output),
                AnyChain::Sha256(chain) => chain.write_block(self.blocks, &mut self.output),
                AnyChain::Sha512(chain) => chain.write_block(self.blocks, &mut self.output),
            }
        }
    }

    pub(super) fn wipe(&mut self) {
        match &mut self.chain {
            AnyChain::Sha1(chain) => chain.zeroize(),
            AnyChain::Sha256(chain) => chain.zeroize(),
            AnyChain::Sha512(chain) => chain.zeroize(),
        }
        self.output.zeroize();
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lane(..)")
    }
}

/// The chain of any of the functions.
pub(super) enum AnyChain {
    Sha1(Chain<[u32; 5]>),
    Sha256(Chain<[u32; 8]>),
    Sha512(Chain<[u64; 8]>),
}

impl AnyChain {
    fn idle(prf: Prf) -> Self {
        match prf {
            Prf::Sha1 => Self::Sha1(Chain::idle()),
            Prf::Sha256 => Self::Sha256(Chain::idle()),
            Prf::Sha512 => Self::Sha512(Chain::idle()),
        }
    }
}

/// A state whose chain [`AnyChain`] holds.
pub(super) trait Held: State {
    fn of(chain: &mut AnyChain) -> &mut Chain<Self>;
}

impl Held for [u32; 5] {
    fn of(chain: &mut AnyChain) -> &mut Chain<Self> {
        let AnyChain::Sha1(chain) = chain else { unreachable!("a kernel of SHA-1 takes lanes of SHA-1") };
        chain
    }
}

impl Held for [u32; 8] {
    fn of(chain: &mut AnyChain) -> &mut Chain<Self> {
        let AnyChain::Sha256(chain) = chain else {
            unreachable!("a kernel of SHA-256 takes lanes of SHA-256")
        };
        chain
    }
}

impl Held for [u64; 8] {
    fn of(chain: &mut AnyChain) -> &mut Chain<Self> {
        let AnyChain::Sha512(chain) = chain else {
            unreachable!("a kernel of SHA-512 takes lanes of SHA-512")
        };
        chain
    }
}
