use zeroize::Zeroize;

/// Words of 64 bits in a block (RFC 9106 §3.2: 1024 bytes).
pub(crate) const WORDS: usize = 128;

/// Bytes in a block.
pub(crate) const BYTES: usize = WORDS * 8;

/// A block of Argon2's memory, aligned to cache lines: no vector load or store crosses a line.
///
/// The compressor chooses the place of each word (see [`Compressor::place`]). XOR and the order of
/// blocks do not depend on it. Data enters and leaves through [`Block::write`] and [`Block::read`].
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; WORDS]);

impl Block {
    pub(crate) const ZERO: Self = Self([0; WORDS]);

    /// Writes a block from bytes in the order of the specification.
    pub(super) fn write<C: Compressor>(&mut self, bytes: &[u8; BYTES]) {
        for (index, word) in bytes.as_chunks().0.iter().enumerate() {
            self.0[C::place(index)] = u64::from_le_bytes(*word);
        }
    }

    /// Reads the block as bytes in the order of the specification.
    pub(super) fn read<C: Compressor>(&self, bytes: &mut [u8; BYTES]) {
        for (index, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            *word = self.0[C::place(index)].to_le_bytes();
        }
    }
}

impl Zeroize for Block {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// A set of instructions that computes the compression function G (RFC 9106 §3.5).
///
/// A value proves that the machine has the instructions.
pub(super) trait Compressor: Copy + Send + Sync {
    /// The state that stays in registers from one block to the next.
    type Working;

    /// Returns the place in a stored block of the word with this index in the specification. Word 0
    /// has place 0.
    fn place(index: usize) -> usize {
        index
    }

    /// Starts a chain of blocks after `previous`.
    fn start(self, previous: &Block) -> Self::Working;

    /// Writes G(`previous`, `reference`) to `destination`, or XORs it in, and returns its word 0.
    /// `working` has followed the chain to `previous`.
    fn step(
        self,
        working: &mut Self::Working,
        previous: &Block,
        reference: &Block,
        destination: &mut Block,
        xor: bool,
    ) -> u64;

    /// Does the same for a block whose chain is not in `working`: other chains are between two
    /// steps of it.
    #[inline(always)]
    fn step_apart(self, previous: &Block, reference: &Block, destination: &mut Block, xor: bool) -> u64 {
        self.step(&mut self.start(previous), previous, reference, destination, xor)
    }

    /// Writes G(0, `input`).
    fn once(self, input: &Block, output: &mut Block) {
        self.step_apart(&Block::ZERO, input, output, false);
    }

    /// Prefetches a block that is read soon.
    fn prefetch(self, block: &Block);

    /// Prefetches a block that is read soon, and then hardly again.
    #[inline(always)]
    fn prefetch_to_read_once(self, block: &Block) {
        self.prefetch(block);
    }

    /// Prefetches a block that is written soon.
    #[inline(always)]
    fn prefetch_to_write(self, block: &Block) {
        self.prefetch(block);
    }

    /// Whether [`Compressor::step_past_caches`] is faster than [`Compressor::step_apart`].
    const WRITES_PAST_CACHES: bool = false;

    /// As [`Compressor::step_apart`] without XOR. Before, `last` is a copy of the previous block;
    /// afterwards, of the new one.
    ///
    /// The destination may bypass the caches. Before another thread reads it, the caller calls
    /// [`Compressor::end_writes_past_caches`].
    #[inline(always)]
    fn step_past_caches(self, last: &mut Block, reference: &Block, destination: &mut Block) -> u64 {
        let number = self.step_apart(last, reference, destination, false);
        last.clone_from(destination);
        number
    }

    /// Makes the blocks of [`Compressor::step_past_caches`] visible to other threads.
    #[inline(always)]
    fn end_writes_past_caches(self) {}
}

/// Returns the table of a byte shuffle that rotates each word of 64 bits right by whole bytes.
#[allow(clippy::cast_possible_truncation, reason = "no vector has 256 bytes")]
pub(super) const fn bytes_turned_right<const VECTOR_BYTES: usize>(bytes: usize) -> [u8; VECTOR_BYTES] {
    let mut table = [0; VECTOR_BYTES];
    let mut byte = 0;
    while byte < VECTOR_BYTES {
        // AVX2 shuffles within 16 bytes, so the index is relative to them.
        table[byte] = ((byte & 8) | ((byte + bytes) & 7)) as u8;
        byte += 1;
    }
    table
}
